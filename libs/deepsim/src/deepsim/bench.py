# SPDX-License-Identifier: Apache-2.0
"""How fast a task runs: its physics, its environment, and the views of it that trainers take."""

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

from deepsim_envs import Act, Environment, GymnasiumEnv, GymnasiumVectorEnv

from .task import Task

_ACTIONS = 256  # drawn before the clock runs, and used over and over


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured.

    Attributes:
        name: What was done.
        unit: Of what the rate is: ``"physics steps"``, ``"steps"`` or ``"resets"``; a step of n
            worlds counts n times.
        per_second: The rate, in real time [1/s].
    """

    name: str
    unit: str
    per_second: float


def speeds(task: Task, seconds: float, worlds: int) -> Iterator[Speed]:
    """Measures a task, with random actions; resets between episodes do not count.

    Args:
        task: The task.
        seconds: Real time of each measurement, without the resets [s].
        worlds: Worlds of the vector environment.

    Yields:
        Each figure as soon as it is known.
    """
    with task.environment(0) as environment:
        yield _physics(environment, seconds)
        yield _environment(environment, seconds)
        seeds = count(1)
        rate = _rate(lambda: environment.reset(next(seeds)), lambda: None, seconds)
        yield Speed("environment reset", "resets", rate)
    yield _gymnasium(task, seconds)
    if find_spec("pettingzoo") is not None:
        yield _pettingzoo(task, seconds)
    yield _vector(task, seconds, worlds)


def peak_memory() -> float | None:
    """The most memory that this process has held [MB], or None where that cannot be told."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)  # bytes there, kilobytes elsewhere


def _rate(do: Callable[[], object], prepare: Callable[[], object], seconds: float) -> float:
    """Calls per second; what is to be prepared before each of them does not count."""
    spent, calls = 0.0, 0
    while spent < seconds:
        prepare()
        start = perf_counter()
        do()
        spent += perf_counter() - start
        calls += 1
    return calls / spent


def _physics(environment: Environment, seconds: float) -> Speed:
    environment.reset(0)
    steps, simulator = environment.frame_skip, environment.world.simulator
    rate = _rate(lambda: simulator.step(steps), lambda: None, seconds)
    return Speed("physics alone", "physics steps", rate * steps)


def _environment(environment: Environment, seconds: float) -> Speed:
    actions, seeds = _actions(environment), count()

    def prepare() -> None:
        if not environment.live_agents:
            environment.reset(next(seeds))

    environment.reset(next(seeds))
    return Speed(
        "environment", "steps", _rate(lambda: environment.step(next(actions)), prepare, seconds)
    )


def _gymnasium(task: Task, seconds: float) -> Speed:
    environment = task.environment(0)
    with closing(_view(environment)) as view:
        actions, over = _actions(environment), True

        def prepare() -> None:
            nonlocal over
            if over:
                view.reset(seed=0)
                over = False

        def step() -> None:
            nonlocal over
            _, _, terminated, truncated, _ = view.step(next(actions)[view.agent])
            over = terminated or truncated

        return Speed("GymnasiumEnv", "steps", _rate(step, prepare, seconds))


def _pettingzoo(task: Task, seconds: float) -> Speed:
    from deepsim_envs.pettingzoo import PettingZooEnv  # noqa: PLC0415 (an extra)

    environment = task.environment(0)
    with closing(PettingZooEnv(environment, name=task.name)) as view:
        actions = _actions(environment)

        def prepare() -> None:
            if not view.agents:
                view.reset(seed=0)

        def step() -> None:
            chosen = next(actions)
            view.step({agent: chosen[agent] for agent in view.agents})

        return Speed("PettingZooEnv", "steps", _rate(step, prepare, seconds))


def _vector(task: Task, seconds: float, worlds: int) -> Speed:
    with closing(GymnasiumVectorEnv([lambda: _view(task.environment(0))] * worlds)) as view:
        view.action_space.seed(0)
        actions = cycle([view.action_space.sample() for _ in range(_ACTIONS)])
        view.reset(seed=0)
        rate = _rate(lambda: view.step(next(actions)), lambda: None, seconds)
    return Speed(f"GymnasiumVectorEnv, {worlds} worlds", "steps", rate * worlds)


def _actions(environment: Environment) -> Iterator[dict[str, Any]]:
    """The same random actions of all agents, again and again."""
    for number, space in enumerate(environment.action_space.values()):
        space.seed(number)
    return cycle(
        [
            {agent: space.sample() for agent, space in environment.action_space.items()}
            for _ in range(_ACTIONS)
        ]
    )


def _view(environment: Environment) -> GymnasiumEnv:
    """The first agent's; the others act at random as well."""
    actions = _actions(environment)

    def others(_environment: Environment, _rng: np.random.Generator) -> Act:
        return lambda agent, _seen: next(actions)[agent]

    agents = list(environment.agents)
    return GymnasiumEnv(environment, agent=agents[0], others=others if agents[1:] else None)
