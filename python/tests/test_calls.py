"""Random calls of every function: whatever comes in, the interpreter lives and says what is wrong."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import bellmino
import bellmino.envs
from bellmino import _native

#: Calls of each function: a few, or with `--long` all.
FEW, ALL = 150, 100_000
#: What a wrong argument may raise.
ALLOWED = (ValueError, TypeError, OverflowError, OSError, ImportError)


def brief(number: Any) -> Any:
    """The same, but no number of steps that would take years; what is too large for any is left to be refused."""
    if isinstance(number, list):
        return [brief(one) for one in number]
    return 3 if isinstance(number, int) and 3 < number < 2**64 else number


class Values:
    """Random values, many of them nearly right."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.games = [bellmino.Game("baby"), bellmino.Game("mini"), bellmino.Game("sprint")]

    def any(self, depth: int = 0) -> Any:
        pick = self.random.choice
        kinds: list[Callable[[], Any]] = [
            lambda: None,
            lambda: pick([True, False]),
            lambda: pick([-1, 0, 1, 2, 3, 7, 16, 255, 2**31, 2**63, 2**64, -(2**70)]),
            lambda: pick([0.0, -0.5, 0.9, 1.0, 1e300, float("nan"), float("inf")]),
            self.text,
            lambda: pick(self.games),
            lambda: b"bytes",
            lambda: object(),
            lambda: np.array([self.random.randrange(-2, 3) for _ in range(self.random.randrange(9))]),
            lambda: np.zeros((self.random.randrange(5), self.random.randrange(5)), np.uint8),
            lambda: np.float32(0.5),
            lambda: np.int16(3),
        ]
        if depth < 2:
            kinds += [
                lambda: [self.any(depth + 1) for _ in range(self.random.randrange(4))],
                lambda: {self.text(): self.any(depth + 1) for _ in range(self.random.randrange(3))},
            ]
        return pick(kinds)()

    def text(self) -> str:
        words = [
            "", "baby", "mini", "small", "sprint", "babby", "random", "lowest", "weights:lee4", "table:x", "bot", "I3",
            "L3", "T", "IOT", "..../#...", "#", "####", "discounted:0.9", "horizon:3", "total", "average", "survive",
            "board.height", "dealer.kind", "bag", "worst", "v115@vhAAgH", "v115@", "x = 1", "\x00", "\n", "é", "--help",
            "dict", "flat", "features", "afterstates", "raise", "lose", "lee", "ansi", "{game}", "-1", "nan",
        ]  # fmt: skip
        if self.random.random() < 0.2:
            return "".join(chr(self.random.randrange(1, 0x2FF)) for _ in range(self.random.randrange(6)))
        return self.random.choice(words)

    def some(self, *right: Any) -> Any:
        """One of the right values, mostly."""
        return self.random.choice(right) if right and self.random.random() < 0.7 else self.any()

    def nearly(self, *right: Any) -> Any:
        """One of the right values nearly always, where many have to be right."""
        return self.random.choice(right) if self.random.random() < 0.95 else self.any()


