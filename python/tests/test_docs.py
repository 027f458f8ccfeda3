"""What the documents say is run: docstrings, the guide, the notebook, the examples; stubs against the module."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

import bellmino
import bellmino.envs
from bellmino import _drawing, _lab, _native, _solution

HERE = Path(__file__).resolve().parent.parent
GUIDE = HERE.parent / "docs" / "PYTHON.md"
NAMES = {"bellmino": bellmino, "numpy": numpy, "np": numpy, "tempfile": tempfile}


def documented() -> dict[str, Any]:
    found: dict[str, Any] = {"bellmino": bellmino, "bellmino._lab": _lab}
    for module in (_lab, _solution, _drawing, bellmino.envs):
        for name, item in vars(module).items():
            if getattr(item, "__module__", "") == module.__name__:
                found[f"{module.__name__}.{name}"] = item
                for inner, method in vars(item).items() if isinstance(item, type) else ():
                    found[f"{module.__name__}.{name}.{inner}"] = method
    for item in (_native.Game, _native.Record, _native.games):
        found[item.__name__] = item
    return {name: item for name, item in found.items() if ">>>" in (getattr(item, "__doc__", "") or "")}


@pytest.mark.parametrize("name", sorted(documented()))
def test_docstrings(name: str) -> None:
    text = documented()[name].__doc__
    test = doctest.DocTestParser().get_doctest(text, dict(NAMES), name, None, 0)
    out = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=out.write).failed
    assert failed == 0, out.getvalue()


def test_many_docstrings_have_examples() -> None:
    assert len(documented()) >= 18


def test_stubs_are_those_of_the_module() -> None:
    words = [sys.executable, "-m", "mypy.stubtest", "bellmino._native", "--ignore-missing-stub"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, cwd=tempfile.gettempdir())
    assert done.returncode == 0, done.stdout + done.stderr


def test_types() -> None:
    words = [sys.executable, "-m", "mypy", "--config-file", str(HERE / "pyproject.toml"), str(HERE / "bellmino")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, cwd=HERE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python blocks run one after the other; lines of shell blocks that begin with `bellmino` run as the command."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```", GUIDE.read_text(), re.M | re.S)
    names: dict[str, Any] = {}
    ran = 0
    for kind, text in blocks:
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, str(GUIDE), "exec"), names)
            ran += 1
            continue
        for line in text.splitlines():
            if line.startswith("bellmino "):
                words = line.split("#")[0].split()[1:]
                command = [sys.executable, "-c", "from bellmino._command import main; main()", *words]
                subprocess.run(command, check=True, capture_output=True, timeout=120)
                ran += 1
    assert ran >= 7


def test_wheels_are_built_where_the_package_is() -> None:
    """`maturin build -m crates/...` makes one without the Python half: where it is, only `pyproject.toml` says."""
    (line,) = [line for line in GUIDE.read_text().splitlines() if "maturin build" in line]
    folders = re.findall(r"`cd (\S+) && maturin build --release`", line)
    assert len(folders) == 1 and "-m " not in line, line
    project = (HERE.parent / folders[0] / "pyproject.toml").read_text()
    assert 'build-backend = "maturin"' in project
    source = re.search(r'python-source = "(.+)"', project)
    assert source is not None
    assert (HERE.parent / folders[0] / source[1] / "bellmino" / "__init__.py").is_file()


def test_the_notebook() -> None:
    notebook = json.loads((HERE / "examples" / "baby.ipynb").read_text())
    names: dict[str, Any] = {}
    ran = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "baby.ipynb", "exec"), names)
            ran += 1
    assert ran >= 5


def test_q_learning_comes_within_one_percent() -> None:
    words = [sys.executable, str(HERE / "examples" / "q_learning.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600)
    value, optimum = (float(text) for text in re.findall(r"(?:value|optimum) ([0-9.]+)", done.stdout))
    assert 0.99 * optimum <= value <= optimum + 1e-6, done.stdout
    code = (HERE / "examples" / "q_learning.py").read_text().split('"""')[2]
    assert len([line for line in code.splitlines() if line.strip() and not line.startswith(("import", "from"))]) <= 30


@pytest.mark.long
def test_ppo_learns(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib", reason="PPO needs sb3-contrib and torch")
    words = [sys.executable, str(HERE / "examples" / "ppo.py"), "--steps", "20000", "--output", str(tmp_path)]
    subprocess.run(words, check=True, timeout=3600)
    assert (tmp_path / "ppo-baby.csv").is_file()


@pytest.mark.long
def test_checker_of_stable_baselines() -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    import gymnasium

    for name in ("Baby", "Mini", "Small", "Classic", "Learner", "Sprint", "Blitz", "SprintKeys", "BlitzKeys"):
        checker.check_env(gymnasium.make(f"Bellmino/{name}-v0", illegal="lose").unwrapped)
        # Boards have two dimensions, which it would rather have flat: then there is nothing to say.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checker.check_env(gymnasium.make(f"Bellmino/{name}-v0", illegal="lose", observation="flat").unwrapped)


def test_this_is_the_package_under_test() -> None:
    assert Path(bellmino.__file__).resolve().parent.name == "bellmino"
    assert shutil.which("bellmino", path=str(Path(sys.executable).parent)) is not None
