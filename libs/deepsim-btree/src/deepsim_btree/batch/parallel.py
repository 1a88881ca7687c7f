# SPDX-License-Identifier: Apache-2.0
"""Parallel nodes for many agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .node import FAILURE, FINISHED, RUNNING, SUCCESS, Node

if TYPE_CHECKING:
    from deepsim_btree.parallel import Parallel

    from .node import Codes, Numbers
    from .team import Team


class ParallelNode(Node):
    """Ticks the children that have not finished, and counts how the others did."""

    def __init__(self, node: Parallel, team: Team) -> None:
        super().__init__(node, team)
        self._needed, self._allowed = node.thresholds()
        self._eager = node.eager
        # How each child has finished, RUNNING if it has not.
        self._ends = self.run_state(RUNNING, np.uint8, len(self.children))

    def tick(self, numbers: Numbers) -> Codes:
        """Tick children."""
        ends = self._ends[numbers]
        undecided = np.ones(len(numbers), np.bool_)
        successes = (ends == SUCCESS).sum(axis=1)
        failures = (ends == FAILURE).sum(axis=1)
        for position, child in enumerate(self.children):
            rows = np.flatnonzero(undecided & (ends[:, position] == RUNNING))
            if not rows.size:
                continue
            ends[rows, position] = codes = FINISHED[child.tick(numbers[rows])]
            successes[rows] += codes == SUCCESS
            failures[rows] += codes == FAILURE
            if self._eager:
                undecided = (successes < self._needed) & (failures < self._allowed)
        failed = np.where(failures >= self._allowed, np.uint8(FAILURE), np.uint8(RUNNING))
        answers = np.where(successes >= self._needed, np.uint8(SUCCESS), failed)
        self._ends[numbers] = ends
        self.halt(numbers[answers != RUNNING])
        return answers
