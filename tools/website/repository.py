# SPDX-License-Identifier: Apache-2.0
"""The Markdown files of the repository that are pages of the site, and what they link to."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from website import links, notebooks

_PAGES = (
    "*.md", "docs/*.md", "docs/*/*.md", "libs/*/*.md", "libs/*/docs/**/*.md",
    "libs/*/examples/**/*.md", "examples/**/*.md", "benchmarks/README.md", "plugins/*/*.md",
)  # fmt: skip
_LANGUAGES = {".py": "python", ".sdf": "xml", ".world": "xml", ".yaml": "yaml"}


class Repository:
    """A clone, whose paths are written with slashes from its root.

    Args:
        root: Its folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def pages(self) -> list[str]:
        """The Markdown files that are pages, in alphabetical order."""
        found = {path for pattern in _PAGES for path in self.root.glob(pattern)}
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    @cached_property
    def linked(self) -> list[str]:
        """What the pages link to and is not a page itself, in alphabetical order."""
        found = {target for page in self.pages for target in self.targets(page)}
        for notebook in [path for path in found if path.endswith(".ipynb")]:
            found |= set(links.targets(notebook, notebooks.words(self.root / notebook)))
        return sorted(found - set(self.pages) - {"."})

    def targets(self, page: str) -> list[str]:
        """Returns the files and folders to which a page links, in the order of the links."""
        return list(links.targets(page, self.text(page)))

    def text(self, file: str) -> str:
        """Returns the text of a file."""
        return (self.root / file).read_text("utf-8")

    def code(self, file: str) -> str:
        """Returns a page that shows a file of source code."""
        language = _LANGUAGES.get(Path(file).suffix, "text")
        return f"# {file}\n\n````{language}\n{self.text(file).rstrip()}\n````\n"

    def listing(self, folder: str) -> str:
        """Returns a page that lists the files of a folder which has no README."""
        base = self.root / folder
        files = sorted(file for file in base.rglob("*") if file.is_file())
        names = "\n".join(f"- `{file.relative_to(base).as_posix()}`" for file in files)
        return f"# {folder}\n\nA folder of the repository, with these files:\n\n{names}\n"
