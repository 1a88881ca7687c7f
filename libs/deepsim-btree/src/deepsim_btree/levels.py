# SPDX-License-Identifier: Apache-2.0
"""The paths of all nodes of a tree, and its depth."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from .errors import StructureError, shortened

if TYPE_CHECKING:
    from .behaviour import Behaviour


def all_paths(root: Behaviour) -> dict[int, str]:
    """Returns the paths of a root and of every node below, by the ids of the nodes."""
    paths = {id(root): root.path}
    stack = [root]
    while stack:
        parent = stack.pop()
        children = parent.children
        for child, label in zip(children, labels([child.name for child in children])):
            paths[id(child)] = f"{paths[id(parent)]}/{label}"
        stack.extend(children)
    return paths


def labels(names: list[str]) -> list[str]:
    """Returns the names of siblings as they stand in paths: shared ones with their positions."""
    counts = Counter(names)
    return [f"{name}[{n}]" if counts[name] > 1 else name for n, name in enumerate(names)]


def deepest(root: Behaviour) -> tuple[int, Behaviour]:
    """Returns the number of levels below and including a root, and a node on the lowest level."""
    level = [root]
    depth = 0
    while level:
        depth += 1
        node = level[0]
        level = [child for node in level for child in node.children]
    return depth, node


def max_levels() -> int:
    """Returns the number of levels that pickle can handle, with six nested calls for each."""
    return sys.getrecursionlimit() // 8


def check_levels(root: Behaviour, owner: str) -> None:
    """Checks that recursive calls for each level stay within Python's recursion limit."""
    depth, lowest = deepest(root)
    if depth > max_levels():
        raise StructureError(
            f"{shortened(lowest.path)} is {depth} levels deep, and {owner} takes at most "
            f"{max_levels()}: use fewer, or raise sys.setrecursionlimit()"
        )
