# SPDX-License-Identifier: Apache-2.0
"""Finds the links of a Markdown page and points them at pages of the site.

The site mirrors the folders of the repository, so a link that works in a clone works there too,
with two exceptions that a web server has not: a folder stands for its README, and a file of source
code for a page that shows it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path

#: Files that a page shows as they are.
MEDIA = {".gif", ".png", ".svg", ".webp"}

_FENCE = re.compile(r"^(```|~~~)")
_LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def targets(page: str, text: str) -> Iterator[str]:
    """Yields the files and folders to which `text` links, as paths in the repository.

    Args:
        page: Path of the page in the repository, with slashes.
        text: Its Markdown.
    """
    found: list[str] = []

    def note(target: str) -> None:
        found.append(target)

    _each_link(page, text, note)
    yield from found


def redirected(page: str, text: str, root: Path) -> str:
    """Returns `text` with links to folders and to source code pointed at their pages."""

    def redirect(target: str) -> str | None:
        file = root / target
        if file.is_dir():
            wanted = f"{target}/README.md"
        elif file.is_file() and shown_as(target) != target:
            wanted = shown_as(target)
        else:
            return None
        return posixpath.relpath(wanted, posixpath.dirname(page) or ".")

    return _each_link(page, text, redirect)


def shown_as(file: str) -> str:
    """Returns the page of the site for a file: itself, or one that shows a notebook or code."""
    stem, suffix = posixpath.splitext(file)
    if suffix == ".ipynb":
        return f"{stem}.md"
    return file if suffix in {".md", *MEDIA} else f"{file}.md"


def _each_link(page: str, text: str, visit: Callable[[str], str | None]) -> str:
    """Calls `visit` with the target of each link outside code; a string replaces the link."""

    def replace(match: re.Match[str]) -> str:
        link, anchor = match[1], match[2] or ""
        if re.match(r"[a-z]+:", link):
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
        new = visit(target)
        if new is None:
            return match[0]
        return new + (anchor if anchor != "#readme" else "")

    lines, fenced = [], False
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line.lstrip()):
            fenced = not fenced
        lines.append(line if fenced else _LINK.sub(replace, line))
    return "".join(lines)
