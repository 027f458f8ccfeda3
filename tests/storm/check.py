"""Storm against Bellmino: three games are exported, solved by Storm, and compared.

Usage: check.py BELLMINO, with stormpy 2 installed. Every value must agree within Bellmino's proven bound and the
precision asked of Storm.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import stormpy
import stormpy.developer

CASES = [
    (["baby"], "discounted:0.9", 0),
    (["mini"], "total", 0),
    (["small", "--set", "board.height=3"], "total", 0),
    (["mini"], "horizon:99", 0),
]
PRECISION = 1e-9


def bellmino(program, *words):
    done = subprocess.run([program, *words, "--json", "--quiet"], check=True, capture_output=True, timeout=300)
    return json.loads(done.stdout)


def storm_value(path, formula):
    model = stormpy.build_model_from_drn(str(path))
    properties = stormpy.parse_properties(formula)
    environment = stormpy.Environment()
    min_max = environment.solver().min_max()
    # Policy iteration ends with the exact equations of the best policy.
    min_max.method = stormpy.developer.MinMaxMethod.POLICY_ITERATION
    min_max.precision = stormpy.Rational(f"1/{round(1 / PRECISION)}")
    result = stormpy.model_checking(model, properties[0], environment=environment)
    return float(result.get_value(model.initial_states[0]))


def main(program):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for game, objective, preview in CASES:
            path = Path(folder) / "model.drn"
            shared = ["--objective", objective, "--preview", str(preview)]
            exported = bellmino(program, "export", *game, *shared, "-o", str(path))
            solved = bellmino(program, "solve", *game, *shared)
            theirs = storm_value(path, exported["property"])
            ours = solved["value"]
            allowed = solved["error_bound"] + PRECISION * max(1.0, abs(ours)) * 2
            agrees = abs(theirs - ours) <= allowed
            failed += not agrees
            verdict = "agrees" if agrees else "DIFFERS"
            print(f"{' '.join(game)} {objective} preview {preview}: bellmino {ours:.12f}, storm {theirs:.12f}: {verdict}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
