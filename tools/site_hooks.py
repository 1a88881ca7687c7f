# SPDX-License-Identifier: Apache-2.0
"""Tells MkDocs which pages the site has: `hooks` in mkdocs.yml.

The pages are those of the repository, at the same paths, and the reference of the libraries. What
they link to comes along: pictures as they are, source code and notebooks as pages that show them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from posixpath import dirname
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from website import links, notebooks
from website.menu import menu
from website.reference import Reference
from website.repository import Repository
from workspace import ROOT


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Reads the libraries and sets the menu; a public name without a docstring stops the build."""
    reference = Reference(ROOT)
    bare = reference.undocumented()
    if bare:
        raise PluginError("Public names without a docstring: " + ", ".join(bare))
    repository = Repository(ROOT)
    config.extra.update(repository=repository, reference=reference)
    config.nav = menu(repository, reference)
    config.watch += [str(ROOT / name) for name in ("docs", "libs", "examples")]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, and what they link to."""
    repository: Repository = config.extra["repository"]
    reference: Reference = config.extra["reference"]
    for path in repository.pages:
        files.append(_file(path, config))
    for page in reference.pages:
        files.append(File.generated(config, page.file, content=reference.markdown(page)))
    for path in repository.linked:
        for file in _shown(path, repository, config):
            if file.src_uri not in files.src_uris:  # a folder, and its README by name
                files.append(file)
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Points links to folders, source code and notebooks at their pages."""
    path = page.file.src_uri
    if path == "README.md":
        page.meta["hide"] = ["navigation"]  # one page, whose own contents are enough
    return links.redirected(path, markdown, ROOT) if (ROOT / path).is_file() else markdown


def _shown(path: str, repository: Repository, config: MkDocsConfig) -> Iterator[File]:
    """Yields what shows a file or folder; nothing for one that is missing: MkDocs reports it."""
    page = links.shown_as(path)
    if (ROOT / path).is_dir():
        page = f"{path}/README.md"
        if page not in repository.pages:
            yield File.generated(config, page, content=repository.listing(path))
    elif path.endswith(".ipynb"):
        redirect = partial(links.redirected, page, root=ROOT)
        text, pictures = notebooks.page(ROOT / path, redirect)
        yield File.generated(config, page, content=text)
        yield _file(path, config)
        for name, picture in pictures.items():
            yield File.generated(config, f"{dirname(path)}/{name}", content=picture)
    elif (ROOT / path).is_file():
        if page == path:
            yield _file(path, config)
        else:
            yield File.generated(config, page, content=repository.code(path))


def _file(path: str, config: MkDocsConfig) -> File:
    return File(path, str(ROOT), config.site_dir, config.use_directory_urls)
