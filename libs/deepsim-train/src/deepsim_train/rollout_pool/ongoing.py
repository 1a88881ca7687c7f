# SPDX-License-Identifier: Apache-2.0
"""Episodes that continue in the next fragment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Agents, Bools
from deepsim_envs.spaces import leafwise

from .streams import Trail
from .worlds import RolloutWorlds


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
        self.seeds, self.seen = seeds, seen

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
