"""The recipes of docs/DATA.md, run as they stand.

Usage: check.py BELLMINO [--r]. Makes the tables by the commands of the document in a folder of its own, then runs every
Python recipe, or with --r every R recipe. A recipe fails if its figures differ from those of the program.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "DATA.md"


def blocks(section, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)


def run(program, folder, line):
    """One command of the document; only those of the program, so that it cannot do anything else here."""
    words = shlex.split(line, comments=True)
    assert words[0] == "bellmino", line
    target = os.devnull
    if ">" in words:
        target = Path(folder) / words[-1]
        words = words[: words.index(">")]
    with open(target, "w") as out:
        subprocess.run([program, *words[1:]], check=True, cwd=folder, stdout=out, timeout=900)


def main():
    program = Path(sys.argv[1]).resolve()
    is_r = "--r" in sys.argv[2:]
    head, rest = DOCUMENT.read_text().split("\n## Recipes\n")
    section = rest.split("\n## ")[0]
    with tempfile.TemporaryDirectory() as folder:
        for line in [] if is_r else "".join(blocks(head, "sh")).splitlines():
            # The games of whoever runs this are nobody's business.
            if "--lab" not in line:
                run(program, folder, line)
    with tempfile.TemporaryDirectory() as folder:
        for line in "".join(blocks(section, "sh")).splitlines():
            run(program, folder, line)
        recipes = blocks(section, "r" if is_r else "python")
        assert len(recipes) >= (1 if is_r else 2), "the recipes are gone"
        for recipe in recipes:
            command = ["Rscript", "--vanilla", "-e", recipe] if is_r else [sys.executable, "-c", recipe]
            subprocess.run(command, check=True, cwd=folder, timeout=900)
    print(f"{len(recipes)} recipes agree with the program")


if __name__ == "__main__":
    main()
