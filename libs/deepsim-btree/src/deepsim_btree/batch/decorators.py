# SPDX-License-Identifier: Apache-2.0
"""Decorators for many agents: those that translate, count or guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deepsim_btree.errors import StructureError

from .call import Call
from .node import FAILURE, FINISHED, RUNNING, SUCCESS, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from deepsim_btree.counters import Limit, Repeater, Retry, RunOnce
    from deepsim_btree.decorator import Decorator
    from deepsim_btree.guard import Guard
    from deepsim_btree.status_map import StatusMap

    from .node import Codes, Numbers
    from .team import Team

NO_ANSWER = 255


class DecoratorNode(Node):
    """A node with one child, which it ticks for some agents and halts for the others."""

    def __init__(self, node: Decorator, team: Team) -> None:
        super().__init__(node, team)
        self.child = self.children[0]

    def tick_where(
        self, mask: NDArray[np.bool_], numbers: Numbers, otherwise: Codes | int
    ) -> Codes:
        """Tick the child for the agents in a mask; the others are answered `otherwise`."""
        if mask.all():
            return self.child.tick(numbers)
        answers = np.empty(len(numbers), np.uint8)
        answers[:] = otherwise
        rows = np.flatnonzero(mask)
        if rows.size:
            answers[rows] = self.child.tick(numbers[rows])
        return answers


class PassNode(DecoratorNode):
    """Answers as its child: a `SubTree`."""

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child."""
        return self.child.tick(numbers)


class StatusMapNode(DecoratorNode):
    """Looks the answer up."""

    def __init__(self, node: StatusMap, team: Team) -> None:
        super().__init__(node, team)
        self._answers = np.array(node.answers, np.uint8)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child and translate."""
        codes = self.child.tick(numbers)
        if self._answers[RUNNING] != RUNNING and self.child.run_states:
            self.child.halt(numbers[codes == RUNNING])
        answers: Codes = self._answers[codes]
        return answers


class LimitNode(DecoratorNode):
    """Counts ticks."""

    def __init__(self, node: Limit, team: Team) -> None:
        super().__init__(node, team)
        self._tick_limit = node.tick_limit
        self._lifetime = node.lifetime
        state = self.lasting_state if node.lifetime else self.run_state
        self._ticks = state(0, np.int64)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child for the agents that have ticks left."""
        allowed = self._ticks[numbers] < self._tick_limit
        self._ticks[numbers[allowed]] += 1
        self.child.halt(numbers[~allowed])
        codes = self.tick_where(allowed, numbers, FAILURE)
        if not self._lifetime:
            self._ticks[numbers[codes != RUNNING]] = 0
        return codes


class RepeaterNode(DecoratorNode):
    """Counts the runs that have ended."""

    def __init__(self, node: Repeater, team: Team) -> None:
        super().__init__(node, team)
        self._repeat = node.repeat
        self._aborts = node.on_failure == "abort"
        self._runs = self.run_state(0, np.int64)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child."""
        if self._repeat == 0:
            return np.full(len(numbers), SUCCESS, np.uint8)
        codes = FINISHED[self.child.tick(numbers)]
        ended = codes != RUNNING
        self._runs[numbers[ended]] += 1
        last = ended & (self._runs[numbers] == self._repeat)
        if self._aborts:
            last |= codes == FAILURE
        self._runs[numbers[last]] = 0
        return np.where(last, codes, np.uint8(RUNNING))


class RetryNode(DecoratorNode):
    """Counts the runs that have failed."""

    def __init__(self, node: Retry, team: Team) -> None:
        super().__init__(node, team)
        self._attempts = node.attempts
        self._runs = self.run_state(0, np.int64)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child."""
        codes = FINISHED[self.child.tick(numbers)]
        failed = codes == FAILURE
        self._runs[numbers[failed]] += 1
        last = (codes == SUCCESS) | (failed & (self._runs[numbers] == self._attempts))
        self._runs[numbers[last]] = 0
        return np.where(last, codes, np.uint8(RUNNING))


class RunOnceNode(DecoratorNode):
    """Keeps the answers for good."""

    def __init__(self, node: RunOnce, team: Team) -> None:
        super().__init__(node, team)
        if node.then_skip:
            raise StructureError(f"{self.path} answers SKIPPED, which no Batch has")
        self._answers = self.lasting_state(NO_ANSWER, np.uint8)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child for the agents that have no answer yet."""
        known = self._answers[numbers]
        codes = self.tick_where(known == NO_ANSWER, numbers, known)
        ended = codes != RUNNING
        self._answers[numbers[ended]] = codes[ended]
        return codes


class GuardNode(DecoratorNode):
    """Asks a condition before each tick."""

    def __init__(self, node: Guard, team: Team) -> None:
        super().__init__(node, team)
        self._condition = Call(self.path, team, node.condition)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child where the condition holds, and halt it elsewhere."""
        holds = self._condition.ask(numbers)
        self.child.halt(numbers[~holds])
        return self.tick_where(holds, numbers, FAILURE)
