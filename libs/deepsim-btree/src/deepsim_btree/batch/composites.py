# SPDX-License-Identifier: Apache-2.0
"""The rules of control nodes with several children for many agents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .branch import FAILURE, INVALID, RUNNING, SUCCESS, Agents, Branch, Codes, Mask
from .single import read


def tick_in_turn(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks children in order, each for the agents whose earlier children answered `go_on`."""
    firsts, go_on = branch.run_state("RUNNING child", 0), int(node.go_on)
    answers = np.full(len(agents), go_on, np.uint8)
    first = firsts[agents]
    latest = first.max()
    if latest:
        firsts[agents] = 0
    rows: NDArray[np.intp] = np.arange(len(agents))  # of the agents that go on
    for position, child in enumerate(branch.children):
        if position < latest:  # some agents begin at a later child
            codes = np.full(len(agents), go_on, np.uint8)
            branch.tick_where(position, agents, first[rows] <= position, codes)
        else:
            codes = child.tick(agents)
        ends = _ends(codes, go_on)
        ended = ends.nonzero()[0]
        if ended.size:
            codes = codes[ended]
            answers[rows[ended]] = codes
            firsts[agents[ended[codes == RUNNING]]] = position
            goes = (~ends).nonzero()[0]
            if not goes.size:
                break
            rows, agents = rows[goes], agents[goes]
    return _without_invalid(answers)


