# SPDX-License-Identifier: Apache-2.0
"""Leaves made of plain functions: most leaves need no class of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .behaviour import Behaviour
from .key import Key
from .status import FAILURE, SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Callable

# Flags of code objects; the module inspect, which names them, takes 10 ms to import.
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


_NONE: dict[str, object] = {}  # of all leaves without named arguments: an empty dict takes 64 bytes


class FunctionLeaf(Behaviour):
    """A leaf that calls ``function(*args, **kwargs)``; a `key` among them is looked up first.

    Attributes:
        args: Positional arguments of the call; read only.
        kwargs: Keyword arguments of the call; read only.
    """

    __slots__ = ("_function", "_has_keys", "args", "kwargs")

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
        """Be the constructor of a class that has its function already."""
        Behaviour.__init__(self)
        self._take(args, kwargs)

    def _take(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        self.args = args
        self.kwargs = kwargs or _NONE
        self._has_keys = any(isinstance(value, Key) for value in (*args, *kwargs.values()))

    @classmethod
    def _check_function(cls, function: Callable[..., Any]) -> None:
        if pauses(function):
            raise TypeError(
                f"{function!r} is a generator function or async def: use Routine or @action"
            )

    @property
    def function(self) -> Callable[..., Any]:
        """What is called."""
        return self._function

    def call(self) -> Any:
        """Call the function, with the entries of the blackboard in place of their keys.

        Raises:
            KeyError: The blackboard lacks an entry.
        """
        if not self._has_keys:
            return self.function(*self.args, **self.kwargs)
        args = [value.read(self) if isinstance(value, Key) else value for value in self.args]
        kwargs = {
            name: value.read(self) if isinstance(value, Key) else value
            for name, value in self.kwargs.items()
        }
        return self.function(*args, **kwargs)


class Action(FunctionLeaf):
    """A leaf that does something: its function returns a `Status`.

    Args:
        function: Called at each tick; must not block.
        *args: Handed to it at each tick.
        name: Name of the node; that of the function if None.
        **kwargs: Handed to it at each tick.

    Raises:
        TypeError: `function` is not callable, or pauses: that is a `Routine`.
    """

    __slots__ = ()

    def update(self) -> Status:
        """Call the function and return what it returns."""
        if self._has_keys:
            return self.call()  # type: ignore[no-any-return]  # whoever ticks checks it
        function, kwargs = self.function, self.kwargs
        # Without the **, which costs a third of the time, where there is nothing to hand over.
        return function(*self.args, **kwargs) if kwargs else function(*self.args)  # type: ignore[no-any-return]


class Check(FunctionLeaf):
    """A leaf that asks something: its function returns True or False, in no time.

    True is SUCCESS and False is FAILURE. Other values count by their truth, but None and a
    `Status` are errors: the first is a forgotten ``return``, the second would always be true.

    Args:
        function: Called at each tick.
        *args: Handed to it at each tick.
        name: Name of the node; that of the function if None.
        **kwargs: Handed to it at each tick.

    Raises:
        TypeError: `function` is not callable, or pauses.
    """

    __slots__ = ()

    def update(self) -> Status:
        """Return SUCCESS if the function says yes, otherwise FAILURE."""
        if self._has_keys:
            return SUCCESS if truth(self.call()) else FAILURE
        return SUCCESS if truth(self.function(*self.args, **self.kwargs)) else FAILURE

    @classmethod
    def _check_function(cls, function: Callable[..., Any]) -> None:
        if pauses(function):
            raise TypeError(f"{function!r} pauses, but a condition must answer at once")


def truth(value: object) -> bool:
    """Return whether the answer of a condition means yes.

    Raises:
        TypeError: It is None or a `Status`.
    """
    if value is None or isinstance(value, Status):
        raise TypeError(f"a condition must return True or False, got {value!r}")
    return bool(value)


def pauses(function: Callable[..., Any]) -> bool:
    """Return whether a call of `function` makes a generator or a coroutine.

    Raises:
        TypeError: It makes an asynchronous generator, which is both and cannot be driven.
    """
    while isinstance(function, partial):
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    flags = 0 if code is None else code.co_flags
    if flags & _ASYNC_GENERATOR:
        raise TypeError(f"{function!r} is an async def with yield: await next_tick() instead")
    return bool(flags & (_GENERATOR | _COROUTINE))
