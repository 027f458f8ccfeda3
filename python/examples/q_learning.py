"""Tabular Q-learning on Baby, in thirty lines of numpy, beside the exact optimum.

Many boards learn at once into one table; how good the result is, is not sampled but evaluated exactly.
"""

import gymnasium
import numpy as np

import bellmino

GAME, DISCOUNT, BOARDS, STEPS = "baby", 0.9, 2048, 3000
envs = gymnasium.make_vec("Bellmino/Baby-v0", num_envs=BOARDS, vectorization_mode="vector_entry_point", copy=False)
rng = np.random.default_rng(1)
weights = 2 ** np.arange(16)
values = np.full((2**16, 2, 16), 12.0)  # optimistic: what has not been tried looks good
visits = np.zeros((2**16, 2, 16))


def states(seen):
    return seen["board"].reshape(BOARDS, 16) @ weights, seen["piece"].copy()


seen, info = envs.reset(seed=1)
board, piece = states(seen)
over = np.zeros(BOARDS, bool)
for step in range(STEPS):
    legal = info["action_mask"] > 0
    greedy = np.where(legal, values[board, piece], -np.inf).argmax(axis=1)
    explored = np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=1)
    action = np.where(rng.random(BOARDS) < 0.05, explored, greedy)
    seen, reward, ended, _, info = envs.step(action)
    next_board, next_piece = states(seen)
    ahead = np.where(info["action_mask"] > 0, values[next_board, next_piece], -np.inf).max(axis=1)
    target = reward + DISCOUNT * np.where(ended, 0.0, ahead)
    known = np.flatnonzero(~over)  # the step after an end only begins a new game
    place = (board[known], piece[known], action[known])
    visits[place] += 1
    values[place] += (target[known] - values[place]) / visits[place] ** 0.7
    board, piece, over = next_board, next_piece, ended.copy()


def policy(boards, pieces, masks):
    number = boards.reshape(len(boards), 16) @ weights
    return np.where(masks > 0, values[number, pieces], -np.inf).argmax(axis=1)


found = bellmino.regret(policy, GAME, f"discounted:{DISCOUNT}", batch=True)
print(f"value {found.value:.4f}, optimum {found.optimal_value:.4f}: {100 * found.regret / found.optimal_value:.2f} % below")
