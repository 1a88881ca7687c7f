# SPDX-License-Identifier: Apache-2.0
"""Template: one tree for many agents."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from .arguments import check_int
from .behaviour import Behaviour
from .compiled import Compiler, Program, copy_nodes
from .errors import StructureError
from .levels import check_levels
from .light_tree import LightTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Template:
    """A tree that is compiled once and run for many agents, each of which needs few bytes.

    Leaves are functions of the agent, for which AGENT stands when the nodes are made:

    >>> from deepsim_btree import AGENT, Sequence, Status, action, condition
    >>> @condition
    ... def hungry(animal):
    ...     return animal["food"] < 2
    >>> @action
    ... def eat(animal, amount):
    ...     animal["food"] += amount
    ...     return Status.SUCCESS
    >>> template = Template(Sequence([hungry(AGENT), eat(AGENT, amount=2)]))
    >>> animals = [{"food": 0}, {"food": 5}]
    >>> herd = template.spawn_all(animals)
    >>> [tree.tick().name for tree in herd], animals
    (['SUCCESS', 'FAILURE'], [{'food': 2}, {'food': 5}])

    A leaf that is not an `Action`, a `Check` or constant may remember something: every agent gets
    a deep copy of it, with the agent in place of AGENT among the objects that it refers to. The
    `update` of a control node is translated (docs/control-nodes.md); where it cannot be, and where
    nodes share a blackboard, every agent gets a copy of the branch, as slow and as large as in a
    `Tree`.
    Nodes are read when the template is made; changes and runs of them after that have no effect.

    Args:
        root: The node at the top. It must have no parent and belong to no tree.
        clock: Returns the time in seconds, read by each agent at the start of each tick.

    Attributes:
        clock: As given; may be exchanged between ticks.

    Raises:
        TypeError: `root` is not a node, or `clock` is not callable.
        StructureError: `root` has a parent or belongs to a tree, or a node needs a clock and the
            template has none.
    """

    def __init__(self, root: Behaviour, *, clock: Callable[[], float] | None = None) -> None:
        check_root(root, clock, "Template")
        self.clock = clock
        self._root = copy_nodes(root)  # The nodes that were given may be run by a Tree.
        self._compile()

    def _compile(self) -> None:
        self._program = Compiler(self._root).compile()
        self.tick_root = self._program.tick

    def __repr__(self) -> str:
        return f"<Template {self._root.name!r}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Template:
        # All but the clock never changes; that may belong to what is copied with the agents.
        twin = memo[id(self)] = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.clock = copy.deepcopy(self.clock, memo)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        check_levels(self._root, "pickle")
        return {"clock": self.clock, "_root": self._root}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._compile()

    @property
    def root(self) -> Behaviour:
        """The node at the top, of a copy of the nodes as they were when the template was made."""
        return copy_nodes(self._root)

    @property
    def program(self) -> Program:
        """The generated functions; their text is in `Program.source`."""
        return self._program

    def spawn(self, agent: object, *, seed: int = 0) -> LightTree:
        """Returns a tree for one agent.

        Args:
            agent: What functions get in place of AGENT.
            seed: The random numbers are those of ``Tree(root, seed=seed)``.

        Raises:
            TypeError: `seed` is not an int.
        """
        return LightTree(self, agent, seed)

    def spawn_all(self, agents: Iterable[object], *, seed: int = 0) -> list[LightTree]:
        """Returns a tree for each agent; agent number ``i`` gets the seed ``seed + i``."""
        first = check_int("seed", seed)
        return [LightTree(self, agent, first + number) for number, agent in enumerate(agents)]


def check_root(root: Behaviour, clock: Callable[[], float] | None, owner: str) -> None:
    """Checks the first arguments of a tree for many agents.

    Args:
        root: The node at the top.
        clock: What returns the time.
        owner: Name of the class, for messages.

    Raises:
        TypeError: `root` is not a node, or `clock` is not callable.
        StructureError: `root` has a parent or belongs to a tree, or a node needs a clock.
    """
    if not isinstance(root, Behaviour):
        raise TypeError(f"root must be a Behaviour, got {root!r}")
    if clock is not None and not callable(clock):
        raise TypeError(f"clock must be a function that returns seconds, got {clock!r}")
    if root._owner is not None:
        raise StructureError(f"{root!r} is part of a tree already: use its copy()")
    for node in root.walk():
        if clock is None and node.needs_clock:
            raise StructureError(f"{node.path} needs a clock: {owner}(root, clock=...)")
