# SPDX-License-Identifier: Apache-2.0
"""Fragments of experience, and streams: each fragment continues the episodes of the one before."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_empty_array
from numpy.typing import NDArray

from deepsim_envs.area import Agents, Bools
from deepsim_envs.spaces import copied, leafwise

from .worlds import RolloutWorlds


class Fragment(NamedTuple):
    """The experience of some worlds in a fixed number of steps, in NumPy arrays.

    Each array has the axes (length, worlds). Observations and actions have the axes of their space
    in addition; for a nested space, they are dicts or tuples of arrays. Row t of world w is one
    step: the agent saw ``observations[agent][t, w]``, did ``actions[agent][t, w]``, and then saw
    ``next_observations[agent][t, w]``. Two fragments with the same `deepsim_envs.digest` are equal
    bit for bit.

    Example:
        >>> pool = RolloutPool("CartPole-v1", "deepsim_train.rollout_pool:RandomPolicy", length=5)
        >>> (fragment,) = pool.collect(1)
        >>> fragment.observations["agent"].shape
        (5, 1, 4)
        >>> fragment.starts[:, 0]
        array([ True, False, False, False, False])
    """

    number: int
    """Number of the fragment in its pool, from 0."""
    observations: dict[str, Any]
    """The observations before each step, by agent."""
    actions: dict[str, Any]
    """The actions of each step, by agent."""
    rewards: dict[str, NDArray[np.float64]]
    """The rewards for each step, by agent."""
    terminations: dict[str, Bools]
    """Whether the step terminated the agent's episode, by agent."""
    truncations: dict[str, Bools]
    """Whether the step truncated the agent's episode, by agent; see also `unfinished`."""
    next_observations: dict[str, Any]
    """The observations after each step, by agent, even where the step ended the episode."""
    live: dict[str, Bools]
    """Whether the agent took part in the step, by agent; its other rows are zero."""
    starts: Bools
    """Whether the step is the first one of an episode in its world."""
    seeds: NDArray[np.uint64]
    """The seed of the episode to which the step belongs."""
    weights: int = 0
    """The version of the weights: the number of times they were set before the fragment began."""
    memory: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    """The memory of a `RecurrentPolicy` before the first step, by agent: (worlds, ...)."""

    @property
    def unfinished(self) -> dict[str, Bools]:
        """Whether the agent's episode continues after the last step, (worlds,), by agent.

        For such an episode, neither `terminations` nor `truncations` marks an end: estimate the
        rest of the return by the value of the last row of `next_observations`.
        """
        return {
            agent: live[-1] & ~self.terminations[agent][-1] & ~self.truncations[agent][-1]
            for agent, live in self.live.items()
        }


def allocated(space: spaces.Space[Any], shape: tuple[int, ...], what: str) -> Any:
    """Returns zeros for members of a space; `shape` holds the sizes of the leading axes.

    Raises:
        TypeError: Members of the space differ in size; the message calls them `what`.
    """
    flat = create_empty_array(space, math.prod(shape), np.zeros)
    try:
        return leafwise(lambda part: part.reshape(*shape, *part.shape[1:]), flat)
    except AttributeError:  # Gymnasium keeps values of varying size in a tuple.
        raise TypeError(
            f"{what} must be of a Box, Discrete, MultiBinary, MultiDiscrete, Dict or Tuple space "
            f"to fit an array, got {space}"
        ) from None


def put_batch(records: Any, place: Any, batch: Any, what: str) -> None:
    """Writes a batch from a policy into the records, at the index `place`.

    Raises:
        ValueError: The batch has the wrong number of rows, structure or type; the message calls it
            `what`.
    """

    def put(record: Any, part: Any) -> None:
        array, row = np.asarray(part), record[place]
        if array.shape != row.shape:
            raise ValueError(
                f"{what} must have a row for each of {len(row)} observations and the shape "
                f"{row.shape}, got {array.shape}"
            )
        if array.dtype != record.dtype and not np.can_cast(array.dtype, record.dtype, "same_kind"):
            raise ValueError(f"{what} must be {record.dtype} numbers, got {array.dtype}")
        record[place] = array

    try:
        leafwise(put, records, batch)
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"{what} has another structure than its space, got {batch!r}") from None


