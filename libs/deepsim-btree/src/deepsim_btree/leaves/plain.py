# SPDX-License-Identifier: Apache-2.0
"""Leaves without code of the user: a constant answer, a wait, a write on the blackboard."""

from __future__ import annotations

from typing import ClassVar

from deepsim_btree.arguments import check_seconds
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import NOTHING, Key, key, read_seconds
from deepsim_btree.status import FAILURE, RUNNING, SUCCESS, Status
from deepsim_btree.tag import Attribute, EntryName, EntryValue, Milliseconds, Tag


class Constant(Behaviour):
    """A leaf that always answers `answer`."""

    __slots__ = ()
    answer: ClassVar[Status]

    def update(self) -> Status:
        return self.answer


class Success(Constant):
    """A leaf that always succeeds.

    >>> from deepsim_btree import Tree
    >>> Tree(Success("done")).tick().name
    'SUCCESS'
    """

    __slots__ = ()
    xml_tags = (Tag("AlwaysSuccess"),)
    answer = SUCCESS


class Failure(Constant):
    """A leaf that always fails.

    >>> from deepsim_btree import Tree
    >>> Tree(Failure("locked")).tick().name
    'FAILURE'
    """

    __slots__ = ()
    xml_tags = (Tag("AlwaysFailure"),)
    answer = FAILURE


class Running(Constant):
    """A leaf that never finishes, for an idle robot or as the last child of a selector that waits.

    >>> from deepsim_btree import Tree
    >>> Tree(Running("idle")).tick().name
    'RUNNING'
    """

    __slots__ = ()
    xml_tags = (Tag("Running", in_btcpp=False),)
    answer = RUNNING


class Wait(Behaviour):
    """Stays RUNNING for `seconds` from the start of the run, then succeeds.

    >>> from deepsim_btree import Tree
    >>> now = [0.0]
    >>> tree = Tree(Wait(seconds=3), clock=lambda: now[0])
    >>> tree.tick().name
    'RUNNING'
    >>> now[0] = 3.0
    >>> tree.tick().name
    'SUCCESS'

    Args:
        seconds: Duration on the clock of the tree [s], or the `key` of an entry with this duration.

    Raises:
        TypeError: `seconds` is not a number.
        ValueError: `seconds` is negative, infinite or NaN.
    """

    __slots__ = ("_since", "seconds")
    xml_tags = (Tag("Sleep", seconds=Attribute("msec", Milliseconds, takes_key=True)),)
    needs_clock = True

    def __init__(self, name: str | None = None, *, seconds: float) -> None:
        super().__init__(name)
        self.seconds = seconds if isinstance(seconds, Key) else check_seconds(seconds)
        self._since = 0.0

    def update(self) -> Status:
        now = self.tree.now
        if self.status is not RUNNING:
            self._since = now
        return SUCCESS if now - self._since >= read_seconds(self, self.seconds) else RUNNING


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
