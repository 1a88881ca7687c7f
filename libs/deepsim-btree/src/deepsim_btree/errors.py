# SPDX-License-Identifier: Apache-2.0
"""The errors that this library raises besides TypeError, ValueError, IndexError and KeyError.

::

    BtreeError
    ├── StructureError (RuntimeError)   the tree would not be a tree, or has no clock
    ├── BusyError (RuntimeError)        a call at the wrong time: during a tick or a run
    ├── TickError (RuntimeError)        a node raised an exception or returned no Status
    └── XmlError (ValueError)           a file cannot be read, or a tree cannot be written
"""

from __future__ import annotations

from typing import NamedTuple

_MAX_PATH = 300


class BtreeError(Exception):
    """The base of all errors of this library.

    >>> from deepsim_btree import Tree
    >>> try:
    ...     Tree("not a node")
    ... except (BtreeError, TypeError) as error:
    ...     print(type(error).__name__)
    TypeError
    """


class StructureError(BtreeError, RuntimeError):
    """A node would get a second parent or become its own ancestor, or lacks a tree or a clock.

    >>> from deepsim_btree import Sequence, Success
    >>> step = Success("step")
    >>> try:
    ...     Sequence([step, step])
    ... except StructureError as error:
    ...     print(error)
    <Success 'step' INVALID> cannot be a child of Sequence twice
    """


class BusyError(BtreeError, RuntimeError):
    """A tree is inside a tick, or the node to be changed is RUNNING: halt it, then try again.

    >>> from deepsim_btree import Running, Sequence, Success, Tree
    >>> tree = Tree(Sequence([Running("drive")]))
    >>> status = tree.tick()
    >>> try:
    ...     tree.root.add_child(Success("stop"))
    ... except BusyError as error:
    ...     print(error)
    Sequence is RUNNING: halt() it before changing its children
    """


class TickError(BtreeError, RuntimeError):
    """A node raised an exception, which is the ``__cause__``, or did not return a `Status`.

    >>> from deepsim_btree import Check, Tree
    >>> try:
    ...     Tree(Check(lambda: 1 / 0, name="is far")).tick()
    ... except TickError as error:
    ...     print(error)
    tick 1, node is far: ZeroDivisionError: division by zero

    Attributes:
        path: The node's path from the root, such as ``patrol/recharge/dock``.
        tick: Number of the tree's tick, from 1; 0 for a node that was ticked outside a `Tree`.
        reason: Description of the failure.
        while_halting: Errors of further nodes, raised while the tree was being halted.
        while_observing: Errors that observers raised when they got this one.
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
    """Returns a path for messages, without the middle if it is long."""
    if len(path) <= _MAX_PATH:
        return path
    levels = path.count("/") + 1
    half = _MAX_PATH // 2
    return f"{path[:half]}...{path[-half:]} ({levels} levels)"


class XmlError(BtreeError, ValueError):
    """A file is wrong or uses unsupported parts, or a tree cannot be written as XML.

    >>> from deepsim_btree.xml import read_xml
    >>> try:
    ...     read_xml("<root")
    ... except XmlError as error:
    ...     print(error.line)
    1

    Attributes:
        file: Path of the file; ``"<text>"`` for a text, empty if a tree cannot be written.
        line: Number of the line, from 1; 0 if a tree cannot be written.
        reason: The mistake and its remedy.
    """

    def __init__(self, reason: str, file: str = "", line: int = 0) -> None:
        super().__init__(reason, file, line)
        self.reason = reason
        self.file = file
        self.line = line

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.file else self.reason


class Problem(NamedTuple):
    """A mistake in a tree that `Tree.validate` found.

    >>> from deepsim_btree import Sequence, Tree
    >>> problem = Tree(Sequence([], "go")).validate()[0]
    >>> problem.path
    'go'
    """

    path: str
    """Path of the node that has the problem."""
    message: str
    """A sentence that explains the problem."""

    def __str__(self) -> str:
        return f"{shortened(self.path)}: {self.message}"
