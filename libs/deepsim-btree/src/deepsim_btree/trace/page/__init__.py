# SPDX-License-Identifier: Apache-2.0
"""The page that shows a tree: a recording in one file, or a running tree that a server sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.trace.recording import Recording

# Each has one idea; together they are the script of the page.
_SCRIPTS = ("run", "choice", "nodes", "timeline", "panel", "controls", "live")


def render_html(recording: Recording, title: str = "Behaviour tree") -> str:
    """Returns a page of HTML that shows a recording: the tree, its timeline and its blackboard.

    It opens at the last step. One can step, scrub, play, search, and go from change to change of
    a node. The page is complete in itself and loads nothing, so that it can be sent by mail.

    Args:
        recording: The recording.
        title: Shown at the top.

    Raises:
        ValueError: The recording is empty.
    """
    if not recording.steps:
        raise ValueError("the recording is empty: nothing can be shown")
    return render_page(title, recording.lines())


def render_page(title: str, lines: Iterable[str] = ()) -> str:
    """Returns the page with the lines of a recording; without lines it asks a server for them.

    Args:
        title: Shown at the top.
        lines: What `Recording.lines` returns.
    """
    folder = Path(__file__).parent
    script = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    data = json.dumps([json.loads(line) for line in lines], separators=(",", ":"))
    page = (folder / "page.html").read_text(encoding="utf-8")
    page = page.replace("@STYLE@", (folder / "page.css").read_text(encoding="utf-8"))
    page = page.replace("@SCRIPT@", script).replace("@TITLE@", _escape(title))
    before, after = page.rsplit("@DATA@", 1)
    return before + data.replace("<", "\\u003c") + after  # a name may be "</script>"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
