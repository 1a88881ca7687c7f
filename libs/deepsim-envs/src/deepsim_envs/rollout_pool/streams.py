# SPDX-License-Identifier: Apache-2.0
"""Streams of fragments that go on with each other's episodes."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Bools
from deepsim_envs.spaces import copied, leafwise

from .fragment import Fragment

LONGEST_REPLAY = 100_000
"""Steps of the longest episode with which another worker goes on."""
_LOG = logging.getLogger(__name__)


class Trail(NamedTuple):
    """The episodes that a stream has not finished, by which any worker can go on with them."""

    actions: tuple[dict[str, Any], ...]
    """Those of the last fragments, by agent: (length, W, ...)."""
    steps: NDArray[np.int64]
    """(W,) the steps of each episode so far; 0 where it is over."""
    seeds: NDArray[np.uint64]
    """(W,) the seed of each episode."""
    seen: dict[str, Any]
    """The observations after the last step, by agent: (W, ...)."""
    live: dict[str, Bools]
    """(W,) whether the agent took part in the last step, by agent."""
    memory: dict[str, Any]
    """The memory of the policy, by agent: (W, ...)."""


class Assignment(NamedTuple):
    """The worlds in which a worker computes a fragment."""

    stream: int
    held: tuple[int, ...]
    """The streams whose worlds it keeps."""
    trail: Trail | tuple[()] | None
    """The episodes to go on with; () for new ones, None for those of the worlds that it keeps."""


class Streams:
    """Assigns fragments to workers, which keep the worlds of their streams.

    Fragment f goes on with the episodes of fragment f - count. A worker that takes over a stream
    replays the episodes from their seeds and actions.

    Args:
        count: The number of streams; None if each fragment begins with new episodes.

    Attributes:
        count: As given.
        trails: Of each stream that has begun; replaced, never changed.
    """

    def __init__(self, count: int | None) -> None:
        self.count = count
        self._holders: dict[int, int] = {}  # the worker that keeps the worlds of a stream
        self._held: defaultdict[int, set[int]] = defaultdict(set)  # the streams of a worker
        self.trails: Mapping[int, Trail] = {}

    def choose(self, number: int, idle: Sequence[int]) -> int | None:
        """Returns the worker for a fragment; None to wait for the one that keeps its worlds."""
        if self.count is None:
            return idle[0]
        holder = self._holders.get(number % self.count)
        if holder in idle:
            return holder
        least = min(idle, key=lambda worker: len(self._held[worker]))
        if holder is None or len(self._held[holder]) > len(self._held[least]) + 1:
            return least
        return None

    def assign(self, number: int, worker: int) -> Assignment:
        """Has a worker keep the worlds of a fragment."""
        if self.count is None:
            return Assignment(0, (), ())
        stream = number % self.count
        holder, self._holders[stream] = self._holders.get(stream), worker
        if holder is not None:
            self._held[holder].remove(stream)
        self._held[worker].add(stream)
        trail = None if holder == worker else self.trails.get(stream, ())
        return Assignment(stream, tuple(sorted(self._held[worker])), trail)

    def forget(self, worker: int) -> None:
        """Takes note that a worker has lost its worlds."""
        for stream in self._held.pop(worker, ()):
            del self._holders[stream]

    def go_back(self, trails: Mapping[int, Trail]) -> None:
        """Goes back to earlier trails; all workers replay."""
        self.trails = trails
        self._holders.clear()
        self._held.clear()

    def follow(self, fragment: Fragment, steps: NDArray[np.int64], memory: dict[str, Any]) -> None:
        """Remembers the unfinished episodes of a fragment.

        Args:
            fragment: The fragment.
            steps: (W,) the steps of each unfinished episode so far, and else 0.
            memory: The memory of the policy after the fragment.
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
