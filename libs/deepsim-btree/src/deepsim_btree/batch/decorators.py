# SPDX-License-Identifier: Apache-2.0
"""Decorators for many agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deepsim_btree.errors import StructureError
from deepsim_btree.status import SKIPPED

from .leaves import Call
from .rule import FAILURE, INVALID, RUNNING, SUCCESS, Rule

if TYPE_CHECKING:
    from .rule import Agents, Codes


class PassRule(Rule):
    """A `SubTree`, which answers like its child."""

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child."""
        return self.children[0].tick(agents)


class StatusMapRule(Rule):
    """A decorator that translates the answers of its child."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        if SKIPPED in self.node.answers[:SKIPPED]:
            raise no_skips(self)
        self._answers = np.array(self.node.answers, np.uint8)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child, and halts it where it is RUNNING but the answer is not."""
        codes = self.children[0].tick(agents)
        if self._answers[RUNNING] != RUNNING:
            self.halt_where(0, agents, codes == RUNNING)
        return self._answers[codes]


class LimitRule(Rule):
    """A `Limit`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._ticks = (self.lasting_state if self.node.lifetime else self.run_state)(0, np.int64)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child for agents below the limit, and halts it for the others."""
        answers = np.full(len(agents), FAILURE, np.uint8)
        is_below = self._ticks[agents] < self.node.tick_limit
        self.halt_where(0, agents, ~is_below)
        self._ticks[agents] += is_below
        self.tick_where(0, agents, is_below, answers)
        if not self.node.lifetime:
            self._ticks[agents[answers != RUNNING]] = 0
        return answers


class RepeaterRule(Rule):
    """A `Repeater`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._runs = self.run_state(0, np.int64)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child and counts its finished runs."""
        if self.node.repeat == 0:
            return np.full(len(agents), SUCCESS, np.uint8)
        codes = self.children[0].tick(agents)
        runs = self._runs[agents] + (codes != RUNNING)
        succeeds = codes == SUCCESS
        aborts = ~succeeds & (self.node.on_failure == "abort")
        ends = (codes != RUNNING) & (aborts | (runs == self.node.repeat))
        self._runs[agents] = np.where(ends, 0, runs)
        return np.where(ends, np.where(succeeds, SUCCESS, FAILURE), RUNNING).astype(np.uint8)


class RetryRule(Rule):
    """A `Retry`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._runs = self.run_state(0, np.int64)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child and counts its failed runs."""
        codes = self.children[0].tick(agents)
        fails = (codes == FAILURE) | (codes == INVALID)
        runs = self._runs[agents] + fails
        answers = np.where(fails, np.where(runs == self.node.attempts, FAILURE, RUNNING), codes)
        self._runs[agents] = np.where(answers == RUNNING, runs, 0)
        return answers.astype(np.uint8)


class RunOnceRule(Rule):
    """A `RunOnce`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        if self.node.then_skip:
            raise no_skips(self)
        self._answer = self.lasting_state(RUNNING, np.uint8)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child for agents for which it has not finished."""
        answers: Codes = self._answer[agents]
        self.tick_where(0, agents, answers == RUNNING, answers)
        self._answer[agents] = answers
        return answers


class GuardRule(Rule):
    """A `Guard`, whose condition is a function of AGENT."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._condition = Call(self, self.node.condition)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child where the condition holds, and halts it elsewhere."""
        answers = np.full(len(agents), FAILURE, np.uint8)
        holds = self._condition.truths(agents)
        self.halt_where(0, agents, ~holds)
        self.tick_where(0, agents, holds, answers)
        return answers


class TimerRule(Rule):
    """The base of the decorators that measure time from the start of a run."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._since = self.run_state(np.nan, np.float64)  # NaN outside a run

    def _measure(self, agents: Agents, early: int, late: int) -> Codes:
        """Returns a code for agents before `seconds` have passed, and another one after."""
        since = self._since[agents]
        since[np.isnan(since)] = self.shared.now
        self._since[agents] = since
        is_late = self.shared.now - since >= self.node.seconds
        return np.where(is_late, late, early).astype(np.uint8)

    def _end_runs(self, agents: Agents, answers: Codes) -> Codes:
        self._since[agents[answers != RUNNING]] = np.nan
        return answers


class TimeoutRule(TimerRule):
    """A `Timeout`."""

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child, and halts it for agents whose time is over."""
        answers = self._measure(agents, RUNNING, FAILURE)
        self.halt_where(0, agents, answers == FAILURE)
        self.tick_where(0, agents, answers == RUNNING, answers)
        return self._end_runs(agents, answers)


class DelayRule(TimerRule):
    """A `Delay`."""

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child for agents that have waited."""
        answers = self._measure(agents, RUNNING, INVALID)
        self.tick_where(0, agents, answers == INVALID, answers)
        return self._end_runs(agents, answers)


class CooldownRule(Rule):
    """A `Cooldown`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._is_running = self.run_state(False, np.bool_)
        self._last = self.lasting_state(-np.inf, np.float64)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the child unless it would start too early."""
        answers = np.full(len(agents), FAILURE, np.uint8)
        is_cool = self.shared.now - self._last[agents] >= self.node.seconds
        runs = self._is_running[agents] | is_cool
        self._last[agents[runs]] = self.shared.now
        self.tick_where(0, agents, runs, answers)
        self._is_running[agents] = answers == RUNNING
        return answers


class ServiceRule(Rule):
    """A `Service`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._due = self.run_state(np.nan, np.float64)  # NaN outside a run
        self._serves = self.run_state(False, np.bool_)

    def tick(self, agents: Agents) -> Codes:
        """Ticks the service for agents for which it is due or RUNNING, then the branch."""
        now, seconds = self.shared.now, self.node.seconds
        due = self._due[agents]
        due[np.isnan(due)] = now
        is_due = now >= due
        self._due[agents] = np.where(
            is_due, np.where(now - due >= seconds, now + seconds, due + seconds), due
        )
        served = np.zeros(len(agents), np.uint8)
        self.tick_where(0, agents, is_due | self._serves[agents], served)
        self._serves[agents] = served == RUNNING
        answers = self.children[1].tick(agents)
        ended = answers != RUNNING
        self.halt_where(0, agents, ended)
        self._due[agents[ended]] = np.nan
        self._serves[agents[ended]] = False
        return answers


def no_skips(rule: Rule) -> StructureError:
    """Returns the error for a node that may answer SKIPPED."""
    return StructureError(f"{rule.path} may answer SKIPPED, which no node of a Batch can")
