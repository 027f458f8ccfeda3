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


def main():
    program = Path(sys.argv[1]).resolve()
    is_r = "--r" in sys.argv[2:]
    section = DOCUMENT.read_text().split("\n## Recipes\n")[1].split("\n## ")[0]
    with tempfile.TemporaryDirectory() as folder:
        for line in "".join(blocks(section, "sh")).splitlines():
            # Only commands of the program, so that the document cannot do anything else here.
            words = shlex.split(line)
            assert words[0] == "bellmino", line
            out = subprocess.DEVNULL
            if ">" in words:
                out = open(Path(folder) / words[-1], "w")
                words = words[: words.index(">")]
            subprocess.run([program, *words[1:]], check=True, cwd=folder, stdout=out, timeout=900)
        recipes = blocks(section, "r" if is_r else "python")
        assert len(recipes) >= (1 if is_r else 2), "the recipes are gone"
        for recipe in recipes:
            command = ["Rscript", "--vanilla", "-e", recipe] if is_r else [sys.executable, "-c", recipe]
            subprocess.run(command, check=True, cwd=folder, timeout=900, env=os.environ)
    print(f"{len(recipes)} recipes agree with the program")


if __name__ == "__main__":
    main()
