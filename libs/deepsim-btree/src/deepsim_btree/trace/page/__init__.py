# SPDX-License-Identifier: Apache-2.0
"""The HTML page that shows a tree, either a recording in the file or live from a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.trace.recording import Recording

# The parts of the page's script, in their order.
_SCRIPTS = ("run", "choice", "nodes", "timeline", "panel", "controls", "live")


def render_html(recording: Recording, title: str = "Behaviour tree") -> str:
    """Returns an HTML page that shows a recording: the tree, its timeline and its blackboard.

    The page opens at the last step. One can step, scrub, play, search, and jump between changes of
    a node. The page is a single file that loads no others, so it can be sent by e-mail.

    Args:
        recording: The recording.
        title: Text at the top of the page.

    Raises:
        ValueError: The recording is empty.
    """
    if not recording.steps:
        raise ValueError("the recording is empty: nothing can be shown")
    return render_page(title, recording.lines())


def render_page(title: str, lines: Iterable[str] = ()) -> str:
    """Returns the page with the lines of a recording; without lines, it gets them from a server.

    Args:
        title: Text at the top of the page.
        lines: The result of `Recording.lines`, or nothing.
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
