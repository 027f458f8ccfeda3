"""How many cores a driver keeps busy: the driver's own rule for cutting work, played through with measured times.

    python -m bellmino.cluster evaluate ... --times evaluate.csv
    python python/benchmarks/cluster_simulation.py evaluate.csv --numbers 1000000

Every unit of work that was measured gives the time of its games; the simulation draws from them, hands units out as the driver
does (`bellmino.cluster._pace`), and counts the driver's own time for each unit and each kilobyte of results.
"""

from __future__ import annotations

import argparse
import csv
import heapq
import random
from dataclasses import dataclass
from pathlib import Path

from bellmino.cluster._pace import DEPTH, MOST_SECONDS, Pace

CORES = (10, 30, 100, 300, 1000, 3000, 10000)


@dataclass
class Measured:
    """What was measured: seconds and bytes for each game."""

    seconds: list[float]
    bytes_each: float

    @staticmethod
    def read(path: Path) -> Measured:
        """The units of a file that `--times` has written."""
        seconds: list[float] = []
        total = numbers = 0.0
        with path.open(newline="") as file:
            for row in csv.DictReader(file, quotechar="'"):
                count = int(row["numbers"])
                seconds.extend([float(row["cpu_seconds"]) / count] * min(count, 50))
                total += float(row["bytes"])
                numbers += count
        if not seconds:
            raise SystemExit(f"{path}: no units; `--times` writes them")
        return Measured(seconds, total / numbers)


@dataclass
class Costs:
    """What the driver and the network take, in seconds."""

    unit: float
    kilobyte: float
    latency: float
    round: float


def simulate(measured: Measured, costs: Costs, cores: int, cpus: int, numbers: int, rounds: int, seed: int) -> float:
    """The share of the cores' time in which they work."""
    chance = random.Random(seed)
    workers = max(1, cores // cpus)
    clock = busy = 0.0
    pace = Pace()
    for _ in range(rounds):
        left = numbers // rounds
        driver = clock + costs.round
        free = [driver] * workers
        end = driver
        # Results on their way to the driver: when they are there, whose they are, and what they took.
        arriving: list[tuple[float, int, int, float]] = []

        def send(worker: int) -> None:
            nonlocal left, driver, busy, end
            size = min(left, pace.unit_size(left, workers))
            if size == 0:
                return
            left -= size
            driver += costs.unit / 2
            # The sum over many games varies less than that over few: draw up to 30 and scale.
            drawn = min(size, 30)
            work = sum(chance.choices(measured.seconds, k=drawn)) * size / drawn / cpus
            begin = max(free[worker], driver + costs.latency)
            free[worker] = begin + work
            busy += work * cpus
            end = max(end, free[worker])
            heapq.heappush(arriving, (free[worker] + costs.latency, worker, size, work))

        for _ in range(DEPTH):
            for worker in range(workers):
                send(worker)
        while arriving:
            at, worker, size, work = heapq.heappop(arriving)
            driver = max(driver, at) + costs.unit / 2 + costs.kilobyte * size * measured.bytes_each / 1024
            pace.note(size, work)
            send(worker)
        clock = max(end, driver)
    return busy / (clock * workers * cpus)


def main() -> None:
    """Prints a table of efficiencies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", type=Path)
    parser.add_argument("--numbers", type=int, default=1_000_000, help="games, states or episodes in all")
    parser.add_argument("--rounds", type=int, default=1, help="parts that wait for each other, as in training")
    parser.add_argument("--unit-ms", type=float, default=1.0, help="the driver's time for a unit")
    parser.add_argument("--kilobyte-us", type=float, default=5.0, help="the driver's time for a kilobyte of results")
    parser.add_argument("--latency-ms", type=float, default=1.0, help="the network, one way")
    parser.add_argument("--round-ms", type=float, default=2.0, help="the driver's time between two rounds")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    measured = Measured.read(options.times)
    milliseconds = (options.unit_ms, options.kilobyte_us / 1000, options.latency_ms, options.round_ms)
    costs = Costs(*(value / 1000 for value in milliseconds))
    each = sum(measured.seconds) / len(measured.seconds)
    print(f"{options.numbers} games of {each:.3g} s and {measured.bytes_each:.0f} bytes each, {options.rounds} rounds")
    print("| cores | 1 processor a worker | 8 | 64 |\n|---|---|---|---|")
    for cores in CORES:
        cells = []
        for cpus in (1, 8, 64):
            if cpus > cores:
                cells.append("")
                continue
            share = simulate(measured, costs, cores, cpus, options.numbers, options.rounds, options.seed)
            cells.append(f"{share:.1%}")
        print(f"| {cores:,} | " + " | ".join(cells) + " |")
    print(f"the driver has no time left with {most_cores(measured, costs, each):,.0f} workers of one processor")


def most_cores(measured: Measured, costs: Costs, each: float) -> float:
    """Where the driver has no time left, whatever there is to do: units are as large as they get."""
    games = max(1.0, MOST_SECONDS / each)
    return games * each / (costs.unit + costs.kilobyte * games * measured.bytes_each / 1024)


main()
