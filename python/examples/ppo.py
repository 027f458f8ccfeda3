"""PPO with masks on small games: its learning curve under the line of the exact optimum.

Needs `pip install sb3-contrib matplotlib`. Each point is the exact value of the policy as it stands, not a sample.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

import bellmino

DISCOUNT = 0.9


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
        if self.num_timesteps // self.every > self.curve[-1][0] // self.every:
            self.measure()
        return True


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
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--output", type=Path, default=Path("."))
    words = parser.parse_args()
    words.output.mkdir(parents=True, exist_ok=True)
    curves = {}
    for game in words.games:
        name = f"Bellmino/{game.capitalize()}-v0"
        env = make_vec_env(name, n_envs=16, seed=1, env_kwargs={"observation": "flat"})
        env = VecNormalize(env, norm_obs=False, gamma=DISCOUNT)  # points of the two games differ by a factor of 100
        model = MaskablePPO("MlpPolicy", env, gamma=DISCOUNT, n_steps=64, batch_size=256, ent_coef=0.01, seed=1)
        exact = Exact(game, max(words.steps // 30, 1), words.output / f"ppo-{game}.csv")
        model.learn(words.steps, callback=exact)
        exact.measure()
        curves[game] = exact.curve
    draw(curves, words.output / "ppo.svg")


if __name__ == "__main__":
    main()
