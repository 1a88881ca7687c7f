# SPDX-License-Identifier: Apache-2.0
"""A task: all that `deepsim run` needs to know of a folder such as examples/racetrack."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from deepsim_envs import BatchEnvironment, BatchPolicyMaker, Environment
from deepsim_math import Vector3
from deepsim_sync import CameraView, DeepSimError

Policy: TypeAlias = Callable[[str, Any], Any]
"""Takes an agent's name and its observation, gives its action."""
PolicyMaker: TypeAlias = Callable[[Environment, np.random.Generator], Policy]
"""Builds a policy of an environment's agents, which draws from the generator."""

P = ParamSpec("P")
T = TypeVar("T")
_FIT_FOR_A_FILE = re.compile(r"\w[\w.-]*")
_LOOKS_DOWN_Y_UP = (0.0, 0.0, -1.0, 0.0, 1.0, 0.0)  # the camera's +x, then its +z, in the world


class TaskError(DeepSimError):
    """A folder that holds no task, or a task that lacks what was asked for."""


class TaskCodeError(TaskError):
    """An exception in a task's own code, outside of any hook; ``__cause__`` is the original."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task, ready to be run.

    Attributes:
        name: Short name, fit for a file name: letters, digits, ``_``, ``-`` and ``.``.
        make: Function that builds the environment from a seed; it may take more by name, which
            `training` can set.
        policies: Functions that build a policy from an environment and a random generator, by name.
            Unless there is one, ``"random"`` is `random_actions`.
        film: Camera of the video: a free camera, or the name of a camera sensor; None for no video.
        map_view: Camera of the map of driven lines, from `CameraView.from_above`: it looks straight
            down, and +y is up in the picture. None for no map.
        training: Settings of `deepsim train` that suit the task; see
            `deepsim.training.TrainingConfig`.
        make_batch: Function that builds the environment of so many worlds at once, if the task is
            also written that way; each world gives the bits that `make` gives.
        batch_policies: Policies of many worlds by the names of those in `policies` that they stand
            for. Where one is missing, that of one world is called for each.

    Raises:
        TaskError: The name is not fit for a file name, or the camera of the map is turned or
            tilted.
    """

    name: str
    make: Callable[..., Environment]
    policies: Mapping[str, PolicyMaker] = field(default_factory=dict)
    film: CameraView | str | None = None
    map_view: CameraView | None = None
    training: Mapping[str, Any] = field(default_factory=dict)
    make_batch: Callable[[int], BatchEnvironment] | None = None
    batch_policies: Mapping[str, BatchPolicyMaker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _FIT_FOR_A_FILE.fullmatch(self.name):
            raise TaskError(
                "the name of a task must be fit for a file name (letters, digits, _ - .), "
                f"got {self.name!r}"
            )
        if self.map_view is None:
            return
        turn = self.map_view.pose.orientation
        axes = [*turn.rotate(Vector3(1.0, 0.0, 0.0)), *turn.rotate(Vector3(0.0, 0.0, 1.0))]
        if not np.allclose(axes, _LOOKS_DOWN_Y_UP, rtol=0.0, atol=1e-6):
            raise TaskError(
                f"the map_view of {self.name} must look straight down with +y up in the picture, "
                f"got {self.map_view.pose}: use CameraView.from_above(x, y, height)"
            )

    def environment(self, seed: int = 0, **options: Any) -> Environment:
        """What `make` returns.

        Args:
            seed: Seed of the first reset that has none of its own.
            options: What `make` takes besides.

        Raises:
            TaskError: It returns something else.
            TaskCodeError: It raises.
        """
        made = called(f"make of {self.name}", self.make, seed, **options)
        if not isinstance(made, Environment):
            raise TaskError(f"make of {self.name} must return an Environment, got {made!r}")
        return made

    @property
    def default_policy(self) -> str:
        """Who acts where nobody is named: ``"random"`` if there is one, else the first."""
        return "random" if "random" in self.policies else next(iter(self.policies), "random")

    def policy(self, name: str) -> PolicyMaker:
        """The policy of a name; what it raises comes as `TaskCodeError`.

        Raises:
            TaskError: There is none; the message lists those there are.
        """
        policies = {"random": random_actions, **self.policies}
        if name not in policies:
            raise TaskError(f"{self.name} has no policy {name!r}; it has {', '.join(policies)}")
        what = f"policy {name!r} of {self.name}"

        def make(environment: Environment, rng: np.random.Generator) -> Policy:
            act = called(what, policies[name], environment, rng)
            if not callable(act):
                raise TaskError(
                    f"{what} must return a function of agent and observation, got {act!r}"
                )
            return lambda agent, observation: called(what, act, agent, observation)

        return make


def random_actions(environment: Environment, rng: np.random.Generator) -> Policy:
    """The policy that draws every action from its agent's space."""
    spaces = deepcopy(dict(environment.action_space))  # samples of the task's own stay as they are
    for space in spaces.values():
        space.seed(int(rng.integers(2**31)))
    return lambda agent, _observation: spaces[agent].sample()


def called(what: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function of a task's own code returns.

    Raises:
        TaskCodeError: It raised; the message says what did.
    """
    try:
        return function(*args, **kwargs)
    except DeepSimError:
        raise
    except Exception as error:
        raise TaskCodeError(f"{what} raised {type(error).__name__}: {error}") from error
