# SPDX-License-Identifier: Apache-2.0
"""Facts about all nodes of a tree at once: their paths, and how deep it is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .behaviour import Behaviour


def all_paths(root: Behaviour) -> dict[int, str]:
    """Returns what `Behaviour.path` is for a root and every node below, by the id of the node."""
    paths = {id(root): root.path}
    stack = [root]
    while stack:
        parent = stack.pop()
        children = parent.children
        counts = Counter(child.name for child in children)
        for place, child in enumerate(children):
            shared = f"[{place}]" if counts[child.name] > 1 else ""
            paths[id(child)] = f"{paths[id(parent)]}/{child.name}{shared}"
        stack.extend(children)
    return paths


def deepest(root: Behaviour) -> tuple[int, Behaviour]:
    """Returns the number of levels and a node on the lowest one."""
    level = [root]
    depth = 0
    while level:
        depth += 1
        node = level[0]
        level = [child for node in level for child in node.children]
    return depth, node
