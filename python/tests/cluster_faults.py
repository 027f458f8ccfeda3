"""A command on a Ray of several nodes of this machine, to which bad things happen at random moments.

`cluster_faults.py [--nodes N] [--kills N] [--stops N] [--replace] [--seed S] -- COMMAND ...` prints what it took as JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import threading
import time
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
# On 127.0.0.1 only; workers as important as the command itself.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_worker_niceness"] = "0"

import ray
from ray.cluster_utils import Cluster

from bellmino import _native
from bellmino.cluster._driver import Driver

MEMORY = 80 << 20


class Faults:
    """What goes wrong while the command runs. In the main thread, since Ray starts nodes nowhere else."""

    def __init__(self, driver: Driver, cluster: Cluster, nodes: list[Any], options: argparse.Namespace) -> None:
        self.driver, self.cluster, self.nodes, self.options = driver, cluster, nodes, options
        self.chance = random.Random(options.seed)
        self.killed = self.stopped = self.replaced = 0

    def happen(self, command: threading.Thread) -> None:
        """Does one thing after the other, as long as the command runs."""
        worst = ["kill"] * self.options.kills + ["stop"] * self.options.stops + ["replace"] * self.options.replace
        self.chance.shuffle(worst)
        for what in worst:
            time.sleep(self.chance.uniform(0.05, self.options.pause))
            victim = self.victim(command)
            if victim is None:
                return
            if what == "replace":
                self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)
                self.nodes.append(self.cluster.add_node(num_cpus=1, object_store_memory=MEMORY))
                self.replaced += 1
                continue
            os.kill(victim.pid, signal.SIGKILL if what == "kill" else signal.SIGSTOP)
            self.killed += what == "kill"
            self.stopped += what == "stop"

    def victim(self, command: threading.Thread) -> Any:
        """A worker that is at something; `None` once there is nothing more to do."""
        while command.is_alive():
            crew = self.driver._crew
            busy = [member for member in (crew.ready if crew else []) if member.jobs]
            if busy:
                return self.chance.choice(busy)
            time.sleep(0.01)
        return None


def main() -> None:
    """Runs the command and prints what happened."""
    parser = argparse.ArgumentParser()
    for name, default in [("nodes", 3), ("kills", 0), ("stops", 0), ("seed", 1), ("retries", 5)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--deadline", type=float, default=120.0)
    parser.add_argument("words", nargs="+")
    options = parser.parse_args()
    head = {"num_cpus": 1, "object_store_memory": MEMORY, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=MEMORY) for _ in range(options.nodes - 1)]
    ray.init(cluster.address, log_to_driver=False, logging_level="ERROR")
    driver = Driver(
        cpus_per_task=1,
        deadline=options.deadline,
        retries=options.retries,
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    faults, statuses = Faults(driver, cluster, nodes, options), []
    words = ["bellmino", *options.words]
    command = threading.Thread(target=lambda: statuses.append(_native.run_with(words, driver.work)))
    command.start()
    faults.happen(command)
    command.join()
    status = statuses[0] if statuses else 1
    happened = {"killed": faults.killed, "stopped": faults.stopped, "replaced": faults.replaced}
    account = {"status": status, **happened, **vars(driver.account)}
    print(json.dumps(account), flush=True)
    driver.close()
    ray.shutdown()
    cluster.shutdown()
    sys.exit(status)


main()
