# SPDX-License-Identifier: Apache-2.0
"""SubTree: a branch with a separate blackboard, which can share entries with the outer one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import NOTHING, Blackboard, Entry, Key, key
from deepsim_btree.parent import Decorator
from deepsim_btree.status import Status


class SubTree(Decorator):
    """Answers like its child; the nodes below share a blackboard that nodes above do not see.

    The same branch can thus be used in several places with different entries. Inner names in
    `remap` stand for outer entries, which are read and written. All other entries are private to
    this node, and last from run to run until `Tree.reset`.

    >>> from deepsim_btree import SetEntry, Tree
    >>> branch = SetEntry("result", 7)
    >>> tree = Tree(SubTree(branch, remap={"result": "answer"}))
    >>> tree.tick().name, dict(tree.blackboard)
    ('SUCCESS', {'answer': 7})

    Args:
        name: Name of the node; if None, `tree_id` or else the class name.
        remap: Outer names by inner names; an outer name that starts with an @ is on the blackboard
            of the whole tree.
        values: Initial values of private entries.
        autoremap: Whether to share all entries under the same name, except those that start with
            ``_`` or are in `remap` or `values`.
        tree_id: Name of the branch in XML, where it is written once for all its uses.

    Raises:
        TypeError: A name is not a str.
        ValueError: A name is in `remap` and in `values`.
    """

    __slots__ = ("_autoremap", "_remap", "_scope", "_values", "tree_id")

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        remap: Mapping[str, str] | None = None,
        values: Mapping[str, Any] | None = None,
        autoremap: bool = False,
        tree_id: str | None = None,
    ) -> None:
        super().__init__(child, tree_id if name is None else name)
        self._remap: dict[str, Key] = {key(n).name: key(o) for n, o in (remap or {}).items()}
        self._values = {key(n).name: value for n, value in (values or {}).items()}
        both = sorted(set(self._remap) & set(self._values))
        if both:
            raise ValueError(f"{both[0]!r} of {self.name} is both in remap and in values")
        self._autoremap = autoremap
        self.tree_id = tree_id
        self._scope: Blackboard = Scope(self)

    @property
    def autoremap(self) -> bool:
        """Whether all entries are shared under the same name."""
        return self._autoremap

    @autoremap.setter
    def autoremap(self, autoremap: bool) -> None:
        self._autoremap = autoremap
        self._forget_entries()

    @property
    def remap(self) -> dict[str, str]:
        """Outer names by inner names; a copy."""
        return {name: outer.name for name, outer in self._remap.items()}

    @property
    def values(self) -> dict[str, Any]:
        """Initial values of private entries; a copy."""
        return dict(self._values)

    @property
    def scope(self) -> Blackboard:
        """The blackboard of the nodes below."""
        return self._scope

    def update(self) -> Status:
        return self.tick_child(self.child)

    def reset(self) -> None:
        """Resets the node; private entries get their initial values."""
        super().reset()
        Blackboard.clear(self._scope)  # the private entries only
        for name, value in self._values.items():
            self._scope[name] = value

    def outside(self, name: str) -> Entry | None:
        """Returns the outer entry that an inner name stands for, or None if it is private."""
        if name in self._remap:
            return self._remap[name].entry(self)
        if self._autoremap and name[:1] != "_" and name not in self._values:
            return self.blackboard.entry(name)
        return None


class Scope(Blackboard):
    """The blackboard of the nodes below a `SubTree`."""

    __slots__ = ("_subtree",)

    def __init__(self, subtree: SubTree) -> None:
        super().__init__(subtree.values)
        self._subtree = subtree

    def entry(self, name: str) -> Entry:
        """Returns the entry of a name, which may be an outer one; adds it if it is missing."""
        try:
            return self._subtree._known.inside[name]  # type: ignore[union-attr]
        except (KeyError, AttributeError):  # not found yet
            return self._find(name)

    def _find(self, name: str) -> Entry:
        subtree = self._subtree
        entry = subtree.outside(name) or super().entry(name)
        if subtree._find_tree() is not None:
            (subtree._known or subtree._find_known()).inside[name] = entry
        return entry

    def __getitem__(self, name: str) -> Any:
        try:  # as in `entry`, without another call
            entry = self._subtree._known.inside[name]  # type: ignore[union-attr]
        except (KeyError, AttributeError):
            entry = self._find(name)
        value = entry.value
        return entry.inherited() if value is NOTHING else value

    def __setitem__(self, name: str, value: Any) -> None:
        try:
            entry = self._subtree._known.inside[name]  # type: ignore[union-attr]
        except (KeyError, AttributeError):
            entry = self._find(name)
        entry.value = value
        entry.writes += 1

    def __delitem__(self, name: str) -> None:
        entry = self.entry(name)
        if entry.board is self:
            super().__delitem__(name)
        else:
            del entry.board[entry.name]

    def clear(self) -> None:
        """Deletes all private entries, and the outer ones that have inner names."""
        for name in self:
            with suppress(KeyError):  # an entry of a parent
                del self[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.entry(name).source() is not None

    def __iter__(self) -> Iterator[str]:
        subtree = self._subtree
        yield from (name for name in super().__iter__() if subtree.outside(name) is None)
        yield from (name for name in subtree.remap if name in self)
        if subtree.autoremap:
            own = {*subtree.remap, *subtree.values}
            yield from (n for n in subtree.blackboard if n not in own and n[:1] != "_")
