# SPDX-License-Identifier: Apache-2.0
"""Leaves made of plain functions: most leaves need no class of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .behaviour import Behaviour
from .status import FAILURE, SUCCESS, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import ParamSpec

    P = ParamSpec("P")


class FunctionLeaf(Behaviour):
    """A leaf that calls ``function(*args, **kwargs)`` at each tick.

    Attributes:
        args: Positional arguments of the call; read only.
        kwargs: Keyword arguments of the call; read only.
    """

    __slots__ = ("_function", "args", "kwargs")

    def __init__(
        self, function: Callable[..., Any], *args: object, name: str | None = None, **kwargs: object
    ) -> None:
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        if name is None:
            name = getattr(function, "__name__", type(function).__name__)
        super().__init__(name)
        self._function = function
        self.args = args
        self.kwargs = kwargs

    def _bind(self, *args: object, **kwargs: object) -> None:
        """Be the constructor of a class that has its function already."""
        super().__init__()
        self.args = args
        self.kwargs = kwargs

    @property
    def function(self) -> Callable[..., Any]:
        """What is called."""
        return self._function


class Action(FunctionLeaf):
    """A leaf that does something: its function returns a `Status`.

    Args:
        function: Called at each tick; must not block.
        *args: Handed to it at each tick.
        name: Name of the node; that of the function if None.
        **kwargs: Handed to it at each tick.
    """

    __slots__ = ()

    def update(self) -> Status:
        """Call the function and return what it returns."""
        status: Status = self.function(*self.args, **self.kwargs)
        return status

    def _entry(self) -> Callable[[], Status]:
        if not self._plain or type(self).update is not Action.update:
            return super()._entry()
        if self.args or self.kwargs:
            return partial(self.function, *self.args, **self.kwargs)
        return self.function


class Check(FunctionLeaf):
    """A leaf that asks something: its function returns True or False, in no time.

    True is SUCCESS and False is FAILURE. Other values count by their truth, but None and a
    `Status` are errors: the first is a forgotten ``return``, the second would always be true.

    Args:
        function: Called at each tick.
        *args: Handed to it at each tick.
        name: Name of the node; that of the function if None.
        **kwargs: Handed to it at each tick.
    """

    __slots__ = ()

    def update(self) -> Status:
        """Return SUCCESS if the function says yes, otherwise FAILURE."""
        return SUCCESS if truth(self.function(*self.args, **self.kwargs)) else FAILURE


def truth(value: object) -> bool:
    """Return whether the answer of a condition means yes.

    Raises:
        TypeError: It is None or a `Status`.
    """
    if value is None or isinstance(value, Status):
        raise TypeError(f"a condition must return True or False, got {value!r}")
    return bool(value)


def action(function: Callable[P, Status]) -> Callable[P, Action]:
    """Turn a function into a class of `Action`.

    Call it with the function's arguments to get a node, whose name is that of the function. The
    function itself remains as the attribute ``function``. For a method of an object that exists
    already write ``Action(robot.drive)``.

    >>> @action
    ... def drive(robot, speed=1.0):
    ...     robot.append(speed)
    ...     return Status.RUNNING
    >>> robot = []
    >>> drive(robot, speed=0.5).tick().name, robot
    ('RUNNING', [0.5])
    """
    leaf_class: Callable[P, Action] = _leaf_class(Action, function)
    return leaf_class


def condition(function: Callable[P, bool]) -> Callable[P, Check]:
    """Turn a function that returns True or False into a class of `Check`, as `action` does.

    >>> @condition
    ... def battery_low(robot, limit):
    ...     return robot["battery"] < limit
    >>> battery_low({"battery": 0.1}, limit=0.2).tick().name
    'SUCCESS'
    """
    leaf_class: Callable[P, Check] = _leaf_class(Check, function)
    return leaf_class


def _leaf_class(base: type[FunctionLeaf], function: Callable[..., Any]) -> Any:
    # A class, so that nodes can be pickled: its name is where pickle finds it, whereas the name
    # of the bare function would lead to whatever replaced it.
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
