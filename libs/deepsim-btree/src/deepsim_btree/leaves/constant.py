# SPDX-License-Identifier: Apache-2.0
"""The leaves that always give the same answer."""

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
    """A leaf that always succeeds."""

    __slots__ = ()
    answer = SUCCESS


class Failure(Constant):
    """A leaf that always fails."""

    __slots__ = ()
    answer = FAILURE


class Running(Constant):
    """A leaf that never finishes: an idle robot, or the end of a selector that waits."""

    __slots__ = ()
    answer = RUNNING
