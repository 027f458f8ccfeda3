"""Placements per second of Bellmino's environments beside other packages, in one run, as ratios.

    python placements.py                      # ours
    python placements.py --jumanji PYTHON --tetris-gymnasium PYTHON

Others run with an interpreter of their own, since their dependencies do not go together. Each measure is the best of
some repetitions on one core in processor time, so that other work on the machine does not count; actions are given
beforehand where a package allows it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

JUMANJI = """
import json, time, jax, jax.numpy as jnp, jumanji
env = jumanji.make("Tetris-v0")
number, steps = 256, 64
reset, step = jax.vmap(env.reset), jax.vmap(env.step)
def act(key, mask):
    flat = mask.reshape(number, -1)
    choice = jax.random.categorical(key, jnp.where(flat, 0.0, -1e9))
    return jnp.stack([choice // mask.shape[2], choice % mask.shape[2]], axis=1)
@jax.jit
def run(key):
    state, seen = reset(jax.random.split(key, number))
    def one(carry, key):
        state, seen = carry
        state, seen = step(state, act(key, seen.observation.action_mask))
        return (state, seen), seen.reward.sum()
    return jax.lax.scan(one, (state, seen), jax.random.split(key, steps))[1].sum()
run(jax.random.PRNGKey(0)).block_until_ready()
best = 0.0
for repetition in range(5):
    begin = time.process_time()
    run(jax.random.PRNGKey(repetition)).block_until_ready()
    best = max(best, number * steps / (time.process_time() - begin))
print(json.dumps({"placements": best, "version": jumanji.__version__}))
"""

TETRIS_GYMNASIUM = """
import importlib.metadata, json, time, gymnasium as gym
from tetris_gymnasium.envs.tetris import Tetris
from tetris_gymnasium.wrappers.grouped import GroupedActionsObservations
def rate(env, steps):
    env.reset(seed=1)
    best = 0.0
    for _ in range(3):
        begin = time.process_time()
        for _ in range(steps):
            _, _, ended, stopped, _ = env.step(env.action_space.sample())
            if ended or stopped:
                env.reset()
        best = max(best, steps / (time.process_time() - begin))
    return best
keys = rate(gym.make("tetris_gymnasium/Tetris", render_mode=None), 1500)
placements = rate(GroupedActionsObservations(gym.make("tetris_gymnasium/Tetris", render_mode=None)), 100)
print(json.dumps({"placements": placements, "keys": keys, "version": importlib.metadata.version("tetris-gymnasium")}))
"""


def ours(name: str, number: int, steps: int, repetitions: int = 5, **options: object) -> float:
    """Steps a second of all games together, with observations and masks; the actions are given beforehand."""
    import gymnasium
    import numpy as np

    import bellmino  # noqa: F401  (registers the environments)

    rng = np.random.default_rng(1)
    best = 0.0
    for _ in range(repetitions):
        envs = gymnasium.make_vec(name, num_envs=number, vectorization_mode="vector_entry_point", **options)
        _, info = envs.reset(seed=1)
        spent = 0.0
        for _ in range(steps):
            if "action_mask" in info:
                # Legal actions at random; choosing them is not measured.
                mask = info["action_mask"]
                actions = (mask * rng.integers(1, 100, mask.shape, dtype=np.int8)).argmax(axis=1)
            else:
                actions = rng.random((number, 8)) < 0.1
            begin = time.process_time()
            _, _, _, _, info = envs.step(actions)
            spent += time.process_time() - begin
        best = max(best, number * steps / spent)
    return best


def other(python: str | None, code: str) -> dict[str, object] | None:
    """What another package measures of itself, on the same core."""
    if python is None:
        return None
    words = [python, "-c", code]
    quiet = {**os.environ, "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=900, env=quiet)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jumanji", metavar="PYTHON")
    parser.add_argument("--tetris-gymnasium", metavar="PYTHON")
    parser.add_argument("--steps", type=int, default=200)
    words = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    classic = ours("Bellmino/Classic-v0", 4096, words.steps)
    rows: list[tuple[str, float]] = [
        ("Bellmino Classic, 4096 boards", classic),
        ("Bellmino Classic, 4096 boards, shared arrays", ours("Bellmino/Classic-v0", 4096, words.steps, copy=False)),
        ("Bellmino Sprint, all placements, 1024 boards", ours("Bellmino/Sprint-v0", 1024, max(words.steps // 10, 5))),
        ("Bellmino SprintKeys, ticks, 1024 boards", ours("Bellmino/SprintKeys-v0", 1024, max(words.steps // 4, 5))),
    ]
    jumanji = other(words.jumanji, JUMANJI)
    if jumanji is not None:
        rows.append((f"Jumanji {jumanji['version']}, placements (vmap 256)", float(str(jumanji["placements"]))))
    tetris = other(words.tetris_gymnasium, TETRIS_GYMNASIUM)
    if tetris is not None:
        rows.append((f"Tetris-Gymnasium {tetris['version']}, placements", float(str(tetris["placements"]))))
        rows.append((f"Tetris-Gymnasium {tetris['version']}, keys", float(str(tetris["keys"]))))
    print(f"{'one core, steps a second':55}{'':>12}   Bellmino Classic is")
    for name, rate in rows:
        print(f"{name:55}{rate:12,.0f}   {classic / rate:10,.1f} times that")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
