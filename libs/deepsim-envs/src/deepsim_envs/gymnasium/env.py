# SPDX-License-Identifier: Apache-2.0
"""The view of one agent in one world as Gymnasium's `Env`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Dict
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.environment.info import entries_of
from deepsim_envs.errors import ResetNeededError
from deepsim_envs.policy import PolicyMaker
from deepsim_envs.spaces import GOALS, allowed
from deepsim_envs.viewing import Viewfinder, drawn_seed
from deepsim_sync import CameraView, UnsupportedError

from .one_agent import OneAgent


class GymnasiumEnv(gymnasium.Env[Any, Any]):
    """The view of one agent in an environment of one world; a policy acts for all other agents.

    An episode ends when the agent is done, even if others are not. If the first reset gets no seed,
    it draws one, like Gymnasium's own environments; later resets without a seed continue the
    world's random numbers.

    Args:
        environment: The task; closing the view closes it.
        agent: Name of the agent; optional if there is only one.
        others: Makes the policy of all other agents for each episode; optional if there is only one
            agent. The policy draws from `np_random`, so a seed repeats its actions, too.
        render_mode: ``"rgb_array"``, or None.
        camera: The camera for pictures: the name of a camera sensor, or a free camera.

    Raises:
        ValueError: The agent is unknown, or missing although there are several; the policy of the
            others is missing; or the camera for the render mode is missing.
        UnsupportedError: There are several worlds, or the simulator takes no pictures.

    Example:
        `make` is the function from the `Area` example:

        >>> env = GymnasiumEnv(make())
        >>> observation, info = env.reset(seed=7)
        >>> env.step(np.array([1.0], np.float32))
        (array([0.5], dtype=float32), 0.5, False, False, {})
    """

    def __init__(
        self,
        environment: Environment,
        *,
        agent: str | None = None,
        others: PolicyMaker | None = None,
        render_mode: str | None = None,
        camera: str | CameraView | None = None,
    ) -> None:
        if len(environment) > 1:
            raise UnsupportedError(
                f"GymnasiumEnv shows one world, got {len(environment)}: take GymnasiumVectorEnv"
            )
        self.environment = environment
        self._rngs = [self.np_random]
        self._agent = OneAgent(environment, agent, others, self._rngs)
        self.agent = self._agent.name
        self.observation_space = environment.observation_space[self.agent]
        self.action_space = environment.action_space[self.agent]
        self._viewfinder = Viewfinder(environment, render_mode, camera)
        self.metadata = self._viewfinder.metadata
        self.render_mode = render_mode
        self._seen: tuple[Any, ...] = ()
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; `seed` seeds the world and `np_random`."""
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = drawn_seed(self.np_random)
        self._seen = self.environment.reset_worlds(seed, options=options)
        self._seeded = True
        self._rngs[0] = self.np_random
        self._agent.begin([0])
        agent = self._agent
        return agent.batch.get(self._seen[agent.group], 0, agent.row), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Steps the environment; the policy acts for all other agents; see `Environment.step`.

        Raises:
            ResetNeededError: The agent is done, or no episode has begun.
        """
        actions: Sequence[Any] = [action[None, None] if type(action) is np.ndarray else [[action]]]
        if len(self.environment.agents) > 1 and self._seen:
            live = self.environment.live
            column = self._agent.column
            if live.any() and not (live | self.environment.waiting)[0, column]:
                raise ResetNeededError(f"agent {self.agent!r} is done")
            actions = self._agent.actions([action], live, self._seen)
        step = self.environment.step_worlds(actions, copy=False)
        self._seen, reward, terminated, truncated = step
        agent = self._agent
        column = agent.column
        cut = truncated.item(0, column)
        if self.environment.waiting[0, column]:
            cut = cut or agent.left_out().item(0)
        return (
            agent.batch.get(self._seen[agent.group], 0, agent.row),
            reward.item(0, column),
            terminated.item(0, column),
            cut,
            self._info(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the mask of allowed discrete actions, (n,), for SB3-Contrib's MaskablePPO.

        It is ``"action_mask"`` in the latest observation; without it, all values are allowed.

        Raises:
            TypeError: The actions are not discrete.
        """
        seen = self._agent.observations(self._seen) if self._seen else None
        (mask,) = allowed(seen, self.action_space, 1)
        return np.asarray(mask)

    def _info(self) -> dict[str, Any]:
        info = entries_of(self.environment.info(self.agent), 0)
        if self.environment.diverged[0]:
            info["diverged"] = True
        return info

    @property
    def compute_reward(self) -> Callable[[Any, Any, Any], Any]:
        """The method `Environment.compute_reward`; only views of tasks with goals have it.

        Raises:
            AttributeError: The observations have no goals.
        """
        seen = self.observation_space
        if not isinstance(seen, Dict) or not seen.spaces.keys() >= GOALS:
            raise AttributeError("compute_reward: observations have no goals")
        return self.environment.compute_reward

    def render(self) -> NDArray[np.uint8] | None:
        """Takes a picture, (height, width, 3) RGB; None without a render mode."""
        return self._viewfinder.picture()

    def close(self) -> None:
        """Closes the environment; further calls have no effect."""
        self.environment.close()
