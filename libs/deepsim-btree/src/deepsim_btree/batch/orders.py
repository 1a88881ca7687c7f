# SPDX-License-Identifier: Apache-2.0
"""The rules of composites whose agents each have an order: random, by weight or by utility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from deepsim_btree.composites.orders import LAST_SHIFT, MIXERS, STEP, stream_start

from .branch import FAILURE, RUNNING, SUCCESS
from .single import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .branch import Agents, Branch, Codes

    Orders = NDArray[np.intp]  # positions of the children for each agent, (n, children)


def tick_random(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Ticks the children of a run in a random order."""

    def decide(begins: Agents) -> Orders:
        return np.argsort(_draw(node, branch, begins), axis=1, kind="stable")

    return _tick_ordered(branch, agents, int(node.go_on), decide)


def tick_weighted(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Tries the children of a run in an order drawn by weight."""

    def decide(begins: Agents) -> Orders:
        return _weighted_orders(_draw(node, branch, begins), node.weights)

    return _tick_ordered(branch, agents, FAILURE, decide)


def tick_utility(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Tries the children of a run from the one with the highest utility on."""

    def decide(begins: Agents) -> Orders:
        return np.argsort(-_utilities(node, branch, begins), axis=1, kind="stable")

    return _tick_ordered(branch, agents, FAILURE, decide)


def _tick_ordered(
    branch: Branch, agents: Agents, go_on: int, decide: Callable[[Agents], Orders]
) -> Codes:
    """Ticks the current child of each agent's order, and the next one while it is `go_on`."""
    positions = range(len(branch.children))
    turns = branch.run_state("turn", -1)  # position in the order; -1 outside a run
    order = [branch.state(f"order {place}", 0) for place in positions]
    begins = agents[turns[agents] < 0]
    if begins.size:
        decided = decide(begins)
        for place in positions:
            order[place][begins] = decided[:, place]
    turn = np.maximum(turns[agents], 0)
    answers = np.full(len(agents), go_on, np.uint8)
    goes = np.ones(len(agents), np.bool_)
    for place in positions:
        here, chosen = goes & (turn <= place), order[place][agents]
        for child in positions:
            branch.tick_where(child, agents, here & (chosen == child), answers)
        if go_on == FAILURE:
            ends = here & ((answers == RUNNING) | (answers == SUCCESS))
        else:
            ends = here & (answers != SUCCESS)
        turn[ends] = place
        goes &= ~ends
    answers[(answers != RUNNING) & (answers != SUCCESS)] = FAILURE
    turns[agents] = np.where(answers == RUNNING, turn, -1)
    return answers


def tick_reactive_utility(node: Any, branch: Branch, agents: Agents) -> Codes:
    """Tries the children from the best one, and halts a RUNNING child that is not chosen."""
    positions = range(len(branch.children))
    states = branch.run_state("RUNNING child", -1)
    running = states[agents]
    is_running = running[:, np.newaxis] == np.arange(len(positions))
    values = _utilities(node, branch, agents)
    values[is_running] += node.margin
    orders = np.lexsort((~is_running, -values), axis=1)
    answers = np.full(len(agents), FAILURE, np.uint8)
    chosen = np.full(len(agents), -1)
    for place in positions:
        for child in positions:
            here = (chosen < 0) & (orders[:, place] == child)
            branch.tick_where(child, agents, here, answers)
            chosen[here & ((answers == RUNNING) | (answers == SUCCESS))] = child
    for child in positions:
        branch.halt_where(child, agents, (running == child) & (chosen >= 0) & (chosen != child))
    answers[chosen < 0] = FAILURE
    states[agents] = np.where(answers == RUNNING, chosen, -1)
    return answers


def _utilities(node: Any, branch: Branch, agents: Agents) -> NDArray[np.float64]:
    """Returns the utilities of the children, (n, children)."""
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


def _weighted_orders(numbers: NDArray[np.uint64], weights: tuple[float, ...]) -> Orders:
    """Returns orders drawn by weight, with the arithmetic of `draw_weighted_order`."""
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
