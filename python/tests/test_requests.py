"""One question, one answer: the same request from Python, as a command, from JSON, and with its work done in units elsewhere."""

from __future__ import annotations

import inspect
import json
import keyword
import re
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
    ("compare", {"game": "baby", "players": ["fewest-holes", "lowest"], "games": 40, "seed": 2}),
    ("compare", {"game": "sprint", "players": ["weights:lee4", "random"], "games": 3}),
    ("play", {"game": "baby", "player": "fewest-holes", "seed": 3, "pieces": 20, "record": "played.toml"}),
    ("play", {"game": "blitz", "player": "bot", "nodes": 200, "pieces": 6, "index": 2}),
    ("analyse", {"input": "####....../####.#####", "queue": "TI", "goal": "practice", "top": 2, "nodes": 500}),
    ("analyse", {"input": "game.toml", "move": 1, "objective": "discounted:0.5"}),
    ("calibrate", {"goal": "sprint", "positions": 20, "check": True, "nodes": 100, "seed": 3}),
    ("export", {"game": "mini", "output": "mini.drn", "objective": "discounted:0.9", "from": "#.."}),
    ("best", {"game": "blitz", "queue": "TIO", "board": "####....../####.#####", "nodes": 500, "top": 3}),
    ("best", {"game": "baby", "queue": "L3", "board": "###.", "player": "fewest-holes"}),
    ("tables", {"records": ["game.toml"], "output": "tables", "format": "csv"}),
    ("features", {}),
    ("fumen", {"input": "v115@vhAAgH"}),
    ("games", {}),
    ("games", {"game": "baby", "set": ["board.height=5"]}),
    ("pc", {"board": "######..../######....", "queue": "OOT", "all": True}),
    ("pc", {"board": "empty", "queue": "IOTLJSZ", "bag": "IOT", "nodes": 20000, "seed": 3}),
    ("hunt", {"game": "hatetris", "set": ["board.width=6", "board.height=9"], "dealer": "burgiel", "width": 20, "learn": 3, "learn_width": 4, "seed": 2}),
    ("hunt", {"game": "hatetris", "width": 5, "pieces": 40}),
    ("replay", {"keys": "DDDDDDDDDDDDDDDDDD", "dealer": "mild"}),
    ("resume", {"run": "before/run"}),
    ("train", {"method": "cem", "game": "classic", "set": ["board.height=8"], "low": 6, "population": 6, "elites": 2, "games": 2, "generations": 2, "noise": "constant:2", "seed": 4}),
    ("train", {"method": "cma-es", "game": "sprint", "population": 6, "generations": 1, "aim": "keys", "path": "drop", "start": "sprint4"}),
    ("train", {"method": "snes", "game": "classic", "features": "lee", "low": 6, "population": 6, "games": 2, "generations": 2, "no_racing": True, "confirm": 2}),
    ("train", {"method": "td", "game": "small", "features": "contour", "episodes": 3, "rate": 0.2, "runs": 2, "games": 3}),
    ("train", {"method": "cbmpi", "game": "classic", "low": 6, "states": 20, "horizon": 10, "games": 2, "iterations": 1, "generations": 3}),
    ("train", {"method": "tuples", "game": "small", "windows": ["3x3", "2x2"], "steps": 2, "moves": 300, "trace": 0.5}),
    ("tune", {"game": "blitz", "nodes": 50, "pieces": 30, "games": 2, "generations": 1, "seed": 3}),
    ("weights", {}),
    ("weights", {"name": "lee4"}),
    ("solve", {"game": "mini"}),
    ("solve", {"game": "mini", "objective": "total", "player": "lowest", "set": ["dealer.kind=\"weighted\""], "losses": 2, "changes": True}),
    ("solve", {"game": "baby", "objective": "discounted:0.9", "dealer": "mixed:0.25", "hold": True, "preview": 1, "state": "###.", "piece": "L3,I3"}),
    ("solve", {"game": "baby", "objective": "discounted:0.1", "never_clear": True}),
    ("solve", {"game": "small", "set": ["board.height=3"], "objective": "horizon:4", "view": "contour", "epsilon": 0.001, "policy": "policy.csv"}),
]


