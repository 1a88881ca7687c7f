# SPDX-License-Identifier: Apache-2.0
"""Trajectories: the observations, actions and rewards of each agent in each episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Dict, Space, Tuple
from numpy.typing import NDArray

from deepsim_sync import world_seeds

from .environment import Environment
from .environment.environment import Seed
from .results import StepResult
from .spaces import conform
from .spaces.members import copied


class Trajectory(NamedTuple):
    """One episode of one agent, with T steps.

    After the axis of the steps, observations and actions have the axes of their space; for a nested
    space, they are dicts or tuples of arrays.

    Example:
        `make` is the function from the `Area` example:

        >>> collector = TrajectoryCollector(make())
        >>> observation, info = collector.reset(seed=7)
        >>> results = [collector.step({"puck": [1.0]}) for _ in range(2)]
        >>> episode = collector.trajectories[0]
        >>> episode.agent, episode.seed, episode.actions.shape
        ('puck', 7, (2, 1))
    """

    agent: str
    """Name of the agent."""
    world: int
    """Index of the world."""
    seed: int | None
    """The seed of the world in the reset, or None."""
    observations: Any
    """The observations after the reset and after each step, (T + 1, ...)."""
    actions: Any
    """The action in each step, (T, ...)."""
    rewards: NDArray[np.float64]
    """The reward for each step, (T,)."""
    terminations: NDArray[np.bool_]
    """Whether each step terminated the episode, (T,)."""
    truncations: NDArray[np.bool_]
    """Whether each step truncated the episode, for example by a time limit, (T,)."""
    infos: Mapping[str, NDArray[Any]] = MappingProxyType({})
    """The numbers in the agent's info, by name, after the reset and after each step, (T + 1,).

    Only numbers that all of these infos have are collected.
    """


class TrajectoryCollector:
    """Resets and steps an environment with one or more worlds, and collects trajectories.

    An agent's episode is collected when it ends. Episodes that a reset interrupts are not
    collected.

    Args:
        environment: The environment; the collector does not close it.

    Attributes:
        environment: The environment; the collector has the same `slots` and spaces.
        trajectories: The episodes that have ended, in the order of their ends.

    Example:
        `make` is the function from the `Area` example; an episode has two steps:

        >>> collector = TrajectoryCollector(make())
        >>> observation, info = collector.reset(seed=7)
        >>> results = [collector.step({"puck": [1.0]}) for _ in range(2)]
        >>> collector.trajectories[0].rewards
        array([0.5, 1. ])
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.slots = environment.slots
        self.observation_space = environment.observation_space
        self.action_space = environment.action_space
        self.trajectories: list[Trajectory] = []
        self._seeds: Sequence[int | None] = ()
        self._records: dict[str, _Record] = {}

    def reset(
        self, seed: Seed = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins new episodes in all worlds; see `Environment.reset`."""
        self._records = {}
        seen, info = self.environment.reset(seed, options)
        self._seeds = world_seeds(seed, np.arange(len(self.environment)))
        self._records = {
            slot: _Record([copied(value)], [_numbers(info, slot)]) for slot, value in seen.items()
        }
        return seen, info

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Steps the environment; see `Environment.step`."""
        given = copied(action_dict)
        result = self.environment.step(action_dict)
        ends = result.info["deepsim"]
        for slot, reward in result.reward.items():
            if slot not in self._records:  # The agent joins in this step.
                seen = copied(result.observation[slot])
                self._records[slot] = _Record([seen], [_numbers(result.info, slot)])
                continue
            record = self._records[slot]
            record.actions.append(conform(self.action_space[slot], given[slot], "action"))
            record.observations.append(copied(result.observation[slot]))
            record.infos.append(_numbers(result.info, slot))
            record.rewards.append(reward)
            record.terminations.append(ends["terminated"][slot])
            record.truncations.append(ends["truncated"][slot])
            if result.done[slot]:
                self.trajectories.append(self._trajectory(slot, record))
        return result

    def _trajectory(self, slot: str, record: _Record) -> Trajectory:
        agents = self.environment.agents
        world, column = divmod(self.slots.index(slot), len(agents))
        return Trajectory(
            agents[column],
            world,
            self._seeds[world],
            _stacked(self.observation_space[slot], record.observations),
            _stacked(self.action_space[slot], record.actions),
            np.array(record.rewards, dtype=np.float64),
            np.array(record.terminations, dtype=np.bool_),
            np.array(record.truncations, dtype=np.bool_),
            {
                name: np.array([info[name] for info in record.infos])
                for name in record.infos[0]
                if all(name in info for info in record.infos)
            },
        )


@dataclass(slots=True)
class _Record:
    """The current episode of a slot."""

    observations: list[Any]
    infos: list[dict[str, Any]]
    actions: list[Any] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    terminations: list[bool] = field(default_factory=list)
    truncations: list[bool] = field(default_factory=list)


def _numbers(info: Mapping[str, Any], slot: str) -> dict[str, Any]:
    """Returns the numbers in the info of a slot, by name."""
    own = info.get(slot, {})
    if not isinstance(own, Mapping):
        return {}
    return {str(key): value for key, value in own.items() if isinstance(value, (Real, np.bool_))}


def _stacked(space: Space[Any], members: Sequence[Any]) -> Any:
    """Returns members of a space as arrays with one row for each member."""
    if isinstance(space, Dict):
        return {
            key: _stacked(part, [each[key] for each in members])
            for key, part in space.spaces.items()
        }
    if isinstance(space, Tuple):
        return tuple(
            _stacked(part, [each[place] for each in members])
            for place, part in enumerate(space.spaces)
        )
    if space.dtype is not None and np.dtype(space.dtype).kind in "biuf":
        return np.stack([np.asarray(each, dtype=space.dtype) for each in members])
    rows = np.full(len(members), None, dtype=object)
    for row, member in enumerate(members):
        rows[row] = member
    return rows
