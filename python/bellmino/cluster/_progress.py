"""How far a command on a cluster is: one line on stderr."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bellmino.cluster._driver import Driver

#: How often the line is drawn in a terminal, and written elsewhere.
DRAWN, WRITTEN = 0.5, 60.0


class Progress:
    """A line with what is done, how fast, and how long it may take."""

    def __init__(self, driver: Driver, quiet: bool) -> None:
        self._driver = driver
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._begin: tuple[float, int] | None = None
        self._next = time.monotonic() + (DRAWN if self._terminal else WRITTEN)
        self._wide = 0

    def tell(self, position: int, length: int | None, message: str) -> None:
        """Called again and again with how far the command is."""
        now = time.monotonic()
        if self._begin is None or position < self._begin[1]:
            self._begin = (now, position)
        if self._quiet or now < self._next or not self._driver.account.units:
            return
        self._next = now + (DRAWN if self._terminal else WRITTEN)
        line = self.line(now, position, length, message)
        if self._terminal:
            self._wide = max(self._wide, len(line))
            sys.stderr.write("\r" + line.ljust(self._wide))
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()

    def line(self, now: float, position: int, length: int | None, message: str) -> str:
        """The line itself."""
        assert self._begin is not None
        seconds, done = now - self._begin[0], position - self._begin[1]
        parts = [f"{message}: {position}" + (f" of {length}" if length else "")]
        if done > 0 and length:
            parts.append(f"{done / seconds:.3g} a second, {duration((length - position) * seconds / done)} left")
        parts.append(f"{self._driver.working} workers")
        account = self._driver.account
        parts.append(f"{account.units} units" + (f", {account.retries} again" if account.retries else ""))
        return "; ".join(parts)

    def close(self) -> None:
        """Wipes the line away."""
        if self._wide:
            sys.stderr.write("\r" + " " * self._wide + "\r")
            sys.stderr.flush()


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
