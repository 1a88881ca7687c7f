# SPDX-License-Identifier: Apache-2.0
"""The leaves and branches of a `Template` that are copied for every agent."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deepsim_btree.parent import Parent
from deepsim_btree.pickling import attributes
from deepsim_btree.placeholder import AGENT
from deepsim_btree.script.conditions import Conditions
from deepsim_btree.status import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deepsim_btree.behaviour import Behaviour


class OwnNode(NamedTuple):
    """A leaf or a branch that is copied for every agent."""

    slot: int
    """Index of the copy in the state, counted from the end."""
    original: Behaviour
    """The node to copy."""
    path: str
    """Path of the original."""
    number: int
    """Number by which lines of the source refer to it."""
    reason: str
    """Reason why a control node has no function; empty for a leaf."""

    def copy(self, agent: object) -> Behaviour:
        """Returns a copy, with an agent in place of AGENT.

        All copies share the functions and arguments of a branch, as compiled branches do. Leaves
        that are not functions are copied with everything that they refer to.
        """
        known: dict[int, Any] = {id(self.original._owner): None}
        if isinstance(self.original, Parent):
            for node in self.original.walk():
                known.update((id(one), one) for one in _shared(node))
        known[id(AGENT)] = agent
        return copy.deepcopy(self.original, known)


def _shared(node: Behaviour) -> Iterator[object]:
    """Yields the functions and arguments in a node of this library."""
    if type(node).__module__.startswith("deepsim_btree."):
        for _, value in attributes(node):
            yield from _parts(value)


def _parts(value: Any) -> Iterator[object]:
    if isinstance(value, partial):
        value = (value.func, *value.args, *value.keywords.values())
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        for one in value:
            if not isinstance(one, partial):  # partials are copied, to replace AGENT in them
                yield one
            yield from _parts(one)
    elif callable(value):
        yield value


def skipping(root: Behaviour) -> set[int]:
    """Returns the ids of the nodes that may answer SKIPPED, and of all above them."""
    found: set[int] = set()
    for node in root.walk():
        may_skip = isinstance(node, Conditions) or SKIPPED is getattr(node, "otherwise", None)
        if may_skip or getattr(node, "then_skip", False) is not False:
            above: Behaviour | None = node
            while above is not None and id(above) not in found:
                found.add(id(above))
                above = above.parent
    return found
