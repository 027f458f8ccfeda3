"""The lab as functions."""

from __future__ import annotations

import copy
import csv
import json
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import bellmino
from bellmino import _native

COMMAND = [sys.executable, "-c", "from bellmino._command import main; main()"]


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=120)


def test_games() -> None:
    assert bellmino.games() == ["baby", "mini", "small", "classic", "learner", "sz", "hatetris", "sprint", "blitz", "practice"]
    game = bellmino.Game("baby", {"board": {"height": 5}, "dealer.kind": "bag"})
    assert (game.height, game.kind) == (5, "placement")
    for again in (copy.deepcopy(game), pickle.loads(pickle.dumps(game)), bellmino.Game.from_toml(game.to_toml())):
        assert again == game and hash(again) == hash(game)
    assert game != bellmino.Game("baby")
    weighted = bellmino.Game("baby", {"dealer.weights": [np.float64(0.25), np.int64(3)]})
    assert "weights = [0.25, 3]" in weighted.to_toml()


def test_a_game_of_ones_own_is_used_everywhere(tmp_path: Path) -> None:
    text = bellmino.Game("baby").to_toml().replace('name = "baby"', 'name = "mine"').replace("height = 4", "height = 3")
    path = tmp_path / "mine.toml"
    path.write_text(text)
    for game in (bellmino.Game.from_file(path), bellmino.Game(str(path)), bellmino.Game.from_toml(text)):
        assert (game.name, game.height) == ("mine", 3)
        assert bellmino.solve(game, "total").report["game"] == "mine"
        assert bellmino.perft(game, 2) == bellmino.perft(str(path), 2)
        assert bellmino.evaluate(game, "lowest", games=5)["game"] == "mine"
    assert bellmino.perft(path, 1) == 18


def test_solve_is_the_commands_solution(tmp_path: Path) -> None:
    said = json.loads(command("solve", "baby", "--objective", "discounted:0.9", "--json").stdout)
    solution = bellmino.solve("baby", "discounted:0.9")
    for field in ("value", "boards", "states", "dead_states", "mean_value", "value_by_first_piece", "error_bound"):
        assert getattr(solution, field) == said[field]
    assert abs(solution.value - 9.1186070058) < 1e-9 and solution.boards == 12978
    placements = solution.placements("..../..../..../...#", "L3")
    assert {"rotation", "column", "row", "value", "action"} <= set(placements[0])
    values = [one["value"] for one in placements]
    assert values == sorted(values, reverse=True) and len(values) == 12
    path = tmp_path / "baby.table"
    solution.save(path)
    again = bellmino.Solution.open(path)
    assert again.placements("..../..../..../...#", "L3") == placements
    assert again.value == solution.value and again.game == bellmino.Game("baby")
    assert bellmino.evaluate("baby", f"table:{path}", games=10, pieces=50)["unfinished"] == 10


def test_arrays_hold_what_placements_say() -> None:
    solution = bellmino.solve("mini", "discounted:0.8")
    boards, values, best = solution.arrays()
    assert boards.shape == (solution.boards, 3, 3) and values.shape == best.shape == (len(boards), 3)
    names = solution.game.pieces
    for number in range(0, len(boards), 7):
        for piece in range(3):
            found = solution.placements(boards[number], names[piece])
            assert found[0]["value"] == values[number, piece]
            assert any(one["action"] == best[number, piece] and one["value"] == values[number, piece] for one in found)
    empty = np.flatnonzero(boards.sum(axis=(1, 2)) == 0)
    assert len(empty) == 1
    mean = np.mean([solution.value_by_first_piece[name] for name in names])
    assert abs(values[empty[0]].mean() - mean) < 1e-9
    with pytest.raises(ValueError, match="a bag"):
        bellmino.solve(bellmino.Game("baby", {"dealer.kind": "bag"}), "total").arrays()


