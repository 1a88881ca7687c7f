# SPDX-License-Identifier: Apache-2.0
"""Computes fragments in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from .columns import allocated, as_columns, put, taken
from .fragment import Fragment
from .policy import Policy
from .spec import Spec, environment_maker
from .worlds import Columns, RolloutWorlds, make_rollout_worlds


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
        self._worlds: RolloutWorlds | None = None
        self._policy: Policy | None = None

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Gives the policy new weights."""
        self._made()[1].set_weights(weights)

    def sample(self, number: int) -> Fragment:
        """Returns the fragment of a number.

        Raises:
            Exception: Whatever the environment or the policy raised.
        """
        worlds, policy = self._made()
        rollout = _Rollout(worlds, policy, (self._length, self._count), number, self._root)
        for step in range(self._length):
            rollout.step(step)
        return rollout.fragment

    def close(self) -> None:
        """Closes the worlds and forgets the policy; the next fragment makes them anew."""
        self._policy = None
        worlds, self._worlds = self._worlds, None
        if worlds is not None:
            worlds.close()

    def _made(self) -> tuple[RolloutWorlds, Policy]:
        if self._worlds is None:
            make, name = environment_maker(self._environment), str(self._environment["make"])
            self._worlds = make_rollout_worlds(make, name, self._count)
        if self._policy is None:
            self._policy = self._policy_spec.find()(
                observation_space=self._worlds.observation_space,
                action_space=self._worlds.action_space,
                **self._policy_spec.kwargs,
            )
        return self._worlds, self._policy


class _Rollout:
    """A fragment that is being computed."""

    def __init__(
        self,
        worlds: RolloutWorlds,
        policy: Policy,
        shape: tuple[int, int],
        number: int,
        root: int,
    ) -> None:
        own = np.random.SeedSequence(root, spawn_key=(number,))
        self._rng = np.random.default_rng(own)
        self._episodes = own.spawn(shape[1])  # each spawns the seeds of a world's episodes
        self._worlds = worlds
        self._policy = policy
        self._actions: Mapping[str, Space[Any]] = worlds.action_space
        spaces = worlds.observation_space
        self._live = np.zeros((shape[1], len(spaces)), np.bool_)
        self._seeds = np.zeros(shape[1], dtype=np.uint64)
        self._seen: Columns = {}
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
        over = np.flatnonzero(~self._live.any(axis=1))
        if len(over):
            self._begin_episodes(row, over)
        fragment = self.fragment
        fragment.seeds[row] = self._seeds
        outcome = self._worlds.step(self._act(row))
        self._seen = outcome.observation
        ended = outcome.terminated | outcome.truncated
        for column, agent in enumerate(self._actions):
            live = np.flatnonzero(self._live[:, column])
            place = (row, live)
            put(fragment.next_observations[agent], place, taken(self._seen[agent], live))
            fragment.rewards[agent][place] = outcome.reward[live, column]
            fragment.terminations[agent][place] = outcome.terminated[live, column]
            fragment.truncations[agent][place] = outcome.truncated[live, column]
        self._live &= ~ended

    def _begin_episodes(self, row: int, worlds: NDArray[np.intp]) -> None:
        for world in worlds.tolist():
            (seed,) = self._episodes[world].spawn(1)
            self._seeds[world] = seed.generate_state(1, np.uint64)[0]
        self.fragment.starts[row, worlds] = True
        self._seen = self._worlds.reset(worlds.tolist(), self._seeds[worlds].tolist())
        self._live[worlds] = True

    def _act(self, row: int) -> Columns:
        """Returns the actions of all agents, which are recorded as the worlds get them."""
        for column, (agent, space) in enumerate(self._actions.items()):
            live = np.flatnonzero(self._live[:, column])
            if not len(live):
                continue
            seen = taken(self._seen[agent], live)
            put(self.fragment.observations[agent], (row, live), seen)
            self.fragment.live[agent][row, live] = True
            what = f"action of agent {agent!r}"
            acted = self._policy.act(agent, seen, self._rng)
            put(
                self.fragment.actions[agent],
                (row, live),
                as_columns(space, acted, len(live), what),
            )
        return {agent: taken(self.fragment.actions[agent], row) for agent in self._actions}


def _by_agent(
    spaces: Mapping[str, Space[Any]], shape: tuple[int, ...], what: str
) -> dict[str, Any]:
    return {
        agent: allocated(space, shape, f"{what} of agent {agent!r}")
        for agent, space in spaces.items()
    }
