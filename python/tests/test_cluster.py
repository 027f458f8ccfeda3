"""`python -m bellmino.cluster`: the bytes of the plain command, whatever fails. Everything stays on 127.0.0.1."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from bellmino import _native
from bellmino.cluster._pace import LEAST_SECONDS, MOST_SECONDS, Pace

HERE = Path(__file__).resolve().parent
FAULTS = HERE / "cluster_faults.py"
#: Some seconds of processor time.
CEM = ["train", "cem", "classic", "--seed", "1"]
#: So long a command may take, in seconds; a machine with much else to do needs more.
TIMEOUT = float(os.environ.get("BELLMINO_TEST_SECONDS", "240"))
ENVIRONMENT = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONWARNINGS": "ignore"}


def plain(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The plain command."""
    command = [sys.executable, "-c", "from bellmino._command import main; main()", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)


def cluster(*words: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """The same on Ray."""
    command = [sys.executable, "-m", "bellmino.cluster", *map(str, words)]
    options = {"capture_output": True, "text": True, "timeout": TIMEOUT, "check": False, "env": ENVIRONMENT, **more}
    return subprocess.run(command, **options)


def faults(*words: str | Path, **more: Any) -> dict[str, Any]:
    """The same on several nodes while things go wrong; gives what happened."""
    done = subprocess.run(
        [sys.executable, str(FAULTS), *map(str, words)],
        capture_output=True, text=True, timeout=TIMEOUT, check=False, env=ENVIRONMENT, **more,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    # Ray may have said something in between.
    account: dict[str, Any] = json.loads([line for line in done.stdout.splitlines() if line.startswith('{"status"')][-1])
    return account


def timeless(text: str) -> list[str]:
    """Output without what the clock says."""
    return [line for line in text.splitlines() if "second" not in line]


def test_units_travel_and_are_cut_by_speed() -> None:
    pace = Pace()
    assert pace.unit_size(1000, 4) == 1
    pace.note(10, 1.0)
    assert pace.unit_size(10**6, 4) == round(MOST_SECONDS / 0.1)
    assert pace.unit_size(80, 4) == 10
    assert pace.unit_size(3, 4) == 1
    assert pace.unit_size(40, 1) == 40 and pace.unit_size(10**6, 1) == round(MOST_SECONDS / 0.1)
    for _ in range(100):
        pace.note(1000, 0.001)
    assert pace.unit_size(100, 4) == round(LEAST_SECONDS / 1e-6)


def test_the_native_half_hands_out_and_takes_back(capfd: pytest.CaptureFixture[str]) -> None:
    names = []

    def crew(heap: _native.Heap) -> None:
        bench = _native.Workbench(2)
        units = [unit for unit in iter(lambda: heap.next(7), None)]
        assert heap.left == 0 and not heap.is_done and not heap.is_stopped
        for unit in [half for unit in reversed(units) for half in unit.halves()]:
            names.append(unit.name)
            travelled = _native.Unit.from_bytes(unit.to_bytes())
            heap.put(unit, bench.work(travelled))
        assert heap.is_done and bench.signs() > 0

    words = ["bellmino", "evaluate", "baby", "--player", "lowest", "--games", "20", "--seed", "7", "--json"]
    assert _native.run_with(words, crew) == 0
    ours = json.loads(capfd.readouterr().out)
    theirs = json.loads(plain(*words[1:]).stdout)
    for report in (ours, theirs):
        del report["seconds"], report["pieces_per_second"]
    assert ours == theirs
    assert names[-2:] == [f"evaluate baby, lowest, seed 7, games {numbers}" for numbers in ("0 to 3", "4 to 6")]
    assert len(names) == 6
    with pytest.raises(ValueError, match="unit of work"):
        _native.Unit.from_bytes(b"\xff" * 9)

    def lazy(heap: _native.Heap) -> None:
        raise OSError("the network is down")

    assert _native.run_with(words, lazy) == 1
    assert "the network is down" in capfd.readouterr().err


def test_bad_words_are_refused_before_anything_is_started() -> None:
    bad = [
        ([], "give one of train"),
        (["solve", "baby"], "`solve` does not run on a cluster"),
        (["evaluate", "baby", "--player", "lowest", "--cpus-per-task", "0"], "from 1 to 1024"),
        (["unit", "nowhere"], "give the folder of one unit"),
    ]
    if importlib.util.find_spec("ray") is not None:
        bad += [
            (["evaluate", "baby"], "--player"),
            (["evaluate", "babby", "--player", "lowest"], "did you mean `baby`?"),
        ]
    for words, why in bad:
        done = cluster(*words)
        assert (done.returncode, done.stdout) == (2, "") and why in done.stderr, (words, done.stderr)


def test_without_ray_there_is_a_sentence(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['ray'] = None; sys.argv = ['x', 'evaluate', 'baby', '--player', 'lowest'];"
        "import importlib.util as u; find = u.find_spec; u.find_spec = lambda name: None if name == 'ray' else find(name);"
        "from bellmino.cluster import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "pip install './python[cluster]'" in done.stderr


def train(folder: Path, name: str, run: Any, *words: str | Path) -> tuple[bytes, bytes, str]:
    """Trains with `run`; gives the bytes of the weights and of the learning curve, and what was said."""
    done = run(*CEM, "--generations", "8", "-o", folder / f"{name}.json", "--run", folder / name, *words)
    assert done.returncode == 0, done.stderr
    return (folder / f"{name}.json").read_bytes(), (folder / name / "curve.csv").read_bytes(), done.stderr


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    ours = train(tmp_path, "plain", plain)
    words = [*CEM, "--generations", "8", "--quiet", "-o", tmp_path / "ray.json", "--run", tmp_path / "ray"]
    account = faults("--nodes", "2", "--kills", "1", "--pause", "0.2", "--", *words)
    assert account["killed"] == 1 and account["retries"] >= 1 and account["most_workers"] == 2
    assert (tmp_path / "ray.json").read_bytes() == ours[0]
    assert (tmp_path / "ray" / "curve.csv").read_bytes() == ours[1]


@pytest.mark.long
def test_any_number_of_workers_gives_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    more = ["--population", "400"]
    *ours, _ = train(tmp_path, "plain", plain, *more)
    for workers in ("1", "2", "5"):
        *theirs, said = train(tmp_path, workers, cluster, "--threads", workers, *more)
        assert theirs == ours and f"up to {workers} workers" in said
    *theirs, _ = train(tmp_path, "all", cluster, *more)
    assert theirs == ours


@pytest.mark.long
def test_tables_and_output_are_those_of_the_plain_command(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = ["evaluate", "blitz", "--player", "bot", "--player", "weights:lee4", "--nodes", "300", "--games", "12",
             "--pieces", "60", "--keys", "--seed", "3", "--tables"]  # fmt: skip
    one, other = tmp_path / "plain", tmp_path / "ray"
    theirs, ours = plain(*words, one), cluster(*words, other, "--cpus-per-task", "2", "--threads", "1")
    assert ours.returncode == 0 and timeless(ours.stdout) == timeless(theirs.stdout)
    assert "workers busy" in ours.stderr
    for table in ("games.parquet", "moves.parquet"):
        assert (one / table).read_bytes() == (other / table).read_bytes()


@pytest.mark.long
def test_tuning_and_experiments_run_on_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = ["tune", "blitz", "--nodes", "200", "--pieces", "40", "--games", "6", "--generations", "2", "-o"]
    assert plain(*words, tmp_path / "plain.toml").returncode == 0
    assert cluster(*words, tmp_path / "ray.toml", "--threads", "2").returncode == 0
    assert (tmp_path / "plain.toml").read_bytes() == (tmp_path / "ray.toml").read_bytes()
    experiment = tmp_path / "mine.toml"
    experiment.write_text(
        'title = "Mine"\nquestion = "Who is better?"\n'
        '[[figure]]\ncommand = "solve baby --objective discounted:0.9 -o {dir}/baby.table"\n'
        '[[figure]]\nwhat = "score"\nfield = "/score/mean"\n'
        'command = "evaluate baby --player table:{dir}/baby.table --games 300 --pieces 40 --seed 5"\n'
    )
    ours = cluster("reproduce", experiment, "--json", "--threads", "2")
    assert ours.returncode == 0, ours.stderr
    figure = json.loads(ours.stdout)["experiments"][0]["figures"][0]
    table = tmp_path / "baby.table"
    plain("solve", "baby", "--objective", "discounted:0.9", "-o", table)
    report = plain("evaluate", "baby", "--player", f"table:{table}", "--games", "300", "--pieces", "40", "--seed", "5", "--json")
    assert figure["ours"] == json.loads(report.stdout)["score"]["mean"]


@pytest.mark.long
def test_twenty_killed_workers_and_a_lost_node_change_nothing(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = [*CEM, "--generations", "40", "--quiet", "-o"]
    assert plain(*words, tmp_path / "plain.json").returncode == 0
    account = faults("--nodes", "3", "--kills", "20", "--replace", "--pause", "1.0", "--", *words, tmp_path / "ray.json")
    assert (account["killed"], account["replaced"]) == (20, 1), account
    assert (tmp_path / "ray.json").read_bytes() == (tmp_path / "plain.json").read_bytes()


@pytest.mark.long
def test_a_hanging_worker_is_given_up(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = [*CEM, "--generations", "8", "--quiet", "-o"]
    assert plain(*words, tmp_path / "plain.json").returncode == 0
    faulty = ["--nodes", "2", "--stops", "1", "--pause", "0.2", "--deadline", "4"]
    account = faults(*faulty, "--", *words, tmp_path / "ray.json")
    assert account["stopped"] == 1 and account["retries"] >= 1
    assert (tmp_path / "ray.json").read_bytes() == (tmp_path / "plain.json").read_bytes()


@pytest.mark.long
def test_a_unit_that_fails_too_often_is_named_and_can_be_done_alone(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = [sys.executable, str(FAULTS), "--nodes", "1", "--kills", "1", "--retries", "0", "--pause", "0.2", "--", *CEM,
             "--generations", "30"]  # fmt: skip
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=TIMEOUT, check=False, env=ENVIRONMENT, cwd=tmp_path
    )
    assert done.returncode == 1 and "failed 1 times" in done.stderr, done.stderr
    assert "train cem classic, step " in done.stderr and "python -m bellmino.cluster unit failed-unit-1" in done.stderr
    alone = cluster("unit", "failed-unit-1", cwd=tmp_path)
    assert alone.returncode == 0 and alone.stdout.startswith("train cem classic, step ")


@pytest.mark.long
def test_a_killed_driver_is_resumed_and_ctrl_c_keeps_what_is_known(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = [*CEM, "--generations", "16", "-o"]
    assert plain(*words, tmp_path / "plain.json").returncode == 0
    command = [sys.executable, "-m", "bellmino.cluster", *words, str(tmp_path / "ray.json"), "--threads", "2", "--run"]
    run, chance = tmp_path / "run", random.Random(1)
    for how, status in ((signal.SIGKILL, -9), (signal.SIGINT, 0)):
        more = ["--resume"] if how == signal.SIGINT else []
        with subprocess.Popen([*command, str(run), *more], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as driver:
            rows = curve_rows(run)
            end = time.monotonic() + TIMEOUT
            while curve_rows(run) < rows + 2 and driver.poll() is None and time.monotonic() < end:
                time.sleep(chance.uniform(0.01, 0.05))
            driver.send_signal(how)
            said = driver.communicate(timeout=TIMEOUT)[1]
        assert driver.returncode == status, said
        assert 0 < curve_rows(run) < 16, said
    assert "interrupted" in said
    assert cluster(*words, tmp_path / "ray.json", "--threads", "2", "--run", run, "--resume").returncode == 0
    assert (tmp_path / "ray.json").read_bytes() == (tmp_path / "plain.json").read_bytes()


def curve_rows(run: Path) -> int:
    """Generations in a learning curve."""
    curve = run / "curve.csv"
    return max(0, len(curve.read_text().splitlines()) - 1) if curve.is_file() else 0


def test_workers_that_count_differently_are_refused() -> None:
    pytest.importorskip("ray")
    from concurrent.futures import Future

    from bellmino.cluster._crew import STARTS, Crew, Member
    from bellmino.cluster._worker import Hello

    said: list[str] = []
    crew = Crew(1, None, 10.0, said.append, lambda *_: None, lambda *_: None)

    def greet(answer: Any) -> Member:
        member = Member(None, "node-a" if isinstance(answer, Hello) else "node-b")
        crew.coming.append(member)
        future: Future[Any] = Future()
        future.set_exception(answer) if isinstance(answer, Exception) else future.set_result(answer)
        crew._greeted(member, future)
        return member

    fingerprint = _native.fingerprint()
    assert greet(Hello(fingerprint, "node-a", "here", 1)) in crew.ready
    greet(Hello(fingerprint[:-1] + "?", "node-a", "there", 2))
    assert len(crew.ready) == 1 and not crew.coming
    assert said == [line for line in said if "node node-a is refused" in line and fingerprint in line] != []
    for _ in range(STARTS):
        greet(RuntimeError("it died\nModuleNotFoundError: No module named 'bellmino'"))
    assert "node node-b is refused: workers do not start there: ModuleNotFoundError" in said[-1]


def test_the_file_for_kubernetes() -> None:
    yaml = pytest.importorskip("yaml")
    documents = list(yaml.safe_load_all((HERE.parent / "cluster" / "kuberay.yaml").read_text()))
    cluster, claim = documents
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    spec = cluster["spec"]
    groups = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    assert set(spec) <= {
        "rayVersion", "enableInTreeAutoscaling", "autoscalerOptions", "headGroupSpec", "workerGroupSpecs",
    }  # fmt: skip
    for group in groups:
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        (container,) = group["template"]["spec"]["containers"]
        assert container["image"] == f"bellmino:{_native.__version__}" and container["name"]
        assert set(container["resources"]) == {"requests", "limits"}
    for group in spec["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"] and group["groupName"]
    volumes = groups[0]["template"]["spec"]["volumes"]
    assert [volume["persistentVolumeClaim"]["claimName"] for volume in volumes] == [claim["metadata"]["name"]]


@pytest.mark.long
def test_the_guide_begins_on_a_laptop() -> None:
    pytest.importorskip("ray")
    guide = (HERE.parent.parent / "docs" / "CLUSTER.md").read_text()
    (line,) = [line for line in guide.splitlines() if line.startswith("python -m bellmino.cluster evaluate baby")]
    words = line.split("#")[0].split()[3:]
    done = cluster(*words)
    assert done.returncode == 0 and timeless(done.stdout) == timeless(plain(*words).stdout)
