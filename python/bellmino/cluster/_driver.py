"""The driver: takes work off a heap, has workers of a Ray cluster do it, and puts back what came of it.

Whatever befalls workers and nodes, every result is that of the unit alone; so all that is decided here is who does what when.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import defaultdict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray

from bellmino import _native
from bellmino.cluster._crew import STARTS, ClusterError, Crew, Job, Member
from bellmino.cluster._pace import DEPTH, Pace
from bellmino.cluster._worker import Done

#: How often the driver looks for nodes that came or went, in seconds.
LOOK = 1.0


class Account:
    """What the work has taken so far."""

    def __init__(self) -> None:
        self.units = 0
        self.retries = 0
        #: Processor time of all units, and the time that workers were at them.
        self.cpu_seconds = 0.0
        self.busy_seconds = 0.0
        #: The time in which there was work, and the same summed over all workers.
        self.seconds = 0.0
        self.worker_seconds = 0.0
        self.most_workers = 0


class Driver:
    """Has work done by the workers of a cluster. `work` is called with one heap after the other."""

    def __init__(
        self,
        *,
        address: str | None = None,
        cpus_per_task: int | None = None,
        workers: int | None = None,
        deadline: float = 120.0,
        retries: int = 5,
        dashboard: bool = False,
        times: Path | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._address = address
        # Nobody else is there on a machine of one's own: threads of one worker share the work better than processes do.
        alone = address is None and workers is None
        self._cpus = cpus_per_task or (processors() if alone else 1)
        self._workers = workers
        self._deadline = deadline
        self._retries = retries
        self._dashboard = dashboard
        self._say = say
        self._is_own = False
        self._times = None if times is None else times.open("w", buffering=1)
        if self._times is not None:
            self._times.write("numbers,seconds,cpu_seconds,bytes,unit\n")
        self._crew: Crew | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="driver")
        self._events: SimpleQueue[tuple[Callable[..., None], Member, Any]] = SimpleQueue()
        #: By what the work is for.
        self._paces: dict[str, Pace] = defaultdict(Pace)
        self._tables: dict[int, Any] = {}
        self._again: deque[Job] = deque()
        self._heap: _native.Heap | None = None
        self._counted = 0.0
        self.account = Account()

    @property
    def working(self) -> int:
        """Workers that are there."""
        return len(self._crew.ready) if self._crew else 0

    def work(self, heap: _native.Heap) -> None:
        """Has all work on the heap done."""
        # Ray ends with the thread that has started it, so that one lives as long as the driver.
        self._thread.submit(self._work, heap).result()

    def _work(self, heap: _native.Heap) -> None:
        crew = self._start()
        self._heap, self._counted = heap, time.monotonic()
        self._again.clear()
        looked = 0.0
        try:
            while not heap.is_done and not heap.is_stopped:
                now = time.monotonic()
                if now - looked > LOOK:
                    looked = now
                    crew.look(now)
                self._hand_out(heap, crew)
                self._listen(heap, crew)
        except ray.exceptions.RayError as error:
            raise ClusterError(f"the cluster is lost: {first_line(error)}") from error
        finally:
            self._count()
            if not heap.is_done:
                crew.dismiss()

    def close(self) -> None:
        """Ends all workers, and Ray if it is this driver's own."""
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    def _close(self) -> None:
        if self._crew is not None:
            with contextlib.suppress(Exception):
                self._crew.dismiss()
            self._crew = None
            if self._is_own:
                ray.shutdown()
        if self._times is not None:
            self._times.close()

    def summary(self) -> str:
        """What it has taken, in one line."""
        account = self.account
        busy = account.busy_seconds / max(account.worker_seconds, 1e-9)
        again = f"{account.retries} of them again, " if account.retries else ""
        return (
            f"cluster: {account.units} units, {again}up to {account.most_workers} workers; {account.cpu_seconds:.1f} s of"
            f" processor time in {account.seconds:.1f} s; workers busy {busy:.0%} of the time"
        )

    def _start(self) -> Crew:
        if self._crew is not None:
            return self._crew
        if not ray.is_initialized():
            # A node of a machine that has much to do may miss Ray's half a minute.
            for attempt in range(STARTS if self._address is None else 1):
                try:
                    self._connect()
                    break
                except Exception as error:
                    ray.shutdown()
                    if attempt + 1 == STARTS or self._address is not None:
                        where = self._address or "a Ray of its own"
                        raise ClusterError(f"cannot reach {where}: {first_line(error)}") from error
            self._is_own = True
        self._crew = Crew(self._cpus, self._workers, self._deadline, self._say, self._post, self._lost)
        return self._crew

    def _connect(self) -> None:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if self._address is not None:
            ray.init(self._address, **quiet)
            return
        cpus = max(processors(), self._cpus) if self._workers is None else self._workers * self._cpus
        ray.init(num_cpus=cpus, include_dashboard=self._dashboard, object_store_memory=256 << 20, **quiet)

    def _hand_out(self, heap: _native.Heap, crew: Crew) -> None:
        """Gives every worker something to do, first those that have nothing."""
        for depth in range(1, DEPTH + 1):
            for member in [member for member in crew.ready if len(member.jobs) < depth]:
                job = self._next(heap, crew, member)
                if job is not None:
                    self._send(job, member)

    def _next(self, heap: _native.Heap, crew: Crew, member: Member) -> Job | None:
        elsewhere = {other.node for other in crew.ready}
        for index, job in enumerate(self._again):
            if member.node not in job.avoid or elsewhere <= job.avoid:
                del self._again[index]
                return job
        unit = heap.next(self._paces[heap.title].unit_size(heap.left, len(crew.ready) + len(crew.coming)))
        return None if unit is None else Job(unit)

    def _send(self, job: Job, member: Member) -> None:
        assert self._heap is not None
        tables = {}
        for number in job.unit.tables:
            if number not in self._tables:
                self._tables[number] = ray.put(self._heap.table(number))
            tables[number] = self._tables[number]
        reference = member.actor.work.options(name=job.name).remote(job.unit.to_bytes(), tables)
        member.take(job, reference)
        self._post(self._finished, member, reference, job)

    def _post(self, then: Callable[..., None], member: Member, reference: Any, *more: Any) -> None:
        """Has something looked at once it is there."""
        reference.future().add_done_callback(lambda future: self._events.put((then, member, (future, *more))))

    def _listen(self, heap: _native.Heap, crew: Crew) -> None:
        """Takes what has come; waits a little for the first."""
        timeout = 0.2
        while True:
            try:
                then, member, what = self._events.get(timeout=timeout)
            except Empty:
                return
            self._count()
            then(member, *what)
            timeout = 0.0
            if heap.is_done:
                return

    def _finished(self, member: Member, future: Any, job: Job) -> None:
        if job not in member.jobs or self._heap is None:
            return
        try:
            done: Done = Done(*future.result())
            self._heap.put(job.unit, done.result)
        except Exception as error:
            self._failed(member, job, error)
            return
        member.jobs.remove(job)
        member.alive(time.monotonic())
        self.account.units += 1
        self.account.cpu_seconds += done.cpu_seconds
        self.account.busy_seconds += done.seconds
        self._paces[self._heap.title].note(len(job.unit), done.seconds)
        if self._times is not None:
            self._times.write(f"{len(job.unit)},{done.seconds:.6f},{done.cpu_seconds:.6f},{len(done.result)},{job.name!r}\n")

    def _failed(self, member: Member, job: Job, error: Exception) -> None:
        if isinstance(error, ray.exceptions.RayActorError):
            assert self._crew is not None
            self._crew.drop(member, first_line(error))
        else:
            member.jobs.remove(job)
            self._try_again(job, member, first_line(error))

    def _lost(self, member: Member, why: str) -> None:
        """A worker is gone: what it was at is done elsewhere."""
        jobs = list(member.jobs)
        member.jobs.clear()
        for job in jobs[1:]:
            self._again.append(job)
        if jobs:
            self._try_again(jobs[0], member, why)

    def _try_again(self, job: Job, member: Member, why: str) -> None:
        if job.attempts + 1 > self._retries:
            folder = self._keep(job)
            raise ClusterError(
                f"{job.name}: failed {job.attempts + 1} times, last on {member.host}: {why}; to do it alone:"
                f" python -m bellmino.cluster unit {folder}"
            )
        self.account.retries += 1
        self._again.extend(job.again(member.node))

    def _keep(self, job: Job) -> Path:
        """Stores a unit with its tables in a folder."""
        number = 1
        while Path(f"failed-unit-{number}").exists():
            number += 1
        folder = Path(f"failed-unit-{number}")
        folder.mkdir()
        (folder / "unit").write_bytes(job.unit.to_bytes())
        for table in job.unit.tables:
            assert self._heap is not None
            (folder / f"table-{table}").write_bytes(self._heap.table(table) or b"")
        return folder

    def _count(self) -> None:
        """Counts the time since the last time."""
        now = time.monotonic()
        self.account.seconds += now - self._counted
        self.account.worker_seconds += (now - self._counted) * self.working
        self.account.most_workers = max(self.account.most_workers, self.working)
        self._counted = now


def processors() -> int:
    """Processors of this machine that may be used."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def first_line(error: BaseException) -> str:
    """What an error says, shortly."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
