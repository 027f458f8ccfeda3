"""How far a long call is: `tqdm` where it is installed, else a line on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

#: What a progress argument may be: whether to show a bar, or a function of position, length and message.
Progress = bool | None | Callable[[int, int | None, str], object]


class Shown:
    """A bar for one call, or nothing."""

    def __init__(self, progress: Progress, what: str) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError("progress: give True, False, None or a function of position, length and message")
        self._what = what
        self._bar: Any = None
        self._begin = time.monotonic()
        self._told = 0.0
        self._wide = 0
        self.listener: Callable[[int, int | None, str], object] | None = None
        if callable(progress):
            self.listener = progress
        elif progress or (progress is None and _is_watched()):
            self.listener = self._tell

    def __enter__(self) -> Shown:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._wide:
            sys.stderr.write("\r" + " " * self._wide + "\r")
            sys.stderr.flush()

    def _tell(self, position: int, length: int | None, message: str) -> None:
        now = time.monotonic()
        if now - self._begin < 0.5:
            return
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                tqdm = None
            if tqdm is not None:
                self._bar = tqdm(total=length, desc=self._what, leave=False)
        if self._bar is not None:
            self._bar.total = length
            self._bar.n = position
            self._bar.set_postfix_str(message, refresh=True)
        elif now - self._told > 0.2:
            self._told = now
            of = f" of {length}" if length else ""
            line = f"{self._what}: {position}{of} {message}"[:110]
            self._wide = max(self._wide, len(line))
            sys.stderr.write("\r" + line.ljust(self._wide))
            sys.stderr.flush()


def _is_watched() -> bool:
    """Whether somebody looks: a terminal, or a notebook."""
    if "ipykernel" in sys.modules:
        return True
    return bool(sys.stderr) and sys.stderr.isatty()
