"""PPO with masks on small games: its learning curve under the line of the exact optimum.

Needs `pip install sb3-contrib matplotlib`. Each point is the exact value of the policy as it stands, not a sample.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

import bellmino

DISCOUNT = 0.9
GAMES_AT_ONCE = 256


class Lanes(VecEnv):
    """Many games stepped by one call, as Stable-Baselines3 wants them: those that have ended begin anew at once."""

    def __init__(self, name: str, number: int, first_seed: int) -> None:
        self.envs = gymnasium.make_vec(
            name, num_envs=number, vectorization_mode="vector_entry_point", observation="flat"
        )
        self.first_seed = first_seed
        super().__init__(number, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self):
        return self.envs.reset(seed=self.first_seed)[0]

    def step_async(self, actions) -> None:
        self.actions = actions

    def step_wait(self):
        seen, rewards, ended, stopped, _ = self.envs.step(self.actions)
        done = ended | stopped
        infos = [{} for _ in done]
        if done.any():
            for number in np.flatnonzero(done):
                infos[number] = {"terminal_observation": seen[number], "TimeLimit.truncated": bool(stopped[number])}
            seen, _ = self.envs.reset(options={"reset_mask": done})
        return seen, rewards, done, infos

    def env_method(self, method_name, *arguments, indices=None, **options):
        return list(getattr(self.envs, method_name)(*arguments, **options))

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.envs, attr_name)] * self.num_envs

    def set_attr(self, attr_name, value, indices=None) -> None:
        setattr(self.envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * self.num_envs

    def close(self) -> None:
        self.envs.close()


def encode(boards, pieces, count):
    """Boards and pieces as the environment's `flat` observation shows them."""
    empty = np.zeros((len(boards), count + 1), np.float32)
    empty[:, 0] = 1
    cells = boards.reshape(len(boards), -1).astype(np.float32)
    return np.concatenate([cells, empty, np.eye(count, dtype=np.float32)[pieces]], axis=1)


class Exact(BaseCallback):
    """Evaluates the policy exactly every so many steps."""

    def __init__(self, game: str, every: int, table: Path) -> None:
        super().__init__()
        self.solution = bellmino.solve(game, f"discounted:{DISCOUNT}")
        self.game, self.every, self.table, self.curve = game, every, table, []

    def policy(self, boards, pieces, masks):
        flat = encode(boards, pieces, len(self.solution.game.pieces))
        parts = np.array_split(np.arange(len(flat)), max(1, len(flat) // 8192))
        actions = [self.model.predict(flat[p], deterministic=True, action_masks=masks[p])[0] for p in parts]
        return np.concatenate(actions)

    def measure(self) -> None:
        found = bellmino.regret(
            self.policy, self.game, f"discounted:{DISCOUNT}", batch=True, solution=self.solution
        )
        self.curve.append((self.num_timesteps, found.value, found.optimal_value))
        with open(self.table, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["steps", "value", "optimum"])
            rows.writerows(self.curve)
        print(f"{self.game}: {self.num_timesteps} steps, value {found.value:.4f} of {found.optimal_value:.4f}", flush=True)

    def _on_training_start(self) -> None:
        self.measure()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.num_timesteps // self.every > self.curve[-1][0] // self.every:
            self.measure()


def learn(game: str, steps: int, seed: int, folder: Path) -> list[tuple[int, float, float]]:
    """Learns a game; gives the exact value after so many steps, beside the optimum."""
    env = Lanes(f"Bellmino/{game.capitalize()}-v0", GAMES_AT_ONCE, first_seed=1000 * seed)
    model = MaskablePPO(
        "MlpPolicy",
        # Points of the two games differ by a factor of 100.
        VecNormalize(env, norm_obs=False, gamma=DISCOUNT),
        gamma=DISCOUNT,  # as the optimum is counted
        gae_lambda=0.9,
        n_steps=16,
        batch_size=1024,
        n_epochs=6,
        learning_rate=lambda left: 2e-3 * left,
        ent_coef=0.005,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
        seed=seed,
    )
    exact = Exact(game, max(steps // 30, 1), folder / f"ppo-{game}.csv")
    model.learn(steps, callback=exact)
    exact.measure()
    env.close()
    return exact.curve


def draw(curves: dict[str, list[tuple[int, float, float]]], path: Path) -> None:
    """Each game's learning curve under the line of its optimum."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "bellmino"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(curves), figsize=(5 * len(curves), 3.2), squeeze=False)
    for place, (game, curve) in zip(axes[0], curves.items()):
        steps, values, optimum = zip(*curve)
        place.plot(steps, values, label="MaskablePPO, exact value")
        place.axhline(optimum[0], color="black", linestyle="--", label="optimum")
        place.set(title=game, xlabel="steps", ylabel=f"discounted:{DISCOUNT} points", ylim=(0, 1.1 * optimum[0]))
        place.legend(loc="center right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="+", default=["baby", "small"])
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("."))
    words = parser.parse_args()
    words.output.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    draw({game: learn(game, words.steps, words.seed, words.output) for game in words.games}, words.output / "ppo.svg")


if __name__ == "__main__":
    main()
