# SPDX-License-Identifier: Apache-2.0
"""Several environments of one task as one with all their worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import call_all, world_seeds

from .environment import Environment
from .environment.group_batches import GroupBatches
from .environment.slots import slots_of, world_values
from .errors import ResetNeededError
from .spaces import leafwise
from .step_result import Step


class JoinedEnvironment:
    """Environments that are stepped in turn, with the array side of one `Environment`.

    It gives many worlds to trainers of a task that is written for one. The worlds of the first
    environment are followed by those of the second, and so on; each gives the bits that it gives
    alone.

    Args:
        makers: Make the environments, which must have the same agents and spaces. If one raises,
            those that were made are closed.

    Attributes:
        environments: The environments.
        groups: The groups of agents with equal spaces.
        agents: The names of all agents, in the order of the groups.
        frame_skip: Physics steps of one environment step.

    Raises:
        ValueError: There are no makers, or an environment differs from the first.

    Example:
        Eight worlds of a task for one::

            worlds = AgentsVecEnv(JoinedEnvironment([make] * 8))
    """

    def __init__(self, makers: Iterable[Callable[[], Environment]]) -> None:
        with ExitStack() as stack:
            self.environments = [stack.enter_context(closing(make())) for make in makers]
            if not self.environments:
                raise ValueError("at least one environment is needed, got no makers")
            first = self.environments[0]
            for number, other in enumerate(self.environments):
                for name in ("groups", "frame_skip"):
                    if getattr(other, name) != getattr(first, name):
                        raise ValueError(
                            f"environment {number} has {name} {getattr(other, name)}, "
                            f"environment 0 has {getattr(first, name)}"
                        )
            stack.pop_all()
        self.groups, self.agents, self.frame_skip = first.groups, first.agents, first.frame_skip
        sizes = [len(environment) for environment in self.environments]
        self._spans = [slice(sum(sizes[:e]), sum(sizes[: e + 1])) for e in range(len(sizes))]
        self._actions = GroupBatches(
            "action",
            self.groups,
            slots_of(self.groups, len(self)),
            len(self),
            type(first.area).__name__,
        )
        self._seen: list[tuple[Any, ...]] = [()] * len(self.environments)
        self._no_step_because: str | None = "no episode has begun"

    def __len__(self) -> int:
        """Returns the number of worlds, W."""
        return self._spans[-1].stop

    @property
    def live(self) -> NDArray[np.bool_]:
        """(W, A) bool, the agents that are not done; a new array."""
        return np.concatenate([environment.live for environment in self.environments])

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """(W,) bool, the worlds whose physics diverged in the latest step."""
        return np.concatenate([environment.diverged for environment in self.environments])

    def reset_worlds(
        self,
        seed: int | Sequence[int | None] | None = None,
        worlds: ArrayLike | None = None,
    ) -> tuple[Any, ...]:
        """Begins new episodes in all worlds, or in some; see `Environment.reset_worlds`."""
        chosen = np.arange(len(self)) if worlds is None else np.asarray(worlds)
        if len(chosen) < len(self) and self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        seeds = np.full(len(self), None)
        seeds[chosen] = world_seeds(seed, chosen)
        self._no_step_because = "the last reset failed halfway"
        for number, environment, own in self._members(chosen):
            wanted = None if seed is None else seeds[self._spans[number]][own].tolist()
            self._seen[number] = environment.reset_worlds(wanted, own)
        self._no_step_because = None
        return self._observations()

    def step_worlds(self, actions: Sequence[Any], worlds: ArrayLike | None = None) -> Step:
        """Has live agents act, and their worlds advance; see `Environment.step_worlds`."""
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        chosen = np.arange(len(self)) if worlds is None else np.asarray(worlds)
        live = self.live
        live[~np.isin(np.arange(len(self)), chosen)] = False
        checked = self._actions.checked(actions, live, bounds=True)
        reward = np.zeros(live.shape)
        terminated, truncated = np.zeros_like(live), np.zeros_like(live)
        self._no_step_because = "the last step failed halfway"
        for number, environment, own in self._members(chosen):
            span = self._spans[number]
            step = environment.step_worlds(
                leafwise(lambda part, span=span: part[span], checked), own
            )
            self._seen[number], reward[span], terminated[span], truncated[span] = step
        self._no_step_because = None
        return Step(self._observations(), reward, terminated, truncated)

    def info(self) -> dict[str, Any]:
        """Returns the info of all worlds; a value that a world lacks is None."""
        return self._joined_info([environment.info() for environment in self.environments])

    def close(self) -> None:
        """Closes all environments."""
        call_all(environment.close for environment in self.environments)

    def _members(
        self, worlds: NDArray[np.intp]
    ) -> Iterable[tuple[int, Environment, NDArray[np.intp]]]:
        """Yields each environment that has some of the worlds, and their numbers within it."""
        for number, environment in enumerate(self.environments):
            span = self._spans[number]
            own = worlds[(worlds >= span.start) & (worlds < span.stop)] - span.start
            if len(own):
                yield number, environment, own

    def _observations(self) -> tuple[Any, ...]:
        joined: tuple[Any, ...] = leafwise(lambda *parts: np.concatenate(parts), *self._seen)
        return joined

    def _joined_info(self, infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        joined: dict[str, Any] = {}
        for key in dict.fromkeys(key for info in infos for key in info):
            values = [info.get(key) for info in infos]
            if any(isinstance(value, dict) for value in values):
                joined[key] = self._joined_info([value or {} for value in values])
                continue
            entries = [
                entry
                for value, environment in zip(values, self.environments, strict=True)
                for entry in ([None] * len(environment) if value is None else value)
            ]
            joined[key] = world_values(entries, len(self), f"info {key!r}")
        return joined


def located(environment: Environment | JoinedEnvironment, world: int) -> tuple[Environment, int]:
    """Returns the environment that has a world, and the number of the world within it."""
    if isinstance(environment, Environment):
        return environment, world
    for member in environment.environments:
        if world < len(member):
            break
        world -= len(member)
    return member, world


def takes_worlds(make: Callable[..., Environment]) -> bool:
    """Returns whether a function that makes an environment takes the number of its worlds."""
    return "worlds" in signature(make).parameters


def make_worlds(
    make: Callable[..., Environment], worlds: int, **options: Any
) -> Environment | JoinedEnvironment:
    """Makes an environment of so many worlds.

    Args:
        make: Makes an environment. If it takes ``worlds``, it is called once, and else once for
            each world.
        worlds: The number of worlds.
        options: Its keyword arguments. A ``seed`` is that of world 0; world w has ``seed + w``.

    Raises:
        TypeError: It makes something else.
    """
    name = getattr(make, "__name__", make)
    if takes_worlds(make):
        made = make(worlds=worlds, **options)
    elif worlds == 1:
        made = make(**options)
    else:
        each = [
            {**options, **({"seed": options["seed"] + world} if "seed" in options else {})}
            for world in range(worlds)
        ]
        return JoinedEnvironment(partial(make, **own) for own in each)
    if not isinstance(made, Environment):
        raise TypeError(f"{name} must return an Environment, got {made!r}")
    if len(made) != worlds:
        made.close()
        raise ValueError(f"{name} was asked for {worlds} worlds, but made {len(made)}")
    return made
