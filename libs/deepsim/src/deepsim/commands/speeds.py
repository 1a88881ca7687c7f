# SPDX-License-Identifier: Apache-2.0
"""Measures how fast a task runs: its physics, its environment, and views of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count, cycle
from time import perf_counter
from typing import Any

import numpy as np

from deepsim.tasks.task import Task
from deepsim_envs import Agents, Environment, GymnasiumEnv, GymnasiumVectorEnv, Policy
from deepsim_envs.spaces import batch_of

_ACTIONS = 16  # drawn before the clock runs, and used over and over


@dataclass(frozen=True, slots=True)
class Speed:
    """One measurement.

    Attributes:
        name: What was measured.
        worlds: The number of worlds, W.
        unit: Unit of the rate: ``"physics steps"``, ``"steps"`` or ``"resets"``; those of W worlds
            at once count W times.
        per_second: The rate, in real time [1/s].
    """

    name: str
    worlds: int
    unit: str
    per_second: float


def speeds(task: Task, seconds: float, worlds: int) -> Iterator[Speed]:
    """Measures a task in so many worlds, with random actions; resets between episodes do not count.

    Args:
        task: The task.
        seconds: Real time of each measurement, without the resets [s].
        worlds: The number of worlds.

    Yields:
        Each figure as soon as it is known.

    Raises:
        UnsupportedError: The task does not run in so many worlds.
    """

    def speed(name: str, rate: float, unit: str = "steps") -> Speed:
        return Speed(name, worlds, unit, rate * worlds)

    with task.environment(0, worlds) as environment:
        environment.reset_worlds(0)
        n, step = environment.frame_skip, environment.world.simulator.step
        rate = _rate(lambda: step(n), lambda: None, seconds)
        yield speed("physics alone", rate * n, "physics steps")
        yield speed("Environment", _environment(environment, seconds))
        seeds = count(1)
        rate = _rate(lambda: environment.reset_worlds(next(seeds)), lambda: None, seconds)
        yield speed("Environment, resets", rate, "resets")
    yield speed("GymnasiumVectorEnv", _vector(task.environment(0, worlds), seconds))
    if worlds == 1:
        yield speed("GymnasiumEnv", _gymnasium(task.environment(0), seconds))
        if find_spec("pettingzoo") is not None:
            yield speed("PettingZooEnv", _pettingzoo(task, seconds))


def peak_memory() -> float | None:
    """Returns the most memory that this process has held [MB], or None where it is unknown."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kilobytes elsewhere


def _rate(do: Callable[[], object], prepare: Callable[[], object], seconds: float) -> float:
    """Returns calls per second; the time of `prepare`, before each of them, does not count."""
    spent, calls = 0.0, 0
    while spent < seconds:
        prepare()
        start = perf_counter()
        do()
        spent += perf_counter() - start
        calls += 1
    return calls / spent


def _environment(environment: Environment, seconds: float) -> float:
    environment.reset_worlds(0)
    actions = _batches(environment)

    def prepare() -> None:
        over = np.flatnonzero(~environment.live.any(axis=1))
        if len(over):
            environment.reset_worlds(worlds=over)

    return _rate(lambda: environment.step_worlds(next(actions)), prepare, seconds)


def _vector(environment: Environment, seconds: float) -> float:
    agent, others = _one_agent(environment)
    with closing(GymnasiumVectorEnv(environment, agent=agent, others=others)) as view:
        view.action_space.seed(0)
        actions = cycle([view.action_space.sample() for _ in range(_ACTIONS)])
        view.reset(seed=0)
        return _rate(lambda: view.step(next(actions)), lambda: None, seconds)


def _gymnasium(environment: Environment, seconds: float) -> float:
    agent, others = _one_agent(environment)
    with closing(GymnasiumEnv(environment, agent=agent, others=others)) as view:
        actions, over = _dicts(environment), True

        def prepare() -> None:
            nonlocal over
            if over:
                view.reset(seed=0)
                over = False

        def step() -> None:
            nonlocal over
            _, _, terminated, truncated, _ = view.step(next(actions)[agent])
            over = terminated or truncated

        return _rate(step, prepare, seconds)


def _pettingzoo(task: Task, seconds: float) -> float:
    from deepsim_envs.pettingzoo import PettingZooEnv  # noqa: PLC0415 (an extra)

    environment = task.environment(0)
    with closing(PettingZooEnv(environment, name=task.name)) as view:
        actions = _dicts(environment)

        def prepare() -> None:
            if not view.agents:
                view.reset(seed=0)

        def step() -> None:
            chosen = next(actions)
            view.step({agent: chosen[agent] for agent in view.agents})

        return _rate(step, prepare, seconds)


def _batches(environment: Environment) -> Iterator[tuple[Any, ...]]:
    """Returns the same random actions of all agents in all worlds, again and again."""

    def drawn(group: Agents) -> Any:
        space, worlds, agents = group.action_space, len(environment), len(group)
        rows = [[space.sample() for _ in range(agents)] for _ in range(worlds)]
        batch, _ = batch_of(space, worlds, agents).checked(rows, environment.live, bounds=False)
        return batch

    for number, group in enumerate(environment.groups):
        group.action_space.seed(number)
    return cycle([tuple(map(drawn, environment.groups)) for _ in range(_ACTIONS)])


def _dicts(environment: Environment) -> Iterator[dict[str, Any]]:
    """Returns the same random actions of all agents of one world, again and again."""
    for number, space in enumerate(environment.action_space.values()):
        space.seed(number)
    return cycle(
        [
            {agent: space.sample() for agent, space in environment.action_space.items()}
            for _ in range(_ACTIONS)
        ]
    )


def _one_agent(environment: Environment) -> tuple[str, Any]:
    """Returns the first agent, and the policy of the others, which act at random without effort."""
    chosen = {
        name: group.action_space.sample() for group in environment.groups for name in group.names
    }

    def others(_environment: Environment, _rng: np.random.Generator) -> Policy:
        return lambda agent, _seen: chosen[agent]

    return environment.agents[0], others if environment.agents[1:] else None
