# SPDX-License-Identifier: Apache-2.0
"""The worlds of a rollout: a DeepSim environment, or environments of Gymnasium beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.environment import Environment
from deepsim_envs.function_names import find_function
from deepsim_envs.joined_environment import JoinedEnvironment, make_worlds, takes_worlds
from deepsim_envs.results import Step
from deepsim_envs.spaces import leafwise

from .spec import Spec


class GymnasiumWorlds:
    """Gymnasium environments with the array side of an `Environment`.

    The one agent is named ``"agent"`` if it has no name.

    Attributes:
        groups: The one group, of the one agent.
        live: (W, 1) bool, whether the episode goes on.
        waiting: (W, 1) False: the agent never joins later.
    """

    def __init__(self, makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]]) -> None:
        self._envs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.DISABLED)
        name = str(getattr(self._envs.envs[0].unwrapped, "agent", "agent"))
        spaces = self._envs.single_observation_space, self._envs.single_action_space
        self.groups = (Agents([name], *spaces),)
        self.live, self.waiting = np.zeros((2, len(makers), 1), np.bool_)

    def reset_worlds(self, seed: Sequence[int], worlds: NDArray[np.intp]) -> tuple[Any, ...]:
        """Begins episodes in some worlds; returns the observations in all of them."""
        seeds: list[int | None] = [None] * self._envs.num_envs
        mask = np.zeros(self._envs.num_envs, np.bool_)
        mask[worlds] = True
        for world, own in zip(worlds.tolist(), seed, strict=True):
            seeds[world] = own
        seen, _ = self._envs.reset(seed=seeds, options={"reset_mask": mask})
        self.live[worlds] = True
        return (leafwise(lambda part: part[:, None], seen),)

    def step_worlds(self, actions: Sequence[Any]) -> Step:
        """Steps all worlds.

        Raises:
            ValueError: An action holds NaN.
        """
        own = leafwise(self._own_actions, actions[0])
        seen, reward, terminated, truncated, _ = self._envs.step(own)
        self.live &= ~(terminated | truncated)[:, None]
        observation = leafwise(lambda part: part[:, None], seen)
        return Step((observation,), reward[:, None], terminated[:, None], truncated[:, None])

    def _own_actions(self, part: NDArray[Any]) -> NDArray[Any]:
        if part.dtype.kind == "f" and np.isnan(part).any():
            name = self.groups[0].names[0]
            raise ValueError(f"action of agent {name!r} must not hold NaN, got {part[:, 0]!r}")
        return part[:, 0]

    def close(self) -> None:
        """Closes all environments."""
        self._envs.close()


RolloutWorlds: TypeAlias = Environment | JoinedEnvironment | GymnasiumWorlds


def make_rollout_worlds(spec: Spec, worlds: int) -> RolloutWorlds:
    """Makes the worlds of a spec: by one call if it takes ``worlds``, and else by one for each.

    Raises:
        TypeError: It makes neither an `Environment` nor a `gymnasium.Env`.
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
