# SPDX-License-Identifier: Apache-2.0
"""Facts of a task: its agents, spaces, step times and policies; its speed and memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count, cycle
from time import perf_counter
from typing import Any

import numpy as np

from deepsim_envs import Agents, Environment, GymnasiumEnv, GymnasiumVectorEnv, Policy
from deepsim_envs.spaces import batch_of

from .loading import load_task
from .search import TaskFolder
from .task import Task

_ACTIONS = 16  # the number of actions that are drawn before the clock starts, and then repeated


def task_facts(found: TaskFolder) -> dict[str, Any]:
    """Returns a task's agents, spaces, step times and policies as plain data; its code runs."""
    task = load_task(found)
    with task.environment(0) as environment:
        timestep = environment.world.timestep
        limit = environment.max_episode_steps
        return {
            "id": found.id,
            "folder": str(found.folder),
            "summary": found.summary,
            "physics_step_s": timestep,
            "step_s": timestep * environment.frame_skip,
            "max_episode_steps": limit,
            "policies": ", ".join(task.available_policies),
            "agents": {
                name: {
                    "observation": _shown(group.observation_space),
                    "action": _shown(group.action_space),
                }
                for group in environment.groups
                for name in group.names
            },
        }


def _shown(space: Any) -> str:
    """Returns a one-line description of a space; a box has its smallest and largest bound."""
    if not hasattr(space, "low"):
        return " ".join(str(space).split())
    bounds = f"{space.low.min():g} .. {space.high.max():g}"
    return f"{type(space).__name__} {space.shape} {space.dtype}, {bounds}"


@dataclass(frozen=True, slots=True)
class Speed:
    """One measurement.

    Attributes:
        name: The measured object, such as ``"Environment"``.
        worlds: The number of worlds, W.
        unit: The counted events: ``"physics steps"``, ``"steps"`` or ``"resets"``; one event of W
            worlds counts as W.
        per_second: The rate, in real time [1/s].
    """

    name: str
    worlds: int
    unit: str
    per_second: float


def speeds(task: Task, seconds: float, worlds: int) -> Iterator[Speed]:
    """Measures the speed of a task with random actions; resets between episodes do not count.

    Args:
        task: The task.
        seconds: Real time of each measurement, without the resets [s].
        worlds: The number of worlds.

    Yields:
        Each measurement as soon as it is made.

    Raises:
        UnsupportedError: The task does not run in this number of worlds.
    """
    with task.environment(0, worlds) as environment:
        environment.reset_worlds(0)
        n, step, seeds = environment.frame_skip, environment.world.simulator.step, count(1)
        rate = _rate(lambda: step(n), seconds)
        yield Speed("physics alone", worlds, "physics steps", rate * n * worlds)
        yield Speed("Environment", worlds, "steps", _environment(environment, seconds) * worlds)
        rate = _rate(lambda: environment.reset_worlds(next(seeds)), seconds)
        yield Speed("Environment, resets", worlds, "resets", rate * worlds)
    if worlds == 1:
        yield Speed("GymnasiumEnv", 1, "steps", _gymnasium(task.environment(0), seconds))
    else:
        rate = _vector(task.environment(0, worlds), seconds)
        yield Speed("GymnasiumVectorEnv", worlds, "steps", rate * worlds)


def peak_memory() -> float | None:
    """Returns the peak memory of this process [MB], or None if it is unknown."""
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)  # bytes on macOS, else kilobytes


def _rate(
    do: Callable[[], object], seconds: float, prepare: Callable[[], object] = lambda: None
) -> float:
    """Returns calls of `do` per second; the time of `prepare` before each call does not count."""
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

    def drawn(group: Agents) -> Any:
        space, worlds, agents = group.action_space, len(environment), len(group)
        rows = [[space.sample() for _ in range(agents)] for _ in range(worlds)]
        return batch_of(space, worlds, agents).checked(rows, environment.live, bounds=False)[0]

    actions = cycle([tuple(map(drawn, environment.groups)) for _ in range(_ACTIONS)])

    def begin() -> None:
        over = np.flatnonzero(~environment.live.any(axis=1))
        if len(over):
            environment.reset_worlds(worlds=over)

    return _rate(lambda: environment.step_worlds(next(actions)), seconds, begin)


def _gymnasium(environment: Environment, seconds: float) -> float:
    with closing(GymnasiumEnv(environment, **_one_agent(environment))) as view:
        actions = cycle([view.action_space.sample() for _ in range(_ACTIONS)])
        ended = [True]

        def begin() -> None:
            if any(ended):
                view.reset(seed=0)

        def step() -> None:
            ended[:] = view.step(next(actions))[2:4]

        return _rate(step, seconds, begin)


def _vector(environment: Environment, seconds: float) -> float:
    with closing(GymnasiumVectorEnv(environment, **_one_agent(environment))) as view:
        actions = cycle([view.action_space.sample() for _ in range(_ACTIONS)])
        view.reset(seed=0)
        return _rate(lambda: view.step(next(actions)), seconds)


def _one_agent(environment: Environment) -> dict[str, Any]:
    """Returns arguments of a view: the first agent, and fixed actions for all others."""
    chosen = {
        name: group.action_space.sample() for group in environment.groups for name in group.names
    }

    def others(_environment: Environment, _rng: np.random.Generator) -> Policy:
        return lambda agent, _seen: chosen[agent]

    alone = len(environment.agents) == 1
    return {"agent": environment.agents[0], "others": None if alone else others}
