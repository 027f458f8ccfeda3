"""The commands of the lab as functions: what `--json` prints, as dicts.

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

Perfect clears, or how likely they are:

>>> found = bellmino.pc("######..../######....", queue="OOT")
>>> found["solutions"][0]["line"]
['O north 6,0', 'O north 8,0']
"""

from __future__ import annotations

import operator
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bellmino import _native, _requests
from bellmino._ask import GameLike, answer, as_game
from bellmino._native import Record
from bellmino._progress import Progress, Shown

if TYPE_CHECKING:
    from bellmino.envs import BellminoEnv, BellminoVectorEnv

def flags(options: Mapping[str, object]) -> list[str]:
    """Keyword arguments as the command's flags: `think_ms=5` is `--think-ms=5`, `True` a flag, a list a repeated one."""
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words.extend(f"{flag}={_word(name, item)}" for item in value)
        else:
            words.append(f"{flag}={_word(name, value)}")
    return words


def _word(name: str, value: object) -> str:
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if not isinstance(text, str):
            raise TypeError(f"{name}: give a text, not bytes")
        return _text(text)
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return repr(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise TypeError(f"{name}: give a text or a number, not {type(value).__name__}") from None


def _text(text: str) -> str:
    if "\0" in text:
        raise ValueError("a text with a null character is no argument")
    return text


def run(
    words: Sequence[str],
    *,
    game: GameLike | None = None,
    progress: Progress = None,
    what: str = "bellmino",
    step: Callable[[dict[str, Any]], object] | None = None,
) -> Any:
    """Asks a command; `{game}` among its words stands for the game."""
    whole = None if game is None else as_game(game)
    with Shown(progress, what) as shown:
        return _native.ask([_text(word) for word in words], whole, shown.listener, step)


def ask(*words: str, progress: Progress = None, **options: object) -> Any:
    """What any command prints with `--json`; keyword arguments are its flags.

    >>> bellmino.ask("perft", "baby", depth=4)["nodes"]
    15734
    """
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{word!r} is no word of a command; give texts")
    return run([*words, *flags(options)], progress=progress, what=words[0] if words else "bellmino")


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


def play(
    game: GameLike,
    player: str,
    *,
    seed: int = 0,
    pieces: int | None = None,
    record: str | os.PathLike[str] | None = None,
    progress: Progress = False,
    **options: object,
) -> dict[str, Any]:
    """Plays one game and gives what `bellmino play --json` prints: every move and the board after it.

    >>> game = bellmino.play("baby", "lowest", seed=1)
    >>> len(game["moves"]) == game["pieces"]
    True
    """
    given = {"player": player, "seed": seed, "pieces": pieces, "record": record, **options}
    answer: dict[str, Any] = run(["play", "{game}", *flags(given)], game=game, progress=progress, what="play")
    return answer


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


def analyse(
    subject: str | os.PathLike[str] | Record,
    *,
    queue: str | None = None,
    hold: str | None = None,
    progress: Progress = None,
    **options: object,
) -> dict[str, Any]:
    """The best placements of a position, or the mistakes of a recorded game: what `bellmino analyse --json` prints.

    >>> thought = bellmino.analyse("####....../####.#####", queue="TI", nodes=500)
    >>> thought["candidates"][0]["placement"].split()[0] in "TI"
    True
    """
    given = flags({"queue": queue, "hold": hold, **options})
    if isinstance(subject, Record):
        with _File(subject.to_text()) as path:
            answer: dict[str, Any] = run(["analyse", path, *given], progress=progress, what="analyse")
            return answer
    answer = run(["analyse", _word("subject", subject), *given], progress=progress, what="analyse")
    return answer


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


class _File:
    """A text in a file for as long as a command reads it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._path = ""

    def __enter__(self) -> str:
        handle, self._path = tempfile.mkstemp(suffix=".txt", text=True)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(self._text)
        return self._path

    def __exit__(self, *_: object) -> None:
        os.unlink(self._path)