def test_hands_beyond_one_piece() -> None:
    bag = bellmino.solve(bellmino.Game("mini", {"dealer.kind": "bag"}), "total")
    with pytest.raises(ValueError, match="it matters what was dealt before"):
        bag.placements("", "S")
    assert bag.placements("", "S", dealt=[])
    ahead = bellmino.solve("baby", "discounted:0.9", preview=1)
    assert ahead.placements("", ["I3", "L3"]) and ahead.value > 9.2
    held = bellmino.solve("baby", "discounted:0.9", hold=True)
    assert held.value > 9.2 and held.placements("", "I3", held="L3")


def test_evaluate_is_the_commands_report() -> None:
    words = ["evaluate", "baby", "--player", "random", "--player", "lowest", "--games", "500", "--seed", "7", "--json"]
    said = json.loads(command(*words).stdout)
    report = bellmino.evaluate("baby", ["random", "lowest"], games=500, seed=7)
    for one, other in zip(said["players"], report["players"], strict=True):
        assert one["score"] == other["score"] and one["pieces"] == other["pieces"]
    assert said["differences"] == report["differences"]
    one = bellmino.evaluate("baby", "random", games=500, seed=7, threads=1)
    assert one["score"] == report["players"][0]["score"]


def test_tables_of_games_and_moves(tmp_path: Path) -> None:
    report = bellmino.evaluate("baby", "lowest", games=20, seed=3, tables=tmp_path / "csv", format="csv")
    games = list(csv.DictReader((tmp_path / "csv" / "games.csv").open()))
    assert len(games) == 20 and sum(float(one["score"]) for one in games) / 20 == report["score"]["mean"]
    bellmino.evaluate("baby", "lowest", games=20, seed=3, tables=tmp_path / "parquet")
    try:
        import pandas  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pandas, polars or pyarrow"):
            bellmino.read_tables(tmp_path / "parquet")
        return
    tables = bellmino.read_tables(tmp_path / "parquet")
    assert len(tables["games"]) == 20 and tables["games"]["score"].mean() == report["score"]["mean"]


