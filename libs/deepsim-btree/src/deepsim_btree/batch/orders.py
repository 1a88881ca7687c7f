# SPDX-License-Identifier: Apache-2.0
"""Composites that try their children in an order of each agent: random, by weight, by utility."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deepsim_btree.errors import StructureError
from deepsim_btree.stream import LAST_SHIFT, MIXERS, STEP, stream_start

from .leaves import Call
from .rule import FAILURE, RUNNING, SUCCESS, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rule import Agents, Codes, Shared

    Orders = NDArray[np.intp]  # positions of the children for each agent, (n, children)


class OrderedRule(Rule):
    """The base of rules that draw or compute an order at the start of each run."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        self._orders = np.zeros((self.shared.count, len(self.children)), np.intp)
        self._turn = self.run_state(-1, np.intp)  # position in the order; -1 outside a run

    def decide(self, agents: Agents) -> Orders:
        """Returns new orders."""
        raise NotImplementedError

    def tick(self, agents: Agents) -> Codes:
        """Ticks the current child of each agent's order, and the next one while `go_on`."""
        begins = self._turn[agents] < 0
        if begins.any():
            self._orders[agents[begins]] = self.decide(agents[begins])
        orders, turn = self._orders[agents], np.maximum(self._turn[agents], 0)
        go_on = int(self.node.go_on) or FAILURE
        answers = np.full(len(agents), go_on, np.uint8)
        goes = np.ones(len(agents), np.bool_)
        for place in range(len(self.children)):
            here = goes & (turn <= place)
            for child in range(len(self.children)):
                self.tick_where(child, agents, here & (orders[:, place] == child), answers)
            if go_on == FAILURE:
                ends = here & ((answers == RUNNING) | (answers == SUCCESS))
            else:
                ends = here & (answers != SUCCESS)
            turn[ends] = place
            goes &= ~ends
        answers[answers == 0] = FAILURE
        self._turn[agents] = np.where(answers == RUNNING, turn, -1)
        return answers


class RandomRule(OrderedRule):
    """A `RandomSequence` or a `RandomSelector`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        super().prepare()
        self._streams = Streams(self.node.seed, self.shared, self.path)

    def decide(self, agents: Agents) -> Orders:
        """Returns the positions of random numbers in ascending order."""
        return np.argsort(self._streams.draw(agents, len(self.children)), axis=1, kind="stable")

    def reset(self, agents: Agents) -> None:
        """Also restarts the streams."""
        super().reset(agents)
        self._streams.restart(agents)


class WeightedRule(RandomRule):
    """A `WeightedSelector`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        super().prepare()
        check_counts(self, "weights", self.node.weights)

    def decide(self, agents: Agents) -> Orders:
        """Returns orders drawn by weight, with the arithmetic of `stream.draw_weighted_order`."""
        count = len(self.node.weights)
        left = np.tile(np.array(self.node.weights), (len(agents), 1))  # 0 for a child in the order
        orders = np.empty((len(agents), count), np.intp)
        shares = self._streams.draw(agents, count).astype(np.float64) / 2.0**64
        rows = np.arange(len(agents))
        for place in range(count):
            total = np.zeros(len(agents))
            for child in range(count):
                total += left[:, child]
            mark = shares[:, place] * total
            chosen = np.full(len(agents), -1)
            for child in range(count):
                mark -= left[:, child]
                chosen[(chosen < 0) & (left[:, child] > 0) & (mark < 0)] = child
            # If rounding leaves no mark below 0, the last child that is left is chosen.
            last = count - 1 - np.argmax(left[:, ::-1] > 0, axis=1)
            orders[:, place] = np.where(chosen < 0, last, chosen)
            left[rows, orders[:, place]] = 0.0
        return orders


class UtilityRule(OrderedRule):
    """A `UtilitySelector`, whose utilities are functions of AGENT or numbers."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        super().prepare()
        self._utilities = [Call(self, u) if callable(u) else float(u) for u in self.node.utilities]
        check_counts(self, "utilities", self.node.utilities)

    def values(self, agents: Agents) -> NDArray[np.float64]:
        """Returns the utilities of the children, (n, children)."""
        values = np.empty((len(agents), len(self.children)))
        for child, utility in enumerate(self._utilities):
            values[:, child] = utility if isinstance(utility, float) else utility.numbers(agents)
        return values

    def decide(self, agents: Agents) -> Orders:
        """Returns the children in the order of their utilities."""
        return np.argsort(-self.values(agents), axis=1, kind="stable")


class ReactiveUtilityRule(UtilityRule):
    """A `ReactiveUtilitySelector`."""

    def prepare(self) -> None:
        """Makes the arrays of the rule."""
        super().prepare()
        self._running = self.run_state(-1, np.intp)

    def tick(self, agents: Agents) -> Codes:
        """Tries the children from the best one, and halts a RUNNING child that is not chosen."""
        running = self._running[agents]
        is_running = running[:, np.newaxis] == np.arange(len(self.children))
        values = self.values(agents)
        values[is_running] += self.node.margin
        orders = np.lexsort((~is_running, -values), axis=1)
        answers = np.full(len(agents), FAILURE, np.uint8)
        chosen = np.full(len(agents), -1)
        for place in range(len(self.children)):
            for child in range(len(self.children)):
                here = (chosen < 0) & (orders[:, place] == child)
                self.tick_where(child, agents, here, answers)
                chosen[here & ((answers == RUNNING) | (answers == SUCCESS))] = child
        for child in range(len(self.children)):
            self.halt_where(child, agents, (running == child) & (chosen >= 0) & (chosen != child))
        answers[chosen < 0] = FAILURE
        self._running[agents] = np.where(answers == RUNNING, chosen, -1)
        return answers


class Streams:
    """A stream of random numbers for each agent, with the numbers of the module `stream`.

    Args:
        seed: The node's own seed; None uses the seeds of the agents.
        shared: The data of the batch.
        path: Path of the node.
    """

    def __init__(self, seed: int | None, shared: Shared, path: str) -> None:
        self._seed = seed
        self._tree_seed = shared.seed
        self._path = path
        self._states = np.zeros(shared.count, np.uint64)
        self.restart(np.arange(shared.count))

    def restart(self, agents: Agents) -> None:
        """Restarts the streams of agents, each like that of a separate tree."""
        self._states[agents] = [
            stream_start(self._seed, self._tree_seed + agent, self._path)
            for agent in agents.tolist()
        ]

    def draw(self, agents: Agents, count: int) -> NDArray[np.uint64]:
        """Returns the next random integers of 64 bits, (n, count)."""
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(STEP)
        keys = self._states[agents][:, np.newaxis] + steps  # modulo 2**64, like all lines below
        if count:
            self._states[agents] = keys[:, -1]
        for shift, factor in MIXERS:
            keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
        numbers: NDArray[np.uint64] = keys ^ (keys >> np.uint64(LAST_SHIFT))
        return numbers


def check_counts(rule: Rule, argument: str, values: tuple[object, ...]) -> None:
    """Checks that there is one value for each child."""
    if len(values) != len(rule.children):
        raise StructureError(
            f"{rule.path} has {len(rule.children)} children and {len(values)} {argument}"
        )
