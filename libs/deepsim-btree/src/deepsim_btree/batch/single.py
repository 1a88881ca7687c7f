# SPDX-License-Identifier: Apache-2.0
"""The rules of leaves and of decorators for many agents; functions get and return arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .branch import FAILURE, INVALID, RUNNING, SUCCESS, Agents, Branch, Codes, Mask


def tick_action(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Calls the function, which returns one `Status` or an array of their codes."""
    value = branch.call(node.function, agents, *node.args, **node.kwargs)
    return branch.codes(value, agents, "an action")


def tick_check(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Calls the function, which returns a bool or an array of bools."""
    truths = ask(branch, agents, node.function, *node.args, **node.kwargs)
    # True is SUCCESS, 2, and False FAILURE, 3.
    return np.subtract(np.uint8(FAILURE), truths, dtype=np.uint8)


def tick_constant(node: Any, _: Branch, agents: Agents) -> Codes:
    """Returns the answer of the leaf."""
    return np.full(len(agents), node.answer, np.uint8)


def tick_wait(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Compares the durations of the runs with `seconds`."""
    starts, since = _starts(branch, agents)
    is_over = branch.now - since >= node.seconds
    starts[agents] = np.where(is_over, np.nan, since)
    return np.where(is_over, SUCCESS, RUNNING).astype(np.uint8)


def ask(branch: Branch, agents: Agents, function: Any, *args: Any, **kwargs: Any) -> Mask:
    """Returns the answers of a condition, (n,), or raises TickError."""
    answers = read(branch, agents, function, *args, **kwargs)
    if answers.dtype != np.bool_:
        raise branch.failed(f"a condition must return bools, got {answers!r}")
    return answers


def read(branch: Branch, agents: Agents, function: Any, *args: Any, **kwargs: Any) -> NDArray[Any]:
    """Returns one value per agent, (n,); AGENT is also replaced in the arguments of a partial."""
    if isinstance(function, partial):
        args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
        function = function.func
    value = branch.call(function, agents, *args, **kwargs)
    values = np.asarray(value)
    if values.shape and values.shape != agents.shape:
        raise branch.failed(f"expected one value or an array of {len(agents)}, got {value!r}")
    return np.broadcast_to(values, agents.shape)


def tick_subtree(_: Any, branch: Branch, agents: Agents) -> Codes:
    """Answers like the child."""
    return branch.children[0].tick(agents)


def tick_status_map(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Translates the child's answers, and halts it where it is RUNNING but the answer is not."""
    answers = np.array(node.answers, np.uint8)
    codes = branch.children[0].tick(agents)
    if answers[RUNNING] != RUNNING:
        branch.halt_where(0, agents, codes == RUNNING)
    return answers[codes]


def tick_limit(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the child for agents below the limit, and halts it for the others."""
    ticks = (branch.state if node.lifetime else branch.run_state)("ticks", 0)
    is_below = ticks[agents] < node.tick_limit
    ticks[agents] += is_below
    answers = _tick_or_halt(branch, agents, is_below, FAILURE)
    if not node.lifetime:
        ticks[agents[answers != RUNNING]] = 0
    return answers


def tick_repeater(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the child and counts its finished runs."""
    if node.repeat == 0:
        return np.full(len(agents), SUCCESS, np.uint8)
    counts = branch.run_state("runs", 0)
    codes = branch.children[0].tick(agents)
    runs = counts[agents] + (codes != RUNNING)
    succeeds = codes == SUCCESS
    aborts = ~succeeds & (node.on_failure == "abort")
    ends = (codes != RUNNING) & (aborts | (runs == node.repeat))
    counts[agents] = np.where(ends, 0, runs)
    return np.where(ends, np.where(succeeds, SUCCESS, FAILURE), RUNNING).astype(np.uint8)


def tick_retry(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the child and counts its failed runs."""
    counts = branch.run_state("runs", 0)
    codes = branch.children[0].tick(agents)
    fails = (codes == FAILURE) | (codes == INVALID)
    runs = counts[agents] + fails
    answers = np.where(fails, np.where(runs == node.attempts, FAILURE, RUNNING), codes)
    counts[agents] = np.where(answers == RUNNING, runs, 0)
    return answers.astype(np.uint8)


def tick_run_once(_: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the child for agents for which it has not finished."""
    state = branch.state("answer", np.uint8(RUNNING))
    answers: Codes = state[agents]
    branch.tick_where(0, agents, answers == RUNNING, answers)
    state[agents] = answers
    return answers


def tick_guard(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the child where the condition holds, and halts it elsewhere."""
    return _tick_or_halt(branch, agents, ask(branch, agents, node.condition), FAILURE)


def _tick_or_halt(branch: Branch, agents: Agents, mask: Mask, otherwise: int) -> Codes:
    answers = np.full(len(agents), otherwise, np.uint8)
    branch.halt_where(0, agents, ~mask)
    branch.tick_where(0, agents, mask, answers)
    return answers


def _starts(branch: Branch, agents: Agents) -> tuple[NDArray[Any], NDArray[Any]]:
    starts = branch.run_state("start", np.nan)
    since = starts[agents]
    since[np.isnan(since)] = branch.now
    return starts, since


def tick_timed(node: Any, branch: Branch, agents: Agents, early: bool, otherwise: int) -> Codes:
    """Ticks the child before `seconds` of a run have passed, or after that if not `early`."""
    starts, since = _starts(branch, agents)
    ticks = (branch.now - since < node.seconds) == early
    answers = _tick_or_halt(branch, agents, ticks, otherwise)
    starts[agents] = np.where(answers == RUNNING, since, np.nan)
    return answers


def tick_cooldown(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the child unless it would start too early."""
    is_running = branch.run_state("is running", False)
    last = branch.state("last tick", -np.inf)
    answers = np.full(len(agents), FAILURE, np.uint8)
    runs = is_running[agents] | (branch.now - last[agents] >= node.seconds)
    last[agents[runs]] = branch.now
    branch.tick_where(0, agents, runs, answers)
    is_running[agents] = answers == RUNNING
    return answers


def tick_service(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the service for agents for which it is due or RUNNING, then the branch."""
    dues = branch.run_state("due", np.nan)  # NaN outside a run
    serves = branch.run_state("service is running", False)
    now, seconds, due = branch.now, node.seconds, dues[agents]
    due[np.isnan(due)] = now
    is_due = now >= due
    following = np.where(now - due >= seconds, now + seconds, due + seconds)
    served = np.zeros(len(agents), np.uint8)
    branch.tick_where(0, agents, is_due | serves[agents], served)
    answers = branch.children[1].tick(agents)
    ended = answers != RUNNING
    branch.halt_where(0, agents, ended)
    serves[agents] = (served == RUNNING) & ~ended
    dues[agents] = np.where(ended, np.nan, np.where(is_due, following, due))
    return answers
