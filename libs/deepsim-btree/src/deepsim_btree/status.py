# SPDX-License-Identifier: Apache-2.0
"""The answers that a node can give when it is ticked."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """The answer of a node when it was last ticked.

    The codes are those of BehaviorTree.CPP (its IDLE is our INVALID) and fit an array of uint8.
    """

    INVALID = 0
    """Not running: never ticked, halted, or unable to tell. Parents count it as a failure."""
    RUNNING = 1
    """Busy: tick again to continue."""
    SUCCESS = 2
    """Done, with the wanted result."""
    FAILURE = 3
    """Done, without it."""
    SKIPPED = 4
    """Not asked to run this time, by a script of a file: parents go on as if it were not there."""

    def __str__(self) -> str:
        return self.name

    def __bool__(self) -> bool:
        # As an int FAILURE would be true, and so would every `if tree.tick():`.
        raise TypeError(f"a Status is neither true nor false: write `status is Status.{self.name}`")


# Nodes compare with `is` against these names: looking up Status.X at each comparison made a
# tick of 40 nodes 1.2 to 1.9 times as slow.
INVALID = Status.INVALID
RUNNING = Status.RUNNING
SUCCESS = Status.SUCCESS
FAILURE = Status.FAILURE
SKIPPED = Status.SKIPPED
