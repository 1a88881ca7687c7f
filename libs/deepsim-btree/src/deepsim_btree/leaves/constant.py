# SPDX-License-Identifier: Apache-2.0
"""Leaves that always give the same answer."""

from __future__ import annotations

from typing import ClassVar

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.status import FAILURE, RUNNING, SUCCESS, Status


class Constant(Behaviour):
    """A leaf that always answers `answer`."""

    __slots__ = ()
    answer: ClassVar[Status]

    def update(self) -> Status:
        """Returns `answer`."""
        return self.answer


class Success(Constant):
    """A leaf that always succeeds.

    >>> from deepsim_btree import Tree
    >>> Tree(Success("done")).tick().name
    'SUCCESS'
    """

    __slots__ = ()
    answer = SUCCESS


class Failure(Constant):
    """A leaf that always fails.

    >>> from deepsim_btree import Tree
    >>> Tree(Failure("locked")).tick().name
    'FAILURE'
    """

    __slots__ = ()
    answer = FAILURE


class Running(Constant):
    """A leaf that never finishes, for an idle robot or as the last child of a selector that waits.

    >>> from deepsim_btree import Tree
    >>> Tree(Running("idle")).tick().name
    'RUNNING'
    """

    __slots__ = ()
    answer = RUNNING
