# SPDX-License-Identifier: Apache-2.0
"""Computes one fragment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Agents, Bools
from deepsim_envs.environment import Environment
from deepsim_envs.results import Step
from deepsim_envs.spaces import copied, leafwise

from .policy import Policy, RecurrentPolicy
from .streams import Fragment, OngoingEpisodes, allocated, put_batch
from .worlds import RolloutWorlds

_NOBODY = np.zeros(0, np.intp)


class Rollout:
    """A fragment that is being computed; its arrays have the axes (agents, length, worlds).

    Args:
        episodes: The episodes that the fragment continues.
        length: The number of steps of the fragment.
        root: The root of all seeds.
        number: The number of the fragment.
    """

    def __init__(self, episodes: OngoingEpisodes, length: int, root: int, number: int) -> None:
        own = np.random.SeedSequence(root, spawn_key=(number,))
        groups, worlds = episodes.worlds.groups, len(episodes.steps)
        shape = length, worlds
        self._episodes, self._number = episodes, number
        self._rng = np.random.default_rng(own)
        self._spawning = own.spawn(worlds)  # one per world; spawns the seeds of its episodes
        self._names = [name for group in groups for name in group.names]
        full = (len(self._names), *shape)
        self._rewards = np.zeros(full)
        self._terminated, self._truncated, self._live = np.zeros((3, *full), np.bool_)
        self._awaits = False  # whether an agent has not joined yet
        self._starts = np.zeros(shape, np.bool_)
        self._seeds = np.tile(episodes.seeds, (length, 1))
        self._groups, first = [], 0
        for group in groups:
            live = self._live[first : first + len(group)]
            self._groups.append(_GroupRecords(group, shape, live))
            first += len(group)

    def run(self, policy: PolicyMemory, weights: int) -> Fragment:
        """Steps all worlds, and begins a new episode after each that ends; returns the fragment.

        Args:
            policy: The policy, with its memory of the episodes.
            weights: The version of the policy's weights.
        """
        episodes = self._episodes
        worlds, over = episodes.worlds, np.flatnonzero(episodes.steps == 0)
        step_worlds: Callable[..., Step] = worlds.step_worlds
        if isinstance(worlds, Environment):  # results are read before the next step
            step_worlds = partial(step_worlds, copy=False)
        if len(over) < len(episodes.steps):
            self._follow(worlds, 0)
            for group, batch in zip(self._groups, episodes.seen, strict=True):
                group.begin(0, batch, np.arange(len(episodes.steps)))
        memory: dict[str, Any] = {}
        for step in range(len(self._starts)):
            if len(over):
                self._begin(worlds, step, over)
                policy.begin(over)
            if not step:
                memory = policy.copy()
            actions = [group.act(step, policy, self._rng) for group in self._groups]
            seen, reward, terminated, truncated = step_worlds(actions)
            for group, batch in zip(self._groups, seen, strict=True):
                group.see(step, batch)
            self._rewards[:, step] = reward.T
            ended = (terminated | truncated).T
            over = _NOBODY
            if self._awaits or np.count_nonzero(ended):
                self._terminated[:, step] = terminated.T
                self._truncated[:, step] = truncated.T
                self._follow(worlds, step + 1)
                over = np.flatnonzero(~worlds.live.any(axis=1))
        episodes.advance(self._starts, self._seeds[-1], [g.seen for g in self._groups], over)
        return self._fragment(weights, memory)

    def _begin(self, worlds: RolloutWorlds, step: int, over: NDArray[np.intp]) -> None:
        """Begins episodes in the worlds `over`."""
        for world in over.tolist():
            (seed,) = self._spawning[world].spawn(1)
            self._seeds[step:, world] = seed.generate_state(1, np.uint64)[0]
        self._starts[step, over] = True
        seen = worlds.reset_worlds(self._seeds[step, over].tolist(), over)
        self._follow(worlds, step)
        for group, batch in zip(self._groups, seen, strict=True):
            group.begin(step, batch, over)

    def _follow(self, worlds: RolloutWorlds, step: int) -> None:
        """Records which agents are live in each world, for this step and the following ones."""
        self._live[:, step:] = worlds.live.T[:, None]
        self._awaits = bool(worlds.waiting.any())

    def _fragment(self, weights: int, memory: dict[str, Any]) -> Fragment:
        def named(columns: NDArray[Any]) -> dict[str, Any]:
            return dict(zip(self._names, columns, strict=True))

        columns: dict[str, Any] = {"observations": {}, "actions": {}, "next_observations": {}}
        for group in self._groups:
            group.finish(self._starts)
            for part, by_agent in columns.items():
                by_agent.update(group.by_agent(getattr(group, part)))
        return Fragment(
            number=self._number,
            rewards=named(self._rewards),
            terminations=named(self._terminated),
            truncations=named(self._truncated),
            live=named(self._live),
            starts=self._starts,
            seeds=self._seeds,
            weights=weights,
            memory=memory,
            **columns,
        )


class _GroupRecords:
    """The observations and actions of a group's agents, in arrays (A_g, length, worlds, ...)."""

    def __init__(self, group: Agents, shape: tuple[int, int], live: Bools) -> None:
        self._names, self._live = group.names, live
        full, name = (len(group), *shape), repr(group.names[0])
        spaces = group.observation_space, group.action_space
        self.observations = allocated(spaces[0], full, f"observation of agent {name}")
        self.next_observations = allocated(spaces[0], full, f"observation of agent {name}")
        self.actions = allocated(spaces[1], full, f"action of agent {name}")
        self.seen: Any = None

    def begin(self, step: int, seen: Any, worlds: NDArray[np.intp]) -> None:
        """Records the first observations of episodes from a batch (W, A_g, ...)."""

        def put(record: NDArray[Any], part: NDArray[Any]) -> None:
            record[:, step][:, worlds] = part[worlds].swapaxes(0, 1)

        leafwise(put, self.observations, seen)
        self.seen = seen

    def see(self, step: int, seen: Any) -> None:
        """Records the observations after a step, a batch (W, A_g, ...)."""

        def put(record: NDArray[Any], part: NDArray[Any]) -> None:
            record[:, step] = part.swapaxes(0, 1)

        leafwise(put, self.next_observations, seen)
        self.seen = seen

    def act(self, step: int, policy: PolicyMemory, rng: np.random.Generator) -> Any:
        """Records the actions of live agents; returns the actions of all agents, (W, A_g, ...)."""
        for row, name in enumerate(self._names):
            live = self._live[row, step]
            count = np.count_nonzero(live)
            if not count:
                continue
            worlds: Any = slice(None) if count == len(live) else np.flatnonzero(live)
            own = leafwise(lambda part: part[worlds, row].copy(), self.seen)  # noqa: B023 (called at once)
            acted = policy.act(name, own, worlds, rng)
            put_batch(self.actions, (row, step, worlds), acted, f"action of agent {name!r}")
        return leafwise(lambda record: record[:, step].swapaxes(0, 1), self.actions)

    def finish(self, starts: Bools) -> None:
        """Fills in observations within episodes, and zeros where agents did not take part."""
        goes_on, void = ~starts[1:], ~self._live

        def fill(seen: NDArray[Any], after: NDArray[Any]) -> None:
            seen[:, 1:][:, goes_on] = after[:, :-1][:, goes_on]
            seen[void] = 0
            after[void] = 0

        leafwise(fill, self.observations, self.next_observations)

    def by_agent(self, records: Any) -> Iterator[tuple[str, Any]]:
        """Yields the names of the agents with their arrays, (length, worlds, ...)."""
        for row, name in enumerate(self._names):
            yield name, leafwise(lambda record, row=row: record[row], records)


