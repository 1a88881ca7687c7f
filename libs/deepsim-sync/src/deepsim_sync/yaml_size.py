# SPDX-License-Identifier: Apache-2.0
"""Limits the size of YAML from files that may be hostile."""

from __future__ import annotations

import re
from typing import Any, Iterator

_MOST_LETTERS = 2**20
_MOST_LEVELS = 100
_MOST_VALUES = 100_000
_BRACKET = re.compile(r"[\[\]{}]")
_DASHES = re.compile(rf"(?:[-?][ \t]+){{{_MOST_LEVELS + 1}}}")


def check_yaml_text(text: str) -> None:
    """Refuses text for which a parser would need very long, as the square of its nesting.

    Raises:
        ValueError: It has more than 2^20 letters, or 100 levels of brackets or dashes in a line.
    """
    if len(text) > _MOST_LETTERS:
        raise ValueError(f"it must have <= {_MOST_LETTERS} letters, got {len(text)}")
    level = deepest = 0
    for bracket in _BRACKET.finditer(text):
        level = level + 1 if bracket.group() in "[{" else max(level - 1, 0)
        deepest = max(deepest, level)
    if deepest > _MOST_LEVELS or _DASHES.search(text):
        raise ValueError(f"its values are nested more than {_MOST_LEVELS} levels deep")


def check_yaml(root: Any) -> None:
    """Refuses a document that its aliases make large.

    With aliases, or with merges of them by ``<<``, a file of a kilobyte makes what would fill all
    memory, be it as text in a message.

    Args:
        root: The composed node of PyYAML, or None for an empty document.

    Raises:
        ValueError: With each alias written out, it has more than 100,000 values, or contains
            itself.
    """
    sizes: dict[int, int] = {}
    waiting = [] if root is None else [root]
    open_nodes: set[int] = set()
    while waiting:
        node = waiting[-1]
        if id(node) in sizes:
            waiting.pop()
        elif id(node) in open_nodes:
            waiting.pop()
            open_nodes.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(each)] for each in _parts(node))
            if sizes[id(node)] > _MOST_VALUES:
                raise ValueError(f"it has more than {_MOST_VALUES} values, counted at each alias")
        else:
            open_nodes.add(id(node))
            parts = [each for each in _parts(node) if id(each) not in sizes]
            if any(id(each) in open_nodes for each in parts):
                raise ValueError("an alias stands for what contains it")
            waiting += parts


def _parts(node: Any) -> Iterator[Any]:
    """Yields the nodes in a sequence or mapping."""
    if isinstance(node.value, list):
        for each in node.value:
            yield from each if isinstance(each, tuple) else (each,)