LONGEST_REPLAY = 100_000
"""The number of steps of the longest episode that another worker can continue."""
_LOG = logging.getLogger(__name__)


class Trail(NamedTuple):
    """The data with which a worker can continue the unfinished episodes of a stream."""

    actions: tuple[dict[str, Any], ...]
    """The actions in each of the last fragments, by agent: (length, W, ...)."""
    steps: NDArray[np.int64]
    """The number of steps of each episode so far, (W,); 0 if it is over."""
    seeds: NDArray[np.uint64]
    """The seed of each episode, (W,)."""
    seen: dict[str, Any]
    """The observations after the last step, by agent: (W, ...)."""
    live: dict[str, Bools]
    """Whether the agent took part in the last step, (W,), by agent."""
    memory: dict[str, Any]
    """The memory of the policy, by agent: (W, ...)."""


class Assignment(NamedTuple):
    """Tells a worker in which worlds to compute a fragment."""

    stream: int
    """The stream of the fragment."""
    held: tuple[int, ...]
    """All streams for which the worker keeps worlds."""
    trail: Trail | tuple[()] | None
    """The episodes to continue; () for new ones, None for those in the worlds that it keeps."""


class Streams:
    """Assigns fragments to workers, which keep the worlds of their streams.

    Fragment f continues the episodes of fragment f - count. A worker that takes over a stream
    replays the episodes from their seeds and actions.

    Args:
        count: The number of streams; None if each fragment begins with new episodes.

    Attributes:
        count: The number of streams, or None.
        trails: The `Trail` of each stream that has begun; a new mapping after each change.
    """

    def __init__(self, count: int | None) -> None:
        self.count = count
        self._holders: dict[int, int] = {}  # the worker that keeps the worlds of a stream
        self.trails: Mapping[int, Trail] = {}

    def choose(self, number: int, idle: Sequence[int]) -> int | None:
        """Returns an idle worker for a fragment; None to wait for the worker with its worlds."""
        if self.count is None:
            return idle[0]
        holder = self._holders.get(number % self.count)
        if holder in idle:
            return holder
        held = Counter(self._holders.values())
        least = min(idle, key=lambda worker: held[worker])
        return least if holder is None or held[holder] > held[least] + 1 else None

    def assign(self, number: int, worker: int) -> Assignment:
        """Assigns a fragment and its stream to a worker, which then keeps the worlds."""
        if self.count is None:
            return Assignment(0, (), ())
        stream = number % self.count
        holder, self._holders[stream] = self._holders.get(stream), worker
        held = sorted(each for each, whose in self._holders.items() if whose == worker)
        trail = None if holder == worker else self.trails.get(stream, ())
        return Assignment(stream, tuple(held), trail)

    def forget(self, worker: int) -> None:
        """Records that a worker no longer has its worlds."""
        self._holders = {each: whose for each, whose in self._holders.items() if whose != worker}

    def go_back(self, trails: Mapping[int, Trail]) -> None:
        """Restores earlier trails; each stream is replayed before its next fragment."""
        self.trails = trails
        self._holders = {}

    def follow(self, fragment: Fragment, steps: NDArray[np.int64], memory: dict[str, Any]) -> None:
        """Stores what is needed to continue the unfinished episodes of a fragment.

        Args:
            fragment: The fragment.
            steps: The number of steps of each unfinished episode so far, (W,); 0 if it is over.
            memory: The memory of the policy after the fragment, by agent: (W, ...).
        """
        if self.count is None:
            return
        stream = fragment.number % self.count
        earlier: tuple[dict[str, Any], ...] = ()
        before = self.trails.get(stream)
        if before is not None:
            earlier = before.actions
            broken = np.count_nonzero(fragment.starts[0] & (before.steps > 0))
            if broken:
                _LOG.warning(
                    "fragment %d breaks off %d unfinished episodes, which another worker could "
                    "not replay: they are longer than %d steps, or their seeds and actions do "
                    "not lead to the same observations",
                    fragment.number,
                    broken,
                    LONGEST_REPLAY,
                )
        needed = math.ceil(min(steps.max(), LONGEST_REPLAY) / len(fragment.starts))
        trail = Trail(
            actions=(*earlier, copied(fragment.actions))[-needed:] if needed else (),
            steps=steps,
            seeds=fragment.seeds[-1].copy(),
            seen=leafwise(lambda part: part[-1].copy(), fragment.next_observations),
            live={name: live[-1].copy() for name, live in fragment.live.items()},
            memory=memory,
        )
        self.trails = {**self.trails, stream: trail}


