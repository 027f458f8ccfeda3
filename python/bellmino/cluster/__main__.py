"""`python -m bellmino.cluster`."""

from __future__ import annotations

from bellmino.cluster._command import main

main()
