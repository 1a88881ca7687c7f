# SPDX-License-Identifier: Apache-2.0
"""The rules of control nodes with several children for many agents."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from deepsim_btree.composites.orders import LAST_SHIFT, MIXERS, STEP, stream_start

from .branch import FAILURE, INVALID, RUNNING, SUCCESS, Agents, Branch, Codes, Mask
from .single import read

Orders = NDArray[np.intp]
"""Positions of the children in the order of each agent, (n, children)."""
Decide = Callable[[Any, Branch, Agents], Orders]


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


def tick_ordered(node: Any, branch: Branch, agents: Agents, decide: Decide) -> Codes:
    """Ticks the current child of each agent's order, and the next one while it is `go_on`."""
    go_on = int(node.go_on)
    positions = range(len(branch.children))
    turns = branch.run_state("turn", -1)  # position in the order; -1 outside a run
    order = [branch.state(f"order {place}", 0) for place in positions]
    begins = agents[turns[agents] < 0]
    if begins.size:
        decided = decide(node, branch, begins)
        for place in positions:
            order[place][begins] = decided[:, place]
    turn = np.maximum(turns[agents], 0)
    answers = _tick_by_order(branch, agents, [row[agents] for row in order], turn, go_on)
    turns[agents] = np.where(answers == RUNNING, turn, -1)
    return _without_invalid(answers)


def _tick_by_order(
    branch: Branch, agents: Agents, order: list[Agents], turn: Agents, go_on: int
) -> Codes:
    """Ticks the children by their order, per place, from `turn` on; moves `turn` to the last."""
    answers = np.full(len(agents), go_on, np.uint8)
    goes = np.ones(len(agents), np.bool_)
    for place, chosen in enumerate(order):
        here = goes & (turn <= place)
        for child in range(len(order)):
            branch.tick_where(child, agents, here & (chosen == child), answers)
        ends = here & _ends(answers, go_on)
        turn[ends] = place
        goes &= ~ends
    return answers


def random_orders(node: Any, branch: Branch, agents: Agents) -> Orders:
    """Returns orders drawn at random."""
    return np.argsort(_draw(node, branch, agents), axis=1, kind="stable")


def utility_orders(node: Any, branch: Branch, agents: Agents) -> Orders:
    """Returns the orders from the child with the highest utility on."""
    return np.argsort(-_utilities(node, branch, agents), axis=1, kind="stable")


def weighted_orders(node: Any, branch: Branch, agents: Agents) -> Orders:
    """Returns orders drawn by weight, with the arithmetic of `WeightedSelector`."""
    numbers, weights = _draw(node, branch, agents), node.weights
    count, rows = len(weights), np.arange(len(numbers))
    left = np.tile(np.array(weights), (len(numbers), 1))  # 0 for a child in the order
    orders = np.empty((len(numbers), count), np.intp)
    for place in range(count):
        total = np.zeros(len(numbers))
        for child in range(count):
            total += left[:, child]
        mark = numbers[:, place].astype(np.float64) / 2.0**64 * total
        # If rounding leaves no mark below 0, the last child that is left is chosen.
        chosen = count - 1 - np.argmax(left[:, ::-1] > 0, axis=1)
        is_open = np.ones(len(numbers), np.bool_)
        for child in range(count):
            mark -= left[:, child]
            hits = is_open & (left[:, child] > 0) & (mark < 0)
            chosen[hits] = child
            is_open &= ~hits
        orders[:, place] = chosen
        left[rows, chosen] = 0.0
    return orders


def tick_reactive_utility(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Tries the children from the best one, and halts a RUNNING child that is not chosen."""
    positions = range(len(branch.children))
    states = branch.run_state("RUNNING child", -1)
    running = states[agents]
    is_running = running[:, np.newaxis] == np.arange(len(positions))
    values = _utilities(node, branch, agents)
    values[is_running] += node.margin
    orders = np.lexsort((~is_running, -values), axis=1)
    turn = np.zeros(len(agents), np.intp)
    answers = _without_invalid(_tick_by_order(branch, agents, [*orders.T], turn, FAILURE))
    chosen = np.full(len(agents), -1)
    for place in positions:
        chosen = np.where((answers != FAILURE) & (turn == place), orders[:, place], chosen)
    for child in positions:
        branch.halt_where(child, agents, (running == child) & (chosen >= 0) & (chosen != child))
    states[agents] = np.where(answers == RUNNING, chosen, -1)
    return answers


def _utilities(node: Any, branch: Branch, agents: Agents) -> NDArray[np.float64]:
    values = np.empty((len(agents), len(branch.children)))
    for child, utility in enumerate(node.utilities):
        values[:, child] = read(branch, agents, utility) if callable(utility) else utility
    if np.isnan(values).any():
        raise branch.failed("a utility is NaN")
    return values


def _draw(node: Any, branch: Branch, agents: Agents) -> NDArray[np.uint64]:
    """Returns a random integer of 64 bits for each agent and child, (n, children).

    Each agent has the stream of random numbers that it would have in a tree, see `stream_start`.
    """
    streams = branch.state("stream", np.uint64(0))
    is_on = branch.state("stream is on", False)
    new = agents[~is_on[agents]]
    seed, path = branch.shared.seed, branch.path
    streams[new] = [stream_start(node.seed, seed + agent, path) for agent in new.tolist()]
    is_on[new] = True
    steps = np.arange(1, len(branch.children) + 1, dtype=np.uint64) * np.uint64(STEP)
    keys = streams[agents][:, np.newaxis] + steps  # modulo 2**64, like all lines below
    if branch.children:
        streams[agents] = keys[:, -1]
    for shift, factor in MIXERS:
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    numbers: NDArray[np.uint64] = keys ^ (keys >> np.uint64(LAST_SHIFT))
    return numbers
