# SPDX-License-Identifier: Apache-2.0
"""Leaves for many agents: calls of functions that get and return arrays, constants and `Wait`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from deepsim_btree.blackboard.key import Key
from deepsim_btree.errors import StructureError, TickError
from deepsim_btree.leaves.function import AGENT
from deepsim_btree.status import Status

from .rule import FAILURE, RUNNING, SUCCESS, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .rule import Agents, Codes


class Call:
    """A call of a user function, in which a read-only array of agent numbers replaces AGENT.

    Args:
        rule: The rule of the calling node.
        function: The function; AGENT is also replaced in the arguments of a partial.
        args: Positional arguments.
        kwargs: Keyword arguments.
    """

    def __init__(
        self,
        rule: Rule,
        function: Any,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> None:
        kwargs = kwargs or {}
        if isinstance(function, partial):
            args, kwargs = function.args + args, {**function.keywords, **kwargs}
            function = function.func
        if any(isinstance(value, Key) for value in (function, *args, *kwargs.values())):
            raise StructureError(f"{rule.path} reads a blackboard: give it a function of AGENT")
        self._rule = rule
        self._function = function
        self._args = args
        self._kwargs = kwargs

    def __call__(self, agents: Agents) -> Any:
        """Returns the result of the function for some agents.

        Raises:
            TickError: The function raised an exception.
        """
        agents.setflags(write=False)  # The nodes above still use this array.
        args = [agents if value is AGENT else value for value in self._args]
        kwargs = {n: agents if value is AGENT else value for n, value in self._kwargs.items()}
        try:
            return self._function(*args, **kwargs)
        except TickError:
            raise
        except Exception as error:
            raise self._rule.failed(f"{type(error).__name__}: {error}") from error

    def codes(self, agents: Agents) -> Codes:
        """Returns the answers of an action, (n,).

        Raises:
            TickError: The function raised an exception or did not return statuses.
        """
        value = self(agents)
        codes = status_codes(value, len(agents))
        if codes is None:
            raise self._rule.failed(
                f"an action must return a Status or an array of {len(agents)} status codes, "
                f"got {value!r}"
            )
        return codes

    def truths(self, agents: Agents) -> NDArray[np.bool_]:
        """Returns the answers of a condition, (n,).

        Raises:
            TickError: The function raised an exception or did not return bools.
        """
        answers = self.values(agents)
        if answers.dtype != np.bool_:
            raise self._rule.failed(f"a condition must return bools, got {answers!r}")
        return answers

    def numbers(self, agents: Agents) -> NDArray[np.float64]:
        """Returns one float per agent, (n,).

        Raises:
            TickError: The function raised an exception, or returned no numbers or a NaN.
        """
        values = self.values(agents)
        if values.dtype.kind not in "biuf":
            raise self._rule.failed(f"expected numbers, got {values!r}")
        if np.isnan(values).any():
            raise self._rule.failed(f"expected numbers, got a NaN in {values!r}")
        return values.astype(np.float64)

    def values(self, agents: Agents) -> NDArray[Any]:
        """Returns one value per agent, (n,).

        Raises:
            TickError: The function raised an exception or returned an array of the wrong length.
        """
        value = self(agents)
        values = np.asarray(value)
        if values.shape == agents.shape:
            return values
        if values.shape:
            raise self._rule.failed(
                f"expected one value or an array of {len(agents)}, got {value!r}"
            )
        return np.broadcast_to(values, agents.shape)


def status_codes(value: Any, count: int) -> Codes | None:
    """Returns the codes in a `Status` or an array of codes, (count,); None for any other value.

    SKIPPED is none of them: no rule of a batch knows it.
    """
    if value.__class__ is Status and value is not Status.SKIPPED:
        return np.full(count, value, np.uint8)
    codes = np.asarray(value)
    if codes.shape != (count,) or codes.dtype.kind not in "iu":
        return None
    if count and not 0 <= codes.min() <= codes.max() <= FAILURE:
        return None
    return codes.astype(np.uint8)  # a copy, which the rules above may change


class ActionRule(Rule):
    """An `Action`, whose function returns one `Status` or an array of their codes."""

    def prepare(self) -> None:
        """Takes the function and its arguments."""
        self._call = Call(self, self.node.function, self.node.args, self.node.kwargs)

    def __getstate__(self) -> dict[str, Any]:
        # Pickle finds no function that an @action has replaced, but the class of the node.
        return {name: value for name, value in self.__dict__.items() if name != "_call"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        ActionRule.prepare(self)

    def tick(self, agents: Agents) -> Codes:
        """Calls the function."""
        return self._call.codes(agents)


class CheckRule(ActionRule):
    """A `Check`, whose function returns a bool or an array of bools."""

    def tick(self, agents: Agents) -> Codes:
        """Calls the function."""
        # True is SUCCESS, 2, and False FAILURE, 3.
        return np.subtract(np.uint8(FAILURE), self._call.truths(agents), dtype=np.uint8)


class ConstantRule(Rule):
    """A leaf that always gives the same answer."""

    def tick(self, agents: Agents) -> Codes:
        """Returns the answer."""
        return np.full(len(agents), self.node.answer, np.uint8)


class WaitRule(Rule):
    """A `Wait`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._since = self.run_state(np.nan, np.float64)

    def tick(self, agents: Agents) -> Codes:
        """Compares the durations of the runs with `seconds`."""
        since = self._since[agents]
        since[np.isnan(since)] = self.shared.now
        is_over = self.shared.now - since >= self.node.seconds
        self._since[agents] = np.where(is_over, np.nan, since)
        return np.where(is_over, SUCCESS, RUNNING).astype(np.uint8)
