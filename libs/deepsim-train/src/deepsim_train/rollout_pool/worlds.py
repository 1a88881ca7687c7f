# SPDX-License-Identifier: Apache-2.0
"""The worlds of a rollout: a DeepSim environment, or several Gymnasium environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.environment import Environment
from deepsim_envs.function_names import find_function
from deepsim_envs.joined_environment import JoinedEnvironment, make_worlds, takes_worlds
from deepsim_envs.results import Step
from deepsim_envs.spaces import leafwise
from deepsim_sync import call_all

from .spec import Spec


class GymnasiumWorlds:
    """Gymnasium environments behind the array methods of an `Environment`.

    An agent without a name is called ``"agent"``.

    Attributes:
        groups: One group with the only agent.
        live: Whether the episode in each world continues, (W, 1) bool.
        waiting: False for each world, (W, 1): the agent never joins later.
    """

    def __init__(self, makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]]) -> None:
        self._envs = [make() for make in makers]
        first = self._envs[0]
        name = str(getattr(first.unwrapped, "agent", "agent"))
        self._space = first.observation_space
        self._action_batch = batch_space(first.action_space, len(makers))
        self.groups = (Agents([name], first.observation_space, first.action_space),)
        self.live, self.waiting = np.zeros((2, len(makers), 1), np.bool_)
        self._seen: list[Any] = [None] * len(makers)

    def reset_worlds(self, seed: Sequence[int], worlds: NDArray[np.intp]) -> tuple[Any, ...]:
        """Begins episodes in some worlds; returns the observations in all worlds."""
        for world, own in zip(worlds.tolist(), seed, strict=True):
            self._seen[world], _ = self._envs[world].reset(seed=own)
        self.live[worlds] = True
        return self._observations()

    def step_worlds(self, actions: Sequence[Any], worlds: NDArray[np.intp] | None = None) -> Step:
        """Steps all worlds, or those in `worlds`.

        Raises:
            ValueError: An action holds NaN.
        """
        chosen = range(len(self._envs)) if worlds is None else worlds.tolist()
        own = list(iterate(self._action_batch, leafwise(self._own_actions, actions[0])))
        reward = np.zeros(self.live.shape)
        terminated, truncated = np.zeros((2, *self.live.shape), np.bool_)
        for world in chosen:
            found = self._envs[world].step(own[world])
            self._seen[world], reward[world], terminated[world], truncated[world], _ = found
        self.live &= ~(terminated | truncated)
        return Step(self._observations(), reward, terminated, truncated)

    def _observations(self) -> tuple[Any, ...]:
        batch: Any = create_empty_array(self._space, len(self._envs), np.zeros)
        seen = concatenate(self._space, self._seen, batch)
        return (leafwise(lambda part: part[:, None], seen),)

    def _own_actions(self, part: NDArray[Any]) -> NDArray[Any]:
        if part.dtype.kind == "f" and np.isnan(part).any():
            name = self.groups[0].names[0]
            raise ValueError(f"action of agent {name!r} must not hold NaN, got {part[:, 0]!r}")
        return part[:, 0]

    def close(self) -> None:
        """Closes all environments."""
        call_all(env.close for env in self._envs)


RolloutWorlds: TypeAlias = Environment | JoinedEnvironment | GymnasiumWorlds


def make_rollout_worlds(spec: Spec, worlds: int) -> RolloutWorlds:
    """Makes the worlds of a spec: with one call if it takes ``worlds``, else with a call for each.

    Raises:
        TypeError: The spec makes neither an `Environment` nor a `gymnasium.Env`.
    """
    make = partial(find_function(spec.make), **spec.kwargs)
    if takes_worlds(make):
        return make_worlds(make, worlds)
    first = make()
    makers: list[Callable[[], Any]] = [lambda: first, *[make] * (worlds - 1)]
    if isinstance(first, Environment):
        return first if worlds == 1 else JoinedEnvironment(makers)
    if isinstance(first, gymnasium.Env):
        return GymnasiumWorlds(makers)
    raise TypeError(f"{spec.make} must make an Environment or a gymnasium.Env, got {first!r}")
