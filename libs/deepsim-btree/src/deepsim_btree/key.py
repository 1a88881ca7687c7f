# SPDX-License-Identifier: Apache-2.0
"""Keys: places on the blackboard, given to a node instead of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .behaviour import Behaviour
    from .blackboard import Blackboard


class Key(NamedTuple):
    """The name of an entry of the blackboard, to be looked up at each tick."""

    name: str
    """Name of the entry; an @ in front means the blackboard of the tree, above all subtrees."""

    def __repr__(self) -> str:
        return f"key({self.name!r})"

    def place(self, node: Behaviour) -> tuple[Blackboard, str]:
        """Return the blackboard that holds the entry for `node`, and the entry's name there."""
        if self.name[0] == "@":
            return node.tree.blackboard, self.name[1:]
        return node.blackboard, self.name

    def read(self, node: Behaviour) -> Any:
        """Return the value of the entry as `node` sees it.

        Raises:
            KeyError: There is no such entry.
        """
        board, name = self.place(node)
        return board[name]


def key(name: str) -> Any:
    """Name an entry of the blackboard in place of a value: ``drive(speed=key("speed"))``.

    The value is read at each tick, by the node that has the key. A name that starts with an @
    means the blackboard of the whole tree, also inside a `SubTree`.

    Args:
        name: Name of the entry.

    Returns:
        The key. It is typed as Any, to be accepted wherever the value itself is.

    Raises:
        TypeError: `name` is no str.
        ValueError: `name` is empty or has braces or white space around it.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a key must be a str, got {name!r}")
    if not name.strip("@") or name != name.strip() or "{" in name or "}" in name:
        raise ValueError(f"the name of a key must be a word without braces, got {name!r}")
    return Key(name)
