# SPDX-License-Identifier: Apache-2.0
"""One agent of an environment as Gymnasium's `Env`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from deepsim_envs.environment import Environment, info_of
from deepsim_envs.errors import ResetNeededError
from deepsim_envs.policy import Policy, PolicyMaker
from deepsim_envs.viewing import Viewfinder, drawn_seed
from deepsim_sync import CameraView, UnsupportedError

from .one_agent import chosen_agent


class GymnasiumEnv(gymnasium.Env[Any, Any]):
    """One agent's side of an environment of one world; a policy acts for the others.

    An episode ends when the agent is done, whether or not the others are.

    The first reset without a seed draws one, as Gymnasium's own environments do; later ones go on
    with the world's random numbers. A reset with a seed gives what `Environment.reset` gives.

    Args:
        environment: The task; closed with the view.
        agent: The agent; not needed where there is one only.
        others: Makes the policy of all other agents, anew for each episode; not needed where there
            is one agent only. It draws from `np_random`, so that a seed repeats their actions too.
        render_mode: ``"rgb_array"``, or None.
        camera: Takes the pictures: a camera sensor by name, or a free camera.

    Attributes:
        environment: The task.
        agent: Name of the agent.
        observation_space: Of the agent.
        action_space: Of the agent.
        render_mode: As given.
        metadata: ``render_modes`` and ``render_fps``.

    Raises:
        ValueError: There is no such agent, it is not said which one of several, or who acts for the
            others; or no camera takes the pictures.
        UnsupportedError: There are several worlds, or the simulator takes no pictures.
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
        self.agent = chosen_agent(environment.agents, agent, alone=others is None)
        self.observation_space = environment.observation_space[self.agent]
        self.action_space = environment.action_space[self.agent]
        self._viewfinder = Viewfinder(environment, render_mode, camera)
        self.metadata = self._viewfinder.metadata
        self.render_mode = render_mode
        self._others = others
        self._act: Policy | None = None
        self._seen: dict[str, Any] = {}
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; see `Environment.reset`.

        Args:
            seed: Seed of the world and of `np_random`.
            options: None are known; ignored.
        """
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = drawn_seed(self.np_random)
        self._seen, info = self.environment.reset(seed)
        self._seeded = True
        if self._others is not None:
            self._act = self._others(self.environment, self.np_random)
        return self._seen[self.agent], info_of(self.agent, self.environment, info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Steps the agent, and the others as their policy acts; see `Environment.step`.

        Returns:
            Observation, reward, terminated, truncated and info of the agent.

        Raises:
            ResetNeededError: The agent is done, or no episode has begun.
        """
        live = self.environment.live_agents
        if self._seen and live and self.agent not in live:
            raise ResetNeededError(f"agent {self.agent!r} is done")
        actions = {self.agent: action}
        if self._act is not None:
            others = [name for name in live if name != self.agent]
            actions.update({name: self._act(name, self._seen[name]) for name in others})
        result = self.environment.step(actions)
        self._seen = result.observation
        ends = result.info["deepsim"]
        return (
            result.observation[self.agent],
            result.reward[self.agent],
            ends["terminated"][self.agent],
            ends["truncated"][self.agent],
            info_of(self.agent, self.environment, result.info),
        )

    def render(self) -> NDArray[np.uint8] | None:
        """Takes a picture, (height, width, 3) RGB; None without a render mode."""
        return self._viewfinder.picture()

    def close(self) -> None:
        """Closes the environment; closing twice does no harm."""
        self.environment.close()
