# SPDX-License-Identifier: Apache-2.0
"""Loads tasks, which runs their code."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepsim_envs import Environment, PolicyMaker
from deepsim_train.policies.trained_policy import FILE, load_policy
from deepsim_train.task_code import TaskError, call_task_code

from .search import find_task
from .task import Task

MODULE_PREFIX = "_deepsim_task_"
"""Prefix of the names of the modules into which tasks are loaded."""


def load_task(folder: str | Path, root: str | Path = ".") -> Task:
    """Loads the task of a folder: a Python package that defines ``TASK``.

    Loading runs the package's code: load only tasks that you trust. Each call runs the code again,
    under a module name made from its path, which cannot clash with other modules.

    If the folder has a ``policy.npz`` from `deepsim train`, this is the policy ``"trained"``.

    Args:
        folder: Folder of the package, its name, or its id such as ``DeepSim/Racetrack-v0``; see
            `find_task`.
        root: The folder to search for names and ids.

    Raises:
        TaskError: The folder does not exist, its package defines no task, or its ``policy.npz``
            is not a policy.
        TaskCodeError: The package's code raised an error.

    Example::

        task = load_task("examples/racetrack")
        environment = task.environment(seed=0, worlds=16)
    """
    home = find_task(str(folder), root).folder.resolve()
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
        if (home / FILE).is_file():
            trained: PolicyMaker = load_policy(home / FILE)
            task = replace(task, policies={"trained": trained, **task.policies})
    except BaseException:
        _forget(name)
        raise
    return task


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

        environment = make_environment("examples/racetrack", seed=0, worlds=16)
    """
    return load_task(folder).environment(seed, worlds, **options)


def _forget(package: str) -> None:
    """Removes a package and its modules from ``sys.modules``."""
    for name in [n for n in sys.modules if n == package or n.startswith(f"{package}.")]:
        del sys.modules[name]
