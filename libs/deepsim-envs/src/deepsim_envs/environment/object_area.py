# SPDX-License-Identifier: Apache-2.0
"""Adapts an `AreaInterface` and its agents to an `Area` with one world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.area import AbstractAgent, Agents, Area, AreaInterface, Bools
from deepsim_envs.spaces import batch_of, copied, shown
from deepsim_sync import UnsupportedError, World, WorldNumbers

from .slots import Slot, slots_of

# ruff: noqa: D102 (hooks are documented by Area)

_Member = tuple[AbstractAgent, Slot]


class ObjectArea(Area):
    """An area that calls the hooks of each agent in turn, and collects the results in arrays.

    Consecutive agents with equal spaces form a group.

    Args:
        area: The task; all its agents must be in the same `World`, which has one world.
    """

    def __init__(self, area: AreaInterface) -> None:
        members = _agents_by_name(area)
        super().__init__(_shared_world(members))
        owner = type(area).__name__
        if len(self.world) > 1:
            raise UnsupportedError(
                f"{owner} is an AreaInterface, which is for one world, got {len(self.world)}: "
                "write an Area for more"
            )
        self._area = area
        self._owner = owner
        self.reward_terms = area.reward_terms
        if type(area).next_level is not AreaInterface.next_level:
            self.next_level = self._next_level  # type: ignore[method-assign]  # only for curricula
        self._behaviours = self.world.behaviours
        self.agents = _groups(
            members,
            _declared_spaces(area, "observation_space", members),
            _declared_spaces(area, "action_space", members),
        )
        slots = slots_of(self.agents, 1)
        self._members: list[_Member] = list(zip(members.values(), slots, strict=True))
        self._names = frozenset(members)
        self._taking_part = self._members
        self._terms: dict[str, NDArray[np.float64]] = {}
        self._late = False  # whether agents may join after the beginning
        self._voids = [batch_of(group.observation_space, 1, 1).void for group in self.agents]
        self._batches = [batch_of(group.action_space, 1, len(group)) for group in self.agents]
        # The latest observation of each agent, by group; an agent that is done keeps its last one.
        self._seen: list[list[Any]] = [[None] * len(group) for group in self.agents]

    def reset(self, worlds: WorldNumbers) -> None:
        for agent, _ in self._members:
            agent.begin_episode()
        self.world.invoke(self._owner, self._area.reset)
        for agent, _ in self._members:
            self.world.invoke(agent.name, agent.on_episode_begin)
        self._taking_part = self._members
        self._late = any(agent.absent for agent, _ in self._members)
        if self._late:
            rows = zip(self._voids, self._seen, strict=True)
            self._seen = [[void] * len(row) for void, row in rows]

    def act(self, actions: Any) -> None:
        if len(self.agents) == 1:
            actions = (actions,)
        live = self.live.tolist()[0]
        self._taking_part = []
        for agent, slot in self._members:
            if not live[slot.column]:
                continue
            self._taking_part.append((agent, slot))
            action = self._batches[slot.group].get(actions[slot.group], 0, slot.row)
            agent.last_action = action
            self.world.invoke(agent.name, agent.on_action_received, action)

    def update(self) -> None:
        self._behaviours.update()

    def joined(self) -> Bools | None:
        return np.array([[not agent.absent for agent, _ in self._members]]) if self._late else None

    def observe(self) -> Any:
        members = self._taking_part
        if self._late:
            live = self.live.tolist()[0]
            members = [member for member in self._members if live[member[1].column]]
        for agent, slot in members:
            state = self.world.invoke(agent.name, agent.get_next_state)
            self._seen[slot.group][slot.row] = state
        if len(self._seen) == 1:
            return [self._seen[0]]
        return tuple([states] for states in self._seen)

    def ends(self, late: Bools) -> tuple[Bools | None, Bools | None]:
        if late[0]:
            for agent, _ in self._taking_part:
                agent.end_episode(truncated=True)
        for agent, _ in self._taking_part:
            if agent.terminated or agent.truncated:
                break
        else:
            return None, None
        self._end_episodes()
        return (
            np.array([[agent.terminated for agent, _ in self._members]]),
            np.array([[agent.truncated for agent, _ in self._members]]),
        )

    def reward(self) -> list[list[float]]:  # type: ignore[override]  # as good as an array
        reward = [0.0] * len(self._members)
        if self.reward_terms:
            self._terms = {name: np.zeros((1, len(self._members))) for name in self.reward_terms}
        for agent, slot in self._taking_part:
            for name, earned in agent.step_terms.items():
                if name not in self._terms:
                    raise ValueError(
                        f"agent {agent.name!r} earned {name!r}, which reward_terms of "
                        f"{self._owner} lacks: they are {list(self.reward_terms)}"
                    )
                self._terms[name][0, slot.column] = earned
            reward[slot.column] = agent.take_reward()
        return [reward]

    def terms(self) -> Mapping[str, NDArray[np.float64]]:
        """Returns the named terms of the latest rewards, (1, A) each."""
        return self._terms

    def info(self) -> dict[str, Any]:
        """Returns the area's info, with each value in a list of one entry."""
        info: Mapping[str, Any] = self.world.invoke(self._owner, self._area.get_info)
        if type(info) is not dict and not isinstance(info, Mapping):
            raise TypeError(f"{self._owner}.get_info() must return a dict, got {info!r}")
        entries: dict[str, Any] = {}
        for key, value in info.items():
            if key in self._names and isinstance(value, Mapping):
                entries[key] = {part: [own] for part, own in value.items()}
            else:
                entries[key] = [value]
        return entries

    def last_actions(self) -> dict[str, Any]:
        """Returns copies of the last actions of the agents that took part in the step, by name."""
        return {agent.name: copied(agent.last_action) for agent, _ in self._taking_part}

    def forget_rewards(self) -> None:
        """Clears all rewards, because agents must earn nothing while a reset observes."""
        for agent, _ in self._members:
            agent.forget_reward()
            agent.episode_reward = 0.0

    def diverged(self, worlds: WorldNumbers) -> None:
        """Truncates the agents' episodes; the rewards of the step do not count."""
        for agent, _ in self._taking_part:
            agent.terminated, agent.truncated = False, True
        self._end_episodes()
        for agent, _ in self._taking_part:
            agent.episode_reward -= agent.take_reward()

    def get_state(self) -> Any:
        return self.world.invoke(self._owner, self._area.get_state), copied(self._seen)

    def set_state(self, state: Any) -> None:
        own, seen = state
        self.world.invoke(self._owner, self._area.set_state, own)
        self._seen = copied(seen)
        self._late = True  # some agents may still be absent

    def close(self) -> None:
        self.world.invoke(self._owner, self._area.close)

    def _next_level(self, worlds: WorldNumbers) -> int:
        level: int = self.world.invoke(self._owner, self._area.next_level)
        return level

    def _end_episodes(self) -> None:
        """Calls `on_episode_end` of agents that are done; this may end episodes of other agents."""
        waiting = [agent for agent, _ in self._taking_part]
        while ended := [agent for agent in waiting if agent.done]:
            waiting = [agent for agent in waiting if agent not in ended]
            for agent in ended:
                self.world.invoke(agent.name, agent.on_episode_end)


