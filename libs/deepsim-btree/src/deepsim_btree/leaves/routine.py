# SPDX-License-Identifier: Apache-2.0
"""Routine: a leaf made of a function that pauses, a generator or an ``async def``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generator

from deepsim_btree.errors import BusyError
from deepsim_btree.status import RUNNING, SUCCESS, Status

from .function import FunctionLeaf, pauses

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Routine(FunctionLeaf):
    """A leaf that does something over many ticks, written from top to bottom.

    Its function is a generator function, which pauses at each bare ``yield``, or an ``async def``,
    which pauses at ``await next_tick()``; no event loop is needed. The node is RUNNING while the
    function pauses, and continues it at the next tick. It answers the `Status` that the function
    returns, or SUCCESS for None. When the node is halted, the function is closed: its ``finally``
    and ``with`` blocks run.

    A routine in the middle of a run cannot be copied or pickled, because Python cannot copy
    generators; a BusyError names the node. Between runs it can be copied and pickled.

    >>> from deepsim_btree import Tree
    >>> def park(robot):
    ...     robot.append("back")
    ...     yield
    ...     robot.append("stop")
    >>> robot = []
    >>> tree = Tree(Routine(park, robot))
    >>> tree.tick().name, tree.tick().name, robot
    ('RUNNING', 'SUCCESS', ['back', 'stop'])

    Args:
        function: Called at the start of each run.
        *args: Positional arguments of the call.
        name: Name of the node; the function's name if None.
        **kwargs: Keyword arguments of the call.

    Raises:
        TypeError: `function` is not callable, or does not pause; use `Action` for a function that
            does not pause.
    """

    __slots__ = ("_paused",)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if getattr(self, "_paused", None) is not None:
            raise BusyError(
                f"{self.path} is RUNNING inside a generator or coroutine, which Python can neither "
                "copy nor pickle: halt it first, or write this leaf as a class"
            )
        return super().__reduce_ex__(protocol)

    def _take(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        super()._take(args, kwargs)
        self._paused: Generator[Any, None, Any] | Coroutine[Any, None, Any] | None = None

    @classmethod
    def _check_function(cls, function: Callable[..., Any]) -> None:
        if not pauses(function):
            raise TypeError(f"{function!r} is neither a generator function nor async: use Action")

    def initialize(self) -> None:
        """Calls the function, whose code does not run before the first `update`."""
        self._paused = self.call()

    def update(self) -> Status:
        """Runs the function to its next pause or to its end."""
        assert self._paused is not None, "initialize() comes first"
        try:
            paused_with = self._paused.send(None)
        except StopIteration as end:
            return SUCCESS if end.value is None else end.value
        if paused_with is not None and paused_with is not RUNNING:
            raise TypeError(
                f"a routine pauses by a bare yield or await next_tick(), got {paused_with!r}"
            )
        return RUNNING

    def terminate(self, new_status: Status) -> None:
        """Closes the function if it was halted in the middle."""
        paused, self._paused = self._paused, None
        if paused is not None:
            paused.close()


class NextTick:
    """The object that `next_tick` returns: awaiting it pauses once."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, None]:
        yield


def next_tick() -> NextTick:
    """Returns an awaitable that pauses the ``async def`` of a `Routine` until the next tick."""
    return NextTick()
