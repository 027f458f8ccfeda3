"""The requests of the lab as functions: what their commands print with `--json`, as dicts.

Several players meet the same pieces; then the dict has `players` and `differences`:

>>> report = bellmino.evaluate("baby", "lowest", games=200, seed=7)
>>> report["games"], report["score"]["mean"] > 5
(200, True)
>>> both = bellmino.evaluate("baby", ["random", "lowest"], games=200, seed=7)
>>> [player["player"] for player in both["players"]]
['random', 'lowest']

How many lines a player makes per loss, also if it hardly ever loses:

>>> report = bellmino.endurance(bellmino.Game("classic", {"board.height": 8}), "weights:lee4", climbs=50, runs=4)
>>> report["lines_per_loss"]["losses"], report["lines_per_loss"]["mean"] > 20
(200, True)

One game, every move and the board after it, or two players on the same pieces:

>>> game = bellmino.play("baby", "lowest", seed=1)
>>> len(game["moves"]) == game["pieces"]
True
>>> bellmino.compare("baby", ["lowest", "random"], games=50)["games"]
50

Perfect clears, or how likely they are:

>>> found = bellmino.pc("######..../######....", queue="OOT")
>>> found["solutions"][0]["line"]
['O north 6,0', 'O north 8,0']
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bellmino import _native, _requests
from bellmino._ask import Callback, GameLike, answer, as_game, asked
from bellmino._native import Record
from bellmino._progress import Progress

if TYPE_CHECKING:
    from bellmino.envs import BellminoEnv, BellminoVectorEnv


def ask(
    name: str,
    /,
    *,
    threads: int | None = None,
    progress: Progress = None,
    callback: Callback = None,
    **fields: object,
) -> dict[str, Any]:
    """The answer to any request, by its name and its fields: what its command prints with `--json`.

    >>> bellmino.ask("perft", game="baby", depth=4)["nodes"]
    15734
    """
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no name of a request; give a text")
    how = {"threads": threads, "progress": progress, "callback": callback}
    return asked(name, {**fields, **how})


def read_tables(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables that `evaluate(..., tables=folder)` has written, as data frames or Arrow tables.

    By pandas, polars or pyarrow, whichever is installed first in this order; CSV tables need pandas or polars.
    """
    found: dict[str, Any] = {}
    for name in ("games", "moves"):
        for ending in ("parquet", "csv"):
            path = Path(folder) / f"{name}.{ending}"
            if path.is_file():
                found[name] = _read_table(path, ending)
                break
    if not found:
        raise ValueError(f"{os.fspath(folder)} has neither games nor moves, as .parquet or .csv")
    return found


def _read_table(path: Path, ending: str) -> Any:
    try:
        import pandas

        return pandas.read_parquet(path) if ending == "parquet" else pandas.read_csv(path)
    except ImportError:
        pass
    try:
        import polars

        return polars.read_parquet(path) if ending == "parquet" else polars.read_csv(path)
    except ImportError:
        pass
    if ending == "parquet":
        try:
            import pyarrow.parquet

            return pyarrow.parquet.read_table(path)
        except ImportError:
            pass
    raise ImportError(f"reading {path} needs pandas, polars or pyarrow")


def perft(
    game: GameLike, depth: int | None = None, *, queue: str | None = None, progress: Progress = None
) -> int:
    """Leaves after exactly so many placements, or after these pieces in a guideline game.

    >>> bellmino.perft("baby", 4)
    15734
    >>> bellmino.perft("practice", queue="IO")
    153
    """
    return int(_requests.perft(game, depth=depth, queue=queue, progress=progress)["nodes"])


def analyse(input: str | os.PathLike[str] | Record, **options: Any) -> dict[str, Any]:
    """The best placements of a position, or the mistakes of a recorded game; `options` are the other fields of the request.

    >>> thought = bellmino.analyse("####....../####.#####", queue="TI", nodes=500)
    >>> thought["candidates"][0]["placement"].split()[0] in "TI"
    True
    """
    return _requests.analyse(input, **options)  # type: ignore[arg-type]


def fumen(source: str | os.PathLike[str] | Record) -> dict[str, Any]:
    """A diagram as `fumen` and `pages`: from a fumen (`v115@...`), a file, pages of text or a record.

    >>> diagram = bellmino.fumen("####....../####.#####")
    >>> bellmino.fumen(diagram["fumen"])["pages"][0]["board"]
    ['GGGG......', 'GGGG.GGGGG']
    """
    if isinstance(source, Record):
        return answer("fumen", {"input": "record", "text": source.to_text()})
    text = os.fspath(source)
    if "115@" in text or "110@" in text or Path(text[:4096]).is_file():
        return answer("fumen", {"input": text})
    return answer("fumen", {"input": "text", "text": text.replace("/", "\n")})


class Bot:
    """The look-ahead bot, or another player of guideline games, at an environment.

    >>> import gymnasium
    >>> env = gymnasium.make("Bellmino/Blitz-v0")
    >>> _ = env.reset(seed=1)
    >>> bot = bellmino.Bot("blitz", nodes=500)
    >>> _, reward, *_ = env.step(bot.act(env))
    >>> bot.think(env, top=2)["unit"]
    'points'
    """

    def __init__(
        self,
        game: GameLike = "blitz",
        *,
        player: str = "bot",
        nodes: int | None = None,
        think_ms: int | None = None,
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        self._bot = _native.Bot(as_game(game), player, nodes, think_ms, threads, seed)

    def reset(self, seed: int = 0, index: int = 0) -> None:
        """Forgets the game before; a player that uses chance uses that of game `index` of this seed."""
        self._bot.reset(seed, index)

    def think(
        self, env: BellminoEnv | BellminoVectorEnv | Any, *, number: int = 0, top: int = 5
    ) -> dict[str, Any]:
        """What it thinks of the present position: candidates, the best first, each with its `action`."""
        core = getattr(getattr(env, "unwrapped", env), "core", None)
        if core is None:
            raise TypeError("give an environment of Bellmino")
        thought: dict[str, Any] = self._bot.think(core.envs, number, top)
        return thought

    def act(self, env: BellminoEnv | BellminoVectorEnv | Any, *, number: int = 0) -> int:
        """The action it would take now."""
        candidates = self.think(env, number=number, top=1)["candidates"]
        if not candidates or candidates[0]["action"] is None:
            raise ValueError("the bot finds no placement here")
        return int(candidates[0]["action"])
