"""Requests: what can be asked of the lab, from Python values, and the answers."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from bellmino import _native
from bellmino._native import Game, Record
from bellmino._progress import Progress, Shown

P = ParamSpec("P")
R = TypeVar("R")

#: What stands for a game: a built-in name, the path of a TOML file or its text, or a `Game`.
GameLike = Game | str | os.PathLike[str]

#: What stands for a file or a folder.
PathLike = str | os.PathLike[str]

#: Who is told each step of training; `False` stops it.
Callback = Callable[[dict[str, Any]], object] | None


def as_game(game: GameLike) -> Game:
    """The game itself."""
    if isinstance(game, Game):
        return game
    if isinstance(game, str) and "\n" in game:
        return Game.from_toml(game)
    if isinstance(game, (str, os.PathLike)):
        return Game(os.fspath(game))
    raise TypeError(f"{game!r} is no game; give a name, the path of a TOML file or a bellmino.Game")


def answer(
    name: str,
    fields: Mapping[str, object],
    threads: int | None = None,
    progress: Progress = None,
    callback: Callback = None,
) -> dict[str, Any]:
    """The answer to a request, by its name and its fields; see `bellmino schema`."""
    if callback is not None and not callable(callback):
        raise TypeError("callback=: give a function of one step")
    given = whole(fields)
    with Shown(progress, name) as shown:
        found: dict[str, Any] = _native.answer(name, given, threads, shown.listener, callback)
        return found


def asked(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The same from all that a function of the request was given, by the names of its parameters."""
    fields = {parameter.rstrip("_"): value for parameter, value in given.items()}
    how = {word: fields.pop(word, None) for word in ("threads", "progress", "callback")}
    return answer(name, fields, **how)


def whole(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields with a game in place of its name, a record as its text, and lists of texts."""
    given = {field: _listed(field, value) for field, value in fields.items()}
    if given.get("game") is not None:
        given["game"] = as_game(given["game"])  # type: ignore[arg-type]
    record = given.get("input")
    if isinstance(record, Record):
        given.update(input="record", text=record.to_text())
    return given


def like(model: Callable[P, object]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Gives a function the parameters of a request; it gets those that are given by name, as fields."""
    signature = inspect.signature(model)

    def decorate(function: Callable[..., R]) -> Callable[P, R]:
        def asked(*given: P.args, **named: P.kwargs) -> R:
            try:
                bound = signature.bind(*given, **named).arguments
            except TypeError as error:
                raise TypeError(f"{function.__name__}() {error}") from None
            return function(**{name.rstrip("_"): value for name, value in bound.items()})

        asked.__name__ = asked.__qualname__ = function.__name__
        asked.__module__ = function.__module__
        asked.__doc__ = (function.__doc__ or "") + "\n" + (model.__doc__ or "").partition("\n")[2]
        returns = inspect.signature(function).return_annotation
        asked.__signature__ = signature.replace(return_annotation=returns)  # type: ignore[attr-defined]
        return asked

    return decorate


#: Fields that are lists of texts, of which one may be given alone.
_LISTS = {"players": "player", "records": "record", "set": "change of a game", "windows": "window"}


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
