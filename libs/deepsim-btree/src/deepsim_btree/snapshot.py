# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a tree at one moment, for recordings, and drawings of them as text and graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Mapping, NamedTuple

from .behaviour import Behaviour, labels
from .parent import Decorator, Parent
from .status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

# Letters for INVALID, RUNNING, SUCCESS, FAILURE and SKIPPED, of the last tick and of earlier ones.
CURRENT = "IRSFK"
OLDER = ".rsfk"
_OLDER_CODES = (5, 6, 7, 8, 9)  # by status
_CODES = bytes(range(10))  # CURRENT, then OLDER
_LETTERS = bytes.maketrans(_CODES, (CURRENT + OLDER).encode())
_LETTERS_AT_0 = bytes.maketrans(_CODES, f".{CURRENT[1:]}{OLDER}".encode())  # before the first tick
STATUSES = {letter: Status(code) for row in (CURRENT, OLDER) for code, letter in enumerate(row)}


class NodeInfo(NamedTuple):
    """The description of a node that does not change from tick to tick.

    >>> from deepsim_btree import Success, Tree
    >>> from deepsim_btree.trace import Trace
    >>> Trace(Tree(Success("ready"))).recording.steps[0].snapshot.nodes[0]
    NodeInfo(name='ready', kind='Success', shape='leaf', parent=None)
    """

    name: str
    """Name of the node."""
    kind: str
    """Name of the node's class."""
    shape: str
    """``"composite"``, ``"decorator"`` or ``"leaf"``."""
    parent: int | None
    """Position of the parent in `Snapshot.nodes`; None for the root."""


