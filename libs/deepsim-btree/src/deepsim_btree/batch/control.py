# SPDX-License-Identifier: Apache-2.0
"""Control nodes for many agents, which follow the rules of the user's nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .group import RUNTIME, Group
from .node import RUNNING, Node
from .writer import Writer

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

    from .node import Codes, Numbers
    from .team import Team


class ControlNode(Node):
    """A control node that applies the rule of the user's node to each agent."""

    def __init__(self, node: Behaviour, team: Team, children: list[Node]) -> None:
        super().__init__(node, team, children)
        writer = Writer(self, node)
        self._statuses = writer.statuses
        self._sources = [writer.function(is_fresh=True)]
        if self._statuses is not None:
            self._sources.append(writer.function(is_fresh=False))
        self._names = writer.names
        self._default = writer.default
        self._compile()

    def _compile(self) -> None:
        """Compiles the functions from their text; copies do this again."""
        names = {**RUNTIME, **self._names}
        functions: list[Any] = []
        for source in self._sources:
            exec(compile(source, f"<batch {self.path}>", "exec"), names)
            functions.append(names["rule"])
        self._fresh, self._resumed = functions[0], functions[-1]

    def __getstate__(self) -> dict[str, Any]:
        return {n: v for n, v in self.__dict__.items() if n not in ("_fresh", "_resumed")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()

    def tick(self, numbers: Numbers) -> Codes:
        """Ticks the agents by the rule."""
        everyone = Group(len(numbers), numbers)
        answers = np.empty(len(numbers), np.uint8)
        answers[:] = self._default
        if self._statuses is None:
            self._fresh(everyone, answers, None)
            return answers
        statuses = self._statuses[numbers]
        resumes = np.count_nonzero(statuses) > 0
        (self._resumed if resumes else self._fresh)(everyone, answers, statuses)
        is_running = answers == RUNNING
        if resumes or np.count_nonzero(is_running):
            self._statuses[numbers] = is_running
        return answers
