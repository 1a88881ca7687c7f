# SPDX-License-Identifier: Apache-2.0
"""Lines of text for the panel."""

from __future__ import annotations

from html import escape


def plain_lines(*lines: str) -> str:
    """Returns lines of text as HTML, escaping markup."""
    text = "<br>".join(map(escape, lines))
    return f'<div style="font-size:.875em;line-height:1.5;padding:0 1em">{text}</div>'
