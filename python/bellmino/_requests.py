"""Requests as functions. Made by `bellmino schema --python`, which a test compares; do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bellmino._ask import GameLike, PathLike, answer
from bellmino._progress import Progress


def endurance(
    game: GameLike,
    players: str | Iterable[str],
    *,
    set: str | Iterable[str] | None = None,
    climbs: int = 1000,
    runs: int = 10,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Tell how many lines a player makes per loss, also where losses are too rare to wait for.

    `game`: A built-in game, or the path of a TOML file.
    `players`: Who plays: weights:NAME-OR-FILE, tuples:FILE or any other player of placement games.
        Repeat it for several.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `climbs`: Climbs that must succeed at each level in each run: four times as many halve the interval.
    `runs`: Runs, which are independent of each other; the interval follows from how far they differ.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    fields = {
        "game": game,
        "players": players,
        "set": set,
        "climbs": climbs,
        "runs": runs,
        "seed": seed,
    }
    return answer("endurance", fields, threads, progress)


def evaluate(
    game: GameLike,
    players: str | Iterable[str],
    *,
    set: str | Iterable[str] | None = None,
    games: int | None = None,
    losses: int | None = None,
    pieces: int | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    keys: bool = False,
    discount: float | None = None,
    dealer: str | None = None,
    plot: PathLike | None = None,
    tables: PathLike | None = None,
    format: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Play many games and print statistics.

    `game`: A built-in game, or the path of a TOML file.
    `players`: Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes,
        weights:NAME-OR-FILE (see `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot,
        bot:DEPTH (looks DEPTH pieces ahead), bot:keys or bot:FILE. Repeat it to compare players on
        identical pieces.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `games`: Games for each player [default: 1000].
    `losses`: Play, instead of a number of games, until this many are lost: the interval of lines per
        loss narrows with it.
    `pieces`: Stop a game after this many pieces; it counts as unfinished.
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    `keys`: Also count key presses: the fewest for each placement, hold and hard drop included
        (guideline games).
    `discount`: Also give the score discounted by this factor per piece.
    `dealer`: Who deals in placement games: random, or table:FILE for a dealer solved before [default:
        random].
    `plot`: Draw how the results of each player are distributed, with mean and interval, into this SVG
        file.
    `tables`: Write every game and every move into two tables in this folder, `games` and `moves`.
    `format`: How tables are written: parquet or csv [default: parquet].
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    fields = {
        "game": game,
        "players": players,
        "set": set,
        "games": games,
        "losses": losses,
        "pieces": pieces,
        "nodes": nodes,
        "think_ms": think_ms,
        "keys": keys,
        "discount": discount,
        "dealer": dealer,
        "plot": plot,
        "tables": tables,
        "format": format,
        "seed": seed,
    }
    return answer("evaluate", fields, threads, progress)


def perft(
    game: GameLike,
    *,
    set: str | Iterable[str] | None = None,
    depth: int | None = None,
    queue: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Count every way a game can go, move by move.

    `game`: A built-in game, or the path of a TOML file.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `depth`: How many placements deep (placement games).
    `queue`: The pieces to place one after the other, without hold (guideline games; `guideline` is the
        plain one).
    """
    fields = {
        "game": game,
        "set": set,
        "depth": depth,
        "queue": queue,
    }
    return answer("perft", fields, threads, progress)
