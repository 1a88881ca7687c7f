# SPDX-License-Identifier: Apache-2.0
"""Drawings of a tree, as text, for Graphviz and for Mermaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .composite import Composite
from .decorator import Decorator
from .status import FAILURE, INVALID, RUNNING, SUCCESS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .behaviour import Behaviour


class _Style(NamedTuple):
    branch: str
    last: str
    pipe: str
    marks: tuple[str, str, str, str]  # of INVALID, RUNNING, SUCCESS and FAILURE


_ASCII = _Style("|-- ", "`-- ", "|   ", (" ", "R", "S", "F"))
_UNICODE = _Style("├── ", "└── ", "│   ", (" ", "▶", "✓", "✗"))
_COLOURS = {INVALID: "white", RUNNING: "lightblue", SUCCESS: "palegreen", FAILURE: "lightcoral"}


def render_text(root: Behaviour, *, unicode: bool = True) -> str:
    """Return the tree below a node as lines of text.

    Each line has the status of a node and its name, then its class if that is not the name, and
    its feedback message. The status is in brackets if the node ran in the last tick of `root`,
    and in parentheses if it is left from an earlier one. ``▶ ✓ ✗`` (ASCII: ``R S F``) mean
    RUNNING, SUCCESS and FAILURE.

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
        root: The node to start at.
        unicode: Draw with box-drawing characters rather than ASCII.
    """
    style = _UNICODE if unicode else _ASCII
    lines = []
    stack = [(root, "", "")]  # node, what precedes it, what precedes its children
    while stack:
        node, lead, indent = stack.pop()
        current = node.last_tick == root.last_tick or node.status is INVALID
        opening, closing = "[]" if current else "()"
        title = _title(node).replace("\n", " ")
        lines.append(f"{lead}{opening}{style.marks[node.status]}{closing} {title}")
        for child in reversed(node.children):
            if child is node.children[-1]:
                stack.append((child, indent + style.last, indent + "    "))
            else:
                stack.append((child, indent + style.branch, indent + style.pipe))
    return "\n".join(lines)


def render_dot(root: Behaviour) -> str:
    """Return the tree below a node in the language of Graphviz, to be drawn by ``dot -Tsvg``.

    Composites are boxes, decorators hexagons and leaves ellipses; the colour is the status.
    """
    lines = ["digraph {", "  node [style=filled fontname=sans]"]
    for number, parent, node in _numbered(root):
        title = _title(node).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        shape = _pick(node, "box", "hexagon", "ellipse")
        colour = _COLOURS[node.status]
        lines.append(f'  n{number} [label="{title}" shape={shape} fillcolor={colour}]')
        if parent is not None:
            lines.append(f"  n{parent} -> n{number}")
    return "\n".join([*lines, "}"])


def render_mermaid(root: Behaviour) -> str:
    """Return the tree below a node as a Mermaid flowchart, for Markdown pages.

    Composites are boxes, decorators hexagons and leaves rounded; the colour is the status.
    """
    lines = ["flowchart TD"]
    for number, parent, node in _numbered(root):
        title = _title(node)
        for character in '#&"<>`':  # the # first: it starts the codes of the others
            title = title.replace(character, f"#{ord(character)};")
        title = title.replace("\n", "<br>")
        shape = _pick(node, '["{}"]', '{{{{"{}"}}}}', '("{}")')
        lines.append(f"  n{number}" + shape.format(title))
        if node.status is not INVALID:
            lines.append(f"  style n{number} fill:{_COLOURS[node.status]}")
        if parent is not None:
            lines.append(f"  n{parent} --> n{number}")
    return "\n".join(lines)


def _title(node: Behaviour) -> str:
    kind = type(node).__name__
    title = node.name if node.name == kind else f"{node.name} <{kind}>"
    return f"{title} - {node.feedback_message}" if node.feedback_message else title


def _pick(node: Behaviour, composite: str, decorator: str, leaf: str) -> str:
    if isinstance(node, Composite):
        return composite
    return decorator if isinstance(node, Decorator) else leaf


def _numbered(root: Behaviour) -> Iterator[tuple[int, int | None, Behaviour]]:
    """Yield (number, number of the parent or None, node), parents first."""
    numbers: dict[int, int] = {}
    for number, node in enumerate(root.walk()):
        numbers[id(node)] = number
        yield number, None if node is root else numbers[id(node.parent)], node