def tick_from_first(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks children in order, and halts the one that was RUNNING after the last of them."""
    states, go_on = branch.run_state("RUNNING child", -1), int(node.go_on)
    answers = np.full(len(agents), go_on, np.uint8)
    halts = any(child.has_runs for child in branch.children[1:])
    if halts:
        running = states[agents]
        states[agents] = -1
    rows: NDArray[np.intp] = np.arange(len(agents))
    for position, child in enumerate(branch.children):
        codes = child.tick(agents)
        ends = _ends(codes, go_on)
        ended = ends.nonzero()[0]
        if ended.size:
            codes = codes[ended]
            answers[rows[ended]] = codes
            if halts:
                those, before = agents[ended], running[rows[ended]]
                for later in range(position + 1, len(branch.children)):
                    branch.halt_where(later, those, before == later)
                states[those[codes == RUNNING]] = position
            goes = (~ends).nonzero()[0]
            if not goes.size:
                break
            rows, agents = rows[goes], agents[goes]
    return _without_invalid(answers)


def tick_parallel(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the unfinished children, and counts the successes and failures of the run."""
    needed, allowed = node.thresholds()
    states, answers = _answers(branch, agents)
    successes = np.zeros(len(agents), np.intp)
    failures = np.zeros(len(agents), np.intp)
    for codes in answers:
        successes += codes == SUCCESS
        failures += (codes == FAILURE) | (codes == INVALID)
    for child, codes in enumerate(answers):
        is_due = codes == RUNNING
        if node.eager:
            is_due &= (successes < needed) & (failures < allowed)
        branch.tick_where(child, agents, is_due, codes)
        successes += is_due & (codes == SUCCESS)
        failures += is_due & ((codes == FAILURE) | (codes == INVALID))
    succeeds = successes >= needed
    ends = succeeds | (failures >= allowed)
    for child, (state, codes) in enumerate(zip(states, answers)):
        branch.halt_where(child, agents, ends & (codes == RUNNING))
        codes[ends] = RUNNING
        state[agents] = codes
    return np.where(ends, np.where(succeeds, SUCCESS, FAILURE), RUNNING).astype(np.uint8)


def tick_parallel_all(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the unfinished children, and counts the failures once all have finished."""
    failures = np.zeros(len(agents), np.intp)
    runs = np.zeros(len(agents), np.bool_)
    states, answers = _answers(branch, agents)
    for child, (state, codes) in enumerate(zip(states, answers)):
        branch.tick_where(child, agents, codes == RUNNING, codes)
        state[agents] = codes
        failures += (codes == FAILURE) | (codes == INVALID)
        runs |= codes == RUNNING
    for state in states:
        state[agents[~runs]] = RUNNING
    fails = failures >= node.threshold()
    return np.where(runs, RUNNING, np.where(fails, FAILURE, SUCCESS)).astype(np.uint8)


def _answers(branch: Branch, agents: Agents) -> tuple[list[Codes], list[Codes]]:
    """Returns the children's answers in the run, of all agents and of some; RUNNING if none yet."""
    positions = range(len(branch.children))
    states = [branch.run_state(f"answer of {child}", np.uint8(RUNNING)) for child in positions]
    return states, [state[agents] for state in states]


def tick_if_then_else(_: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the condition for agents that need its answer, then the branches."""
    chosen = branch.run_state("branch", 0)  # 0 before the condition has answered
    choice = chosen[agents]
    answers = np.full(len(agents), RUNNING, np.uint8)
    asks = choice == 0
    branch.tick_where(0, agents, asks, answers)
    decided = asks & (answers != RUNNING)
    choice[decided] = np.where(answers[decided] == SUCCESS, 1, 2)
    answers[choice > 0] = FAILURE
    for child in range(1, len(branch.children)):
        branch.tick_where(child, agents, choice == child, answers)
    chosen[agents] = np.where(answers == RUNNING, choice, 0)
    return _without_invalid(answers)


def tick_while_do_else(_: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the condition, halts one branch and ticks the other."""
    answers = branch.children[0].tick(agents)
    choice = np.where(answers == RUNNING, 0, np.where(answers == SUCCESS, 1, 2))
    answers[choice > 0] = FAILURE
    for child in range(1, len(branch.children)):
        branch.halt_where(child, agents, choice == 3 - child)
        branch.tick_where(child, agents, choice == child, answers)
    return _without_invalid(answers)


def tick_switch(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Reads the values, ticks the child of each and halts the others."""
    answers = np.full(len(agents), FAILURE, np.uint8)
    values = read(branch, agents, node.on)
    which: Any = slice(None)
    if values.dtype != object:
        values, which = np.unique(values, return_inverse=True)
    chosen = np.array([node.choose(value) for value in values.tolist()])[which]
    for child in range(len(branch.children)):
        branch.halt_where(child, agents, chosen != child)
        branch.tick_where(child, agents, chosen == child, answers)
    return _without_invalid(answers)


def tick_stepwise(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the current child, and goes on with the next one only if it was RUNNING."""
    count, go_on = len(branch.children), int(node.go_on)
    places = (branch.state if node.keeps_place else branch.run_state)("place", 0)
    runs = branch.run_state("child is running", False)
    answers = np.full(len(agents), go_on, np.uint8)
    place, was_running = places[agents], runs[agents]
    goes = np.ones(len(agents), np.bool_)
    for child in range(count):
        codes = np.full(len(agents), go_on, np.uint8)
        here = goes & (place == child)
        branch.tick_where(child, agents, here, codes)
        codes = _without_invalid(codes)
        answers[here] = codes[here]
        advances = here & (codes == go_on)
        place += advances
        pauses = advances & ~was_running & (place < count)
        answers[pauses] = RUNNING
        was_running[here] = (codes == RUNNING)[here]
        goes &= ~here | (advances & ~pauses)
    place[place == count] = 0
    if not node.keeps_place:
        place[answers != RUNNING] = 0
    places[agents], runs[agents] = place, was_running
    return answers


def tick_try_catch(_: Any, branch: Branch, agents: Agents) -> Codes:
    """Continues the sequence or, after a failure, the last child."""
    places = branch.run_state("place", 0)  # of the RUNNING child
    last = len(branch.children) - 1
    place = places[agents]
    answers = np.full(len(agents), SUCCESS, np.uint8)
    catches = (place == last) & (last > 0)
    for child in range(last):
        here = (place <= child) & (answers == SUCCESS) & ~catches
        branch.tick_where(child, agents, here, answers)
        place[here & (answers == RUNNING)] = child
        catches |= here & ((answers == FAILURE) | (answers == INVALID))
    if catches.any():
        branch.tick_where(last, agents, catches, answers)
        answers[catches & (answers != RUNNING)] = FAILURE
        place[catches] = last
    places[agents] = np.where(answers == RUNNING, place, 0)
    return answers


def _ends(codes: Codes, go_on: int) -> Mask:
    """Returns for which agents an answer ends a composite: INVALID counts as FAILURE."""
    ends: Mask = codes != go_on
    return ends & (codes != INVALID) if go_on == FAILURE else ends


def _without_invalid(codes: Codes) -> Codes:
    """Returns codes, in place, with FAILURE for INVALID."""
    codes[codes == INVALID] = FAILURE
    return codes
