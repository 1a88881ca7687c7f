# SPDX-License-Identifier: Apache-2.0
"""Copies of nodes for a template, which changes of the originals do not affect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepsim_btree.decorators.subtree import Scope, SubTree
from deepsim_btree.leaves.function import FunctionLeaf
from deepsim_btree.parent import Parent
from deepsim_btree.pickling import restore
from deepsim_btree.status import INVALID

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour


def copy_nodes(root: Behaviour) -> Behaviour:
    """Returns a copy of a branch in which no node is in a run.

    Arguments of functions, such as a world, are shared with the original, because agents act on
    them. Leaves of other classes may change the objects that they refer to, so they are copied with
    these objects.

    Raises:
        BusyError: A `Routine` is in the middle of a run.
    """
    twins = {id(node): _copy(node) for node in root.walk()}
    for twin in twins.values():
        if isinstance(twin, Parent):
            twin._children = [twins[id(child)] for child in twin.children]
            for child in twin._children:
                child._owner = twin
            twin.reset()
    return twins[id(root)]


def _copy(node: Behaviour) -> Behaviour:
    """Returns a copy of a node, which is in no tree and in no run."""
    twin = _shallow(node) if isinstance(node, (FunctionLeaf, Parent)) else node.copy()
    twin._owner = twin._known = None
    twin.status = INVALID
    twin.last_tick = 0
    if isinstance(twin, SubTree):
        twin._scope = Scope(twin)
    return twin


def _shallow(node: Behaviour) -> Any:
    """Returns a shallow copy of a node, with the same values of its attributes."""
    reduced: Any = node.__reduce_ex__(4)
    make, arguments, state, *_ = reduced
    twin = make(*arguments)
    restore(twin, state)
    return twin
