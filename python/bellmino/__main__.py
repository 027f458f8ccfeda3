"""`python -m bellmino`: the `bellmino` command."""

from bellmino._command import main

main()