def test_records_and_diagrams(tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    for game, player in (("baby", "lowest"), ("sprint", "weights:lee4")):
        played = bellmino.play(game, player, seed=3, pieces=20, record=path)
        record = bellmino.Record.from_file(path)
        again = record.replay()
        assert (record.game, record.player, record.seed) == (game, player, 3)
        assert len(again["moves"]) == played["pieces"] == again["pieces"]
        assert [move["piece"] for move in again["moves"]] == [move["piece"] for move in played["moves"]]
        assert bellmino.Record(record.to_text()).to_text() == record.to_text()
    diagram = bellmino.fumen(record)
    assert len(diagram["pages"]) == 21
    assert bellmino.fumen(diagram["fumen"])["fumen"] == diagram["fumen"]
    judged = bellmino.analyse(record, nodes=50)
    assert judged["judged"] == 20
    baby = bellmino.play("baby", "random", seed=3, record=path)
    losses = bellmino.analyse(path, objective="discounted:0.9")
    assert losses["moves"] == baby["pieces"]


def test_training_tells_its_steps_and_stops() -> None:
    options = {"features": "lee", "low": 6, "population": 8, "games": 2, "seed": 1}
    steps: list[dict[str, float]] = []
    learned = bellmino.train("snes", "classic", generations=4, callback=steps.append, **options)
    assert [step["generation"] for step in steps] == [1, 2, 3, 4] and not learned["interrupted"]
    assert [list(step.values()) for step in steps] == learned["curve"]
    stopped = bellmino.train("snes", "classic", generations=10_000, callback=lambda _: False, **options)
    assert stopped["interrupted"] and 1 <= stopped["steps"] < 10_000

    def fail(_: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        bellmino.train("snes", "classic", generations=10_000, callback=fail, **options)


def test_progress_is_told() -> None:
    told: list[tuple[int, int | None, str]] = []
    bellmino.evaluate("baby", "random", games=300_000, progress=lambda *now: told.append(now))
    assert told and told[-1][1] == 300_000 and told == sorted(told)


def test_ctrl_c_stops_with_what_is_known() -> None:
    def press() -> None:
        time.sleep(0.4)
        signal.raise_signal(signal.SIGINT)

    for call, known in (
        (lambda: bellmino.evaluate("classic", "weights:lee4", games=1_000_000), True),
        (lambda: bellmino.train("cem", "classic", generations=10_000), True),
        (lambda: bellmino.perft("classic", 12), False),
        (lambda: bellmino.solve(bellmino.Game("small", {"board.width": 6, "board.height": 5}), "total"), False),
    ):
        thread = threading.Thread(target=press)
        thread.start()
        begin = time.monotonic()
        try:
            with pytest.raises(KeyboardInterrupt) as raised:
                call()
        finally:
            thread.join()
        assert time.monotonic() - begin < 20
        assert isinstance(raised.value, bellmino.Interrupted) == known
        if known:
            assert raised.value.known["interrupted"] is True
    assert bellmino.perft("baby", 3) == 2460


def test_long_calls_release_the_lock() -> None:
    count = 0
    done = threading.Event()

    def work() -> None:
        bellmino.evaluate("classic", "weights:lee4", games=40, threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0)
    thread.join()
    assert count > 100


WRONG = [
    (lambda: bellmino.Game("babby"), ValueError, "did you mean `baby`?"),
    (lambda: bellmino.Game("baby", {"board.hight": 3}), ValueError, "did you mean `height`?"),
    (lambda: bellmino.Game("baby", {"board.height": "tall"}), ValueError, "must be a whole number"),
    (lambda: bellmino.Game("baby", {3: 4}), TypeError, "keys are texts"),
    (lambda: bellmino.Game("baby", {"board.height": object()}), TypeError, "no value of a game"),
    (lambda: bellmino.Game(7), TypeError, "str"),
    (lambda: bellmino.Game.from_toml("x = "), ValueError, "not valid TOML"),
    (lambda: bellmino.Game.from_file("/nowhere"), ValueError, "nowhere"),
    (lambda: bellmino.solve("baby", "discounted:2"), ValueError, "is not an objective"),
    (lambda: bellmino.solve("baby", 7), ValueError, "objective=: give a text, not 7"),
    (lambda: bellmino.solve("baby", "total", dealer="worse"), ValueError, "is not a dealer"),
    (lambda: bellmino.solve("baby", "total", colour="red"), TypeError, "unexpected keyword argument 'colour'"),
    (lambda: bellmino.solve("sprint", "total"), ValueError, "is a guideline game"),
    (lambda: bellmino.solve("classic", "total"), ValueError, "too big"),
    (lambda: bellmino.solve(7, "total"), TypeError, "is no game"),
    (lambda: bellmino.evaluate("baby", "lowst"), ValueError, "did you mean `lowest`?"),
    (lambda: bellmino.evaluate("baby", 7), TypeError, ""),
    (lambda: bellmino.evaluate("baby", ["lowest", 7]), TypeError, "is no player"),
    (lambda: bellmino.evaluate("baby", "lowest", games=0), ValueError, "games=: give a whole number from 1 to 1,000,000,000, not 0"),
    (lambda: bellmino.evaluate("baby", "lowest", games="many"), ValueError, 'games=: give a whole number from 1 to 1,000,000,000, not "many"'),
    (lambda: bellmino.evaluate("baby", "lowest", games=object()), TypeError, "games=: give a text, a number, a bool or a list, not object"),
    (lambda: bellmino.evaluate("baby", "lowest", seed=-1), ValueError, "seed=: give a whole number of at least 0, not -1"),
    (lambda: bellmino.train("cme", "classic"), ValueError, "method=: give `cem`, `cma-es`"),
    (lambda: bellmino.train("cem", "classic", callback=3), TypeError, "callback"),
    (lambda: bellmino.analyse("####"), ValueError, "is neither a fumen, a file nor a board"),
    (lambda: bellmino.perft("baby"), ValueError, "give depth= for a placement game, or queue= for a guideline game"),
    (lambda: bellmino.perft("baby", 99), ValueError, "depth=: give a whole number from 0 to 64, not 99"),
    (lambda: bellmino.Record("nonsense"), ValueError, "not a record"),
    (lambda: bellmino.Bot("baby"), ValueError, "plays guideline games"),
    (lambda: bellmino.Bot("blitz", nodes=0), ValueError, "nodes"),
    (lambda: bellmino.Bot("blitz", player="bto"), ValueError, "did you mean `bot`?"),
    (lambda: bellmino.ask("fumble"), ValueError, "fumble"),
    (lambda: bellmino.ask("perft", game="baby", dept=2), ValueError, "dept"),
    (lambda: bellmino.ask(3), TypeError, "3 is no name of a request"),
    (lambda: bellmino.regret(3, "baby", "total"), TypeError, "policy"),
    (lambda: bellmino.regret(lambda b, p: 99, "baby", "discounted:0.5"), ValueError, "action 99 is not legal"),
    (lambda: bellmino.read_tables("/nowhere"), ValueError, "neither games nor moves"),
    (lambda: bellmino.Solution.open("/nowhere"), ValueError, "nowhere"),
    (lambda: bellmino.Board(7), TypeError, "a board is"),
    (lambda: bellmino.Piece("Q", "baby"), ValueError, "is not a piece"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_arguments_are_told(number: int) -> None:
    call, kind, message = WRONG[number]
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_messages_are_the_commands() -> None:
    for words, call in (
        (["solve", "babby", "--objective", "total"], lambda: bellmino.solve("babby", "total")),
        (["evaluate", "baby", "--player", "lowst"], lambda: bellmino.evaluate("baby", "lowst")),
        (["analyse", "####", "--queue", "I"], lambda: bellmino.analyse("####", queue="I")),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        said = command(*words)
        assert said.returncode == 2 and said.stderr.strip() == f"bellmino: {raised.value}"


def test_the_command_comes_along() -> None:
    assert command("perft", "baby", "--depth", "4").stdout == "15734\n"
    assert command("--version").stdout == f"bellmino {bellmino.__version__}\n"
    assert command("perft", "babby", "--depth", "4").returncode == 2
    assert command("--help").returncode == 0
    twice = "from bellmino import _native; a = [_native.main(['bellmino', 'perft', 'baby', '--depth', '2', '--threads', n]) for n in '12']; print(a)"
    done = subprocess.run([sys.executable, "-c", twice], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "284\n284\n[0, 0]\n"


def test_commands_that_run_commands(tmp_path: Path) -> None:
    # `reproduce` starts this very program, which is not the executable here.
    experiment = tmp_path / "mine.toml"
    experiment.write_text(
        'title = "Mine"\nquestion = "How many?"\n'
        '[[figure]]\nwhat = "games"\nfield = "/nodes"\ncommand = "perft baby --depth 4"\n'
    )
    words = [sys.executable, "-m", "bellmino", "reproduce", str(experiment), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["experiments"][0]["figures"][0]["ours"] == 15734


def test_pictures() -> None:
    assert bellmino.Board("#.../##.#")._repr_svg_().count("<rect") == 1 + 4
    assert bellmino.Piece("L3", "baby")._repr_svg_().count("<rect") == 4 * 3
    assert bellmino.solve("baby", "discounted:0.9")._repr_svg_().count("<rect") == 2 * (1 + 3)


def test_importing_is_quick_and_loads_no_numpy() -> None:
    code = (
        "import sys, time; t = time.perf_counter(); import bellmino; t = time.perf_counter() - t\n"
        "print(t, 'numpy' in sys.modules, 'gymnasium' in sys.modules)\n"
        "import gymnasium; print(sum('Bellmino' in name for name in gymnasium.registry))"
    )
    times = []
    for _ in range(5):
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
        first, second = out.stdout.splitlines()
        seconds, *loaded = first.split()
        assert loaded == ["False", "False"] and second == "10"
        times.append(float(seconds))
    assert min(times) < 0.2, times


def test_a_session_is_left_as_it_was() -> None:
    """Nothing of a failed call reaches the next one."""
    for _ in range(3):
        with pytest.raises(ValueError):
            bellmino.ask("perft", game="nothing", depth=2)
        assert bellmino.ask("perft", game="baby", depth=2)["nodes"] == 284
