# SPDX-License-Identifier: Apache-2.0
"""Control nodes with several children for many agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deepsim_btree.errors import StructureError

from .leaves import Call
from .rule import FAILURE, INVALID, RUNNING, SUCCESS, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rule import Agents, Codes


class MemoryRule(Rule):
    """A `Sequence` or a `Selector`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._first = self.run_state(0, np.intp)  # the RUNNING child

    def tick(self, agents: Agents) -> Codes:
        """Ticks children in order, each for the agents whose earlier children answered `go_on`."""
        go_on = int(self.node.go_on)
        answers = np.full(len(agents), go_on, np.uint8)
        first = self._first[agents]
        latest = first.max()
        if latest:
            self._first[agents] = 0
        rows: NDArray[np.intp] = np.arange(len(agents))  # of the agents that go on
        for position, child in enumerate(self.children):
            if position < latest:  # some agents begin at a later child
                codes = np.full(len(agents), go_on, np.uint8)
                self.tick_where(position, agents, first[rows] <= position, codes)
            else:
                codes = child.tick(agents)
            ends = ending(codes, go_on)
            ended = ends.nonzero()[0]
            if ended.size:
                codes = codes[ended]
                answers[rows[ended]] = codes
                self._first[agents[ended[codes == RUNNING]]] = position
                goes = (~ends).nonzero()[0]
                if not goes.size:
                    break
                rows, agents = rows[goes], agents[goes]
        return without_invalid(answers)


class ReactiveRule(Rule):
    """A `ReactiveSequence` or a `ReactiveSelector`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._running: NDArray[np.intp] | None = None  # the RUNNING child, or -1
        if any(child.has_runs for child in self.children[1:]):
            self._running = self.run_state(-1, np.intp)

    def tick(self, agents: Agents) -> Codes:
        """Ticks children in order, and halts the one that was RUNNING after the last of them."""
        go_on = int(self.node.go_on)
        answers = np.full(len(agents), go_on, np.uint8)
        if self._running is not None:
            running = self._running[agents]
            self._running[agents] = -1
        rows: NDArray[np.intp] = np.arange(len(agents))
        for position, child in enumerate(self.children):
            codes = child.tick(agents)
            ends = ending(codes, go_on)
            ended = ends.nonzero()[0]
            if ended.size:
                codes = codes[ended]
                answers[rows[ended]] = codes
                if self._running is not None:
                    those, before = agents[ended], running[rows[ended]]
                    for later in range(position + 1, len(self.children)):
                        self.halt_where(later, those, before == later)
                    self._running[those[codes == RUNNING]] = position
                goes = (~ends).nonzero()[0]
                if not goes.size:
                    break
                rows, agents = rows[goes], agents[goes]
        return without_invalid(answers)


class ParallelRule(Rule):
    """A `Parallel`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._needed, self._allowed = self.node.thresholds()
        # The answers of each child in the run, (count,); RUNNING stands for an unfinished child.
        self._answers = [self.run_state(RUNNING, np.uint8) for _ in self.children]

    def tick(self, agents: Agents) -> Codes:
        """Ticks the unfinished children, and counts the successes and failures of the run."""
        answers = [array[agents] for array in self._answers]
        successes = np.zeros(len(agents), np.intp)
        failures = np.zeros(len(agents), np.intp)
        for codes in answers:
            successes += codes == SUCCESS
            failures += (codes == FAILURE) | (codes == INVALID)
        for child, codes in enumerate(answers):
            is_due = codes == RUNNING
            if self.node.eager:
                is_due &= (successes < self._needed) & (failures < self._allowed)
            self.tick_where(child, agents, is_due, codes)
            successes += is_due & (codes == SUCCESS)
            failures += is_due & ((codes == FAILURE) | (codes == INVALID))
        succeeds = successes >= self._needed
        ends = succeeds | (failures >= self._allowed)
        for child, (array, codes) in enumerate(zip(self._answers, answers)):
            self.halt_where(child, agents, ends & (codes == RUNNING))
            codes[ends] = RUNNING
            array[agents] = codes
        return np.where(ends, np.where(succeeds, SUCCESS, FAILURE), RUNNING).astype(np.uint8)


