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


class Faults(threading.Thread):
    """What goes wrong while the command runs."""

    def __init__(self, driver: Driver, cluster: Cluster, nodes: list[Any], options: argparse.Namespace) -> None:
        super().__init__(daemon=True)
        self.driver, self.cluster, self.nodes, self.options = driver, cluster, nodes, options
        self.chance = random.Random(options.seed)
        self.killed = self.stopped = self.replaced = 0

    def run(self) -> None:
        worst = ["kill"] * self.options.kills + ["stop"] * self.options.stops + ["replace"] * self.options.replace
        self.chance.shuffle(worst)
        for what in worst:
            time.sleep(self.chance.uniform(0.05, self.options.pause))
            if what == "replace":
                self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)
                self.nodes.append(self.cluster.add_node(num_cpus=1, object_store_memory=MEMORY))
                self.replaced += 1
                continue
            victim = self.victim()
            os.kill(victim.pid, signal.SIGKILL if what == "kill" else signal.SIGSTOP)
            self.killed += what == "kill"
            self.stopped += what == "stop"

    def victim(self) -> Any:
        """A worker that is at something."""
        while True:
            crew = self.driver._crew
            busy = [member for member in (crew.ready if crew else []) if member.jobs]
            if busy:
                return self.chance.choice(busy)
            time.sleep(0.01)


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
        deadline=options.deadline, retries=options.retries, say=lambda text: print(text, file=sys.stderr, flush=True)
    )
    faults = Faults(driver, cluster, nodes, options)
    faults.start()
    status = _native.run_with(["bellmino", *options.words], driver.work)
    happened = {"killed": faults.killed, "stopped": faults.stopped, "replaced": faults.replaced}
    account = {"status": status, "all": not faults.is_alive(), **happened, **vars(driver.account)}
    print(json.dumps(account), flush=True)
    driver.close()
    ray.shutdown()
    cluster.shutdown()
    sys.exit(status)


main()
