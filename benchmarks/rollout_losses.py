# SPDX-License-Identifier: Apache-2.0
"""Workers and machines of a Ray cluster that are lost at random moments, or come late.

Every collection must end in time, with the bytes that one process collects. Each machine is a
raylet of this machine, with one CPU; needs ``deepsim-train[ray]``.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, sleep
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster
from report import write

from deepsim_envs import digest
from deepsim_train.rollout_pool import RandomPolicy, RolloutPool, Spec

FRAGMENTS, LENGTH, WORLDS = 8, 300, 4
ACTS = FRAGMENTS * LENGTH
DEADLINE = 240  # of one collection [s]
SOON = 3.0  # a machine is lost, or comes, within this time [s]


class FragilePolicy(RandomPolicy):
    """Acts at random, and ends its process once, in its nth act.

    Args:
        observation_space: The spaces of observations, by agent.
        action_space: The spaces of actions, by agent.
        marker: A file that says that it has done so.
        act: The number n.
    """

    def __init__(
        self,
        observation_space: Mapping[str, Any],
        action_space: Mapping[str, Any],
        marker: str = "",
        act: int = 0,
    ) -> None:
        super().__init__(observation_space, action_space)
        self._marker, self._left = Path(marker or os.devnull), act

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        """Returns a sample, if it lives on."""
        self._left -= 1
        if self._left == 0 and not self._marker.exists():
            self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(agent, observations, rng)


def make_pool(policy: Mapping[str, Any], **options: Any) -> RolloutPool:
    """Returns a pool of two workers, if not asked for one in this process."""
    spec = Spec("rollout_losses:FragilePolicy", policy)
    return RolloutPool("CartPole-v1", spec, 2, length=LENGTH, worlds=WORLDS, **options)


def collected(
    policy: Mapping[str, Any], event: Callable[[], object], rng: Any, streams: int | None
) -> str:
    """Returns the digest of a collection, during which an event happens at a random moment."""
    found: list[str] = []
    with make_pool(policy, backend="ray", allow_open_cluster=True, streams=streams) as pool:
        collecting = Thread(target=lambda: found.append(digest(pool.collect(FRAGMENTS))))
        collecting.start()
        sleep(SOON * rng.random())
        event()  # in the main thread, in which Ray wants machines to be added
        collecting.join(DEADLINE)
    if not found:
        raise TimeoutError(f"no end within {DEADLINE} s, or an error above")
    return found[0]


def machines(nodes: Cluster, count: int) -> list[Any]:
    """Adds machines; on a busy computer Ray may need a second try."""
    found: list[Any] = []
    failures = 0
    while len(found) < count:
        try:
            found.append(nodes.add_node(num_cpus=1))
        except Exception:
            failures += 1
            if failures == 3:
                raise
    return found


def killed_worker(nodes: Cluster, rng: np.random.Generator, streams: int | None) -> str:
    """Kills the process of a worker."""
    machines(nodes, 2)
    with TemporaryDirectory() as folder:
        fragile = {"marker": f"{folder}/died", "act": int(rng.integers(1, ACTS // 4))}
        return collected(fragile, lambda: None, rng, streams)


def killed_machine(nodes: Cluster, rng: np.random.Generator, streams: int | None) -> str:
    """Kills one of two machines; the worker of the other one has to do all."""
    lost, _ = machines(nodes, 2)
    return collected({}, lambda: nodes.remove_node(lost, allow_graceful=False), rng, streams)


def killed_machine_with_spare(nodes: Cluster, rng: np.random.Generator, streams: int | None) -> str:
    """Kills one of three machines, of which two have a worker."""
    lost, *_ = machines(nodes, 3)
    return collected({}, lambda: nodes.remove_node(lost, allow_graceful=False), rng, streams)


def late_machine(nodes: Cluster, rng: np.random.Generator, streams: int | None) -> str:
    """Kills both machines; then another one joins."""
    lost = machines(nodes, 2)

    def exchange() -> None:
        for node in lost:
            nodes.remove_node(node, allow_graceful=False)
        machines(nodes, 1)

    return collected({}, exchange, rng, streams)


WAYS = (killed_worker, killed_machine, killed_machine_with_spare, late_machine)


def main() -> None:
    """Runs every way so many times, each on machines of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--streams", type=int, help="fragments go on with those of a stream")
    options = parser.parse_args()
    runs: int = options.runs
    os.environ.update(RAY_AUTH_MODE="disabled", RAY_USAGE_STATS_ENABLED="0")
    with make_pool({}, streams=options.streams) as local:
        expected = digest(local.collect(FRAGMENTS))
    head = {"num_cpus": 0, "include_dashboard": False}
    nodes = Cluster(initialize_head=True, head_node_args=head)
    ray.init(address=nodes.address, log_to_driver=False)
    figures: dict[str, Any] = {"runs of each": runs, "streams": options.streams}
    for number, way in enumerate(WAYS):
        name, same, longest = way.__name__.replace("_", " "), 0, 0.0
        for run in range(runs):
            start = monotonic()
            same += way(nodes, np.random.default_rng([number, run]), options.streams) == expected
            longest = max(longest, monotonic() - start)
            print(f"{name}: {same} of {run + 1} equal, longest {longest:.1f} s", flush=True)
            for node in list(nodes.worker_nodes):
                nodes.remove_node(node, allow_graceful=False)
        figures[f"{name}, same bytes"] = same
        figures[f"{name}, longest [s]"] = longest
    ray.shutdown()
    nodes.shutdown()
    name = "rollout_losses" if options.streams is None else "rollout_losses_streams"
    write(name, figures, "ray", "gymnasium")


if __name__ == "__main__":
    main()
