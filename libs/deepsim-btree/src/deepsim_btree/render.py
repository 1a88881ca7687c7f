# SPDX-License-Identifier: Apache-2.0
"""Drawings of a tree as text, for Graphviz and for Mermaid."""

from __future__ import annotations

from typing import NamedTuple

from .behaviour import Behaviour
from .snapshot import CURRENT, Snapshot, take_snapshot
from .status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS


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