def _command(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The same as a command, flag by flag."""
    schema = _fields(name, fields.get("method") if name == "train" else None)
    words = [name]
    for field, value in fields.items():
        flag = "--" + schema[field].get("x-flag", field.replace("_", "-"))
        if schema[field].get("x-positional"):
            words += value if isinstance(value, list) else [value]
        elif value is True:
            words.append(flag)
        else:
            words += [f"{flag}={one}" for one in (value if isinstance(value, list) else [value])]
    done = subprocess.run(
        [sys.executable, "-m", "bellmino", *words, "--json"], capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _asked(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The same as JSON on stdin; events come first, the answer last."""
    done = subprocess.run(
        [sys.executable, "-m", "bellmino", "ask", name], input=json.dumps(fields), capture_output=True, text=True, check=True, timeout=120
    )
    *events, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(event["event"] in ("begin", "done", "now", "end", "notice", "step") for event in events)
    found: dict[str, Any] = last["answer"]
    return found


def _fields(name: str, method: str | None = None) -> dict[str, Any]:
    """The fields of a request, or of one of its kinds; `method` says which."""
    request = _native.schema(name)["request"]
    fields = dict(request.get("properties", {}))
    for kind in request.get("oneOf", []):
        if kind["properties"]["method"]["const"] == method:
            fields = {**kind["properties"], **fields, "method": {"x-positional": True}}
    return fields


def _methods(name: str) -> list[str | None]:
    """The kinds of a request that has several."""
    kinds = _native.schema(name)["request"].get("oneOf")
    return [kind["properties"]["method"]["const"] for kind in kinds] if kinds else [None]


_OF_THE_MACHINE = ("seconds", "pieces_per_second", "states_per_second", "wells_per_second", "peak_bytes", "bytes_per_state")


def _timeless(value: Any) -> Any:
    """The answer without what depends on the machine."""
    if isinstance(value, dict):
        return {key: _timeless(one) for key, one in value.items() if key not in _OF_THE_MACHINE}
    return [_timeless(one) for one in value] if isinstance(value, list) else value


#: Requests whose work is done in units; TD learns from one episode after the other.
IN_UNITS = ("compare", "evaluate", "train", "tune")


def _by_units(name: str, fields: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The same with a crew, as a cluster has it: units travel as bytes, are cut in two and done by two benches, the last ones
    first. Also how many there were."""
    benches, done = [_native.Workbench(1), _native.Workbench(1)], 0

    def crew(heap: _native.Heap) -> None:
        nonlocal done
        units = [half for unit in iter(lambda: heap.next(5), None) for half in unit.halves()]
        for unit in reversed(units):
            bench = benches[done % 2]
            for table in unit.tables:
                bench.put_table(heap.table(table) or b"")
            heap.put(unit, bench.work(_native.Unit.from_bytes(unit.to_bytes())))
            done += 1

    return _native.answer(name, fields, crew=crew), done


def test_every_request_is_asked_here() -> None:
    assert {name for name, _ in REQUESTS} == set(_native.requests())
    for name in _native.requests():
        assert {fields.get("method") for asked, fields in REQUESTS if asked == name} >= set(_methods(name)), name


@pytest.mark.parametrize("number", range(len(REQUESTS)))
def test_the_same_question_has_the_same_answer(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, fields = REQUESTS[number]
    bellmino.play("mini", "lowest", record="game.toml")
    if name == "resume":
        (tmp_path / "before").mkdir()
        bellmino.train("td", "small", features="contour", episodes=2, run="before/run")
    by_function = getattr(_requests, name)(**_written(fields))
    by_name = _native.answer(name, fields)
    assert _timeless(by_function) == _timeless(by_name) == _timeless(_command(name, fields))
    assert _timeless(_asked(name, fields)) == _timeless(by_name)
    by_units, units = _by_units(name, fields)
    assert _timeless(by_units) == _timeless(by_name) and (units > 0) == (name in IN_UNITS and fields.get("method") != "td")
    if "game" not in fields:
        return
    whole = bellmino.Game(fields["game"], _overrides(fields.get("set", [])))
    text = {**fields, "game": bellmino.Game.from_toml(whole.to_toml()), "set": None}
    by_text = getattr(_requests, name)(**_written(text))
    assert _timeless({**by_text, "game": ""}) == _timeless({**by_name, "game": ""})


def _written(fields: dict[str, Any]) -> dict[str, Any]:
    """Names of fields as Python can write them."""
    return {f"{field}_" if keyword.iskeyword(field) else field: value for field, value in fields.items()}


def _overrides(changes: list[str]) -> dict[str, Any]:
    return {key: json.loads(value) for key, value in (change.split("=") for change in changes)}


def test_functions_are_made_from_the_requests() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bellmino", "schema", "--python"], capture_output=True, text=True, check=True, timeout=60
    )
    assert Path(_requests.__file__).read_text() == done.stdout, "run `bellmino schema --python` into _requests.py"


def test_a_field_is_declared_once() -> None:
    """Fields, keyword arguments and flags are the same, with the same defaults."""
    for name, method in [(name, method) for name in _native.requests() for method in _methods(name)]:
        fields = _fields(name, method)
        shown = {field for field, about in fields.items() if not about.get("x-no-flag")}
        known = inspect.signature(getattr(_requests, name)).parameters
        parameters = {parameter.rstrip("_"): about for parameter, about in known.items()}
        own = set(parameters) - {"threads", "progress", "callback"}
        assert own == {field for method in _methods(name) for field, about in _fields(name, method).items() if not about.get("x-no-flag")}
        # Of what not every method takes, the default is the method's own.
        for field in shown & (shown if method is None else set(_native.schema(name)["request"]["properties"])):
            default = parameters[field].default
            assert default is inspect.Parameter.empty or (default or None) == (fields[field].get("default") or None)
        words = [name] if method is None else [name, method]
        said = subprocess.run(
            [sys.executable, "-m", "bellmino", *words, "--help"], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        shown.discard("method" if method else "")
        for field in shown:
            flag = "--" + fields[field].get("x-flag", field.replace("_", "-"))
            word = f"[<[]{field.upper()}[]>]" if fields[field].get("x-positional") else flag
            assert re.search(rf"{word}[\s.]", said), (name, field)


def test_solve_has_the_fields_of_its_request() -> None:
    assert inspect.signature(bellmino.solve).parameters == inspect.signature(_requests.solve).parameters
    with pytest.raises(TypeError, match="colour"):
        bellmino.solve("baby", "total", colour="red")  # type: ignore[call-arg]


def test_refusals_name_the_field_as_it_is_written_here() -> None:
    with pytest.raises(ValueError, match="there is no option `gmes`; did you mean `games`?"):
        _native.answer("evaluate", {"game": "baby", "players": ["lowest"], "gmes": 3})
    with pytest.raises(ValueError, match="there is no request `evalute`; did you mean `evaluate`?"):
        _native.answer("evalute", {})
    with pytest.raises(ValueError, match="players=: is missing"):
        _native.answer("evaluate", {"game": "baby"})
    with pytest.raises(ValueError, match="elites=: is for cem, not for td"):
        bellmino.train("td", "small", elites=3)
    with pytest.raises(ValueError, match="windows= does not go with units="):
        bellmino.train("tuples", "small", windows="3x3", units=8)
    with pytest.raises(ValueError, match="features= is for linear methods; tuples have windows="):
        bellmino.train("tuples", "small", features="lee")
    with pytest.raises(ValueError, match="games= and losses= do not go together"):
        bellmino.evaluate("baby", "lowest", games=3, losses=2)
    with pytest.raises(ValueError, match="reached= needs player=; give it too"):
        _requests.solve("mini", reached=True)
    with pytest.raises(ValueError, match="player= and placer= do not go together"):
        bellmino.solve("mini", "total", player="lowest", placer="average")
    with pytest.raises(ValueError, match="epsilon=: give a number above 0, not -1"):
        bellmino.solve("mini", "total", epsilon=-1)
    with pytest.raises(ValueError, match="view=: `cell` is not a view"):
        bellmino.solve("mini", "total", view="cell")
