# SPDX-License-Identifier: Apache-2.0
"""The trace viewer: a recording as one page that a browser shows without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deepsim_btree.snapshot import NodeInfo

    from .recording import Recording


def render_html(recording: Recording, title: str = "Behaviour tree") -> str:
    """Return a page of HTML that shows a recording: the tree, and a chart of statuses over steps.

    It opens at the last step. One can step, scrub and play. The page is complete in itself and
    loads nothing.

    Args:
        recording: What to show.
        title: Shown at the top.

    Raises:
        ValueError: The recording is empty.
    """
    if not recording.steps:
        raise ValueError("the recording is empty: nothing can be shown")
    layouts: list[tuple[NodeInfo, ...]] = []
    steps: list[list[Any]] = []
    for call, tick, time, (nodes, states, feedback), error in recording.steps:
        if not layouts or nodes is not layouts[-1]:
            layouts.append(nodes)
        steps.append([call, tick, time, len(layouts) - 1, states, feedback, error])
    data = json.dumps({"layouts": layouts, "steps": steps, "end": recording.last_tick})
    page = Path(__file__).with_name("viewer.html").read_text(encoding="utf-8")
    before, after = page.replace("@TITLE@", _escape(title)).rsplit("@DATA@", 1)
    return before + data.replace("<", "\\u003c") + after  # a name may be "</script>"


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
