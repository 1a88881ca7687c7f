# SPDX-License-Identifier: Apache-2.0
"""Nodes that detect whether an entry of the blackboard was written: WasUpdated and WhenUpdated."""

from __future__ import annotations

from deepsim_btree.arguments import check_status
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Entry, Key, key
from deepsim_btree.leaves.plain import EntryLeaf
from deepsim_btree.parent import Decorator
from deepsim_btree.status import FAILURE, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, EntryName, Tag


class WasUpdated(EntryLeaf):
    """Succeeds if an entry was written since the last tick of this node, even with the same value.

    The first tick succeeds if the entry has a value; so does the first one after a `Tree.reset`.

    >>> from deepsim_btree import Tree
    >>> tree = Tree(WasUpdated("goal"), blackboard={"goal": 3})
    >>> tree.tick().name, tree.tick().name
    ('SUCCESS', 'FAILURE')
    >>> tree.blackboard["goal"] = 3
    >>> tree.tick().name
    'SUCCESS'

    Args:
        entry: Name of the entry, as for `key`.

    Raises:
        TypeError: `entry` is not a str.
    """

    __slots__ = ("_seen",)
    xml_tags = (Tag("WasEntryUpdated", entry=Attribute("entry", EntryName)),)

    def __init__(self, entry: str, name: str | None = None) -> None:
        super().__init__(entry, name)
        self._seen = 0

    def update(self) -> Status:
        writes = _writes(self._key.entry(self), self._seen)
        if writes == self._seen:
            return FAILURE
        self._seen = writes
        return SUCCESS

    def reset(self) -> None:
        super().reset()
        self._seen = 0


_ENTRY = Attribute("entry", EntryName)


class WhenUpdated(Decorator):
    """Runs its child if an entry was written since the node last read it, even with the same value.

    It does not read the entry while its child is RUNNING. The first time, and the first time after
    a `Tree.reset`, the child runs if the entry has a value.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(WhenUpdated(Success(), entry="goal"))
    >>> tree.tick().name
    'SKIPPED'
    >>> tree.blackboard["goal"] = 3
    >>> tree.tick().name, tree.tick().name
    ('SUCCESS', 'SKIPPED')

    Args:
        entry: Name of the entry, as for `key`.
        otherwise: Answer if the entry was not written; RUNNING waits for a write.

    Raises:
        TypeError: `entry` is not a str, or `otherwise` is not a `Status`.
    """

    __slots__ = ("_is_open", "_key", "_seen", "otherwise")
    xml_tags = (
        Tag("SkipUnlessUpdated", entry=_ENTRY, fixed={"otherwise": SKIPPED}),
        Tag("WaitValueUpdate", entry=_ENTRY, fixed={"otherwise": RUNNING}),
        Tag("WhenUpdated", in_btcpp=False, entry=_ENTRY),
    )

    def __init__(
        self, child: Behaviour, name: str | None = None, *, entry: str, otherwise: Status = SKIPPED
    ) -> None:
        super().__init__(child, name)
        self._key: Key = key(entry)
        self.otherwise = check_status("otherwise", otherwise)
        self._seen = 0
        self._is_open = False

    @property
    def entry(self) -> str:
        """Name of the entry."""
        return self._key.name

    def update(self) -> Status:
        """Reads the entry unless the child is in a run, and ticks the child if it should run."""
        # The answer `otherwise` may be RUNNING without a run of the child.
        if self.status is not RUNNING:
            self._is_open = False
        if not self._is_open:
            writes = _writes(self._key.entry(self), self._seen)
            if writes == self._seen:
                return self.otherwise
            self._seen = writes
        status = self.tick_child(self.child)
        self._is_open = status is RUNNING
        return status

    def reset(self) -> None:
        super().reset()
        self._seen = 0
        self._is_open = False


def _writes(entry: Entry, seen: int) -> int:
    source = entry.source()
    return seen if source is None else source.writes
