"""Pieces a second of training on a Ray of its own beside the plain command: on the clock, and per second of processor time of all
processes that take part, Ray's own included.

    python python/benchmarks/cluster_throughput.py --repeats 3 -- train cem classic --seed 1
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

PLAIN = [sys.executable, "-c", "from bellmino._command import main; main()"]
TICKS = os.sysconf("SC_CLK_TCK")


def tree_seconds(root: int, known: dict[int, float]) -> float:
    """Processor time of a process and all below it, those that have ended included as far as they were seen."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            used[int(entry.name)] = (int(fields[11]) + int(fields[12])) / TICKS
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        known[pid] = max(known.get(pid, 0.0), used.get(pid, 0.0))
        waiting.extend(children.get(pid, []))
    return sum(known.values())


def plain(words: list[str], workers: int, weights: Path) -> dict[str, float]:
    """The plain command."""
    before = os.times()
    out = subprocess.run(
        [*PLAIN, *words, "--threads", str(workers or os.cpu_count()), "--json", "--quiet", "-o", str(weights)],
        check=True, capture_output=True,
    )  # fmt: skip
    after = os.times()
    report = json.loads(out.stdout)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"pieces": report["pieces"], "seconds": report["seconds"], "cpu_seconds": cpu}


def on_ray(words: list[str], workers: int, weights: Path) -> dict[str, float]:
    """The same on Ray, from the moment when all workers are there."""
    command = [sys.executable, __file__, "--inner", str(workers), "--", *words, "-o", str(weights), "--quiet", "--json"]
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    report, account = out.stdout.rsplit("\n{", 1)
    measured: dict[str, float] = {"pieces": json.loads(report)["pieces"], **json.loads("{" + account)}
    return measured


def inner(words: list[str], workers: int) -> None:
    """In a process of its own: trains and prints what it took."""
    os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_worker_niceness="0")
    from bellmino import _native
    from bellmino.cluster._driver import Driver

    driver = Driver(workers=workers or None)
    known: dict[int, float] = {}
    begin: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            tree_seconds(os.getpid(), known)

    def gather(heap: Any) -> None:
        crew = driver._start()
        while len(crew.ready) < max(1, workers):
            crew.look(time.monotonic())
            driver._listen(heap, crew)

    def work(heap: Any) -> None:
        if not begin:
            driver._thread.submit(gather, heap).result()
            begin.extend([time.monotonic(), tree_seconds(os.getpid(), known)])
            threading.Thread(target=watch, daemon=True).start()
        driver.work(heap)

    _native.run_with(["bellmino", *words], work)
    seconds, cpu = time.monotonic() - begin[0], tree_seconds(os.getpid(), known) - begin[1]
    over.set()
    account = driver.account
    print(json.dumps({
        "seconds": seconds, "cpu_seconds": cpu, "unit_cpu_seconds": account.cpu_seconds, "units": account.units,
        "busy": account.busy_seconds / account.worker_seconds,
    }))  # fmt: skip
    driver.close()


def main() -> None:
    """Both in turn, again and again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=0, help="of one processor each [default: one with all processors]")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--inner", type=int)
    parser.add_argument("words", nargs="+")
    options = parser.parse_args()
    if options.inner is not None:
        inner(options.words, options.inner)
        return
    clock, cpu = [], []
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "plain.json"), Path(folder, "ray.json")
        for _ in range(options.repeats):
            one = plain(options.words, options.workers, files[0])
            other = on_ray(options.words, options.workers, files[1])
            assert files[0].read_bytes() == files[1].read_bytes() and one["pieces"] == other["pieces"]
            clock.append(one["seconds"] / other["seconds"])
            cpu.append(one["cpu_seconds"] / other["cpu_seconds"])
            print("plain", one, "\nray  ", other, f"\nclock {clock[-1]:.1%}, processor {cpu[-1]:.1%}", flush=True)
    print(f"pieces a second beside the plain command: {median(clock):.1%} by the clock, {median(cpu):.1%} by the processor")


main()
