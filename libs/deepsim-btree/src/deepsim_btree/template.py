# SPDX-License-Identifier: Apache-2.0
"""Template, a tree that is compiled once and run for many agents."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from .arguments import check_int
from .behaviour import Behaviour
from .compiled import Program, TemplateCompiler, copy_nodes
from .errors import StructureError
from .levels import check_levels
from .light_tree import LightTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Template:
    """A tree that is compiled once and run for many agents, with little memory per agent.

    Leaves are functions of the agent; `AGENT` takes its place when the nodes are made:

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

    A leaf other than an `Action`, a `Check` or a constant leaf may keep state, so every agent gets
    a deep copy of it, in which the agent replaces AGENT. The `update` methods of control nodes are
    translated to faster code (docs/control-nodes.md). Where this is impossible, and where nodes
    share a blackboard, every agent gets a copy of the branch, as slow and as large as in a `Tree`.

    The template copies the nodes: later changes and runs of the given ones have no effect.

    Args:
        root: The node at the top. It must have no parent and belong to no tree.
        clock: Returns the time in seconds; each agent calls it at the start of each tick.

    Attributes:
        clock: The given clock; may be replaced between ticks.

    Raises:
        TypeError: `root` is not a node, or `clock` is not callable.
        StructureError: `root` has a parent or belongs to a tree, or a node needs a clock and the
            template has none.
    """

    def __init__(self, root: Behaviour, *, clock: Callable[[], float] | None = None) -> None:
        check_root(root, clock, "Template")
        self.clock = clock
        self._root = copy_nodes(root)  # the given nodes may be put into a Tree later
        self._compile()

    def _compile(self) -> None:
        self._program = TemplateCompiler(self._root).compile()
        self.tick_root = self._program.tick

    def __repr__(self) -> str:
        return f"<Template {self._root.name!r}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Template:
        # Only the clock is copied, since it may belong to a world that is copied with the agents.
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
        """The root of a new copy of the template's nodes."""
        return copy_nodes(self._root)

    @property
    def program(self) -> Program:
        """The generated functions; `Program.source` is their source code."""
        return self._program

    def spawn(self, agent: object, *, seed: int = 0) -> LightTree:
        """Returns a tree for one agent.

        Args:
            agent: The object that functions get in place of AGENT.
            seed: Seed of the random numbers, which equal those of ``Tree(root, seed=seed)``.

        Raises:
            TypeError: `seed` is not an int.
        """
        return LightTree(self, agent, seed)

    def spawn_all(self, agents: Iterable[object], *, seed: int = 0) -> list[LightTree]:
        """Returns one tree for each agent; agent number ``i`` gets the seed ``seed + i``."""
        first = check_int("seed", seed)
        return [LightTree(self, agent, first + number) for number, agent in enumerate(agents)]


def check_root(root: Behaviour, clock: Callable[[], float] | None, owner: str) -> None:
    """Checks the root and the clock for a tree for many agents.

    Args:
        root: The node at the top.
        clock: A function that returns the time in seconds, or None.
        owner: Name of the calling class for messages.

    Raises:
        TypeError: `root` is not a node, or `clock` is not callable.
        StructureError: `root` has a parent or belongs to a tree, or a node needs a clock and none
            is given.
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
