# SPDX-License-Identifier: Apache-2.0
"""Leaves for many agents: functions that get and return arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deepsim_btree.status import Status

from .call import Call
from .node import FAILURE, Node

if TYPE_CHECKING:
    from deepsim_btree.errors import TickError
    from deepsim_btree.leaves.constant import Constant
    from deepsim_btree.leaves.function import FunctionLeaf

    from .node import Codes, Numbers
    from .team import Team


class ActionNode(Node):
    """An `Action`, whose function returns one `Status` or an array of their codes."""

    def __init__(self, node: FunctionLeaf, team: Team, children: list[Node]) -> None:
        super().__init__(node, team, children)
        self._call = Call(self.path, team, node.function, node.args, node.kwargs)

    def tick(self, numbers: Numbers) -> Codes:
        """Calls the function."""
        value = self._call(numbers)
        if value.__class__ is Status and value is not Status.SKIPPED:
            return np.full(len(numbers), value, np.uint8)
        codes = np.asarray(value)
        if codes.shape != numbers.shape or codes.dtype.kind not in "iu":
            raise self._no_codes(numbers, value)
        if codes.max() > 3 or codes.min() < 0:
            raise self._no_codes(numbers, value)
        return codes.astype(np.uint8, copy=False)

    def _no_codes(self, numbers: Numbers, value: object) -> TickError:
        return self._call.failed(
            f"an action must return a Status or an array of {len(numbers)} status codes, "
            f"got {value!r}"
        )


class CheckNode(Node):
    """A `Check` whose function returns a bool or an array of bools."""

    answers = frozenset({Status.SUCCESS, Status.FAILURE})

    def __init__(self, node: FunctionLeaf, team: Team, children: list[Node]) -> None:
        super().__init__(node, team, children)
        self._call = Call(self.path, team, node.function, node.args, node.kwargs)

    def tick(self, numbers: Numbers) -> Codes:
        """Calls the function."""
        # True is SUCCESS, 2, and False FAILURE, 3.
        return np.subtract(np.uint8(FAILURE), self._call.ask(numbers), dtype=np.uint8)


class ConstantNode(Node):
    """A leaf that always gives the same answer."""

    def __init__(self, node: Constant, team: Team, children: list[Node]) -> None:
        super().__init__(node, team, children)
        self._answer = node.answer
        self.answers = frozenset({node.answer})

    def tick(self, numbers: Numbers) -> Codes:
        """Returns the answer."""
        return np.full(len(numbers), self._answer, np.uint8)
