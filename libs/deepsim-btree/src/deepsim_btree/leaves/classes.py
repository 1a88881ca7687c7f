# SPDX-License-Identifier: Apache-2.0
"""The decorators ``@action`` and ``@condition``, which turn functions into classes of leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .function import Action, Check, FunctionLeaf, pauses
from .routine import Routine

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from typing_extensions import ParamSpec

    from deepsim_btree.status import Status

    P = ParamSpec("P")


@overload
def action(function: Callable[P, Status]) -> Callable[P, Action]: ...


@overload
def action(function: Callable[P, Generator[Any, None, Status | None]]) -> Callable[P, Routine]: ...


@overload
def action(
    function: Callable[P, Coroutine[Any, Any, Status | None]],
) -> Callable[P, Routine]: ...


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
