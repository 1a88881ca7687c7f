# SPDX-License-Identifier: Apache-2.0
"""Loads tasks, which runs their code, and registers them with Gymnasium and PettingZoo."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from deepsim_envs import Environment, GymnasiumEnv, GymnasiumVectorEnv, PolicyMaker
from deepsim_envs.gymnasium.registration import register_views
from deepsim_train.policies.slot_policy import team_of
from deepsim_train.policies.trained_policy import FILE, NAMED, trained_policies
from deepsim_train.task_code import TaskError, call_task_code

from .search import TaskFolder, find_task
from .task import Task

MODULE_PREFIX = "_deepsim_task_"
"""Prefix of the names of the modules into which tasks are loaded."""


def load_task(folder: str | Path | TaskFolder, root: str | Path = ".") -> Task:
    """Loads the task of a folder: a Python package that defines ``TASK``.

    Loading runs the package's code: load only tasks that you trust. Each call runs the code again,
    under a module name made from its path, which cannot clash with other modules.

    If the folder has a ``policy.npz`` from `deepsim train`, this is the policy ``"trained"``.
    So are files such as ``policy_red.npz`` together, if the task's settings for training say in
    ``policies`` which agents each of them is for, by their whole names.

    Args:
        folder: Folder of the package, its name, or its id such as ``DeepSim/Racetrack-v0``; see
            `find_task`. Options that follow, as in ``racetrack?looks=false``, become defaults of
            the task's ``make``.
        root: The folder to search for names and ids, before the installed tasks.

    Raises:
        TaskError: The folder does not exist, its package defines no task, or its ``policy.npz``
            is not a policy; or ``make`` has no such option; or of several policies it is not known
            which agents they are for.
        TaskCodeError: The package's code raised an error.

    Example::

        task = load_task("racetrack")
        environment = task.environment(seed=0, worlds=16)
    """
    found = folder if isinstance(folder, TaskFolder) else find_task(str(folder), root)
    home = found.folder.resolve()
    init = home / "__init__.py"
    name = f"{MODULE_PREFIX}{hashlib.sha256(bytes(home)).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(
        name, init, submodule_search_locations=[str(home)]
    )
    if spec is None or spec.loader is None:
        raise TaskError(f"{init} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    _forget(name)
    sys.modules[name] = module
    try:
        call_task_code(str(init), spec.loader.exec_module, module)
        task = getattr(module, "TASK", None)
        if not isinstance(task, Task):
            raise TaskError(f"{init} must define TASK, a deepsim.Task; got {type(task).__name__}")
        if (home / FILE).is_file() or any(home.glob(f"{NAMED}*.npz")):
            task = replace(task, policies={"trained": _trained(home, task), **task.policies})
    except BaseException:
        _forget(name)
        raise
    return task.variant(found.options)


def _trained(home: Path, task: Task) -> PolicyMaker:
    """Returns the policy that is in the folder of a task, or several as one."""
    policies = trained_policies(home)
    if "" in policies:
        return policies[""]
    teams = task.training.get("policies")
    if not isinstance(teams, Mapping) or teams.keys() != policies.keys():
        raise TaskError(
            f"{home} holds the policies {', '.join(policies)}: the task must name their agents, as "
            f"in training={{'policies': {{{next(iter(policies))!r}: ['agent']}}}}; it has {teams!r}"
        )
    return team_of(policies, {agent: name for name, own in teams.items() for agent in own})


def make_environment(folder: str, seed: int = 0, worlds: int = 1, **options: Any) -> Environment:
    """Builds an environment of a task, for the workers of a `deepsim_train.rollout_pool`.

    Args:
        folder: The task, as `load_task` takes it.
        seed: Seed used if the first reset gets none.
        worlds: The number of worlds, W.
        options: Further arguments of the task's ``make``.

    Raises:
        TaskError: The task does not exist.
        TaskCodeError: The task's code raised an error.

    Example::

        environment = make_environment("racetrack", seed=0, worlds=16)
    """
    return load_task(folder).environment(seed, worlds, **options)


def _forget(package: str) -> None:
    """Removes a package and its modules from ``sys.modules``."""
    for name in [n for n in sys.modules if n == package or n.startswith(f"{package}.")]:
        del sys.modules[name]


if TYPE_CHECKING:
    from deepsim_envs.pettingzoo import PettingZooEnv


def register_task(folder: str | Path | TaskFolder) -> str:
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

        id = register_task("racetrack")
        env = gymnasium.make(id, agent="red_car", others="pursuit")
    """
    task = folder if isinstance(folder, TaskFolder) else find_task(str(folder))
    place = {"folder": str(task.folder.resolve()), **task.options}
    register_views(task.id, f"{__name__}:make_env", f"{__name__}:make_vector_env", place)
    if find_spec("pettingzoo") is not None:
        # An extra: without it, tasks are registered with Gymnasium alone.
        from deepsim_envs.pettingzoo import register_view  # noqa: PLC0415 (see above)

        register_view(task.id, make_parallel_env, place)
    return task.id


def env_spec(folder: TaskFolder, agent: str) -> EnvSpec:
    """Returns the spec by which `gymnasium.make` makes a task for one agent, in any process.

    Args:
        folder: The task.
        agent: The name of the agent.
    """
    spec = deepcopy(gymnasium.spec(register_task(folder)))
    spec.kwargs["agent"] = agent
    return spec


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
    agent = environment.agents[0] if agent is None else agent
    return GymnasiumEnv(
        environment, agent=agent, others=policy, render_mode=render_mode, camera=task.film
    )


def make_vector_env(
    folder: str,
    num_envs: int,
    autoreset_mode: str = "NextStep",
    agent: str | None = None,
    others: str | None = None,
    render_mode: str | None = None,
    clip_actions: bool = False,
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
        clip_actions=clip_actions,
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
