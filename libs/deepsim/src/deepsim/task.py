# SPDX-License-Identifier: Apache-2.0
"""A task: all that `deepsim run` needs to know of a folder such as examples/racetrack."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from deepsim_envs import Environment
from deepsim_sync import CameraView, DeepSimError

Policy: TypeAlias = Callable[[str, Any], Any]
"""Takes an agent's name and its observation, gives its action."""


class TaskError(DeepSimError):
    """A folder that holds no task, or a task that lacks what was asked for."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task, ready to be run.

    Attributes:
        name: Short, as in file names.
        make: Builds the environment from a seed.
        policies: Builds a policy from an environment and a random generator, by name.
        film: Where the video is taken from: a free camera, or the name of a camera sensor.
        map_view: Where the map of driven lines is taken from: a camera that looks straight down.
    """

    name: str
    make: Callable[[int], Environment]
    policies: Mapping[str, Callable[[Environment, np.random.Generator], Policy]]
    film: CameraView | str
    map_view: CameraView

    def policy(self, name: str) -> Callable[[Environment, np.random.Generator], Policy]:
        """The policy of a name.

        Raises:
            TaskError: There is none; the message lists those there are.
        """
        try:
            return self.policies[name]
        except KeyError:
            known = ", ".join(self.policies)
            raise TaskError(f"{self.name} has no policy {name!r}; it has {known}") from None


def load_task(folder: Path) -> Task:
    """The task of a folder: a Python package that defines ``TASK``.

    The package runs as code: load only what you trust.

    Raises:
        TaskError: The folder is no package, or it defines no task.
    """
    init = folder / "__init__.py"
    if not init.is_file():
        raise TaskError(f"{folder} is not a task: it has no __init__.py that defines TASK")
    name = folder.resolve().name
    spec = importlib.util.spec_from_file_location(
        name, init, submodule_search_locations=[str(folder.resolve())]
    )
    if spec is None or spec.loader is None:
        raise TaskError(f"{init} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    task = getattr(module, "TASK", None)
    if not isinstance(task, Task):
        raise TaskError(f"{init} must define TASK, a deepsim.Task; got {type(task).__name__}")
    return task