def functions(values: Values, folder: Path) -> dict[str, Callable[[], Any]]:
    """Every public function with random arguments."""
    some, nearly, any_ = values.some, values.nearly, values.any
    solution = bellmino.solve("mini", "discounted:0.5")
    path = folder / "mini.table"
    solution.save(path)
    env: Any = gymnasium.make("Bellmino/Baby-v0", oracle="discounted:0.9").unwrapped
    sprint: Any = gymnasium.make("Bellmino/Sprint-v0").unwrapped
    keys: Any = gymnasium.make("Bellmino/SprintKeys-v0").unwrapped
    envs: Any = gymnasium.make_vec("Bellmino/Mini-v0", num_envs=3, vectorization_mode="vector_entry_point")
    bot = bellmino.Bot("sprint", nodes=20)
    for one in (env, sprint, keys, envs):
        one.reset(seed=1)
    record = folder / "game.toml"
    bellmino.play("mini", "random", record=record)
    text = record.read_text()
    toml = folder / "mini.toml"
    toml.write_text(bellmino.Game("mini").to_toml())

    show = bellmino.envs.Show(bellmino.Game("baby"))

    def picture() -> None:
        show._native.tell(
            some(["#...", ".#.."], [], ["##"]),
            placed=some(None, ("L3", [[0, 0], [1, 0], [0, 1]]), ("I3", [[0, 99]])),
            active=some(None, ("L3", [[2, 2]])),
            hold=some(None, "L3"),
            queue=some([], ["I3"]),
            facts=some([], [("Score", "1")]),
            note=some("", "over"),
        )

    def cut() -> str:
        place = values.random.randrange(len(text))
        return text[:place] + values.text() + text[place + values.random.randrange(9) :]

    def environment() -> Any:
        made = bellmino.envs.BellminoEnv(
            nearly("baby", "mini", "sprint"),
            observation=nearly("dict", "dict", "flat", "afterstates"),
            illegal=nearly("raise", "lose"),
            features=nearly(None, None, "lee"),
            previews=nearly(None, None, 1),
            hold=nearly(None, None, True),
            oracle=nearly(None, None, None, solution),
            pieces=nearly(None, 3),
            keys=nearly(False, False, True),
            tick=nearly(17, 1),
            handling=nearly(None, {"das": 10}),
            render_mode=nearly(None, "ansi"),
        )
        made.reset(seed=nearly(None, 1))
        made.step(nearly(0, 1, np.zeros(8)))

    def vector() -> Any:
        made = bellmino.envs.BellminoVectorEnv(
            some("baby", "mini", "sprint"), num_envs=some(1, 4), threads=some(1, 2), copy=some(True, False)
        )
        made.reset(seed=some(None, 1), options=some(None, {"board": values.text()}))
        made.step(some(np.zeros(4, int), [0]))

    return {
        "Game": lambda: bellmino.Game(some("baby", "sprint"), some(None, {"board.height": 3})),
        "Game.from_toml": lambda: bellmino.Game.from_toml(some("", bellmino.Game("baby").to_toml(), "name = 3"), any_()),
        "Game.from_file": lambda: bellmino.Game.from_file(some(toml, record, "/nowhere")),
        "Game.shapes": lambda: bellmino.Game("baby").shapes(some("I3")),
        "Board": lambda: bellmino.Board(some("..#/#..", np.eye(3)))._repr_svg_(),
        "Piece": lambda: bellmino.Piece(some("T", "L3"), some("classic", "baby"))._repr_svg_(),
        "evaluate": lambda: bellmino.evaluate(
            some("baby", "mini"), some("random", ["random", "lowest"]), games=some(1, 2), pieces=3, threads=1
        ),
        "endurance": lambda: bellmino.endurance(
            some("baby", "mini"), some("random", ["random", "lowest"]), climbs=10, runs=2, seed=some(1), threads=1
        ),
        "play": lambda: bellmino.play(some("baby", "sprint"), some("random"), seed=some(1), pieces=some(3, 5)),
        "compare": lambda: bellmino.compare(
            some("baby", "mini"), some(["random", "lowest"], "random"), games=some(1, 2), pieces=3, threads=1
        ),
        "perft": lambda: bellmino.perft(some("baby", "mini"), brief(some(0, 1, 2))),
        "perft of a queue": lambda: bellmino.perft("practice", queue=some("IO", "T")),
        "solve": lambda: bellmino.solve(
            "mini", some("discounted:0.5", "horizon:2"), dealer=some("random", "worst"), preview=some(0, 1), threads=1
        ),
        "Solution.placements": lambda: solution.placements(
            some("", "#../#..", np.zeros((3, 3))), some("S", ["S"]), dealt=some(None, []), left=some(None, 3)
        ),
        "Solution.open": lambda: bellmino.Solution.open(some(path, record)),
        "regret": lambda: bellmino.regret(
            nearly(lambda boards, hands, masks: nearly(masks.argmax(axis=1))), "mini", "discounted:0.5", batch=True,
            previews=some(0, 1), solution=some(None, solution),
        ),
        "train": lambda: bellmino.train(
            some("snes", "cem"), "classic", features=some("lee"), low=6, population=4, games=1,
            generations=brief(some(0, 1)), seed=some(1),
        ),
        "analyse": lambda: bellmino.analyse(some("####....../####.#####"), queue=some("T", "IO"), nodes=20),
        "pc": lambda: bellmino.pc(some("######..../######...."), queue=some("OOT"), nodes=100),
        "best": lambda: bellmino.best(some("blitz", "sprint"), some("T", "IO"), board=some("####......"), nodes=20),
        "export": lambda: bellmino.export("mini", some(folder / "mini.drn"), some("discounted:0.5", "horizon:2")),
        "features": lambda: bellmino.features(threads=some(None, 1)),
        "weights": lambda: bellmino.weights(some(None, "lee4")),
        "hunt": lambda: bellmino.hunt(some("hatetris"), width=some(2, 5), pieces=brief(some(3, 9)), dealer=some("mild")),
        "replay": lambda: bellmino.replay(some("LDDDD", "8F"), dealer=some("mild", None)),
        "fumen": lambda: bellmino.fumen(some("####......", "v115@vhAAgH")),
        "Record": lambda: bellmino.Record(cut()).replay(),
        "ask": lambda: bellmino.ask(some("perft"), game=some("mini"), depth=brief(some(1))),
        "read_tables": lambda: bellmino.read_tables(some(folder)),
        "Bot": lambda: bellmino.Bot(some("blitz"), player=some("bot", "random"), nodes=some(20), seed=some(1)),
        "Bot.think": lambda: bot.think(some(sprint, env), number=some(0, 1), top=some(1)),
        "Bot.act": lambda: sprint.step(bot.act(sprint)) if values.random.random() < 0.9 else sprint.reset(seed=some(1)),
        "BellminoEnv": environment,
        "BellminoVectorEnv": vector,
        "step": lambda: env.step(some(*range(16))) if values.random.random() < 0.9 else env.reset(),
        "step of keys": lambda: keys.step(some(np.zeros(8), np.ones(8))),
        "step of many": lambda: envs.step(some(np.zeros(3, int), [0, 1, 2])),
        "reset": lambda: env.reset(seed=some(None, 3), options=some(None, {"board": "..../#..."}, {"queue": "I"})),
        "reset of many": lambda: envs.reset(seed=some(None, 1, [1, 2, 3]), options=some(None, {"board": "#.."})),
        "decode": lambda: (env.decode(some(0, 3)), sprint.decode(some(0, 300)), keys.decode(some(np.ones(8)))),
        "encode": lambda: env.encode(**{values.random.choice(["rotation", "column", "x"]): some(0, 1)}),
        "native masks": lambda: solution.table.masks(
            some(np.zeros(2, np.uint64)), some(np.zeros(2, np.uint8), np.full(2, 99, np.uint8))
        ),
        "Show": picture,
        "native reset": lambda: envs.core.envs.reset(some([0], [9]), some(None, [1])),
    }  # fmt: skip


