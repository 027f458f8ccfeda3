"""Requests: what can be asked of the lab, from Python values, and the answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bellmino import _native
from bellmino._native import Game
from bellmino._progress import Progress, Shown

#: What stands for a game: a built-in name, the path of a TOML file, or a `Game`.
GameLike = Game | str | os.PathLike[str]

#: What stands for a file or a folder.
PathLike = str | os.PathLike[str]


def as_game(game: GameLike) -> Game:
    """The game itself."""
    if isinstance(game, Game):
        return game
    if isinstance(game, (str, os.PathLike)):
        return Game(os.fspath(game))
    raise TypeError(f"{game!r} is no game; give a name, the path of a TOML file or a bellmino.Game")


def answer(
    name: str,
    fields: Mapping[str, object],
    threads: int | None = None,
    progress: Progress = None,
    step: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """The answer to a request, by its name and its fields; see `bellmino schema`."""
    given = {field: _listed(field, value) for field, value in fields.items()}
    if "game" in given:
        given["game"] = as_game(given["game"])  # type: ignore[arg-type]
    with Shown(progress, name) as shown:
        found: dict[str, Any] = _native.answer(name, given, threads, shown.listener, step)
        return found


#: Fields that are lists of texts, of which one may be given alone.
_LISTS = {"players": "player", "set": "change of a game"}


def _listed(field: str, value: object) -> object:
    if field not in _LISTS or value is None:
        return value
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable):
        raise TypeError(f"{field}=: give a text or a list of texts")
    items = list(value)
    for item in items:
        if not isinstance(item, str):
            raise TypeError(f"{item!r} is no {_LISTS[field]}; give texts")
    return items
