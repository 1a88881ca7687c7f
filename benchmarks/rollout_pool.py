# SPDX-License-Identifier: Apache-2.0
"""What a rollout pool costs beside a plain loop, and how fast it collects the racetrack.

The plain loop steps the same environment with the same policy and the same seeds, and keeps
nothing. On the racetrack, processes are compared with remote steps: the policy stays in this
process, and every step of the one world is a call of another process, by the standard library's
pipe.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from report import write
from rollout_policy import Network, weights
from step_tasks import ball

from deepsim import Environment, make_environment
from deepsim_envs import digest
from deepsim_train.rollout_pool import RolloutPool, Spec

TASK = Path(__file__).parents[1] / "examples" / "racetrack"
LENGTH = 200
FRAGMENTS = 6
ROUNDS = 3
BALL_ROUNDS = 15


def plain_loop(environment: Environment, policy: Network, fragments: int) -> None:
    """Steps all worlds, as a trainer's loop on arrays does."""
    rng = np.random.default_rng(0)
    names, seeds = environment.agents, iter(range(10**9))
    for _ in range(fragments):
        seen = environment.reset_worlds([next(seeds) for _ in range(len(environment))])
        for _ in range(LENGTH):
            acted = [policy.act(name, seen[0][:, row], rng) for row, name in enumerate(names)]
            seen, *_ = environment.step_worlds((np.stack(acted, axis=1),))
            over = np.flatnonzero(~environment.live.any(axis=1))
            if len(over):
                seen = environment.reset_worlds([next(seeds) for _ in over], over)


def overhead(worlds: int) -> dict[str, float]:
    """Collects the ball, whose step is next to nothing, by a pool and by the plain loop."""
    options: dict[str, Any] = {"length": LENGTH, "worlds": worlds}
    policy, network = Network({}, {}), weights(3, 3)
    policy.set_weights(network)
    with (
        ball(worlds) as environment,
        RolloutPool("step_tasks:ball", "rollout_policy:Network", **options) as local,
        RolloutPool("step_tasks:ball", "rollout_policy:Network", streams=1, **options) as stream,
        RolloutPool(
            "step_tasks:ball", "rollout_policy:Network", backend="process", **options
        ) as process,
    ):
        ways: dict[str, Callable[[], object]] = {
            "plain loop": lambda: plain_loop(environment, policy, FRAGMENTS),
            "local": lambda: local.collect(FRAGMENTS),
            "local, a stream": lambda: stream.collect(FRAGMENTS),
            "one process": lambda: process.collect(FRAGMENTS),
        }
        for pool in (local, stream, process):
            pool.set_weights(network)
            pool.collect(1)  # makes the worlds
        times = interleaved(ways, BALL_ROUNDS)
    steps = FRAGMENTS * LENGTH
    plain = min(times["plain loop"])
    figures = {f"ball, {worlds} worlds, plain loop, us per step": plain / steps * 1e6}
    for name in list(ways)[1:]:
        figures[f"ball, {worlds} worlds, {name} / plain loop"] = min(times[name]) / plain
    return figures


def interleaved(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Times each way once per round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = perf_counter()
            way()
            times[name].append(perf_counter() - start)
    return times


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


def racetrack() -> dict[str, float]:
    """Collects the same fragments here, by two processes, and by remote steps."""
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
    found: dict[str, set[str]] = {"local": set(), "2 processes": set()}
    options: dict[str, Any] = {"length": LENGTH}
    with (
        RolloutPool(spec, "rollout_policy:Network", 1, **options) as local,
        RolloutPool(spec, "rollout_policy:Network", 2, backend="process", **options) as processes,
    ):
        for pool in (local, processes):
            pool.set_weights(network)
            pool.collect(2)  # makes the worlds
        remote_steps(ours, policy, 2)
        times = interleaved(
            {
                "local": lambda: found["local"].add(digest(local.collect(FRAGMENTS))),
                "2 processes": lambda: found["2 processes"].add(
                    digest(processes.collect(FRAGMENTS))
                ),
                "remote steps": lambda: remote_steps(ours, policy, LENGTH),
            },
            ROUNDS,
        )
    ours.send(("close", None))
    server.join()
    if found["local"] != found["2 processes"]:
        raise RuntimeError("two processes collected something else than one")
    times["remote steps"] = [time * FRAGMENTS for time in times["remote steps"]]
    figures: dict[str, float] = {}
    for name, values in times.items():
        figures[f"{name}, steps per second"] = FRAGMENTS * LENGTH / median(values)
    figures["2 processes / local"] = median(times["local"]) / median(times["2 processes"])
    figures["local / remote steps"] = median(times["remote steps"]) / median(times["local"])
    return figures


def main() -> None:
    """Prints and writes all figures."""
    write("rollout_pool", {**overhead(1), **overhead(16), **racetrack()}, "mujoco", "numpy")


if __name__ == "__main__":
    main()
