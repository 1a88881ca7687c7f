# SPDX-License-Identifier: Apache-2.0
"""Keeps the links of a model from touching one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from .tree import Node

_BITS = 0xFFFF
"""The mask of a collision that touches all others, SDF's default."""
_SHIFT = 4  # the lowest bits stay those of an affinity, for MJCF geoms that have few bits
_MOST = _BITS >> _SHIFT


class ModelNumbers:
    """Numbers by which the geoms of one model pass through one another.

    Two geoms touch if a bit is in the ``contype`` of one and the ``conaffinity`` of the other. With
    the bits of a number in the first and all others in the second, geoms of one number share none,
    and those of two numbers do. To exclude every pair of links would take the square of their
    number.
    """

    def __init__(self) -> None:
        self._free: list[int] = []
        self._highest = 0

    def take(self, links: Iterable[Node]) -> dict[str, int]:
        """Returns the numbers of links by name; those of one model have the same.

        A link has none if it self-collides, does not move, or has a mask that keeps it from some
        others, and if so many models are there that no number is left.
        """
        models: dict[str, list[str]] = defaultdict(list)
        for node in links:
            masks = [collision.surface.collide_bitmask for collision in node.link.collisions]
            if masks and not node.placed and not node.self_collide and {*masks} == {_BITS}:
                models[node.model].append(node.name)
        numbers: dict[str, int] = {}
        for names in models.values():
            if len(names) > 1 and (self._free or self._highest < _MOST):
                if not self._free:
                    self._highest += 1
                    self._free.append(self._highest)
                numbers.update(dict.fromkeys(names, self._free.pop()))
        return numbers

    def give_back(self, numbers: dict[str, int]) -> None:
        """Says that the links with these numbers are gone."""
        self._free += {*numbers.values()}


def masks(number: int) -> tuple[int, int]:
    """Returns ``contype`` and ``conaffinity`` of the geoms with a number."""
    return number << _SHIFT, _BITS ^ number << _SHIFT


def kept_off(links: Sequence[Node], numbers: dict[str, int]) -> Iterator[tuple[Node, Node]]:
    """Finds the pairs of links that must not touch and whose numbers do not see to it.

    As in Gazebo, two that a joint joins do not touch, nor two of one model of which neither is to
    self-collide; a nested model is one of its own.
    """
    touching = [node for node in links if node.link.collisions]
    found = [
        (node, other)
        for node in touching
        for other in (node.parent, *(parent for parent, _ in node.closing))
        if other is not None and other.link.collisions
    ]
    quiet = [node for node in touching if not node.self_collide]
    moving = [node for node in quiet if not node.placed]
    for one in quiet:
        if one.name not in numbers:
            others = moving if one.placed else quiet
            found += [(one, other) for other in others if one.model == other.model]
    pairs = {frozenset((one.name, other.name)): (one, other) for one, other in found}
    for one, other in pairs.values():
        never = one is other or (one.placed and other.placed)  # MuJoCo leaves out what cannot move
        if not never and (one.name not in numbers or numbers[one.name] != numbers.get(other.name)):
            yield one, other
