# SPDX-License-Identifier: Apache-2.0
"""Registers task folders with Gymnasium and PettingZoo."""

from __future__ import annotations

from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium

from deepsim_envs import GymnasiumEnv, GymnasiumVectorEnv

from .loading import load_task
from .search import find_task
from .task import Task

if TYPE_CHECKING:
    from deepsim_envs.pettingzoo import PettingZooEnv


def register_task(folder: str | Path) -> str:
    """Registers the task of a folder; its code runs when an environment of it is first made.

    After that, ``gymnasium.make(id)`` and ``make_vec(id, n)`` make environments of one of its
    agents, which take ``agent=`` (the first one by default), ``others=`` (the name of the policy of
    all other agents, `Task.default_policy` by default), ``render_mode=``, and the options of the
    task's ``make``. Where PettingZoo is installed, ``pettingzoo.make("parallel", id)`` and
    ``make("aec", id)`` have all agents.

    Args:
        folder: The task, as `load_task` takes it.

    Returns:
        The id, made from the folder's name: ``DeepSim/TwoCars-v0`` of ``two_cars``.

    Raises:
        TaskError: The folder holds no task.
    """
    task = find_task(str(folder))
    path = str(task.folder.resolve())
    gymnasium.registry.pop(task.id, None)
    gymnasium.register(
        task.id,
        entry_point=f"{__name__}:make_env",
        vector_entry_point=f"{__name__}:make_vector_env",
        kwargs={"folder": path},
    )
    if find_spec("pettingzoo") is not None:
        _register_with_pettingzoo(task.id, path)
    return task.id


def _register_with_pettingzoo(id: str, folder: str) -> None:
    # An extra: without it, tasks are registered with Gymnasium alone.
    import pettingzoo  # noqa: PLC0415 (see above)

    from deepsim_envs.pettingzoo import aec_env  # noqa: PLC0415 (see above)

    def make_aec(**options: Any) -> Any:
        return aec_env(make_parallel_env(folder, **options))

    pettingzoo.parallel_registry.pop(id, None)
    pettingzoo.aec_registry.pop(id, None)
    pettingzoo.register("parallel", id, entry_point=partial(make_parallel_env, folder))
    pettingzoo.register("aec", id, entry_point=make_aec)


def make_env(
    folder: str,
    agent: str | None = None,
    others: str | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> GymnasiumEnv:
    """Returns one agent of a task; see `register_task`.

    Raises:
        TaskError: The folder holds no task, or that has no such policy.
        ValueError: It has no such agent.
    """
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
    """Returns one agent of a task in many worlds; see `register_task`.

    Raises:
        TaskError: The folder holds no task, or that has no such policy.
        ValueError: It has no such agent.
    """
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
    """Returns all agents of a task; see `register_task`.

    Raises:
        TaskError: The folder holds no task.
    """
    from deepsim_envs.pettingzoo import PettingZooEnv  # noqa: PLC0415 (an extra)

    task = _task(folder)
    return PettingZooEnv(
        task.environment(**options), name=task.name, render_mode=render_mode, camera=task.film
    )


@cache  # for all worlds of a vector environment
def _task(folder: str) -> Task:
    return load_task(folder)
