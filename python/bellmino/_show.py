"""A running game in the browser: `render_mode="human"`."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from typing import TYPE_CHECKING

import numpy as np

from bellmino import _native
from bellmino._native import Game

if TYPE_CHECKING:
    from bellmino.envs import BellminoEnv

_ENDS = {"goal": "The goal is reached.", "lost": "The game is lost."}


class Show:
    """The page of one environment, in a lab of this process on loopback. Whoever plays never waits for it."""

    def __init__(self, game: Game) -> None:
        if not hasattr(_native, "Show"):
            raise ValueError("render_mode: this build has no lab (feature `lab`); valid: ansi, rgb_array")
        self._native = _native.Show(game)
        self._process = os.getpid()
        self._pieces = 0
        # Whoever forgets close() leaves no folder behind.
        self._end = weakref.finalize(self, _end, self._native, self._process)
        if self._native.is_first:
            print(f"The game is shown at {self.url}", file=sys.stderr, flush=True)
            _open_browser(self.url)

    @property
    def url(self) -> str:
        """Its address."""
        return self._native.url

    @property
    def is_ours(self) -> bool:
        """Whether it is of this process, not of the one that this was forked from."""
        return self._process == os.getpid()

    def tell(self, env: BellminoEnv) -> None:
        """Shows how the game stands."""
        core, arrays = env.core, env.core.arrays
        names = core.game.pieces
        pieces, held = int(arrays["pieces"][0]), int(arrays["hold"][0])
        # Only what was placed since the last picture can be coloured.
        placed = core.envs.placed(0) if pieces == self._pieces + 1 else None
        self._pieces = pieces
        active = None
        if core.keys:
            rows, columns = np.nonzero(arrays["active"][0])
            cells = [[int(x), core.height - 1 - int(y)] for y, x in zip(rows, columns, strict=True)]
            active = (names[arrays["piece"][0]], cells)
        seed, index = env.origin
        facts = [(name.capitalize(), f"{arrays[name][0]:g}") for name in ("score", "lines", "pieces")]
        facts.append(("Seed, game", f"{seed}, {index}"))
        if "regret" in arrays:
            facts += [("Optimal value", f"{arrays['optimal'][0]:.6g}"), ("Regret", f"{arrays['regret'][0]:.6g}")]
        note = _ENDS.get(env.outcome or "", "Stopped." if arrays["truncated"][0] else "")
        self._native.tell(
            ["".join("#" if cell else "." for cell in row) for row in arrays["board"][0]],
            placed=None if placed is None else (names[placed[0]], placed[1]),
            active=active,
            hold=names[held - 1] if held else None,
            queue=[names[piece] for piece in arrays["queue"][0]],
            facts=facts,
            note=note,
        )

    def close(self) -> None:
        """Ends the page."""
        self._end()


def _end(native: _native.Show, process: int) -> None:
    # In a process that was forked the lab is not ours.
    if process == os.getpid():
        native.close()


def _open_browser(url: str) -> None:
    """Opens the page where there is a screen; beside the game, which goes on."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
