# SPDX-License-Identifier: Apache-2.0
"""A task: everything that the `deepsim` command needs from a folder."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from deepsim_envs import ArrayPolicy, Environment, JoinedEnvironment, Policy, PolicyMaker
from deepsim_envs.spaces import sample_allowed
from deepsim_spawn.backends import DEFAULT, Backend
from deepsim_sync import CameraView, UnsupportedError
from deepsim_train.task_code import TaskError, call_task_code

_FIT_FOR_A_FILE = re.compile(r"\w[\w.-]*")
_LOOKS_DOWN_Y_UP = (0.0, 0.0, -1.0, 0.0, 1.0, 0.0)  # the camera's +x and +z in the world frame


@dataclass(frozen=True, slots=True)
class Task:
    """The definition of a task: its environment, policies, cameras and training settings.

    Attributes:
        name: Short name of letters, digits, ``_``, ``-`` and ``.``, which also names files.
        make: Function that builds the environment, called as ``make(worlds=1, seed=0)``; further
            arguments are options, which `training` can set. If the task runs in one world only,
            the function takes no `worlds`.
        policies: Policies by name: an `ArrayPolicy`, or a function that makes the policy of one
            world from its environment and a random generator. If none is named ``"random"``,
            `random_actions` takes this name.
        film: Camera of the video: a free camera, or the name of a camera sensor; None for no video.
        map_view: Camera for the map of the agents' paths, from `CameraView.from_above`; it looks
            straight down, with +y up in the picture. None for no map.
        training: Settings of `deepsim train` that suit the task; see
            `deepsim_train.training.config.TrainingConfig`.

    Raises:
        TaskError: The name has other characters, or the camera of the map is turned or tilted.

    >>> def make(worlds: int = 1, seed: int = 0) -> Environment: ...
    >>> task = Task("two_cars", make, film="red_car::camera_link::camera")
    >>> list(task.available_policies)
    ['random']
    """

    name: str
    make: Callable[..., Environment]
    policies: Mapping[str, PolicyMaker] = field(default_factory=dict)
    film: CameraView | str | None = None
    map_view: CameraView | None = None
    training: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _FIT_FOR_A_FILE.fullmatch(self.name):
            raise TaskError(
                "the name of a task must be fit for a file name (letters, digits, _ - .), "
                f"got {self.name!r}"
            )
        if self.map_view is None:
            return
        turn = self.map_view.pose.orientation
        axes = [*turn.rotate((1.0, 0.0, 0.0)), *turn.rotate((0.0, 0.0, 1.0))]
        if not np.allclose(axes, _LOOKS_DOWN_Y_UP, rtol=0.0, atol=1e-6):
            raise TaskError(
                f"the map_view of {self.name} must look straight down with +y up in the picture, "
                f"got {self.map_view.pose}: use CameraView.from_above(x, y, height)"
            )

    def environment(self, seed: int = 0, worlds: int = 1, **options: Any) -> Environment:
        """Builds the environment with `make`.

        Inside ``with Backend(...)``, its simulator is of that backend.

        Args:
            seed: Seed used if the first reset gets none; world w uses ``seed + w``.
            worlds: The number of worlds, W.
            options: Further arguments of `make`.

        Raises:
            UnsupportedError: The task runs in one world only, and `worlds` is larger.
            TaskError: `make` does not take these arguments, does not return an `Environment` of
                this number of worlds, or makes its own simulator although a backend is chosen.
            TaskCodeError: `make` raised an error.
        """
        arguments: dict[str, Any] = {"seed": seed, **options}
        if _takes(self.make, "worlds"):
            arguments["worlds"] = worlds
        elif not _takes(self.make, "seed"):
            raise TaskError(
                f"make of {self.name} must be a function make(worlds=1, seed=0), "
                f"got make{inspect.signature(self.make)}"
            )
        elif worlds != 1:
            raise UnsupportedError(
                f"{self.name} runs in one world only, and {worlds} were asked for: its make does "
                "not take the number of worlds, as in make(worlds=1, seed=0)"
            )
        backend = Backend.current()
        opened = 0 if backend is None else backend.opened
        try:
            made = call_task_code(f"make of {self.name}", self.make, **arguments)
        except UnsupportedError as error:
            if worlds == 1:
                raise
            raise UnsupportedError(f"{self.name} cannot run in {worlds} worlds: {error}") from error
        if backend is not None and backend.name != DEFAULT and backend.opened == opened:
            raise TaskError(
                f"{self.name} makes its own simulator, so it cannot run on {backend.name}: "
                "its make function should call deepsim.open_simulator"
            )
        if not isinstance(made, Environment):
            raise TaskError(f"make of {self.name} must return an Environment, got {made!r}")
        if len(made) != worlds:
            raise TaskError(
                f"make of {self.name} must return an Environment of {worlds} worlds, "
                f"got one of {len(made)}: pass worlds on, as in open_simulator(world, worlds)"
            )
        return made

    def variant(self, options: Mapping[str, Any]) -> Task:
        """Returns the task with these options as defaults of its `make`.

        Raises:
            TaskError: `make` does not take one of them; the message lists those that it takes.
        """
        if not options:
            return self
        parameters = inspect.signature(self.make).parameters
        own = [name for name in parameters if name not in ("worlds", "seed")]
        for name in options:
            if not _takes(self.make, name) or name in ("worlds", "seed"):
                known = f"it has {', '.join(own)}" if own else "it has none"
                raise TaskError(f"{self.name} has no option {name!r}: {known}")
        return replace(self, make=partial(self.make, **options))

    def environments(
        self, worlds: int, seed: int = 0, **options: Any
    ) -> Environment | JoinedEnvironment:
        """Builds W worlds for a trainer, if necessary as W environments of one world each.

        Args:
            worlds: The number of worlds, W.
            seed: Seed used if the first reset gets none; world w uses ``seed + w``.
            options: Further arguments of `make`.

        Raises:
            TaskError, TaskCodeError, UnsupportedError: As in `environment`.
        """
        try:
            return self.environment(seed, worlds, **options)
        except UnsupportedError:
            if worlds == 1:
                raise
            seeds = range(seed, seed + worlds)
            return JoinedEnvironment(partial(self.environment, each, **options) for each in seeds)

    @property
    def available_policies(self) -> Mapping[str, PolicyMaker]:
        """All policies by name, with ``"random"`` first."""
        return {"random": random_actions, **self.policies}

    @property
    def default_policy(self) -> str:
        """The policy used by default: the task's ``"random"``, else its first, else random."""
        return "random" if "random" in self.policies else next(iter(self.policies), "random")

    def policy(self, name: str) -> PolicyMaker:
        """Returns a policy by name; errors in its code are raised as `TaskCodeError`.

        Raises:
            TaskError: The policy does not exist; the message lists the known ones.
        """
        policies = self.available_policies
        if name not in policies:
            raise TaskError(f"{self.name} has no policy {name!r}; it has {', '.join(policies)}")
        what, maker = f"policy {name!r} of {self.name}", policies[name]
        if isinstance(maker, ArrayPolicy):
            return _CheckedArrayPolicy(what, maker)

        def make(environment: Environment, rng: np.random.Generator) -> Policy:
            act = call_task_code(what, maker, environment, rng)
            if not callable(act):
                raise TaskError(
                    f"{what} must return a function of agent and observation, got {act!r}"
                )
            return _CheckedPolicy(what, act)

        return make


