# SPDX-License-Identifier: Apache-2.0
"""The pages of the repository, their links, and the pages of the site that these lead to.

The site mirrors the folders of the repository, so a link that works in a clone works there too,
with two exceptions that a web server has not: a folder stands for its README, and a file of source
code or a notebook for a page that shows it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

_PAGES = (
    "*.md", "docs/*.md", "docs/*/*.md", "libs/*/*.md", "libs/*/docs/**/*.md",
    "libs/*/examples/**/*.md", "examples/**/*.md", "benchmarks/README.md", "plugins/*/*.md",
)  # fmt: skip
_SHOWN = {".md", ".gif", ".png", ".svg", ".webp"}  # as they are
_LANGUAGES = {".py": "python", ".sdf": "xml", ".world": "xml", ".yaml": "yaml"}
_FENCE = re.compile(r"^(```|~~~)")
_LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def pages(root: Path) -> list[str]:
    """Returns the Markdown files that are pages, as paths with slashes from `root`."""
    found = {path for pattern in _PAGES for path in root.glob(pattern)}
    return sorted(path.relative_to(root).as_posix() for path in found)


def targets(page: str, text: str) -> set[str]:
    """Returns the files and folders to which the Markdown of a page links, from the root."""
    found: set[str] = set()
    _each_link(page, text, found.add)
    return found


def linked(root: Path, pages: list[str]) -> list[str]:
    """Returns what the pages, and notebooks to which they link, link to and is not a page."""
    found = {target for page in pages for target in targets(page, (root / page).read_text("utf-8"))}
    for notebook in [path for path in found if path.endswith(".ipynb")]:
        found |= targets(notebook, (root / notebook).read_text("utf-8"))
    return sorted(found - set(pages) - {"."})


def redirected(page: str, text: str, root: Path) -> str:
    """Returns `text` with links to folders and to source code pointed at their pages."""

    def redirect(target: str) -> str | None:
        if not (root / target).exists() or shown_as(root, target) == target:
            return None
        return posixpath.relpath(shown_as(root, target), posixpath.dirname(page) or ".")

    return _each_link(page, text, redirect)


def shown_as(root: Path, path: str) -> str:
    """Returns the page of the site for a file or folder: itself, or one that shows it."""
    stem, suffix = posixpath.splitext(path)
    if (root / path).is_dir():
        return f"{path}/README.md"
    if suffix == ".ipynb":
        return f"{stem}.md"
    return path if suffix in _SHOWN else f"{path}.md"


def content(root: Path, path: str) -> str:
    """Returns a page that shows a file of source code, or lists a folder without a README."""
    base = root / path
    if base.is_dir():
        files = sorted(file for file in base.rglob("*") if file.is_file())
        names = "\n".join(f"- `{file.relative_to(base).as_posix()}`" for file in files)
        return f"# {path}\n\nA folder of the repository, with these files:\n\n{names}\n"
    language = _LANGUAGES.get(base.suffix, "text")
    return f"# {path}\n\n````{language}\n{base.read_text('utf-8').rstrip()}\n````\n"


def _each_link(page: str, text: str, visit: Callable[[str], str | None]) -> str:
    """Calls `visit` with the target of each link outside code; a string replaces the link."""

    def replace(match: re.Match[str]) -> str:
        link, anchor = match[1], match[2] or ""
        if re.match(r"[a-z]+:", link):
            return match[0]
        new = visit(posixpath.normpath(posixpath.join(posixpath.dirname(page), link)))
        if new is None:
            return match[0]
        return new + (anchor if anchor != "#readme" else "")

    lines, fenced = [], False
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line.lstrip()):
            fenced = not fenced
        lines.append(line if fenced else _LINK.sub(replace, line))
    return "".join(lines)
