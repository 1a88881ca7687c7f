# SPDX-License-Identifier: Apache-2.0
"""Shared state of the nodes of a batch: number and seeds of the agents, the tick and the time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable

from deepsim_btree.errors import StructureError
from deepsim_btree.leaves.constant import Constant
from deepsim_btree.leaves.function import Action, Check
from deepsim_btree.leaves.wait import Wait
from deepsim_btree.levels import all_paths
from deepsim_btree.parent import Parent
from deepsim_btree.rules.rule import NoRuleError

from . import leaves
from .control import ControlNode
from .streams import Streams

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.composites.random_order import RandomComposite

    from .node import Node, Numbers


class Team:
    """The agents of a batch.

    Attributes:
        paths: Paths of the nodes, by their ids.
        count: Number of agents.
        seed: Agent number ``i`` has the seed ``seed + i``.
        tick_count: Number of ticks, including the current one.
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
        """Returns streams of random numbers for a node."""
        streams = Streams(self.count)
        self._streams.append((streams, node.seed, self.paths[id(node)]))
        return streams

    def start_streams(self, numbers: Numbers) -> None:
        """Starts the streams of agents from their seeds."""
        for streams, own_seed, path in self._streams:
            streams.start(numbers, own_seed, self.seed, path)

    def make_all(self, root: Behaviour) -> Node:
        """Returns the form of a tree that ticks all agents.

        Raises:
            StructureError: A node has no such form.
        """
        made: dict[int, Node] = {}
        for node in reversed(list(root.walk())):
            made[id(node)] = self._make(node, [made[id(child)] for child in node.children])
        return made[id(root)]

    def _make(self, node: Behaviour, children: list[Node]) -> Node:
        cls = type(node)
        if not cls.has_hooks:
            if isinstance(node, (Parent, Wait)):
                try:
                    return ControlNode(node, self, children)
                except NoRuleError as error:
                    raise StructureError(
                        f"{self.paths[id(node)]} has no form for many agents at once: {error}"
                    ) from None
            kind = LEAVES.get(cls.update)
            if kind is not None:
                return kind(node, self, children)
        raise StructureError(
            f"{node.path} has no form for many agents at once: {cls.__name__} has an update() or "
            "hooks of its own"
        )


# By `update`, which a class inherits if it only changes data.
LEAVES: dict[Callable[..., Any], Callable[[Any, Team, list[Node]], Node]] = {
    Action.update: leaves.ActionNode,
    Check.update: leaves.CheckNode,
    Constant.update: leaves.ConstantNode,
}
