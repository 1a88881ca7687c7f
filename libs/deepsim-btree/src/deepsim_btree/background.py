# SPDX-License-Identifier: Apache-2.0
"""Background: a leaf that waits for a thread, a process or an asyncio task, and cancels it."""

from __future__ import annotations

from typing import Any

from .errors import BusyError
from .function_leaves import FunctionLeaf
from .status import RUNNING, SUCCESS, Status


class Background(FunctionLeaf):
    """A leaf that starts something elsewhere and is RUNNING until that is done.

    Its function is called at the start of each run and returns a future: what ``submit`` of a
    `concurrent.futures` executor returns, or an asyncio task or future of the loop in which the
    tree is ticked. The node answers the `Status` that the future results in, or SUCCESS if that is
    None; an exception there is one of the node. When the node is halted the future is cancelled,
    which stops a task, but not a thread that has begun: that must look for a signal of its own.

    >>> from concurrent.futures import Future
    >>> from deepsim_btree import Tree
    >>> download = Future()  # of executor.submit(function, ...) in a program
    >>> tree = Tree(Background(lambda: download, name="download"))
    >>> tree.tick().name
    'RUNNING'
    >>> download.set_result(None)
    >>> tree.tick().name
    'SUCCESS'

    Between runs the node can be copied and pickled; in a run that raises `BusyError`.

    Args:
        function: Called at the start of each run; must not block.
        *args: Handed to it then.
        name: Name of the node; that of the function if None.
        **kwargs: Handed to it then.

    Raises:
        TypeError: `function` is not callable, or pauses.
    """

    __slots__ = ("_future",)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if getattr(self, "_future", None) is not None:
            raise BusyError(f"{self.path} is RUNNING and waits for a future: halt it first")
        return super().__reduce_ex__(protocol)

    def _take(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        super()._take(args, kwargs)
        self._future: Any = None

    def initialize(self) -> None:
        """Start what is to be done."""
        future = self.call()
        if not all(callable(getattr(future, name, None)) for name in ("done", "result", "cancel")):
            raise TypeError(f"the function must return a future or a task, got {future!r}")
        self._future = future

    def update(self) -> Status:
        """Look whether it is done."""
        if not self._future.done():
            return RUNNING
        result: Any = self._future.result()
        return SUCCESS if result is None else result

    def terminate(self, new_status: Status) -> None:
        """Cancel it if it is not done."""
        future, self._future = self._future, None
        if not future.done():
            future.cancel()
