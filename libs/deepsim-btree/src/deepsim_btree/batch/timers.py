# SPDX-License-Identifier: Apache-2.0
"""Nodes that measure time for many agents; NaN is no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .decorators import DecoratorNode
from .node import FAILURE, RUNNING, SUCCESS, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from deepsim_btree.timers import Cooldown, Delay, Timeout
    from deepsim_btree.wait import Wait

    from .node import Codes, Numbers
    from .team import Team


class Stopwatch:
    """Knows since when each agent is in a run of a node."""

    def __init__(self, node: Node) -> None:
        self._team = node.team
        self._since = node.run_state(np.nan, np.float64)

    def elapsed(self, numbers: Numbers) -> NDArray[np.float64]:
        """Return the time since the starts of the runs [s]; a run that starts begins now."""
        since = self._since[numbers]
        since[np.isnan(since)] = self._team.now
        self._since[numbers] = since
        return self._team.now - since

    def finish(self, numbers: Numbers, codes: Codes) -> Codes:
        """Forget the starts of runs that have ended; return `codes`."""
        self._since[numbers[codes != RUNNING]] = np.nan
        return codes


class TimeoutNode(DecoratorNode):
    """Ends runs that take too long."""

    def __init__(self, node: Timeout, team: Team) -> None:
        super().__init__(node, team)
        self._seconds = node.seconds
        self._stopwatch = Stopwatch(self)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child for the agents that have time left."""
        over = self._stopwatch.elapsed(numbers) >= self._seconds
        self.child.halt(numbers[over])
        return self._stopwatch.finish(numbers, self.tick_where(~over, numbers, FAILURE))


class DelayNode(DecoratorNode):
    """Lets agents wait first."""

    def __init__(self, node: Delay, team: Team) -> None:
        super().__init__(node, team)
        self._seconds = node.seconds
        self._stopwatch = Stopwatch(self)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child for the agents that have waited."""
        over = self._stopwatch.elapsed(numbers) >= self._seconds
        return self._stopwatch.finish(numbers, self.tick_where(over, numbers, RUNNING))


class WaitNode(Node):
    """Lets agents wait."""

    def __init__(self, node: Wait, team: Team) -> None:
        super().__init__(node, team)
        self._seconds = node.seconds
        self._stopwatch = Stopwatch(self)

    def tick(self, numbers: Numbers) -> Codes:
        """Look at the clock."""
        over = self._stopwatch.elapsed(numbers) >= self._seconds
        return self._stopwatch.finish(numbers, np.where(over, np.uint8(SUCCESS), np.uint8(RUNNING)))


class CooldownNode(DecoratorNode):
    """Lets agents wait between runs."""

    def __init__(self, node: Cooldown, team: Team) -> None:
        super().__init__(node, team)
        self._seconds = node.seconds
        self._since = self.lasting_state(np.nan, np.float64)
        self._running = self.run_state(False, np.bool_)

    def tick(self, numbers: Numbers) -> Codes:
        """Tick the child for the agents that have waited or are in a run."""
        cooling = self.team.now - self._since[numbers] < self._seconds  # False for NaN
        ready = self._running[numbers] | ~cooling
        self._since[numbers[ready]] = self.team.now
        codes = self.tick_where(ready, numbers, FAILURE)
        self._running[numbers] = codes == RUNNING
        return codes