class OngoingEpisodes:
    """Worlds with the state of their episodes between two fragments.

    Args:
        worlds: The W worlds.
        count: The number of worlds, W.

    Attributes:
        worlds: The W worlds.
        steps: The number of steps of each episode so far, (W,); 0 if a new episode must begin.
        seeds: The seed of each episode, (W,).
        seen: The latest observations, a batch (W, A_g, ...) for each group.
        memory: The memory of the policy, by agent: (W, ...).
    """

    def __init__(self, worlds: RolloutWorlds, count: int) -> None:
        self.worlds = worlds
        self.steps = np.zeros(count, np.int64)
        self.seeds = np.zeros(count, np.uint64)
        self.seen: Sequence[Any] = ()
        self.memory: dict[str, Any] = {}

    def advance(
        self,
        starts: Bools,
        seeds: NDArray[np.uint64],
        seen: Sequence[Any],
        over: NDArray[np.intp],
    ) -> None:
        """Updates the state after a fragment.

        Args:
            starts: Whether each step is the first one of an episode, (length, W).
            seeds: The seed of the latest episode in each world, (W,).
            seen: The latest observations, a batch (W, A_g, ...) for each group.
            over: Indices of the worlds in which the latest episode is over.
        """
        length = len(starts)
        since = np.argmax(starts[::-1], axis=0) + 1  # number of steps since the last start
        self.steps = np.where(starts.any(axis=0), since, self.steps + length)
        self.steps[over] = 0
        self.seeds, self.seen = seeds.copy(), seen

    def replay(self, trail: Trail, length: int) -> None:
        """Repeats the episodes of another worker, to continue them here.

        If the first actions of an episode are missing, or if the repetition leads to other
        observations, a new episode must begin in its world.

        Args:
            trail: The seeds, actions and last observations of the episodes.
            length: The number of steps of a fragment.
        """
        worlds, groups = self.worlds, self.worlds.groups
        fragments = [[_batch(actions, group) for group in groups] for actions in trail.actions]
        rows = length * len(fragments)
        steps = np.where(trail.steps > rows, 0, trail.steps)
        self.seen = worlds.reset_worlds(trail.seeds.tolist(), np.arange(len(steps)))
        for row in range(rows - int(steps.max()), rows):
            goes_on = np.flatnonzero((steps >= rows - row) & worlds.live.any(axis=1))
            if len(goes_on):
                number, step = divmod(row, length)
                batches = leafwise(lambda part: part[step], tuple(fragments[number]))  # noqa: B023
                self.seen = worlds.step_worlds(batches, goes_on).observation
        is_same = worlds.live.any(axis=1)
        for group, batch in zip(groups, self.seen, strict=True):
            for row, name in enumerate(group.names):
                is_same &= _equal(batch, row, trail.seen[name], len(steps)) | ~trail.live[name]
        self.steps = np.where(is_same, steps, 0)
        self.seeds, self.memory = trail.seeds, trail.memory


def _batch(actions: dict[str, Any], group: Agents) -> Any:
    """Returns the actions of a group in a fragment, (length, W, A_g, ...)."""
    own = [actions[name] for name in group.names]
    return leafwise(lambda *parts: np.stack(parts, axis=2), *own)


def _equal(batch: Any, row: int, seen: Any, worlds: int) -> Bools:
    """Returns, for each world, whether two observations of an agent are equal bit for bit, (W,)."""
    equal = np.ones(worlds, np.bool_)

    def compare(part: NDArray[Any], other: NDArray[Any]) -> None:
        for world, wanted in enumerate(other):
            equal[world] &= part[world, row].tobytes() == wanted.tobytes()

    leafwise(compare, batch, seen)
    return equal
