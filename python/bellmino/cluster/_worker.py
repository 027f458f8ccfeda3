"""A worker: one process somewhere in the cluster that does units of work."""

from __future__ import annotations

import os
import platform
import resource
import signal
import time
from typing import Any, NamedTuple

import ray

from bellmino import _native


class Hello(NamedTuple):
    """Who a worker is."""

    fingerprint: str
    node: str
    host: str
    pid: int


class Done(NamedTuple):
    """What came of a unit, and what it took."""

    result: bytes
    seconds: float
    cpu_seconds: float


class Worker:
    """Does units one after the other; answers signs of life beside them."""

    def __init__(self, threads: int) -> None:
        self._bench = _native.Workbench(threads)
        self._tables: set[int] = set()

    def hello(self) -> Hello:
        """Who this is, and whether work is done here as elsewhere."""
        node = ray.get_runtime_context().get_node_id()
        return Hello(_native.fingerprint(), node, platform.node(), os.getpid())

    def work(self, unit: bytes, tables: dict[int, Any]) -> Done:
        """Does a unit."""
        wall, cpu = time.monotonic(), _cpu_seconds()
        for number, table in tables.items():
            if number not in self._tables:
                self._bench.put_table(ray.get(table))
                self._tables.add(number)
        result = self._bench.work(_native.Unit.from_bytes(unit))
        return Done(result, time.monotonic() - wall, _cpu_seconds() - cpu)

    def signs(self) -> int:
        """Grows while something is done."""
        return self._bench.signs()


def actor(cpus: int) -> Any:
    """The class of workers with so many processors each."""
    groups = {"signs": 1}
    made = ray.remote(num_cpus=cpus, max_restarts=0, max_task_retries=0, concurrency_groups=groups)(Worker)
    return made


def kill(pid: int) -> None:
    """Ends a process of this machine that does not answer any more."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
