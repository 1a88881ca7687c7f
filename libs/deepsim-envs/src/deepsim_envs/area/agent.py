# SPDX-License-Identifier: Apache-2.0
"""An agent as an object: the behaviour of a model that a policy steers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from deepsim_sync import Behaviour


class AbstractAgent(Behaviour, ABC):
    """A behaviour that observes, acts on actions and earns rewards.

    A subclass returns observations and carries out actions; rewards and the end of an episode may
    come from any of its hooks. It is constructed as any `deepsim_sync.Behaviour`: a constructor of
    its own calls ``super().__init__(name)``.

    Attributes:
        step_reward: Reward since the last step, which returned and cleared it.
        step_terms: The named parts of it.
        episode_reward: Sum of the rewards of all steps of the episode.
        terminated: Whether the task ended the agent's episode.
        truncated: Whether the episode was cut off, as by a time limit.
        last_action: The agent's latest action in this episode, or None.
        absent: Whether the agent has yet to join the episode. Where `on_episode_begin` or the reset
            of the area sets it, the agent neither observes, acts nor earns until it is cleared;
            then it observes, and acts from the next step on.

    Example:
        An agent that moves along x, and earns its distance from the origin [m]:

        >>> class Puck(AbstractAgent):
        ...     def get_next_state(self):
        ...         return [self.transform.pose.position.x]
        ...
        ...     def on_action_received(self, action):
        ...         self.transform.twist = Twist((action[0], 0.0, 0.0))
        ...
        ...     def on_update(self):
        ...         self.add_reward(self.transform.pose.position.x)
    """

    step_reward: float = 0.0
    step_terms: Mapping[str, float] = MappingProxyType({})
    episode_reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    last_action: Any = None
    absent: bool = False
    _over: bool = False

    @abstractmethod
    def get_next_state(self) -> Any:
        """Returns the agent's observation now: a member of its space.

        Lists and wider floats are fine where the space is a box.
        """

    @abstractmethod
    def on_action_received(self, action: Any) -> None:
        """Carries out an action; called once per step, before the physics advances.

        Args:
            action: A member of the agent's action space; the agent's own copy.
        """

    @property
    def done(self) -> bool:
        """Whether the episode of this agent has ended."""
        return self.terminated or self.truncated

    def add_reward(self, reward: float, term: str | None = None) -> None:
        """Adds to the reward of the current step, or between steps to that of the next one.

        Rewards after the agent's last step are ignored, until the next episode.

        Args:
            reward: The reward.
            term: Its name among the area's `reward_terms`, if it has one.

        Raises:
            ValueError: The reward is not finite.
        """
        if not math.isfinite(reward):
            raise ValueError(f"reward of agent {self.name!r} must be finite, got {reward}")
        if self._over or self.absent:
            return
        if term is not None:
            earned = self.step_terms.get(term, 0.0) + float(reward)
            self.step_terms = {**self.step_terms, term: earned}
        self.step_reward += float(reward)
        self.episode_reward += float(reward)

    def end_episode(self, *, truncated: bool = False) -> None:
        """Ends the agent's episode with the current step; once ended, it stays so.

        Args:
            truncated: Whether the episode is cut off rather than over, so that its last state
                still has a value for learning.
        """
        if not self.done:
            self.terminated = not truncated
            self.truncated = truncated

    def take_reward(self) -> float:
        """Returns and clears the reward of the step that ends; `Environment` calls it."""
        reward = self.step_reward
        self.forget_reward()
        self._over = self.terminated or self.truncated
        return reward

    def forget_reward(self) -> None:
        """Clears the reward since the last step; `Environment` calls it."""
        self.step_reward, self.step_terms = 0.0, {}

    def begin_episode(self) -> None:
        """Clears the state of the last episode; `Environment` calls it."""
        self.forget_reward()
        self.episode_reward = 0.0
        self.terminated = self.truncated = self._over = False
        self.last_action = None
        self.absent = False

    def on_episode_begin(self) -> None:
        """Called at the beginning of an episode: after the area's reset, before observations."""

    def on_episode_end(self) -> None:
        """Called once, when the last step of the agent's episode is complete.

        Not called for an episode that a reset cuts short.
        """
