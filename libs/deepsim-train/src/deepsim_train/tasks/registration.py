# SPDX-License-Identifier: Apache-2.0
"""Registers task folders with Gymnasium and PettingZoo."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepsim_envs import GymnasiumEnv, GymnasiumVectorEnv
from deepsim_envs.gymnasium.registration import register_views

from .loading import load_task
from .search import find_task
from .task import Task

if TYPE_CHECKING:
    from deepsim_envs.pettingzoo import PettingZooEnv


def register_task(folder: str | Path) -> str:
    """Registers the task of a folder; the task's code first runs when an environment is made.

    Afterwards ``gymnasium.make(id)`` and ``gymnasium.make_vec(id, n)`` make environments of one
    agent. They take ``agent=`` (by default the first), ``others=`` (the name of the policy of all
    other agents, by default `Task.default_policy`), ``render_mode=``, and the options of the task's
    ``make``. If PettingZoo is installed, ``pettingzoo.make("parallel", id)`` and
    ``pettingzoo.make("aec", id)`` make environments of all agents.

    Args:
        folder: The task, as `load_task` takes it.

    Returns:
        The id, made from the folder's name: ``DeepSim/TwoCars-v0`` for ``two_cars``.

    Raises:
        TaskError: The folder holds no task.

    Example::

        id = register_task("examples/racetrack")
        env = gymnasium.make(id, agent="red_car", others="pursuit")
    """
    task = find_task(str(folder))
    place = {"folder": str(task.folder.resolve())}
    register_views(task.id, f"{__name__}:make_env", f"{__name__}:make_vector_env", place)
    if find_spec("pettingzoo") is not None:
        # An extra: without it, tasks are registered with Gymnasium alone.
        from deepsim_envs.pettingzoo.registration import register_view  # noqa: PLC0415 (see above)

        register_view(task.id, make_parallel_env, place)
    return task.id


def make_env(
    folder: str,
    agent: str | None = None,
    others: str | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> GymnasiumEnv:
    """Makes the Gymnasium environment of one agent of a task; see `register_task`."""
    task = _task(folder)
    policy = task.policy(task.default_policy if others is None else others)
    environment = task.environment(**options)
    return GymnasiumEnv(
        environment,
        agent=environment.agents[0] if agent is None else agent,
        others=policy,
        render_mode=render_mode,
        camera=task.film,
    )


def make_vector_env(
    folder: str,
    num_envs: int,
    autoreset_mode: str = "NextStep",
    agent: str | None = None,
    others: str | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> GymnasiumVectorEnv:
    """Makes the vector environment of one agent of a task; see `register_task`."""
    task = _task(folder)
    policy = task.policy(task.default_policy if others is None else others)
    environment = task.environments(num_envs, **options)
    return GymnasiumVectorEnv(
        environment,
        agent=environment.agents[0] if agent is None else agent,
        others=policy,
        autoreset_mode=autoreset_mode,
        render_mode=render_mode,
        camera=task.film,
    )


def make_parallel_env(folder: str, render_mode: str | None = None, **options: Any) -> PettingZooEnv:
    """Makes the PettingZoo environment of all agents of a task; see `register_task`."""
    from deepsim_envs.pettingzoo import PettingZooEnv  # noqa: PLC0415 (an extra)

    task = _task(folder)
    return PettingZooEnv(
        task.environment(**options), name=task.name, render_mode=render_mode, camera=task.film
    )


@cache  # the task's code runs once for all environments
def _task(folder: str) -> Task:
    return load_task(folder)
