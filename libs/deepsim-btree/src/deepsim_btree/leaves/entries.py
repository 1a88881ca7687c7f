# SPDX-License-Identifier: Apache-2.0
"""Leaves that write on the blackboard: SetEntry and DeleteEntry."""

from __future__ import annotations

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import NOTHING, Key, key
from deepsim_btree.status import FAILURE, SUCCESS, Status
from deepsim_btree.tag import Attribute, EntryName, EntryValue, Tag


class EntryLeaf(Behaviour):
    """The base of leaves that use one entry of the blackboard."""

    __slots__ = ("_key",)

    def __init__(self, entry: str, name: str | None = None) -> None:
        super().__init__(name)
        self._key: Key = key(entry)

    @property
    def entry(self) -> str:
        """Name of the entry."""
        return self._key.name


class SetEntry(EntryLeaf):
    """Writes a value on the blackboard and succeeds; fails if the entry to copy has no value.

    >>> from deepsim_btree import Tree
    >>> tree = Tree(SetEntry("goal", key("home")), blackboard={"home": (0, 0)})
    >>> tree.tick().name, tree.blackboard["goal"]
    ('SUCCESS', (0, 0))

    Args:
        entry: Name of the entry, as for `key`.
        value: The value to write; a `key` stands for the value of its entry.

    Raises:
        TypeError: `entry` is not a str.
    """

    __slots__ = ("value",)
    xml_tags = (
        Tag(
            "SetBlackboard",
            value=Attribute("value", EntryValue, takes_key=True),
            entry=Attribute("output_key", EntryName),
        ),
    )

    def __init__(self, entry: str, value: object, name: str | None = None) -> None:
        super().__init__(entry, name)
        self.value = value

    def update(self) -> Status:
        value = self.value
        if isinstance(value, Key):
            if value.entry(self).source() is None:
                return FAILURE
            value = value.read(self)
        self._key.write(self, value)
        return SUCCESS


class DeleteEntry(EntryLeaf):
    """Deletes an entry of the blackboard and succeeds, even if it has no value.

    The entry of a parent blackboard stays.

    >>> from deepsim_btree import Tree
    >>> tree = Tree(DeleteEntry("goal"), blackboard={"goal": (3, 4)})
    >>> tree.tick().name, "goal" in tree.blackboard
    ('SUCCESS', False)

    Args:
        entry: Name of the entry, as for `key`.

    Raises:
        TypeError: `entry` is not a str.
    """

    __slots__ = ()
    xml_tags = (Tag("UnsetBlackboard", entry=Attribute("key", EntryName)),)

    def update(self) -> Status:
        self._key.entry(self).value = NOTHING
        return SUCCESS