NAMES = [
    "Game", "Game.from_toml", "Game.from_file", "Game.shapes", "Board", "Piece", "evaluate", "endurance", "play", "compare", "perft",
    "perft of a queue", "solve", "Solution.placements", "Solution.open", "regret", "train", "analyse", "pc", "hunt", "replay", "fumen", "best", "export", "features", "weights",
    "Record", "ask", "read_tables", "Bot", "Bot.think", "Bot.act", "BellminoEnv", "BellminoVectorEnv", "step",
    "step of keys", "step of many", "reset", "reset of many", "decode", "encode", "native masks", "native reset", "Show",
]  # fmt: skip


def call_at_random(name: str, count: int, folder: Path) -> int:
    values = Values(1)
    os.chdir(folder)
    known = functions(values, folder)
    assert sorted(known) == sorted(NAMES)
    call = known[name]
    refused = 0
    for _ in range(count):
        try:
            call()
        except ALLOWED:
            refused += 1
        except RuntimeError as error:
            assert "internal error" not in str(error), error
    return refused


@pytest.mark.parametrize("name", NAMES)
def test_random_calls(name: str, tmp_path: Path) -> None:
    # Some calls must be right, or nothing is tried; tables need a package to be read.
    assert call_at_random(name, FEW, tmp_path) < FEW or name == "read_tables"


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_very_many_random_calls(name: str, tmp_path: Path) -> None:
    call_at_random(name, ALL, tmp_path)


def test_every_function_is_called() -> None:
    called = {name.split(".")[0].split(" ")[0] for name in NAMES}
    public = set(bellmino.__all__) - {"Interrupted", "Regret", "Solution", "SolutionArrays", "__version__", "games"}
    assert public - called <= {"resume", "tune"}
    assert set(dir(_native)) >= {"Envs", "Table", "answer", "main"}