def random_actions(environment: Environment, rng: np.random.Generator) -> Policy:
    """Returns a policy that draws random actions from the agents' spaces, as their masks allow."""
    spaces = {
        name: deepcopy(group.action_space) for group in environment.groups for name in group.names
    }
    for space in spaces.values():
        space.seed(int(rng.integers(2**31)))
    return lambda agent, observation: sample_allowed(spaces[agent], observation)


class _CheckedPolicy:
    """A task's policy of one world; errors in its code are raised as `TaskCodeError`."""

    def __init__(self, what: str, policy: Policy) -> None:
        self._what, self._policy = what, policy

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the action of the task's policy."""
        return call_task_code(self._what, self._policy, agent, observation)

    def __getattr__(self, name: str) -> Any:
        """Returns what else the policy has, such as ``begin_episode`` or ``get_state``."""
        value = getattr(self._policy, name)
        return partial(call_task_code, self._what, value) if callable(value) else value


class _CheckedArrayPolicy(ArrayPolicy):
    """A task's policy on arrays; errors in its code are raised as `TaskCodeError`."""

    def __init__(self, what: str, policy: ArrayPolicy) -> None:
        self._what, self._policy = what, policy

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Any,
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns the actions of the task's policy."""
        policy = self._policy
        return call_task_code(self._what, policy.act, agent, observations, action_space, rngs)


def _takes(function: Callable[..., Any], name: str) -> bool:
    """Returns whether a function can be called with a keyword argument of this name."""
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return True
    return name in parameters and parameters[name].kind is not inspect.Parameter.POSITIONAL_ONLY
