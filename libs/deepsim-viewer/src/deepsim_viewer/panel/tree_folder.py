# SPDX-License-Identifier: Apache-2.0
"""Display of a behaviour tree with the status of each node."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from deepsim_viewer.host import Host

if TYPE_CHECKING:
    from deepsim_btree import Tree
    from deepsim_btree.snapshot import Snapshot

_NO_TREE = "none"
_MOST = 200  # nodes drawn; more would fill the page
_INDENT = 14  # indentation of a child [pixels]
_COLORS = {
    "INVALID": "#868e96",
    "RUNNING": "#1c7ed6",
    "SUCCESS": "#2f9e44",
    "FAILURE": "#e03131",
    "SKIPPED": "#ae8b00",
}
_SIGNS = {"INVALID": "·", "RUNNING": "▶", "SUCCESS": "✓", "FAILURE": "✗", "SKIPPED": "↷"}
_OLD = 0.45  # opacity of a status that is not from the latest tick


class TreeFolder:
    """A list of behaviour trees, and the nodes of the chosen one.

    Nothing is read until a tree is chosen. The folder is hidden if there are no trees.
    """

    def __init__(self, host: Host, trees: Mapping[str, Tree]) -> None:
        self._trees = dict(trees)
        self._page = ""
        gui = host.server.gui
        with gui.add_folder("Behaviour trees", expand_by_default=False, visible=bool(trees)):
            self._chosen: Any = gui.add_dropdown("Tree", (_NO_TREE, *self._trees))
            self._html = gui.add_html("", visible=False)
        self._chosen.on_update(lambda _: host.refresh())

    def read(self) -> Snapshot | None:
        """Returns the nodes of the chosen tree; called in the thread that ticks it."""
        tree = self._trees.get(self._chosen.value)
        if tree is None:
            return None
        from deepsim_btree.snapshot import take_snapshot  # noqa: PLC0415 (of an extra)

        return take_snapshot(tree.root)

    def show(self, snapshot: Snapshot | None) -> None:
        """Draws the nodes of a snapshot, or nothing for None; called in the viewer's thread."""
        page = "" if snapshot is None else tree_page(snapshot)
        if page != self._page:
            self._page = self._html.content = page
            self._html.visible = bool(page)


def tree_page(snapshot: Snapshot) -> str:
    """Returns up to 200 nodes of a tree as HTML, one line each, escaping names and messages."""
    depths: list[int] = []
    lines = []
    for number, node in enumerate(snapshot.nodes[:_MOST]):
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        status = snapshot.status(number).name
        old = snapshot.states[number].islower()
        kind = "" if node.name == node.kind else f" <small>{escape(node.kind)}</small>"
        message = snapshot.feedback.get(number)
        said = f" <i>{escape(message)}</i>" if message else ""
        lines.append(
            f'<div title="{status.lower()}" style="padding-left:{_INDENT * depths[-1]}px;'
            f'opacity:{_OLD if old else 1}">'
            f'<b style="color:{_COLORS[status]}">{_SIGNS[status]}</b> '
            f'<span style="color:{_COLORS[status]}">{escape(node.name)}</span>{kind}{said}</div>'
        )
    left = len(snapshot.nodes) - len(lines)
    if left:
        lines.append(f"<div>and {left} more</div>")
    return f'<div style="font-size:.8em;line-height:1.5;padding:0 1em">{"".join(lines)}</div>'