class Snapshot(NamedTuple):
    """The nodes of a tree and their state at one moment.

    >>> from deepsim_btree import Running, Sequence, Success, Tree
    >>> from deepsim_btree.trace import Trace
    >>> tree = Tree(Sequence([Success("ready"), Running("drive")], "go"))
    >>> Trace(tree).recording.steps[0].snapshot.paths()
    ['go', 'go/ready', 'go/drive']
    """

    nodes: tuple[NodeInfo, ...]
    """All nodes: each before its children, and children from left to right."""
    states: str
    """One letter per node. R, S, F, K or I: it ran in the last tick and is RUNNING, SUCCESS,
    FAILURE, SKIPPED or INVALID. r, s, f or k: the status dates from an earlier tick. A dot: it is
    INVALID and did not run in the last tick.
    """
    feedback: Mapping[int, str]
    """The feedback messages that are not empty, by position of the node."""

    def status(self, position: int) -> Status:
        """Returns the status of the node at a position."""
        return STATUSES[self.states[position]]

    def title(self, position: int) -> str:
        """Returns the name of a node, its class if the name differs, and its feedback message."""
        name, kind, _, _ = self.nodes[position]
        title = name if name == kind else f"{name} <{kind}>"
        message = self.feedback.get(position)
        return f"{title} - {message}" if message else title

    def children(self) -> list[list[int]]:
        """Returns, for each node, the positions of its children."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for position, node in enumerate(self.nodes):
            if node.parent is not None:
                children[node.parent].append(position)
        return children

    def paths(self) -> list[str]:
        """Returns the path of each node, relative to the root, in the form of `Behaviour.path`."""
        paths = [node.name for node in self.nodes]
        for position, below in enumerate(self.children()):
            for child, label in zip(below, labels([paths[child] for child in below])):
                paths[child] = f"{paths[position]}/{label}"
        return paths


def take_snapshot(root: Behaviour) -> Snapshot:
    """Returns a snapshot of the tree below a node; its last tick counts as the current one."""
    nodes, tick = tuple(root.walk()), root.last_tick
    return Snapshot(describe(nodes), letters(codes(nodes, tick), tick), feedback(nodes))


def describe(nodes: Iterable[Behaviour]) -> tuple[NodeInfo, ...]:
    """Returns the descriptions of nodes; the root must come first."""
    positions: dict[int, int] = {}
    infos = []
    for position, node in enumerate(nodes):
        positions[id(node)] = position
        shape = "composite" if isinstance(node, Parent) else "leaf"
        shape = "decorator" if isinstance(node, Decorator) else shape
        parent = positions[id(node.parent)] if position else None
        infos.append(NodeInfo(node.name, type(node).__name__, shape, parent))
    return tuple(infos)


def codes(nodes: Iterable[Behaviour], tick: int) -> list[int]:
    """Returns codes of the states of nodes after `tick` ticks of their tree, for `letters`."""
    # A trace calls this at every tick: one pass makes one list, of existing objects, which Python
    # compares quickly with the list of the previous tick, by identity.
    older = _OLDER_CODES
    return [node.status if node.last_tick == tick else older[node.status] for node in nodes]


def letters(codes: list[int], tick: int) -> str:
    """Returns the letters of `Snapshot.states` for the result of `codes` at the same tick."""
    return bytes(codes).translate(_LETTERS if tick else _LETTERS_AT_0).decode()


def feedback(nodes: Iterable[Behaviour]) -> dict[int, str]:
    """Returns the feedback messages that are not empty, by position of the node."""
    return {
        position: str(node.feedback_message)
        for position, node in enumerate(nodes)
        if node.feedback_message
    }


class _Style(NamedTuple):
    branch: str
    last: str
    pipe: str
    marks: tuple[str, str, str, str, str]  # of INVALID, RUNNING, SUCCESS, FAILURE and SKIPPED


_ASCII = _Style("|-- ", "`-- ", "|   ", (" ", "R", "S", "F", "K"))
_UNICODE = _Style("├── ", "└── ", "│   ", (" ", "▶", "✓", "✗", "↷"))
_COLOURS = {INVALID: "white", RUNNING: "lightblue", SUCCESS: "palegreen", FAILURE: "lightcoral"}
_COLOURS[SKIPPED] = "lightgray"
_DOT_SHAPES = {"composite": "box", "decorator": "hexagon", "leaf": "ellipse"}
_MERMAID_SHAPES = {"composite": '["{}"]', "decorator": '{{{{"{}"}}}}', "leaf": '("{}")'}


def render_text(tree: Behaviour | Snapshot, *, unicode: bool = True) -> str:
    """Returns the tree below a node as lines of text.

    Each line shows the status and the name of a node, its class if the name differs, and its
    feedback message. The status is in brackets if the node ran in the last tick, and in parentheses
    if it dates from an earlier tick. ``▶ ✓ ✗ ↷`` (ASCII: ``R S F K``) mean RUNNING, SUCCESS,
    FAILURE and SKIPPED.

    >>> from deepsim_btree import Failure, Running, Selector, Success
    >>> root = Selector([Failure(), Running("wait"), Success()], "patrol")
    >>> root.tick().name
    'RUNNING'
    >>> print(render_text(root))
    [▶] patrol <Selector>
    ├── [✗] Failure
    ├── [▶] wait <Running>
    └── [ ] Success

    Args:
        tree: The node to start at, or a step of a recording.
        unicode: Whether to draw with box-drawing characters instead of ASCII.
    """
    snapshot = _snapshot(tree)
    style = _UNICODE if unicode else _ASCII
    children = snapshot.children()
    lines = []
    stack = [(0, "", "")]  # node, prefix of its line, prefix of the lines of its children
    while stack:
        node, lead, indent = stack.pop()
        status = snapshot.status(node)
        current = status is INVALID or snapshot.states[node] in CURRENT
        opening, closing = "[]" if current else "()"
        title = snapshot.title(node).replace("\n", " ")
        lines.append(f"{lead}{opening}{style.marks[status]}{closing} {title}")
        for child in reversed(children[node]):
            if child == children[node][-1]:
                stack.append((child, indent + style.last, indent + "    "))
            else:
                stack.append((child, indent + style.branch, indent + style.pipe))
    return "\n".join(lines)


def render_dot(tree: Behaviour | Snapshot) -> str:
    """Returns the tree below a node in the Graphviz language; ``dot -Tsvg`` draws it.

    Composites are boxes, decorators hexagons and leaves ellipses; colours show the status.
    """
    snapshot = _snapshot(tree)
    lines = ["digraph {", "  node [style=filled fontname=sans]"]
    for number, node in enumerate(snapshot.nodes):
        title = snapshot.title(number).replace("\\", "\\\\").replace('"', '\\"')
        title = title.replace("\n", "\\n")
        shape = _DOT_SHAPES[node.shape]
        colour = _COLOURS[snapshot.status(number)]
        lines.append(f'  n{number} [label="{title}" shape={shape} fillcolor={colour}]')
        if node.parent is not None:
            lines.append(f"  n{node.parent} -> n{number}")
    return "\n".join([*lines, "}"])


def render_mermaid(tree: Behaviour | Snapshot) -> str:
    """Returns the tree below a node as a Mermaid flowchart, for Markdown pages.

    Composites are boxes, decorators hexagons and leaves rounded boxes; colours show the status.
    """
    snapshot = _snapshot(tree)
    lines = ["flowchart TD"]
    for number, node in enumerate(snapshot.nodes):
        title = snapshot.title(number)
        for character in '#&"<>`':  # "#" first, because the codes of the others begin with it
            title = title.replace(character, f"#{ord(character)};")
        title = title.replace("\n", "<br>")
        lines.append(f"  n{number}" + _MERMAID_SHAPES[node.shape].format(title))
        status = snapshot.status(number)
        if status is not INVALID:
            lines.append(f"  style n{number} fill:{_COLOURS[status]}")
        if node.parent is not None:
            lines.append(f"  n{node.parent} --> n{number}")
    return "\n".join(lines)


def _snapshot(tree: Behaviour | Snapshot) -> Snapshot:
    return tree if isinstance(tree, Snapshot) else take_snapshot(tree)
