# SPDX-License-Identifier: Apache-2.0
"""SubTree: a branch with a blackboard of its own, some entries of which are those outside."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from deepsim_btree.blackboard.blackboard import Blackboard
from deepsim_btree.blackboard.entry import NOTHING
from deepsim_btree.blackboard.key import Key, key

from .decorator import Decorator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.blackboard.entry import Entry
    from deepsim_btree.status import Status


class SubTree(Decorator):
    """Answers as its child; the nodes below share a blackboard that the nodes above do not see.

    So the same branch can be used in several places, with different entries each time: those in
    `remap` are the outer entries under another name, for reading and for writing. All others are
    private to this node, which keeps them from run to run until `Tree.reset`.

    >>> from deepsim_btree import SetEntry, Tree
    >>> branch = SetEntry("result", 7)
    >>> tree = Tree(SubTree(branch, remap={"result": "answer"}))
    >>> tree.tick().name, dict(tree.blackboard)
    ('SUCCESS', {'answer': 7})

    Args:
        name: Name of the node; `tree_id` if None, or that of its class without one.
        remap: From names inside to names outside; an outer name that starts with an @ is one of
            the blackboard of the whole tree.
        values: Private entries to start with.
        autoremap: Share every entry under its own name, but those that start with ``_`` and those
            in `remap` and `values`.
        tree_id: What the branch is called in XML, where it is written once for all its uses.

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
        """Whether every entry is shared under its own name."""
        return self._autoremap

    @autoremap.setter
    def autoremap(self, autoremap: bool) -> None:
        self._autoremap = autoremap
        self._forget_entries()

    @property
    def remap(self) -> dict[str, str]:
        """From names inside to names outside; a copy."""
        return {name: outer.name for name, outer in self._remap.items()}

    @property
    def values(self) -> dict[str, Any]:
        """Private entries to start with; a copy."""
        return dict(self._values)

    @property
    def scope(self) -> Blackboard:
        """The blackboard of the nodes below."""
        return self._scope

    def update(self) -> Status:
        """Ticks the child."""
        return self.tick_child(self.child)

    def reset(self) -> None:
        """Resets the node: private entries have their first values again."""
        super().reset()
        Blackboard.clear(self._scope)  # the private entries only
        for name, value in self._values.items():
            self._scope[name] = value

    def outside(self, name: str) -> Entry | None:
        """Returns where an entry of the nodes below is kept outside; None if it is private."""
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
        """Returns where the value of a name is kept, or would be: maybe outside."""
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
        """Deletes all entries that can be deleted by their names here, those outside too."""
        for name in self:
            with suppress(KeyError):  # of a parent
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
