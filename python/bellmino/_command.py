"""The `bellmino` command: the same program, called in process."""

from __future__ import annotations

import sys

from bellmino import _native


def main() -> None:
    """Runs the command with the words of the command line and exits with its status."""
    sys.exit(_native.main(["bellmino", *sys.argv[1:]]))
