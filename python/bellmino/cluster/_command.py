"""`python -m bellmino.cluster COMMAND ...`: the command line."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from bellmino import Interrupted, _native

COMMANDS = ("train", "tune", "evaluate", "reproduce")

DESCRIPTION = """\
Runs a command of bellmino on Ray: train, tune, evaluate or reproduce, with its own arguments, output and files. The result is
that of `bellmino COMMAND ...`, to the last byte. `unit FOLDER` does one unit of work alone that has failed in the cluster."""


def main(words: list[str] | None = None) -> NoReturn:
    """Runs the words of the command line and exits with the command's status."""
    sys.exit(run(sys.argv[1:] if words is None else words))


def run(words: list[str]) -> int:
    """Runs a command and gives its exit status."""
    has_command = any(word in COMMANDS for word in words)
    options, rest = parser(with_help=not has_command).parse_known_args(words)
    if rest[:1] == ["unit"]:
        return alone(rest[1:])
    if not has_command:
        command = next((word for word in rest if not word.startswith("-")), None)
        instead = f"`{command}` does not run on a cluster; " if command else ""
        return refuse(f"{instead}give one of {', '.join(COMMANDS)}; `--help` says more")
    if importlib.util.find_spec("ray") is None:
        return refuse("this needs Ray, which is not installed: pip install './python[cluster]'")
    if options.address is None:
        # What Ray does by default elsewhere than on Linux: a Ray of one's own listens on 127.0.0.1 only.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        # Ray lets workers step back behind everything else; here they are as important as the plain command is.
        os.environ.setdefault("RAY_worker_niceness", "0")
    from bellmino.cluster._driver import Driver
    from bellmino.cluster._progress import Progress

    quiet = bool({"-q", "--quiet", "--json"} & set(rest))
    threads = [] if options.threads is None else ["--threads", str(options.threads)]
    driver = Driver(
        address=options.address,
        cpus_per_task=options.cpus_per_task,
        workers=options.threads,
        deadline=options.deadline,
        retries=options.retries,
        dashboard=options.dashboard,
        times=options.times,
        say=lambda text: None if quiet else print(text, file=sys.stderr, flush=True),
    )
    progress = Progress(driver, quiet)
    try:
        # What Ray has to say is talk; the command's data goes past Python.
        with contextlib.redirect_stdout(sys.stderr):
            status = int(_native.run_with(["bellmino", *rest, *threads], driver.work, progress.tell))
    except Interrupted as interrupted:
        status = int(interrupted.known)
    finally:
        progress.close()
        driver.close()
    if not quiet and driver.account.units:
        print(driver.summary(), file=sys.stderr)
    return status


def alone(words: list[str]) -> int:
    """Does one unit of work here, as it was stored when it failed."""
    folder = Path(words[0]) if len(words) == 1 else None
    if folder is None or not (folder / "unit").is_file():
        return refuse("give the folder of one unit of work, as an error has named it")
    bench = _native.Workbench()
    for table in folder.glob("table-*"):
        bench.put_table(table.read_bytes())
    try:
        unit = _native.Unit.from_bytes((folder / "unit").read_bytes())
        print(unit.name)
        result = bench.work(unit)
    except ValueError as error:
        return refuse(str(error))
    print(f"done: {len(result)} bytes of results")
    return 0


def refuse(why: str) -> int:
    """Says what is wrong; the status of bad input."""
    print(f"bellmino.cluster: {why}", file=sys.stderr)
    return 2


def parser(*, with_help: bool) -> argparse.ArgumentParser:
    """The flags that a cluster adds to those of the commands."""
    made = argparse.ArgumentParser(
        prog="python -m bellmino.cluster",
        usage="%(prog)s [CLUSTER FLAGS] {train,tune,evaluate,reproduce} ...",
        description=DESCRIPTION,
        epilog="All other flags are those of the command: `bellmino COMMAND --help`.",
        allow_abbrev=False,
        add_help=False,
    )
    add = made.add_argument
    add("--address", metavar="A", help="a running cluster, such as auto or ray://host:10001 [default: a Ray of its own]")
    add(
        "--cpus-per-task", metavar="N", type=whole(1, 1024),
        help="processors of each worker [default: 1; with a Ray of its own and no --threads all, in one worker]",
    )  # fmt: skip
    add("--threads", metavar="N", type=whole(1, 1024), help="the most workers [default: as many as there is room for]")
    add(
        "--deadline", metavar="S", type=seconds, default=120.0,
        help="a worker without a sign of life for so many seconds is given up [default: 120]",
    )  # fmt: skip
    add("--retries", metavar="N", type=whole(0, 1000), default=5, help="how often a unit is tried again [default: 5]")
    add("--dashboard", action="store_true", help="with a Ray of its own: also its dashboard, on 127.0.0.1:8265")
    add("--times", metavar="FILE.csv", type=Path, help="write what every unit took into this file")
    if with_help:
        add("--help", "-h", action="help", help="this text")
    return made


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number within bounds."""

    def read(text: str) -> int:
        if text.isdecimal() and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"give a whole number from {least} to {most}, not {text!r}")

    return read


def seconds(text: str) -> float:
    """A time in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if 1.0 <= value <= 86400.0:
        return value
    raise argparse.ArgumentTypeError(f"give seconds, from 1 to 86400, not {text!r}")
