# SPDX-License-Identifier: Apache-2.0
"""Prepares docstrings for a page: examples as code, names of classes as links."""

from __future__ import annotations

import re

_CLASS = re.compile(r"(?<![`\[\w])`([A-Z]\w+)`(?![`\]\w])")


def with_examples(text: str) -> str:
    """Returns `text` with each doctest in a fence, so that it is shown as code."""
    lines: list[str] = []
    inside, fence = False, "```"
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if not inside and line.lstrip().startswith(">>> "):
            if lines and lines[-1].strip():
                lines.append("")  # a fence begins a block of its own
            fence = f"{indent}```"
            lines.append(f"{fence}pycon")
            inside = True
        elif inside and not line.strip():
            lines.append(fence)
            inside = False
        lines.append(line)
    return "\n".join([*lines, fence] if inside else lines)


def with_links(text: str, names: dict[str, str]) -> str:
    """Returns `text` with each class in backticks that `names` has linked to its place."""

    def link(match: re.Match[str]) -> str:
        place = names.get(match[1])
        return match[0] if place is None else f"[`{match[1]}`][{place}]"

    return _CLASS.sub(link, text)
