# SPDX-License-Identifier: Apache-2.0
"""Places: where the entries of the blackboard that a node uses are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Tuple

if TYPE_CHECKING:
    from .blackboard import Blackboard

# The values in which an entry is written and looked up first, its name there, and the blackboard of
# those values, which looks in its parent too. No NamedTuple: unpacking one takes 30 ns more.
Place = Tuple[Dict[str, Any], str, "Blackboard"]


class Places:
    """What a node found out about the blackboard.

    The way up to the blackboard and through the remaps of subtrees is walked once. A node forgets
    its places when it, or a node above it, gets another parent. Copies start without.

    Attributes:
        board: The blackboard of the node.
        found: The places that the node uses, by the name of a key or by the port.
        inside: The places that the nodes below a `SubTree` use, by their names there.
        arguments: Those of the positional arguments of a function leaf.
    """

    __slots__ = ("arguments", "board", "found", "inside")

    def __init__(self, board: Blackboard) -> None:
        self.board = board
        self.found: dict[object, Place] = {}
        self.inside: dict[str, Place] = {}
        self.arguments: list[Place] | None = None

    def constant(self, value: object) -> Place:
        """Return a place for a value that nobody writes, which is read as fast as an entry."""
        return {"": value}, "", self.board

    def __deepcopy__(self, memo: object) -> None:
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _nothing, ()


def _nothing() -> None:
    return None
