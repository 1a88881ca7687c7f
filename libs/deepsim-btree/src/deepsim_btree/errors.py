# SPDX-License-Identifier: Apache-2.0
"""Everything that this library raises beside TypeError, ValueError, IndexError and KeyError.

::

    BtreeError
    ├── StructureError (RuntimeError)   the tree would not be a tree, or has no clock
    ├── BusyError (RuntimeError)        right call, wrong moment: something is being ticked
    ├── TickError (RuntimeError)        a node raised an exception or returned no Status
    └── XmlError (ValueError)           a file cannot be read, or a tree cannot be written
"""

from __future__ import annotations

_MAX_PATH = 300


class BtreeError(Exception):
    """Root of this library's own errors."""


class StructureError(BtreeError, RuntimeError):
    """A node would get a second parent or become its own ancestor, or lacks a tree or a clock."""


class BusyError(BtreeError, RuntimeError):
    """A tree is inside a tick, or the node to be changed is RUNNING: halt it, then try again."""


class TickError(BtreeError, RuntimeError):
    """A node failed to do its work; the original error, if there was one, is ``__cause__``.

    Attributes:
        path: The node's path from the root, such as ``patrol/recharge/dock``.
        tick: Number of the tree's tick, from 1; 0 for a node that was ticked outside a `Tree`.
        reason: What went wrong.
        while_halting: Errors of further nodes, raised while the tree was being halted.
        while_observing: Errors of the observers of this one.
    """

    def __init__(self, path: str, tick: int, reason: str) -> None:
        super().__init__(path, tick, reason)
        self.path = path
        self.tick = tick
        self.reason = reason
        self.while_halting: tuple[TickError, ...] = ()
        self.while_observing: tuple[Exception, ...] = ()

    def __str__(self) -> str:
        more = "".join(f"; then, while halting, {error}" for error in self.while_halting)
        more += "".join(
            f"; then an observer raised {type(error).__name__}: {error}"
            for error in self.while_observing
        )
        return f"tick {self.tick}, node {shortened(self.path)}: {self.reason}{more}"


def shortened(path: str) -> str:
    """Returns a path as messages show it: without the middle if it is long."""
    if len(path) <= _MAX_PATH:
        return path
    levels = path.count("/") + 1
    half = _MAX_PATH // 2
    return f"{path[:half]}...{path[-half:]} ({levels} levels)"


class XmlError(BtreeError, ValueError):
    """A file is wrong or uses unsupported parts, or a tree cannot be written as XML.

    Attributes:
        file: Path of the file; ``"<text>"`` for a text, empty when a tree was to be written.
        line: Number of the line, from 1; 0 when a tree was to be written.
        reason: The mistake and its remedy.
    """

    def __init__(self, reason: str, file: str = "", line: int = 0) -> None:
        super().__init__(reason, file, line)
        self.reason = reason
        self.file = file
        self.line = line

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.file else self.reason