def _agents_by_name(area: AreaInterface) -> dict[str, AbstractAgent]:
    owner = f"{type(area).__name__}.get_agents()"
    agents: dict[str, AbstractAgent] = {}
    for agent in area.get_agents():
        kind = type(agent).__name__
        if not isinstance(agent, AbstractAgent):
            raise TypeError(f"{owner} must list instances of AbstractAgent, got {agent!r}")
        if not hasattr(agent, "world"):
            raise TypeError(
                f"agent {kind} has neither name nor world: "
                f"{kind}.__init__ must call super().__init__(name) before anything else"
            )
        if agent.name in agents:
            raise ValueError(f"{owner} lists agent {agent.name!r} twice")
        agents[agent.name] = agent
    if not agents:
        raise ValueError(f"{owner} lists no agent: an environment needs at least one")
    return agents


def _shared_world(agents: Mapping[str, AbstractAgent]) -> World:
    first, *others = agents.values()
    for agent in others:
        if agent.world is not first.world:
            raise ValueError(
                f"agent {agent.name!r} lives in another world than agent {first.name!r}: "
                "make all agents in one, by `with world:` or `world=`"
            )
    return first.world


def _declared_spaces(
    area: AreaInterface, attribute: str, agents: Iterable[str]
) -> dict[str, Space[Any]]:
    owner = f"{type(area).__name__}.{attribute}"
    found = getattr(area, attribute)
    if callable(found):
        found = found()
    if not isinstance(found, Mapping):
        raise TypeError(f"{owner} must be a dict of spaces by agent name, got {shown(found)}")
    for name in agents:
        if name not in found:
            raise ValueError(f"{owner} lacks agent {name!r}: it has {list(found)}")
        if not isinstance(found[name], Space):
            raise TypeError(
                f"{owner} of agent {name!r} must be a gymnasium.spaces.Space, "
                f"got {shown(found[name])}"
            )
    unknown = [name for name in found if name not in agents]
    if unknown:
        raise ValueError(f"{owner} names {unknown[0]!r}, but the agents are {list(agents)}")
    return {name: found[name] for name in agents}


def _groups(
    agents: Iterable[str],
    observation_spaces: Mapping[str, Space[Any]],
    action_spaces: Mapping[str, Space[Any]],
) -> Sequence[Agents]:
    groups: list[Agents] = []
    for name in agents:
        spaces = observation_spaces[name], action_spaces[name]
        last = groups[-1] if groups else None
        if last is not None and (last.observation_space, last.action_space) == spaces:
            groups[-1] = Agents((*last.names, name), *spaces)
        else:
            groups.append(Agents((name,), *spaces))
    return tuple(groups)
