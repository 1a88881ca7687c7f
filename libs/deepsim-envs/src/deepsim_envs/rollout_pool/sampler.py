# SPDX-License-Identifier: Apache-2.0
"""Computes fragments in a worker."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Agents, Bools
from deepsim_envs.environment import Environment
from deepsim_envs.function_names import find_function
from deepsim_envs.results import Step
from deepsim_envs.spaces import leafwise

from .arrays import allocated, packed, put_batch, unpacked
from .fragment import Fragment
from .policy import Policy
from .spec import Spec
from .worlds import RolloutWorlds, make_rollout_worlds

_NOBODY = np.zeros(0, np.intp)


class Sampler:
    """Computes fragments of one task and one policy, each from its number alone.

    The random numbers of fragment f come from ``SeedSequence(root).spawn``: its child f is the
    generator of the policy, the children of that are the worlds, and theirs are the seeds of the
    world's episodes. Worlds and policy are made by the first fragment and kept.

    Args:
        environment: Makes the environment; see `spec.portable`.
        policy: Makes the policy.
        length: Steps of a fragment.
        worlds: Worlds of a fragment.
        root: The root of all seeds.
    """

    def __init__(
        self, environment: Spec, policy: Spec, length: int, worlds: int, root: int
    ) -> None:
        self._environment, self._policy_spec = environment, policy
        self._shape = (length, worlds)
        self._root = root
        self._worlds: RolloutWorlds | None = None
        self._policy: Policy | None = None

    def answer(self, request: bytes, weights: bytes | None) -> bytes:
        """Returns the packed fragment of a request, or the packed error of the task or the policy.

        Args:
            request: The packed number of the fragment, and the version of the weights.
            weights: New weights of the policy, packed, or None.
        """
        number, version = unpacked(request)
        try:
            worlds, policy = self._made()
            if weights is not None:
                policy.set_weights(unpacked(weights))
            rollout = _Rollout(worlds.groups, self._shape, self._root, number)
            rollout.run(worlds, policy)
            return packed(tuple(rollout.fragment(version)))
        except Exception as error:
            kind, message, trace = type(error).__name__, str(error), traceback.format_exc()
            # State after an error must not reach another fragment; its end must not replace it.
            with contextlib.suppress(Exception):
                self.close()
            return packed({"kind": kind, "message": message, "traceback": trace})

    def close(self) -> None:
        """Closes the worlds and forgets the policy; the next fragment makes both again."""
        self._policy = None
        worlds, self._worlds = self._worlds, None
        if worlds is not None:
            worlds.close()

    def _made(self) -> tuple[RolloutWorlds, Policy]:
        if self._worlds is None:
            self._worlds = make_rollout_worlds(self._environment, self._shape[1])
        if self._policy is None:
            groups = self._worlds.groups
            self._policy = find_function(self._policy_spec.make)(
                observation_space={n: g.observation_space for g in groups for n in g.names},
                action_space={n: g.action_space for g in groups for n in g.names},
                **self._policy_spec.kwargs,
            )
        return self._worlds, self._policy


class _Rollout:
    """A fragment that is being computed; arrays have the axes (agents, length, worlds)."""

    def __init__(
        self, groups: Sequence[Agents], shape: tuple[int, int], root: int, number: int
    ) -> None:
        own = np.random.SeedSequence(root, spawn_key=(number,))
        self._number, self._shape = number, shape
        self._rng = np.random.default_rng(own)
        self._episodes = own.spawn(shape[1])  # each spawns the seeds of a world's episodes
        self._names = [name for group in groups for name in group.names]
        full = (len(self._names), *shape)
        self._rewards = np.zeros(full)
        self._terminated, self._truncated, self._live = np.zeros((3, *full), np.bool_)
        self._awaits = False  # whether an agent has yet to join
        self._starts = np.zeros(shape, np.bool_)
        self._seeds = np.zeros(shape, np.uint64)
        self._groups, first = [], 0
        for group in groups:
            live = self._live[first : first + len(group)]
            self._groups.append(_GroupRecords(group, shape, live))
            first += len(group)

    def run(self, worlds: RolloutWorlds, policy: Policy) -> None:
        """Steps all worlds, and begins an episode where one is over."""
        over = np.arange(self._shape[1])
        step_worlds: Callable[..., Step] = worlds.step_worlds
        if isinstance(worlds, Environment):  # results are only read, until the next step
            step_worlds = partial(step_worlds, copy=False)
        for step in range(self._shape[0]):
            if len(over):
                self._begin(worlds, step, over)
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

    def _begin(self, worlds: RolloutWorlds, step: int, over: NDArray[np.intp]) -> None:
        """Begins episodes in some worlds."""
        for world in over.tolist():
            (seed,) = self._episodes[world].spawn(1)
            self._seeds[step:, world] = seed.generate_state(1, np.uint64)[0]
        self._starts[step, over] = True
        seen = worlds.reset_worlds(self._seeds[step, over].tolist(), over)
        self._follow(worlds, step)
        for group, batch in zip(self._groups, seen, strict=True):
            group.begin(step, batch, over)

    def _follow(self, worlds: RolloutWorlds, step: int) -> None:
        """Records the live agents of all worlds from a step on."""
        self._live[:, step:] = worlds.live.T[:, None]
        self._awaits = bool(worlds.waiting.any())

    def fragment(self, weights: int) -> Fragment:
        """Returns the fragment, which was computed with weights of that version."""

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
        self._seen: Any = None

    def begin(self, step: int, seen: Any, worlds: NDArray[np.intp]) -> None:
        """Records the first observations of episodes, of a batch (W, A_g, ...)."""

        def put(record: NDArray[Any], part: NDArray[Any]) -> None:
            record[:, step][:, worlds] = part[worlds].swapaxes(0, 1)

        leafwise(put, self.observations, seen)
        self._seen = seen

    def see(self, step: int, seen: Any) -> None:
        """Records the observations after a step, a batch (W, A_g, ...)."""

        def put(record: NDArray[Any], part: NDArray[Any]) -> None:
            record[:, step] = part.swapaxes(0, 1)

        leafwise(put, self.next_observations, seen)
        self._seen = seen

    def act(self, step: int, policy: Policy, rng: np.random.Generator) -> Any:
        """Records the actions of live agents; returns those of all, (W, A_g, ...)."""
        for row, name in enumerate(self._names):
            live = self._live[row, step]
            count = np.count_nonzero(live)
            if not count:
                continue
            worlds: Any = slice(None) if count == len(live) else np.flatnonzero(live)
            own = leafwise(lambda part: part[worlds, row].copy(), self._seen)  # noqa: B023 (called at once)
            acted = policy.act(name, own, rng)
            put_batch(self.actions, (row, step, worlds), acted, f"action of agent {name!r}")
        return leafwise(lambda record: record[:, step].swapaxes(0, 1), self.actions)

    def finish(self, starts: Bools) -> None:
        """Fills in the observations within episodes, and zeros where agents took no part."""
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
