# SPDX-License-Identifier: Apache-2.0
"""Episodes that go on in the next fragment."""

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
    """Worlds, and where their episodes stand between two fragments.

    Args:
        worlds: The W worlds.
        count: W.

    Attributes:
        worlds: As given.
        steps: (W,) the steps of each episode so far; 0 where a new one is to begin.
        seeds: (W,) the seed of each episode.
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
        """Takes note of a fragment.

        Args:
            starts: (length, W) the first steps of episodes.
            seeds: (W,) the seeds of the last episodes.
            seen: The latest observations.
            over: The worlds whose last episode is over.
        """
        length = len(starts)
        since = np.argmax(starts[::-1], axis=0) + 1  # the last start
        self.steps = np.where(starts.any(axis=0), since, self.steps + length)
        self.steps[over] = 0
        self.seeds, self.seen = seeds, seen

    def replay(self, trail: Trail, length: int) -> None:
        """Goes on with the episodes of another worker.

        Those whose seeds and actions do not lead to the same observations are to begin again, as
        are those whose first actions are missing.

        Args:
            trail: The episodes.
            length: Steps of a fragment.
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
