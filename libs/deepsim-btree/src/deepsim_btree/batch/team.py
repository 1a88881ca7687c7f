# SPDX-License-Identifier: Apache-2.0
"""What the nodes of a batch share: number and seeds of the agents, the tick and the time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from deepsim_btree.errors import StructureError
from deepsim_btree.levels import all_paths

from .kinds import KINDS
from .streams import Streams

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.random_order import RandomComposite

    from .node import Node, Numbers


class Team:
    """The agents of a batch.

    Attributes:
        paths: Paths of the nodes, by their ids.
        count: Number of agents.
        seed: Agent number ``i`` has the seed ``seed + i``.
        tick_count: Number of ticks, the current one included.
        now: Time of the current tick [s]; NaN before the first one.
    """

    def __init__(self, root: Behaviour, count: int, seed: int) -> None:
        self.paths = all_paths(root)
        self.count = count
        self.seed = seed
        self.tick_count = 0
        self.now = math.nan
        self._streams: list[tuple[Streams, int | None, str]] = []

    def streams(self, node: RandomComposite) -> Streams:
        """Return streams of random numbers for a node."""
        streams = Streams(self.count)
        self._streams.append((streams, node.seed, self.paths[id(node)]))
        return streams

    def start_streams(self, numbers: Numbers) -> None:
        """Start the streams of agents from their seeds."""
        for streams, own_seed, path in self._streams:
            streams.start(numbers, own_seed, self.seed, path)

    def make(self, node: Behaviour) -> Node:
        """Return a node for all agents.

        Raises:
            StructureError: There is no such node.
        """
        cls = type(node)
        kind = KINDS.get(cls.update) if cls._entry is cls.update else None
        if kind is not None:
            return kind(node, self)
        raise StructureError(
            f"{node.path} has no form for many agents at once: {cls.__name__} has an update() or "
            "hooks of its own"
        )