class PolicyMemory:
    """A policy with its memory of the episodes in all worlds; empty for a `Policy`.

    Args:
        policy: The policy.
        agents: The names of all agents.
        worlds: The number of worlds, W.
        memory: The memory so far, by agent: (W, ...); empty if all episodes are new.
    """

    def __init__(
        self,
        policy: Policy | RecurrentPolicy,
        agents: Sequence[str],
        worlds: int,
        memory: Mapping[str, Any],
    ) -> None:
        # This check of a protocol is slower than many policies, so `act` does not repeat it.
        self._recurrent = policy if isinstance(policy, RecurrentPolicy) else None
        self._policy: Any = policy
        self._initial: dict[str, Any] = {}
        self._memory: dict[str, Any] = copied(memory)
        if self._recurrent is not None:
            for agent in agents:
                initial = leafwise(np.asarray, self._recurrent.initial_memory(agent))
                self._initial[agent] = initial
                self._memory.setdefault(
                    agent, leafwise(lambda part: np.repeat(part[None], worlds, axis=0), initial)
                )

    def copy(self) -> dict[str, Any]:
        """Returns a copy of the memory of each agent, (W, ...)."""
        copy: dict[str, Any] = copied(self._memory)
        return copy

    def begin(self, worlds: NDArray[np.intp]) -> None:
        """Resets the memory in some worlds, in which new episodes begin."""

        def put(memory: NDArray[Any], initial: NDArray[Any]) -> None:
            memory[worlds] = initial

        leafwise(put, self._memory, self._initial)

    def act(self, agent: str, observations: Any, worlds: Any, rng: np.random.Generator) -> Any:
        """Returns an agent's actions in some worlds, and updates its memory there."""
        if self._recurrent is None:
            return self._policy.act(agent, observations, rng)
        memory = leafwise(lambda part: part[worlds].copy(), self._memory[agent])
        actions, memory = self._recurrent.act(agent, observations, rng, memory)
        put_batch(self._memory[agent], worlds, memory, f"memory of agent {agent!r}")
        return actions
