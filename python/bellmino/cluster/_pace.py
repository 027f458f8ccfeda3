"""How large a unit of work is: cut by measured speed."""

from __future__ import annotations

#: A unit is cut to take no longer than this, as far as speed is known, and no less than that, in seconds.
MOST_SECONDS, LEAST_SECONDS = 5.0, 0.02
#: Units at a worker: one that is done and one that waits, so that nobody waits for the driver.
DEPTH = 2
#: How fast what was known of the speed is forgotten, with each unit.
MEMORY = 0.8


class Pace:
    """How fast the work of one kind goes lately."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._numbers = 0.0

    def note(self, numbers: int, seconds: float) -> None:
        """Notes a unit of so many games, states or episodes that took so long."""
        self._seconds = MEMORY * self._seconds + seconds
        self._numbers = MEMORY * self._numbers + numbers

    def unit_size(self, left: int, workers: int) -> int:
        """How many of those left make a unit.

        Ever smaller parts of what is left, so that all workers end together: half a worker's fair share, but what takes
        `MOST_SECONDS` at most and `LEAST_SECONDS` at least. A worker alone gets all. As long as nothing is known, one.
        """
        if not self._numbers:
            return 1
        each = max(self._seconds / self._numbers, 1e-9)
        share = left / (2.0 * workers) if workers > 1 else left
        return max(1, round(min(max(share, LEAST_SECONDS / each), MOST_SECONDS / each)))
