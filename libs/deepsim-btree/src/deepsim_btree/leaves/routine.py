# SPDX-License-Identifier: Apache-2.0
"""Leaves that take many ticks, and ``@action`` and ``@condition``, which make classes of leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generator, overload

from deepsim_btree.errors import BusyError
from deepsim_btree.status import RUNNING, SUCCESS, Status

from .function import Action, Check, FunctionLeaf, is_async, pauses

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")


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


class Background(FunctionLeaf):
    """A leaf that starts work elsewhere and is RUNNING until the work is done.

    Its function is called at the start of each run. It is an ``async def``, which becomes a task of
    the asyncio loop in which the tree is ticked; or `InThread` of a function, which runs in a
    thread; or a function that returns an asyncio task or a future, such as ``submit`` of a
    `concurrent.futures` executor. The node answers the resulting `Status`, or SUCCESS for None; an
    exception of the work becomes an exception of the node.

    When the node is halted, the future is cancelled. Threads, and asyncio tasks that clean up, may
    continue for a while; a new run of the node is RUNNING until they have ended, and only then
    calls the function again, so that two calls never overlap.

    >>> from concurrent.futures import Future
    >>> from deepsim_btree import Tree
    >>> download = Future()  # of executor.submit(function, ...) in a program
    >>> tree = Tree(Background(lambda: download, name="download"))
    >>> tree.tick().name
    'RUNNING'
    >>> download.set_result(None)
    >>> tree.tick().name
    'SUCCESS'

    Between runs the node can be copied and pickled; while its work continues, this raises
    BusyError.

    Args:
        function: Called at the start of each run; must not block.
        *args: Positional arguments of the call.
        name: Name of the node; the function's name if None.
        **kwargs: Keyword arguments of the call.

    Raises:
        TypeError: `function` is not callable, or a generator function.
    """

    __slots__ = ("_ending", "_future")

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._forget_ended()
        if self._future is not None or self._ending is not None:
            raise BusyError(f"{self.path} waits for a future: halt it first, and let that end")
        return super().__reduce_ex__(protocol)

    def _take(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        super()._take(args, kwargs)
        self._future: Any = None
        self._ending: Any = None  # the future of a halted run that has not ended yet

    @classmethod
    def _check_function(cls, function: Callable[..., Any]) -> None:
        if pauses(function) and not is_async(function):
            raise TypeError(f"{function!r} is a generator function: use Routine or @action")

    def initialize(self) -> None:
        """Calls the function, unless work of an earlier run still continues."""
        self._forget_ended()
        if self._ending is None:
            self._start()

    def update(self) -> Status:
        if self._future is None:
            self._forget_ended()
            if self._ending is not None:
                return RUNNING
            self._start()
        if not self._future.done():
            return RUNNING
        result: Any = self._future.result()
        return SUCCESS if result is None else result

    def terminate(self, new_status: Status) -> None:
        """Cancels the work if it is not done."""
        future, self._future = self._future, None
        if future is not None and not future.done():
            future.cancel()
            self._ending = future

    def _start(self) -> None:
        future = self.call()
        if hasattr(future, "cr_frame"):
            future = _task(future)
        if not all(callable(getattr(future, name, None)) for name in ("done", "result", "cancel")):
            raise TypeError(f"the function must return a future or a task, got {future!r}")
        self._future = future

    def _forget_ended(self) -> None:
        if getattr(self, "_ending", None) is not None and self._ending.done():
            self._ending = None


def _task(coroutine: Any) -> Any:
    import asyncio  # noqa: PLC0415 - takes 40 ms, which only those pay who use it

    try:
        return asyncio.get_running_loop().create_task(coroutine)
    except RuntimeError:
        coroutine.close()
        raise RuntimeError(
            "an async def needs the asyncio loop in which the tree is ticked, and none runs here: "
            "tick inside one, or return asyncio.run_coroutine_threadsafe(...)"
        ) from None


class InThread:
    """A function that runs in a new thread at each call, for `Background`.

    Its first argument is a `threading.Event` that is set when the node is halted. The function must
    test this event regularly, and return early once it is set.

    >>> from deepsim_btree import Tree
    >>> def count(stop, numbers):
    ...     while not stop.wait(0.001):
    ...         numbers.append(len(numbers))
    >>> numbers = []
    >>> tree = Tree(Background(InThread(count), numbers))
    >>> tree.tick().name, tree.root.name
    ('RUNNING', 'count')
    >>> tree.halt()  # the thread ends

    Args:
        function: Called in a daemon thread, which does not keep the program from ending.

    Raises:
        TypeError: `function` is not callable.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        self.function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> ThreadTask:
        """Starts a thread."""
        return ThreadTask(self.function, args, kwargs)


class ThreadTask:
    """A call of a function in a thread, with those methods of a future that a node needs."""

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._stop = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(function, args, kwargs), name=function.__name__, daemon=True
        )
        self._thread.start()

    def _run(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        try:
            self._result = function(self._stop, *args, **kwargs)
        except BaseException as error:
            self._error = error

    def done(self) -> bool:
        """Returns whether the function has ended."""
        return not self._thread.is_alive()

    def result(self) -> Any:
        """Waits for the end of the function; returns its result or raises its exception."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result

    def cancel(self) -> bool:
        """Asks the function to stop, and returns True."""
        self._stop.set()
        return True


@overload
def action(function: Callable[P, Status]) -> Callable[P, Action]: ...


@overload
def action(function: Callable[P, Generator[Any, None, Status | None]]) -> Callable[P, Routine]: ...


@overload
def action(function: Callable[P, Coroutine[Any, Any, Status | None]]) -> Callable[P, Routine]: ...


def action(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turns a function into a subclass of `Action`, or of `Routine` if it pauses.

    Call the class with the function's arguments to get a node with the name of the function. The
    function itself is the class's attribute ``function``. For a method of an existing object, write
    ``Action(robot.drive)`` instead.

    >>> @action
    ... def drive(robot, speed=1.0):
    ...     robot.append(speed)
    ...     return Status.RUNNING
    >>> robot = []
    >>> drive(robot, speed=0.5).tick().name, robot
    ('RUNNING', [0.5])

    >>> @action
    ... def count_down(robot):
    ...     while robot:
    ...         robot.pop()
    ...         yield
    >>> node = count_down(robot)
    >>> node.tick().name, node.tick().name
    ('RUNNING', 'SUCCESS')
    """
    leaf_class: Callable[..., Any] = _leaf_class(Routine if pauses(function) else Action, function)
    return leaf_class


def condition(function: Callable[P, bool]) -> Callable[P, Check]:
    """Turns a function that returns True or False into a subclass of `Check`, like `action`.

    >>> @condition
    ... def battery_low(robot, limit):
    ...     return robot["battery"] < limit
    >>> battery_low({"battery": 0.1}, limit=0.2).tick().name
    'SUCCESS'
    """
    leaf_class: Callable[P, Check] = _leaf_class(Check, function)
    return leaf_class


def _leaf_class(base: type[FunctionLeaf], function: Callable[..., Any]) -> Any:
    # A class, so that nodes can be pickled: pickle finds the class by its name, whereas the
    # function cannot be found, because the class has replaced it.
    base._check_function(function)
    return type(
        function.__name__,
        (base,),
        {
            "__slots__": (),
            "__init__": FunctionLeaf._bind,
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "function": staticmethod(function),
        },
    )
