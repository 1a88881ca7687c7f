# SPDX-License-Identifier: Apache-2.0
"""Readable texts of the values on the blackboards of a tree."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

from deepsim_btree.decorators.subtree import SubTree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deepsim_btree.blackboard.entry import Entry
    from deepsim_btree.tree import Tree

# Types whose values can change without a new write. Their texts are short, so cheap to compare.
_MUTABLE = (list, dict, set, tuple)
_LONGEST = 200


class _Texts(reprlib.Repr):
    """A shortened ``repr``, without memory addresses, which vary between runs."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxdeque = 20
        self.maxstring = self.maxlong = self.maxother = _LONGEST

    def repr_instance(self, value: Any, level: int) -> str:
        own: Any = type(value).__repr__
        if own is object.__repr__:
            return f"<{type(value).__name__}>"
        return super().repr_instance(value, level)


shortened_repr = _Texts().repr
"""Returns the shortened ``repr`` of a value."""


class BoardTexts:
    """The entries of all blackboards of a tree as texts, updated from tick to tick.

    Entries of the tree's blackboard and its parents are known by their names, private entries of a
    `SubTree` by the path of that node, a colon and their names. The text of a list, tuple, dict or
    set is updated at every tick, other texts when the entry is written. So an object of another
    class that changes in place is shown as it was at the time of writing.

    Args:
        tree: The tree.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._revision = -1
        self._scopes: list[tuple[str, SubTree]] = []
        self._known: dict[str, tuple[Entry, int]] = {}
        self._texts: Mapping[str, str] = {}

    def read(self) -> Mapping[str, str]:
        """Returns the texts by name, in the same object as before if nothing changed."""
        known, before, texts = self._known, self._texts, {}
        is_same = True
        for name, entry in self._entries():
            version = (entry, entry.writes)
            if known.get(name) == version and not isinstance(entry.value, _MUTABLE):
                texts[name] = before[name]
                continue
            known[name] = version
            texts[name] = shortened_repr(entry.value)
            is_same = is_same and texts[name] == before.get(name)
        if is_same and len(texts) == len(before):
            return before
        self._known = {name: known[name] for name in texts}
        self._texts = texts
        return texts

    def _entries(self) -> Iterator[tuple[str, Entry]]:
        tree = self._tree
        if tree._revision != self._revision:
            self._revision = tree._revision
            nodes = tree.root.walk()
            self._scopes = [(node.path, node) for node in nodes if isinstance(node, SubTree)]
        board = tree.blackboard
        for name in list(board):
            source = board.entry(name).source()
            if source is not None:
                yield name, source
        for path, subtree in self._scopes:
            scope = subtree.scope
            for name in list(scope):
                if subtree.outside(name) is None:
                    source = scope.entry(name).source()
                    if source is not None:
                        yield f"{path}:{name}", source
