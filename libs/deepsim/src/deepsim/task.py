# SPDX-License-Identifier: Apache-2.0
"""A task: all that `deepsim run` needs to know of a folder such as examples/racetrack."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from deepsim_envs import BatchEnvironment, BatchPolicyMaker, Environment
from deepsim_math import Vector3
from deepsim_sync import CameraView, DeepSimError

Policy: TypeAlias = Callable[[str, Any], Any]
"""Takes an agent's name and its observation, gives its action."""


_LOOKS_DOWN_Y_UP = (0.0, 0.0, -1.0, 0.0, 1.0, 0.0)  # the camera's +x, then its +z, in the world


class TaskError(DeepSimError):
    """A folder that holds no task, or a task that lacks what was asked for."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task, ready to be run.

    Attributes:
        name: Short name, fit for a file name.
        make: Function that builds the environment from a seed; it may take more by name, which
            `training` can set.
        policies: Functions that build a policy from an environment and a random generator, by name.
        film: Camera of the video: a free camera, or the name of a camera sensor.
        map_view: Camera of the map of driven lines, from `CameraView.from_above`: it looks straight
            down, and +y is up in the picture.
        training: Settings of `deepsim train` that suit the task; see
            `deepsim.training.TrainingConfig`.
        make_batch: Function that builds the environment of so many worlds at once, if the task is
            also written that way; each world gives the bits that `make` gives.
        batch_policies: Policies of many worlds by the names of those in `policies` that they stand
            for. Where one is missing, that of one world is called for each.

    Raises:
        TaskError: The camera of the map is turned or tilted.
    """

    name: str
    make: Callable[..., Environment]
    policies: Mapping[str, Callable[[Environment, np.random.Generator], Policy]]
    film: CameraView | str
    map_view: CameraView
    training: Mapping[str, Any] = field(default_factory=dict)
    make_batch: Callable[[int], BatchEnvironment] | None = None
    batch_policies: Mapping[str, BatchPolicyMaker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        turn = self.map_view.pose.orientation
        axes = [*turn.rotate(Vector3(1.0, 0.0, 0.0)), *turn.rotate(Vector3(0.0, 0.0, 1.0))]
        if not np.allclose(axes, _LOOKS_DOWN_Y_UP, rtol=0.0, atol=1e-6):
            raise TaskError(
                f"the map_view of {self.name} must look straight down with +y up in the picture, "
                f"got {self.map_view.pose}: use CameraView.from_above(x, y, height)"
            )

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


def load_task(folder: str | Path) -> Task:
    """The task of a folder: a Python package that defines ``TASK``.

    The package runs as code: load only what you trust. It is run anew by each call, under a module
    name that is made from its path, so that it hides no other module and none hides it.

    Args:
        folder: Folder of the package; it may have any name.

    Raises:
        TaskError: The folder is no package, or it defines no task.
    """
    folder = Path(folder)
    init = folder / "__init__.py"
    if not init.is_file():
        raise TaskError(f"{folder} is not a task: it has no __init__.py that defines TASK")
    home = folder.resolve()
    name = f"_deepsim_task_{hashlib.sha256(bytes(home)).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(
        name, home / "__init__.py", submodule_search_locations=[str(home)]
    )
    if spec is None or spec.loader is None:
        raise TaskError(f"{init} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    _forget(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        task = getattr(module, "TASK", None)
        if not isinstance(task, Task):
            raise TaskError(f"{init} must define TASK, a deepsim.Task; got {type(task).__name__}")
    except BaseException:
        _forget(name)
        raise
    return task


def make_environment(folder: str, seed: int = 0) -> Environment:
    """An environment of a folder's task, as workers of a `deepsim_envs.rollout_pool` make it.

    Args:
        folder: Folder of the task, as `load_task` takes it.
        seed: Seed of the first reset that has none of its own.

    Raises:
        TaskError: The folder holds no task.
    """
    return load_task(folder).make(seed)


def _forget(package: str) -> None:
    """Removes a package and its modules from those that Python has loaded."""
    for name in [n for n in sys.modules if n == package or n.startswith(f"{package}.")]:
        del sys.modules[name]
