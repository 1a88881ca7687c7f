# SPDX-License-Identifier: Apache-2.0
"""The base classes of tasks with an object for each agent, in one world, and of these agents."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from deepsim_sync import Behaviour

from .area import StatefulArea

if TYPE_CHECKING:
    from gymnasium.spaces import Space


class AbstractAgent(Behaviour, ABC):
    """A behaviour that observes, carries out actions and earns rewards.

    A subclass returns observations and carries out actions; any of its hooks may add rewards or end
    the episode. As with any `deepsim_sync.Behaviour`, the constructor of a subclass must call
    ``super().__init__(name)``.

    Attributes:
        step_reward: Reward since the last step; each step returns and clears it.
        step_terms: The named parts of `step_reward`.
        episode_reward: Sum of all rewards in the episode.
        terminated: Whether the task ended the agent's episode.
        truncated: Whether the agent's episode was cut off, for example by a time limit.
        last_action: The agent's latest action in this episode, or None.
        absent: Whether the agent has yet to join the episode. `on_episode_begin` or the area's
            reset may set it; the agent then neither observes, acts nor earns rewards. When the task
            clears it, the agent observes, and acts from the next step on.

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
        """Returns the agent's current observation, a member of its observation space.

        For a `Box` space, lists and wider floats are converted.
        """

    @abstractmethod
    def on_action_received(self, action: Any) -> None:
        """Carries out an action; is called once per step, before the physics advances.

        Args:
            action: A member of the agent's action space; a copy that the agent may keep.
        """

    @property
    def done(self) -> bool:
        """Whether the agent's episode has ended."""
        return self.terminated or self.truncated

    def add_reward(self, reward: float, term: str | None = None) -> None:
        """Adds a reward to the current step; between steps, to the next one.

        Rewards after the agent's last step in an episode are ignored.

        Args:
            reward: The reward.
            term: The name of the reward among the area's `reward_terms`, or None.

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
        """Ends the agent's episode with the current step; later calls have no effect.

        Args:
            truncated: Whether the episode is cut off rather than over. Learning algorithms still
                assign a value to the last state of a truncated episode.
        """
        if not self.done:
            self.terminated = not truncated
            self.truncated = truncated

    def take_reward(self) -> float:
        """Returns and clears the reward of the completed step; called by `Environment`."""
        reward = self.step_reward
        self.forget_reward()
        self._over = self.terminated or self.truncated
        return reward

    def forget_reward(self) -> None:
        """Clears the reward since the last step; called by `Environment`."""
        self.step_reward, self.step_terms = 0.0, {}

    def begin_episode(self) -> None:
        """Clears the state of the last episode; called by `Environment`."""
        self.forget_reward()
        self.episode_reward = 0.0
        self.terminated = self.truncated = self._over = False
        self.last_action = None
        self.absent = False

    def on_episode_begin(self) -> None:
        """Is called when an episode begins, after the area's reset and before observations."""

    def on_episode_end(self) -> None:
        """Is called once, after the last step of the agent's episode.

        It is not called if a reset cuts the episode short.
        """


Spaces: TypeAlias = "Mapping[str, Space[Any]]"
"""The space of each agent, by name."""


class AreaInterface(StatefulArea, ABC):
    """A task in the style of the DeepSim paper: agents as objects, in one world.

    A subclass lists the agents and their spaces, and begins episodes. Use `Area` for many worlds.
    `observation_space` and `action_space` may be properties, methods (as in the paper) or class
    attributes. The environment reads them, and the list of agents, once.

    Example:
        The puck is the agent from the `AbstractAgent` example:

        >>> class Rink(AreaInterface):
        ...     observation_space = {"puck": Box(-10.0, 10.0, (1,))}
        ...     action_space = {"puck": Box(-1.0, 1.0, (1,))}
        ...
        ...     def __init__(self, world):
        ...         world.spawn(TableModel(), "puck", Pose())
        ...         self.agents = [Puck("puck", world=world)]
        ...
        ...     def get_agents(self):
        ...         return self.agents
        ...
        ...     def get_info(self):
        ...         return {}
        ...
        ...     def reset(self):
        ...         pass
        >>> environment = Environment(Rink(World(TableSimulator(timestep=0.125))), frame_skip=4)
        >>> observation, info = environment.reset(seed=7)
        >>> environment.step({"puck": [1.0]}).reward
        {'puck': 0.5}
    """

    level: int
    """The level of the episode, if the area has the hook `next_level`."""

    @abstractmethod
    def get_agents(self) -> Sequence[AbstractAgent]:
        """Returns all agents of the task; every call must return the same agents."""

    @abstractmethod
    def get_info(self) -> Mapping[str, Any]:
        """Returns further values at the end of a step: plain data by name.

        The environment copies containers and arrays. The key ``"deepsim"`` is reserved for it.
        """

    @abstractmethod
    def reset(self) -> None:
        """Begins a new episode; the world has been reset, so models are at their spawn poses.

        Random numbers must come from ``world.rng``; then a seed repeats the episode.
        """

    def next_level(self) -> int:
        """Returns the level of the next episode; see `Area.next_level`."""
        return self.level

    @property
    @abstractmethod
    def observation_space(self) -> Spaces | Callable[[], Spaces]:
        """The space of each agent's observations."""

    @property
    @abstractmethod
    def action_space(self) -> Spaces | Callable[[], Spaces]:
        """The space of each agent's actions."""
