"""One question, one answer: the same request from Python, as a command and from JSON."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import bellmino
import pytest
from bellmino import _native, _requests

#: A request of every kind, as fields.
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("perft", {"game": "baby", "depth": 3}),
    ("perft", {"game": "practice", "queue": "IOL"}),
    ("endurance", {"game": "classic", "set": ["board.height=8"], "players": ["weights:lee4"], "climbs": 20, "runs": 2, "seed": 3}),
    ("evaluate", {"game": "baby", "players": ["lowest"], "games": 40, "seed": 7, "discount": 0.9}),
    ("evaluate", {"game": "classic", "set": ["dealer.weights=[0.5,1,1,1,1,1,1]"], "players": ["weights:lee4", "random"], "games": 5, "pieces": 300}),
    ("evaluate", {"game": "sprint", "players": ["weights:lee4"], "games": 2, "keys": True}),
]


def _command(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The same as a command, flag by flag."""
    schema = _native.schema(name)["request"]["properties"]
    words = [name]
    for field, value in fields.items():
        flag = "--" + schema[field].get("x-flag", field.replace("_", "-"))
        if schema[field].get("x-positional"):
            words.append(value)
        elif value is True:
            words.append(flag)
        else:
            words += [f"{flag}={one}" for one in (value if isinstance(value, list) else [value])]
    done = subprocess.run(
        [sys.executable, "-m", "bellmino", *words, "--json"], capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _timeless(value: Any) -> Any:
    """The answer without what depends on the clock."""
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in ("seconds", "pieces_per_second")}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


def test_every_request_is_asked_here() -> None:
    assert {name for name, _ in REQUESTS} == set(_native.requests())


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_the_same_question_has_the_same_answer(number: int) -> None:
    name, fields = REQUESTS[number]
    by_function = getattr(_requests, name)(**fields)
    by_name = _native.answer(name, fields)
    assert _timeless(by_function) == _timeless(by_name) == _timeless(_command(name, fields))
    whole = bellmino.Game(fields["game"], _overrides(fields.get("set", [])))
    by_text = getattr(_requests, name)(**{**fields, "game": bellmino.Game.from_toml(whole.to_toml()), "set": None})
    assert _timeless({**by_text, "game": ""}) == _timeless({**by_name, "game": ""})


def _overrides(changes: list[str]) -> dict[str, Any]:
    return {key: json.loads(value) for key, value in (change.split("=") for change in changes)}


def test_functions_are_made_from_the_requests() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bellmino", "schema", "--python"], capture_output=True, text=True, check=True, timeout=60
    )
    assert Path(_requests.__file__).read_text() == done.stdout, "run `bellmino schema --python` into _requests.py"


def test_a_field_is_declared_once() -> None:
    """Fields, keyword arguments and flags are the same, with the same defaults."""
    for name in _native.requests():
        fields = _native.schema(name)["request"]["properties"]
        shown = {field for field, about in fields.items() if not about.get("x-no-flag")}
        parameters = inspect.signature(getattr(_requests, name)).parameters
        assert set(parameters) - {"threads", "progress"} == shown
        for field in shown:
            default = parameters[field].default
            assert default is inspect.Parameter.empty or (default or None) == (fields[field].get("default") or None)
        said = subprocess.run(
            [sys.executable, "-m", "bellmino", name, "--help"], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for field in shown:
            flag = "--" + fields[field].get("x-flag", field.replace("_", "-"))
            word = f"<{field.upper()}>" if fields[field].get("x-positional") else flag
            assert said.count(f"{word} ") + said.count(f"{word}\n") >= 1, (name, field)


def test_refusals_name_the_field_as_it_is_written_here() -> None:
    with pytest.raises(ValueError, match="there is no option `gmes`; did you mean `games`?"):
        _native.answer("evaluate", {"game": "baby", "players": ["lowest"], "gmes": 3})
    with pytest.raises(ValueError, match="there is no request `evalute`; did you mean `evaluate`?"):
        _native.answer("evalute", {})
    with pytest.raises(ValueError, match="players=: is missing"):
        _native.answer("evaluate", {"game": "baby"})
    with pytest.raises(ValueError, match="games= and losses= do not go together"):
        bellmino.evaluate("baby", "lowest", games=3, losses=2)
