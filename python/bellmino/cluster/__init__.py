"""Training, tuning and measuring on Ray: `python -m bellmino.cluster COMMAND ...`, see docs/CLUSTER.md.

The command's own arguments, output and files; only who does the work differs. Needs `ray`: `pip install ./python[cluster]`.
"""

from __future__ import annotations

__all__ = ["main"]

from bellmino.cluster._command import main
