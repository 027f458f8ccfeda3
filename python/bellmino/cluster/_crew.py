"""The workers of a cluster: as many as there is room for on its nodes, replaced when they are lost, refused when they would
count differently."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from bellmino import _native
from bellmino.cluster import _worker
from bellmino.cluster._worker import Hello

#: So often a worker may fail to start on a node before the node is left alone, and a Ray of its own before it is given up.
STARTS = 5
#: So long nobody at all may be there, in seconds, before the user is told.
PATIENCE = 30.0


class ClusterError(Exception):
    """Why the work cannot be done."""


class Job:
    """A unit on its way."""

    def __init__(self, unit: _native.Unit, attempts: int = 0, avoid: frozenset[str] = frozenset()) -> None:
        self.unit = unit
        self.name = unit.name
        #: How often it has failed, and the nodes where.
        self.attempts = attempts
        self.avoid = avoid

    def again(self, node: str) -> list[Job]:
        """What to try after it has failed on a node: its halves, so that what is done soon is kept and what cannot be done is found."""
        return [Job(unit, self.attempts + 1, self.avoid | {node}) for unit in self.unit.halves()]


class Member:
    """A worker as the driver sees it."""

    def __init__(self, actor: Any, node: str) -> None:
        self.actor = actor
        self.node = node
        self.host = ""
        self.pid = 0
        #: What it is at: the first is done now.
        self.jobs: list[Job] = []
        #: What it was sent, which Ray keeps as long as it is known here.
        self.references: list[Any] = []
        self.asking = False
        self.signs = 0
        self.seen = time.monotonic()

    def take(self, job: Job, reference: Any) -> None:
        """Notes a unit that was sent."""
        if not self.jobs:
            self.seen = time.monotonic()
        self.jobs.append(job)
        self.references = [*self.references[-8:], reference]

    def alive(self, now: float) -> None:
        """Notes a sign of life."""
        self.seen = now


class Crew:
    """All workers."""

    def __init__(
        self,
        cpus: int,
        limit: int | None,
        deadline: float,
        say: Callable[[str], None],
        post: Callable[..., None],
        lost: Callable[[Member, str], None],
    ) -> None:
        self._cpus = cpus
        self._limit = limit
        self._deadline = deadline
        self._say = say
        self._post = post
        self._lost = lost
        self._actor = _worker.actor(cpus)
        self._fingerprint = _native.fingerprint()
        self._refused: set[str] = set()
        self._last_refusal = ""
        self._failures: Counter[str] = Counter()
        self._alone_since: float | None = None
        #: Those that are there, and those that are on their way.
        self.ready: list[Member] = []
        self.coming: list[Member] = []

    def look(self, now: float) -> None:
        """Looks for nodes that came or went, and for workers that hang."""
        alive = {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}
        for member in [*self.ready, *self.coming]:
            if member.node and member.node not in alive:
                self.drop(member, "its node is gone")
        for member in list(self.ready):
            self._ask(member, now)
        room = {node: int(at["Resources"].get("CPU", 0) // self._cpus) for node, at in alive.items()}
        places = [node for node, count in room.items() if node not in self._refused for _ in range(count)]
        if room and not any(room.values()) and self._limit is None:
            largest = max(at["Resources"].get("CPU", 0) for at in alive.values())
            self._give_up(f"no node has {self._cpus} processors, the largest has {largest:g}; give --cpus-per-task less")
        if alive and self._refused >= set(alive):
            self._give_up("no node of the cluster can be used")
        taken = Counter(member.node for member in [*self.ready, *self.coming])
        for node in spread(places):
            if self._limit is not None and len(self.ready) + len(self.coming) >= self._limit:
                break
            if taken[node] > 0:
                taken[node] -= 1
            else:
                self._hire(node)
        # More than there is room for: a cluster that grows by itself sees that it is wanted.
        while self._limit is not None and len(self.ready) + len(self.coming) < self._limit:
            self._hire("")
        self._wait(now)

    def drop(self, member: Member, why: str) -> None:
        """Ends a worker; what it was at is done elsewhere."""
        for group in (self.ready, self.coming):
            if member in group:
                group.remove(member)
        with contextlib.suppress(Exception):
            ray.kill(member.actor, no_restart=True)
        if member.jobs:
            self._say(f"worker {member.pid} on {member.host} is lost: {why}; {member.jobs[0].name}: again")
        self._lost(member, why)

    def dismiss(self) -> None:
        """Ends all workers at once."""
        for member in [*self.ready, *self.coming]:
            member.jobs.clear()
            with contextlib.suppress(Exception):
                ray.kill(member.actor, no_restart=True)
        self.ready, self.coming = [], []

    def _hire(self, node: str) -> None:
        pinned = {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False)} if node else {}
        member = Member(self._actor.options(**pinned).remote(self._cpus), node)
        self.coming.append(member)
        self._post(self._greeted, member, member.actor.hello.remote())

    def _greeted(self, member: Member, future: Any) -> None:
        if member not in self.coming:
            return
        try:
            hello = Hello(*future.result())
        except Exception as error:
            self._failures[member.node] += 1
            if self._failures[member.node] >= STARTS:
                self._refuse(member.node, f"workers do not start there: {last_line(error)}")
            self.drop(member, "it did not start")
            return
        member.node, member.host, member.pid = hello.node, hello.host, hello.pid
        self._failures[hello.node] = 0
        if hello.fingerprint != self._fingerprint:
            why = f"its version and checksum are {hello.fingerprint}, those of the driver {self._fingerprint}"
            self._refuse(hello.node, f"{why}; install the same version of bellmino there")
            self.drop(member, "it is refused")
            return
        self.coming.remove(member)
        self.ready.append(member)
        member.alive(time.monotonic())

    def _refuse(self, node: str, why: str) -> None:
        if node not in self._refused:
            self._refused.add(node)
            self._say(f"node {node[:8] or 'unknown'} is refused: {why}")
            self._last_refusal = why

    def _ask(self, member: Member, now: float) -> None:
        """Asks for a sign of life if there was none lately; without one for too long the worker hangs."""
        if not member.jobs:
            member.alive(now)
        elif now - member.seen > self._deadline:
            if member.pid:
                at = NodeAffinitySchedulingStrategy(member.node, soft=False)
                kill = ray.remote(num_cpus=0, max_retries=0)(_worker.kill)
                kill.options(scheduling_strategy=at, name="end a worker that hangs").remote(member.pid)
            self.drop(member, f"no sign of life for {self._deadline:g} s")
        elif now - member.seen > self._deadline / 4 and not member.asking:
            member.asking = True
            asked = member.actor.signs.options(concurrency_group="signs").remote()
            self._post(self._answered, member, asked)

    def _answered(self, member: Member, future: Any) -> None:
        member.asking = False
        # Whoever cannot answer any more is found out by its unit.
        with contextlib.suppress(Exception):
            signs = int(future.result())
            if signs != member.signs:
                member.signs = signs
                member.alive(time.monotonic())

    def _wait(self, now: float) -> None:
        """Tells the user when nobody comes."""
        if self.ready:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since > PATIENCE:
            self._alone_since = now
            self._say("still waiting for workers: other work has all processors, or none of the nodes is there yet")

    def _give_up(self, why: str) -> None:
        raise ClusterError(f"{why}: {self._last_refusal}" if self._last_refusal else why)


def spread(places: list[str]) -> list[str]:
    """The same places, first one of every node, then a second, and so on."""
    seen: Counter[str] = Counter()
    ranked = []
    for node in places:
        ranked.append((seen[node], node))
        seen[node] += 1
    return [node for _, node in sorted(ranked)]


def last_line(error: BaseException) -> str:
    """What an error says at its end, where Ray puts the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
