# SPDX-License-Identifier: Apache-2.0
"""The state of a tree at one moment: what drawings show and recordings keep."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Mapping, NamedTuple

from .decorators.decorator import Decorator
from .parent import Parent
from .status import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .behaviour import Behaviour

# Letters of INVALID, RUNNING, SUCCESS, FAILURE and SKIPPED, from this tick and from an earlier one.
CURRENT = "IRSFK"
OLDER = ".rsfk"
_OLDER_CODES = (5, 6, 7, 8, 9)  # by status
_CODES = bytes(range(10))  # of the current ones, then of the older ones
_LETTERS = bytes.maketrans(_CODES, (CURRENT + OLDER).encode())
_LETTERS_AT_0 = bytes.maketrans(_CODES, f".{CURRENT[1:]}{OLDER}".encode())  # without a Tree
STATUSES = {letter: Status(code) for row in (CURRENT, OLDER) for code, letter in enumerate(row)}


class NodeInfo(NamedTuple):
    """The static description of a node."""

    name: str
    """Name of the node."""
    kind: str
    """Name of its class."""
    shape: str
    """``"composite"``, ``"decorator"`` or ``"leaf"``."""
    parent: int | None
    """Position of its parent in `Snapshot.nodes`; None for the root."""


class Snapshot(NamedTuple):
    """A tree at one moment."""

    nodes: tuple[NodeInfo, ...]
    """All nodes, each before its children, left to right."""
    states: str
    """One letter per node: R, S, F, K or I if it ran in the last tick and is RUNNING, SUCCESS,
    FAILURE, SKIPPED or INVALID now; r, s, f or k if that is left from an earlier tick; a dot if it
    is INVALID and did not run."""
    feedback: Mapping[int, str]
    """The feedback messages that are not empty, by the position of their node."""

    def status(self, position: int) -> Status:
        """Returns the status of a node."""
        return STATUSES[self.states[position]]

    def title(self, position: int) -> str:
        """Returns the name of a node, its class if that is another word, and its feedback."""
        name, kind, _, _ = self.nodes[position]
        title = name if name == kind else f"{name} <{kind}>"
        message = self.feedback.get(position)
        return f"{title} - {message}" if message else title

    def children(self) -> list[list[int]]:
        """Returns the positions of the children of every node."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for position, node in enumerate(self.nodes):
            if node.parent is not None:
                children[node.parent].append(position)
        return children

    def paths(self) -> list[str]:
        """Returns the paths of all nodes from the first one, as `Behaviour.path` writes them."""
        paths = [node.name for node in self.nodes]
        for position, below in enumerate(self.children()):
            counts = Counter(paths[child] for child in below)
            for place, child in enumerate(below):
                shared = f"[{place}]" if counts[self.nodes[child].name] > 1 else ""
                paths[child] = f"{paths[position]}/{paths[child]}{shared}"
        return paths


def take_snapshot(root: Behaviour) -> Snapshot:
    """Returns how the tree below a node looks now, its own last tick being the current one."""
    nodes = tuple(root.walk())
    tick = root.last_tick
    states = letters(codes(nodes, tick), tick)
    return Snapshot(describe(nodes), states, feedback(nodes))


def describe(nodes: Iterable[Behaviour]) -> tuple[NodeInfo, ...]:
    """Returns the static descriptions of the nodes, that of the root first."""
    positions: dict[int, int] = {}
    infos = []
    for position, node in enumerate(nodes):
        positions[id(node)] = position
        shape = (
            "decorator"
            if isinstance(node, Decorator)
            else "composite"
            if isinstance(node, Parent)
            else "leaf"
        )
        parent = positions[id(node.parent)] if position else None
        infos.append(NodeInfo(node.name, type(node).__name__, shape, parent))
    return tuple(infos)


def codes(nodes: Iterable[Behaviour], tick: int) -> list[int]:
    """Returns the codes that `letters` translates, for nodes whose tree has made `tick` ticks."""
    # A trace does this at every tick: one pass, and one list of objects that are there already,
    # which is compared with the list of the tick before by their identities.
    older = _OLDER_CODES
    return [node.status if node.last_tick == tick else older[node.status] for node in nodes]


def letters(codes: list[int], tick: int) -> str:
    """Returns the letters of `Snapshot.states`, given what `codes` returned for that tick."""
    return bytes(codes).translate(_LETTERS if tick else _LETTERS_AT_0).decode()


def feedback(nodes: Iterable[Behaviour]) -> dict[int, str]:
    """Returns the feedback messages that are not empty."""
    return {
        position: str(node.feedback_message)
        for position, node in enumerate(nodes)
        if node.feedback_message
    }
