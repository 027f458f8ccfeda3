"""Stacking games of the Tetris family: solved exactly, played, learned, and as Gymnasium environments.

>>> import bellmino
>>> solution = bellmino.solve("baby", "discounted:0.9")
>>> round(solution.value, 4)
9.1186
>>> round(solution.placements("..../..../..../###.", "L3")[0]["value"], 4)
10.0178

The environments are registered with Gymnasium: `gymnasium.make("Bellmino/Baby-v0", oracle="discounted:0.9")`.
"""

from __future__ import annotations

from bellmino import _registration
from bellmino._drawing import Board, Piece
from bellmino._lab import (
    Bot,
    analyse,
    ask,
    fumen,
    perft,
    read_tables,
)
from bellmino._native import Game, Interrupted, Record, __version__, games
from bellmino._requests import (
    best,
    compare,
    endurance,
    evaluate,
    export,
    features,
    hunt,
    pc,
    play,
    replay,
    resume,
    train,
    tune,
    weights,
)
from bellmino._solution import Regret, Solution, SolutionArrays, regret, solve

__all__ = [
    "Board",
    "Bot",
    "Game",
    "Interrupted",
    "Piece",
    "Record",
    "Regret",
    "Solution",
    "SolutionArrays",
    "__version__",
    "analyse",
    "ask",
    "best",
    "compare",
    "endurance",
    "evaluate",
    "export",
    "features",
    "fumen",
    "games",
    "hunt",
    "pc",
    "perft",
    "play",
    "read_tables",
    "regret",
    "replay",
    "resume",
    "solve",
    "train",
    "tune",
    "weights",
]

_registration.register_with_gymnasium()
