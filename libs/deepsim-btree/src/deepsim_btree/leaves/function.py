# SPDX-License-Identifier: Apache-2.0
"""Leaves made of plain functions: most leaves need no class of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import NOTHING, Key
from deepsim_btree.status import FAILURE, SUCCESS, Status

# Flags of code objects; the module inspect, which names them, takes 10 ms to import.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


class FunctionLeaf(Behaviour):
    """A leaf that calls ``function(*args, **kwargs)``; keys among the arguments are looked up."""

    __slots__ = ("_args", "_function", "_has_keys", "_kwargs")

    def __init__(
        self, function: Callable[..., Any], *args: object, name: str | None = None, **kwargs: object
    ) -> None:
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        self._check_function(function)
        if name is None:
            name = getattr(function, "__name__", type(function).__name__)
        super().__init__(name)
        self._function = function
        self._take(args, kwargs)

    def _bind(self, *args: object, **kwargs: object) -> None:
        Behaviour.__init__(self)
        self._take(args, kwargs)

    def _take(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        self._args = args
        self._kwargs = kwargs
        self._has_keys = any(isinstance(value, Key) for value in (*args, *kwargs.values()))

    @classmethod
    def _check_function(cls, function: Callable[..., Any]) -> None:
        if pauses(function):
            raise TypeError(
                f"{function!r} is a generator function or async def: use Routine or @action"
            )

    @property
    def function(self) -> Callable[..., Any]:
        """The function that is called."""
        return self._function

    @property
    def args(self) -> tuple[object, ...]:
        """Positional arguments of the call."""
        return self._args

    @property
    def kwargs(self) -> dict[str, object]:
        """Keyword arguments of the call; a copy."""
        return dict(self._kwargs)

    def call(self) -> Any:
        """Calls the function, with the entries of the blackboard in place of their keys.

        Raises:
            KeyError: The blackboard lacks an entry.
        """
        args: Iterable[object] = self._args
        kwargs = self._kwargs
        if self._has_keys:
            args = self._look_up()
            if kwargs:
                kwargs = {
                    name: value.read(self) if isinstance(value, Key) else value
                    for name, value in kwargs.items()
                }
        # Without ** if there are no keyword arguments, because ** costs a third of the time.
        return self.function(*args, **kwargs) if kwargs else self.function(*args)

    def _look_up(self) -> list[object]:
        known = self._known or self._find_known()
        if known.arguments is None:
            known.arguments = [
                value.entry(self) if value.__class__ is Key else known.constant(value)
                for value in self._args
            ]
        found = []
        for entry in known.arguments:  # a comprehension takes 80 ns more on 3.11
            value = entry.value
            found.append(entry.inherited() if value is NOTHING else value)
        return found

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        import inspect  # noqa: PLC0415 - takes 10 ms, which only this method needs

        try:
            inspect.signature(self.function).bind(*self._args, **self._kwargs)
        except ValueError:  # a C function without a signature
            pass
        except TypeError as error:
            yield f"its function cannot be called with these arguments: {error}"


class Action(FunctionLeaf):
    """A leaf that does something: its function returns a `Status`.

    >>> from deepsim_btree import Status, Tree
    >>> def drive(robot, speed):
    ...     robot["speed"] = speed
    ...     return Status.RUNNING
    >>> robot = {}
    >>> Tree(Action(drive, robot, speed=0.5)).tick().name, robot
    ('RUNNING', {'speed': 0.5})

    Args:
        function: Called at each tick; must not block.
        *args: Positional arguments of the calls.
        name: Name of the node; the function's name if None.
        **kwargs: Keyword arguments of the calls.

    Raises:
        TypeError: `function` is not callable, or pauses; use `Routine` for a function that pauses.
    """

    __slots__ = ()

    # The caller of a tick checks the returned value.
    update = FunctionLeaf.call


class Check(FunctionLeaf):
    """A leaf that tests something: its function returns True or False without delay.

    True is SUCCESS and False is FAILURE. Other values count by their truth, but None and a
    `Status` are errors: the first is a forgotten ``return``, the second would always be true.

    >>> from deepsim_btree import Tree
    >>> robot = {"battery": 0.9}
    >>> Tree(Check(lambda: robot["battery"] > 0.2)).tick().name
    'SUCCESS'

    Args:
        function: Called at each tick.
        *args: Positional arguments of the calls.
        name: Name of the node; the function's name if None.
        **kwargs: Keyword arguments of the calls.

    Raises:
        TypeError: `function` is not callable, or pauses.
    """

    __slots__ = ()

    def update(self) -> Status:
        answer = self.call()
        if answer is True:
            return SUCCESS
        return FAILURE if answer is False or not truth(answer) else SUCCESS

    @classmethod
    def _check_function(cls, function: Callable[..., Any]) -> None:
        if pauses(function):
            raise TypeError(f"{function!r} pauses, but a condition must answer at once")


def truth(value: object) -> bool:
    """Returns the truth of a condition's answer, or raises TypeError."""
    if value is None or isinstance(value, Status):
        raise TypeError(f"a condition must return True or False, got {value!r}")
    return bool(value)


def pauses(function: Callable[..., Any]) -> bool:
    """Returns whether `function` is a generator function or ``async def``, or raises TypeError."""
    flags = _flags(function)
    if flags & _ASYNC_GENERATOR:
        raise TypeError(f"{function!r} is an async def with yield: await next_tick() instead")
    return bool(flags & (_GENERATOR | _COROUTINE))


def is_async(function: Callable[..., Any]) -> bool:
    """Returns whether `function` is an ``async def``."""
    return bool(_flags(function) & _COROUTINE)


def _flags(function: Callable[..., Any]) -> int:
    while isinstance(function, partial):
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return 0 if code is None else code.co_flags


class _Agent:
    """The type of AGENT, of which copies are the same object."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "AGENT"

    __reduce__ = __repr__  # copy and pickle take this as the name of a global


# Of type Any, so that type checkers accept it for any kind of agent.
AGENT: Any = _Agent()
"""Stands for the agent among the arguments of a leaf: ``drive(AGENT, speed=2.0)``.

A `batch.Batch` replaces it with an array of the numbers of the agents for which it ticks the leaf.
"""
