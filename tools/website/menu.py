# SPDX-License-Identifier: Apache-2.0
"""The menu of the site: its order is that of the tables in the pages that lead to the others."""

from __future__ import annotations

from typing import Any

from website import links
from website.reference import Reference
from website.repository import Repository

_GALLERY = "docs/gallery.md"


def menu(repository: Repository, reference: Reference) -> list[Any]:
    """Returns the tree of pages, as MkDocs takes it for `nav`."""
    guides = _pages_of_docs(repository, "docs/README.md")
    contributing = _pages_of_docs(repository, "CONTRIBUTING.md")
    howto = [page for page in contributing if page.startswith("docs/howto/")]
    tutorials = [page for page in guides if page.startswith("docs/tutorials/")]
    guides = _without(guides, contributing, [_GALLERY])
    return [
        {"Home": "README.md"},
        {"Guides": [
            "docs/README.md",
            *_section("Tutorials", tutorials),
            *_without(guides, tutorials),
        ]},
        {"Examples": [_GALLERY, {"All examples": _examples(repository)}]},
        {"Libraries": [
            *(_library(repository, library.name) for library in reference.libraries.values()),
            {"The Gazebo plugin": "plugins/gazebo-batch-state/README.md"},
        ]},
        {"Reference": reference.navigation()},
        {"Contributing": [
            "CONTRIBUTING.md",
            *_without(contributing, howto, ["docs/README.md"]),
            *_section("How to add", howto),
            "benchmarks/README.md",
        ]},
    ]  # fmt: skip


def _section(title: str, pages: list[str]) -> list[Any]:
    return [{title: pages}] if pages else []


def _examples(repository: Repository) -> list[str]:
    pages = (f"{target}/README.md" for target in repository.targets("examples/README.md"))
    return ["examples/README.md", *(page for page in pages if page in repository.pages)]


def _library(repository: Repository, name: str) -> dict[str, list[Any]]:
    folders = f"libs/{name}/docs/", f"libs/{name}/examples/"
    guides = [page for page in repository.pages if page.startswith(folders)]
    changelog = {"Changelog": f"libs/{name}/CHANGELOG.md"}
    return {name: [f"libs/{name}/README.md", *guides, changelog]}


def _pages_of_docs(repository: Repository, page: str) -> list[str]:
    """Returns the pages of docs/ to which another one links, notebooks among them."""
    targets = dict.fromkeys(repository.targets(page))  # each once, in order
    pages = (links.shown_as(target) for target in targets if target.startswith("docs/"))
    return [page for page in pages if page.endswith(".md")]


def _without(pages: list[str], *others: list[str]) -> list[str]:
    return [page for page in pages if not any(page in other for other in others)]