class ParallelAllRule(Rule):
    """A `ParallelAll`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._allowed = self.node.threshold()
        self._answers = [self.run_state(RUNNING, np.uint8) for _ in self.children]

    def tick(self, agents: Agents) -> Codes:
        """Ticks the unfinished children, and counts the failures once all have finished."""
        failures = np.zeros(len(agents), np.intp)
        runs = np.zeros(len(agents), np.bool_)
        for child, array in enumerate(self._answers):
            codes = array[agents]
            self.tick_where(child, agents, codes == RUNNING, codes)
            array[agents] = codes
            failures += (codes == FAILURE) | (codes == INVALID)
            runs |= codes == RUNNING
        for array in self._answers:
            array[agents[~runs]] = RUNNING
        fails = (failures > 0) & (failures >= self._allowed)
        return np.where(runs, RUNNING, np.where(fails, FAILURE, SUCCESS)).astype(np.uint8)


class IfThenElseRule(Rule):
    """An `IfThenElse`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._branch = self.run_state(0, np.intp)  # 0 before the condition has answered

    def tick(self, agents: Agents) -> Codes:
        """Ticks the condition for agents that need its answer, then the branches."""
        branch = self._branch[agents]
        answers = np.full(len(agents), RUNNING, np.uint8)
        asks = branch == 0
        self.tick_where(0, agents, asks, answers)
        decided = asks & (answers != RUNNING)
        branch[decided] = np.where(answers[decided] == SUCCESS, 1, 2)
        answers[branch > 0] = FAILURE
        for child in range(1, len(self.children)):
            self.tick_where(child, agents, branch == child, answers)
        self._branch[agents] = np.where(answers == RUNNING, branch, 0)
        return without_invalid(answers)


class WhileDoElseRule(Rule):
    """A `WhileDoElse`."""

    def tick(self, agents: Agents) -> Codes:
        """Ticks the condition, halts one branch and ticks the other."""
        answers = self.children[0].tick(agents)
        branch = np.where(answers == RUNNING, 0, np.where(answers == SUCCESS, 1, 2))
        answers[branch > 0] = FAILURE
        for child in range(1, len(self.children)):
            self.halt_where(child, agents, branch == 3 - child)
            self.tick_where(child, agents, branch == child, answers)
        return without_invalid(answers)


class SwitchRule(Rule):
    """A `Switch` on a function of AGENT."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._on = Call(self, self.node.on)

    def tick(self, agents: Agents) -> Codes:
        """Reads the values, ticks the child of each and halts the others."""
        answers = np.full(len(agents), FAILURE, np.uint8)
        values = self._on.values(agents)
        if values.dtype == object:
            chosen = np.array([self.node.choose(value) for value in values.tolist()])
        else:
            values, which = np.unique(values, return_inverse=True)
            chosen = np.array([self.node.choose(value) for value in values.tolist()])[which]
        for child in range(len(self.children)):
            self.halt_where(child, agents, chosen != child)
            self.tick_where(child, agents, chosen == child, answers)
        return without_invalid(answers)


class StepwiseRule(Rule):
    """An `AsyncSequence`, an `AsyncSelector` or a `SequenceWithMemory`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        state = self.lasting_state if self.node.keeps_place else self.run_state
        self._place = state(0, np.intp)
        self._was_running = self.run_state(False, np.bool_)  # the child at the place

    def tick(self, agents: Agents) -> Codes:
        """Ticks the current child, and goes on with the next one only if it was RUNNING."""
        count, go_on = len(self.children), int(self.node.go_on)
        answers = np.full(len(agents), go_on, np.uint8)
        place, was_running = self._place[agents], self._was_running[agents]
        goes = np.ones(len(agents), np.bool_)
        for child in range(count):
            codes = np.full(len(agents), go_on, np.uint8)
            here = goes & (place == child)
            self.tick_where(child, agents, here, codes)
            codes = without_invalid(codes)
            answers[here] = codes[here]
            advances = here & (codes == go_on)
            place += advances
            pauses = advances & ~was_running & (place < count)
            answers[pauses] = RUNNING
            was_running[here] = (codes == RUNNING)[here]
            goes &= ~here | (advances & ~pauses)
        place[place == count] = 0
        if not self.node.keeps_place:
            place[answers != RUNNING] = 0
        self._place[agents], self._was_running[agents] = place, was_running
        return answers


class TryCatchRule(Rule):
    """A `TryCatch` without `catch_on_halt`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        if self.node.catch_on_halt:
            raise StructureError(f"{self.path} has catch_on_halt, which a Batch cannot do")
        self._place = self.run_state(0, np.intp)  # the RUNNING child

    def tick(self, agents: Agents) -> Codes:
        """Continues the sequence or, after a failure, the last child."""
        last = len(self.children) - 1
        place = self._place[agents]
        answers = np.full(len(agents), SUCCESS, np.uint8)
        catches = (place == last) & (last > 0)
        for child in range(last):
            here = (place <= child) & (answers == SUCCESS) & ~catches
            self.tick_where(child, agents, here, answers)
            place[here & (answers == RUNNING)] = child
            catches |= here & ((answers == FAILURE) | (answers == INVALID))
        if catches.any():
            self.tick_where(last, agents, catches, answers)
            answers[catches & (answers != RUNNING)] = FAILURE
            place[catches] = last
        self._place[agents] = np.where(answers == RUNNING, place, 0)
        return answers


def ending(codes: Codes, go_on: int) -> NDArray[np.bool_]:
    """Returns for which agents an answer ends a composite: INVALID counts as FAILURE."""
    ends: NDArray[np.bool_] = codes != go_on
    return ends & (codes != INVALID) if go_on == FAILURE else ends


def without_invalid(codes: Codes) -> Codes:
    """Returns codes, in place, with FAILURE for INVALID."""
    codes[codes == INVALID] = FAILURE
    return codes
