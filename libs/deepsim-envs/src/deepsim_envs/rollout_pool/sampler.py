# SPDX-License-Identifier: Apache-2.0
"""Computes fragments: what a worker does, in whatever process it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.many_worlds import close_all
from deepsim_envs.spaces import conform

from .columns import allocated, as_columns, put, taken
from .fragment import Fragment
from .policy import Policy
from .spec import Spec, make_environment
from .worlds import RolloutWorld, rollout_world


class Sampler:
    """Computes fragments of one task and one policy, each from its number alone.

    The random numbers of fragment f come from ``SeedSequence(root).spawn``: its child f is the
    generator of the policy, the children of that are the worlds, and theirs are the seeds of the
    world's episodes. Worlds and policy are made by the first fragment and kept.

    Args:
        environment: A portable spec; see `spec.portable`.
        policy: Makes the policy.
        length: Steps of a fragment.
        worlds: Worlds of a fragment.
        root: The root of all seeds.
    """

    def __init__(
        self, environment: Mapping[str, Any], policy: Spec, length: int, worlds: int, root: int
    ) -> None:
        self._environment = environment
        self._policy_spec = policy
        self._length = length
        self._count = worlds
        self._root = root
        self._worlds: list[RolloutWorld] = []
        self._policy: Policy | None = None

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Gives the policy new weights."""
        self._made()[1].set_weights(weights)

    def sample(self, number: int) -> Fragment:
        """The fragment of a number.

        Raises:
            Exception: Whatever the environment or the policy raised.
        """
        worlds, policy = self._made()
        rollout = _Rollout(worlds, policy, self._length, number, self._root)
        for step in range(self._length):
            rollout.step(step)
        return rollout.fragment

    def close(self) -> None:
        """Closes the worlds and forgets the policy; the next fragment makes them anew."""
        self._policy = None
        worlds, self._worlds = self._worlds, []
        close_all(worlds)

    def _made(self) -> tuple[list[RolloutWorld], Policy]:
        while len(self._worlds) < self._count:
            made = make_environment(self._environment)
            self._worlds.append(rollout_world(made, str(self._environment["make"])))
        if self._policy is None:
            first = self._worlds[0]
            self._policy = self._policy_spec.find()(
                observation_space=first.observation_space,
                action_space=first.action_space,
                **self._policy_spec.kwargs,
            )
        return self._worlds, self._policy


class _Rollout:
    """A fragment that is being computed."""

    def __init__(
        self, worlds: list[RolloutWorld], policy: Policy, length: int, number: int, root: int
    ) -> None:
        own = np.random.SeedSequence(root, spawn_key=(number,))
        self._rng = np.random.default_rng(own)
        self._episodes = own.spawn(len(worlds))  # each spawns the seeds of a world's episodes
        self._worlds = worlds
        self._policy = policy
        self._actions: Mapping[str, Space[Any]] = worlds[0].action_space
        self._live: list[set[str]] = [set() for _ in worlds]
        self._seeds = np.zeros(len(worlds), dtype=np.uint64)
        spaces = worlds[0].observation_space
        shape = (length, len(worlds))
        self._seen = _by_agent(spaces, shape[1:], "observation")
        self.fragment = Fragment(
            number=number,
            observations=_by_agent(spaces, shape, "observation"),
            actions=_by_agent(self._actions, shape, "action"),
            rewards={agent: np.zeros(shape) for agent in spaces},
            terminations={agent: np.zeros(shape, dtype=np.bool_) for agent in spaces},
            truncations={agent: np.zeros(shape, dtype=np.bool_) for agent in spaces},
            next_observations=_by_agent(spaces, shape, "observation"),
            live={agent: np.zeros(shape, dtype=np.bool_) for agent in spaces},
            starts=np.zeros(shape, dtype=np.bool_),
            seeds=np.zeros(shape, dtype=np.uint64),
        )

    def step(self, row: int) -> None:
        """Fills a row: one step of every world."""
        for number, live in enumerate(self._live):
            if not live:
                self._begin_episode(row, number)
        self.fragment.seeds[row] = self._seeds
        actions = self._act(row)
        for number, world in enumerate(self._worlds):
            outcomes = world.step(actions[number])
            place = (row, number)
            for agent, outcome in outcomes.items():
                put(self._seen[agent], number, outcome.observation)
                put(self.fragment.next_observations[agent], place, outcome.observation)
                self.fragment.rewards[agent][place] = outcome.reward
                self.fragment.terminations[agent][place] = outcome.terminated
                self.fragment.truncations[agent][place] = outcome.truncated
                if outcome.terminated or outcome.truncated:
                    self._live[number].discard(agent)

    def _begin_episode(self, row: int, world: int) -> None:
        (seed,) = self._episodes[world].spawn(1)
        self._seeds[world] = seed.generate_state(1, np.uint64)[0]
        self.fragment.starts[row, world] = True
        for agent, seen in self._worlds[world].reset(int(self._seeds[world])).items():
            put(self._seen[agent], world, seen)
            self._live[world].add(agent)

    def _act(self, row: int) -> list[dict[str, Any]]:
        """Each world's actions, which are written down as the world gets them."""
        actions: list[dict[str, Any]] = [{} for _ in self._worlds]
        for agent, space in self._actions.items():
            rows = [number for number, live in enumerate(self._live) if agent in live]
            if not rows:
                continue
            seen = taken(self._seen[agent], rows)
            put(self.fragment.observations[agent], (row, rows), seen)
            self.fragment.live[agent][row, rows] = True
            what = f"action of agent {agent!r}"
            batch = as_columns(space, self._policy.act(agent, seen, self._rng), len(rows), what)
            for index, number in enumerate(rows):
                action = conform(space, taken(batch, index), what)
                put(self.fragment.actions[agent], (row, number), action)
                actions[number][agent] = action
        return actions


def _by_agent(
    spaces: Mapping[str, Space[Any]], shape: tuple[int, ...], what: str
) -> dict[str, Any]:
    return {
        agent: allocated(space, shape, f"{what} of agent {agent!r}")
        for agent, space in spaces.items()
    }
