# SPDX-License-Identifier: Apache-2.0
"""Places: where the entries of the blackboard that a node uses are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple

if TYPE_CHECKING:
    from .blackboard import Blackboard


class Place(NamedTuple):
    """Where an entry is kept."""

    values: dict[str, Any]
    """The values of `board`, in which it is written and looked up first."""
    name: str
    """Its name there."""
    board: Blackboard
    """The blackboard, which looks in its parent too."""


class Places(Dict[object, Place]):
    """What a node found out about the blackboard, by the name of a key or by the port.

    The way up to the blackboard and through the remaps of subtrees is walked once. A node forgets
    its places when it, or a node above it, gets another parent. Copies start without.

    Attributes:
        board: The blackboard of the node.
    """

    __slots__ = ("board",)

    def __init__(self, board: Blackboard) -> None:
        super().__init__()
        self.board = board

    def __deepcopy__(self, memo: object) -> None:
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _nothing, ()


def _nothing() -> None:
    return None
