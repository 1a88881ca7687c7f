# SPDX-License-Identifier: Apache-2.0
"""Calls of user functions for many agents."""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from deepsim_btree.blackboard.key import Key
from deepsim_btree.errors import StructureError, TickError
from deepsim_btree.pickling import named_as
from deepsim_btree.placeholder import AGENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from .node import Numbers
    from .team import Team


class Call:
    """A call of a user function, in which a read-only array of agent numbers replaces AGENT.

    Args:
        path: Path of the calling node.
        team: The agents.
        function: The function; AGENT is also replaced in the arguments of a partial.
        args: Positional arguments.
        kwargs: Keyword arguments.
    """

    def __init__(
        self,
        path: str,
        team: Team,
        function: Callable[..., Any] | Key,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> None:
        kwargs = kwargs or {}
        if isinstance(function, partial):
            args, kwargs = function.args + args, {**function.keywords, **kwargs}
            function = function.func
        if isinstance(function, Key) or any(
            isinstance(value, Key) for value in (*args, *kwargs.values())
        ):
            raise StructureError(f"{path} reads a blackboard: give it a function of AGENT")
        self._path = path
        self._team = team
        self._function = function
        self._args = args
        self._kwargs = kwargs

    def __getstate__(self) -> dict[str, Any]:
        # Pickle finds no function that an @action has replaced, but the class that has it.
        function = self._function
        named = named_as(function) if isinstance(function, FunctionType) else None
        if getattr(named, "function", None) is not function:
            return self.__dict__
        return {**self.__dict__, "_function": named, "_is_replaced": True}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.pop("_is_replaced", False):
            state["_function"] = state["_function"].function
        self.__dict__.update(state)

    def __call__(self, numbers: Numbers) -> Any:
        """Returns the result of the function for some agents.

        Raises:
            TickError: The function raised an exception.
        """
        numbers.setflags(write=False)  # The nodes above still use this array.
        args = [numbers if value is AGENT else value for value in self._args]
        kwargs = {
            name: numbers if value is AGENT else value for name, value in self._kwargs.items()
        }
        try:
            return self._function(*args, **kwargs)
        except TickError:
            raise
        except Exception as error:
            raise self.failed(f"{type(error).__name__}: {error}") from error

    def failed(self, reason: str) -> TickError:
        """Returns an error that names the calling node."""
        return TickError(self._path, self._team.tick_count, reason)

    def ask(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Returns the answers of a condition, one bool per agent, (n,).

        Raises:
            TickError: The function raised an exception or did not return bools.
        """
        answers = self.read(numbers)
        if answers.dtype != np.bool_:
            raise self.failed(f"a condition must return bools, got {answers!r}")
        return answers

    def read(self, numbers: Numbers) -> NDArray[Any]:
        """Returns one value per agent, (n,).

        Raises:
            TickError: The function raised an exception or returned an array of the wrong length.
        """
        value = self(numbers)
        values = np.asarray(value)
        if values.shape == numbers.shape:
            return values
        if values.shape:
            raise self.failed(f"expected one value or an array of {len(numbers)}, got {value!r}")
        return np.broadcast_to(values, numbers.shape)
