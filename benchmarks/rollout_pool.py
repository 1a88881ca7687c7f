# SPDX-License-Identifier: Apache-2.0
"""How fast experience of the racetrack is collected: here, by two processes, by remote steps.

Remote steps are what a pool avoids: the policy stays in this process, and every step of the one
world is a call of another process, by the standard library's pipe.
"""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from report import write
from rollout_policy import Network, weights

from deepsim import make_environment
from deepsim_envs import digest
from deepsim_envs.rollout_pool import RolloutPool, Spec

TASK = Path(__file__).parents[1] / "examples" / "racetrack"
LENGTH = 200
FRAGMENTS = 6
ROUNDS = 3


def serve(pipe: Connection, folder: str) -> None:
    """Steps an environment for whoever is at the other end of the pipe."""
    with make_environment(folder) as environment:
        while True:
            command, value = pipe.recv()
            if command == "close":
                return
            do = environment.step if command == "step" else environment.reset
            pipe.send(do(value))


def remote_steps(pipe: Connection, policy: Network, steps: int) -> None:
    """As many steps as fragments have, each of them a call."""
    rng = np.random.default_rng(0)
    seen: dict[str, Any] = {}
    for step in range(steps):
        if not seen:
            pipe.send(("reset", step))
            seen, _ = pipe.recv()
        actions = {agent: policy.act(agent, row[None], rng)[0] for agent, row in seen.items()}
        pipe.send(("step", actions))
        result = pipe.recv()
        seen = {agent: row for agent, row in result.observation.items() if not result.done[agent]}


def main() -> None:
    """Collects the same fragments in each way, in turn."""
    spec = Spec("deepsim:make_environment", {"folder": str(TASK)})
    with make_environment(str(TASK)) as environment:
        agent = next(iter(environment.agents))
        inputs = environment.observation_space[agent].shape[0]
        outputs = environment.action_space[agent].shape[0]
    network = weights(inputs, outputs)
    policy = Network({}, {})
    policy.set_weights(network)
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=serve, args=(theirs, str(TASK)))
    server.start()
    theirs.close()
    times: dict[str, list[float]] = {}
    options: dict[str, Any] = {"length": LENGTH}
    with (
        RolloutPool(spec, "rollout_policy:Network", 1, **options) as local,
        RolloutPool(spec, "rollout_policy:Network", 2, backend="process", **options) as processes,
    ):
        pools = {"local": local, "2 processes": processes}
        for pool in pools.values():
            pool.set_weights(network)
            pool.collect(2)  # makes the worlds
        remote_steps(ours, policy, 2)
        for _ in range(ROUNDS):
            found = set()
            for name, pool in pools.items():
                start = perf_counter()
                fragments = pool.collect(FRAGMENTS)
                times.setdefault(name, []).append(perf_counter() - start)
                found.add(digest(fragments))
            if len(found) > 1:
                raise RuntimeError("two processes collected something else than one")
            start = perf_counter()
            remote_steps(ours, policy, LENGTH)
            times.setdefault("remote steps", []).append((perf_counter() - start) * FRAGMENTS)
    ours.send(("close", None))
    server.join()
    figures: dict[str, float] = {}
    for name, values in times.items():
        rate = FRAGMENTS / median(values)
        figures[f"{name}, fragments of {LENGTH} per second"] = rate
        figures[f"{name}, steps per second"] = rate * LENGTH
    figures["2 processes / local"] = median(times["local"]) / median(times["2 processes"])
    figures["local / remote steps"] = median(times["remote steps"]) / median(times["local"])
    write("rollout_pool", figures, "mujoco", "numpy")


if __name__ == "__main__":
    main()
