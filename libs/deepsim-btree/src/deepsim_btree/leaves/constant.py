# SPDX-License-Identifier: Apache-2.0
"""Leaves that always give the same answer, and one that lets time pass."""

from __future__ import annotations

from typing import ClassVar

from deepsim_btree.arguments import check_seconds
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key, read_seconds
from deepsim_btree.status import FAILURE, RUNNING, SUCCESS, Status
from deepsim_btree.tag import Attribute, Milliseconds, Tag


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
