# SPDX-License-Identifier: Apache-2.0
"""Tells MkDocs which pages the site has: `hooks` in mkdocs.yml.

The pages are those of the repository, at the same paths, and the reference of the libraries. What
they link to comes along: pictures as they are, source code and notebooks as pages that show them.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename, dirname
from typing import Any

import nbconvert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from website import links
from website.reference import Reference
from workspace import ROOT


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Adds the reference to the menu; a public name without a docstring stops the build."""
    reference = Reference(ROOT)
    bare = reference.undocumented()
    if bare:
        raise PluginError("Public names without a docstring: " + ", ".join(bare))
    config.extra["reference"] = reference
    config.nav.insert(-1, {"Reference": reference.navigation()})
    config.watch += [str(ROOT / name) for name in ("docs", "libs", "examples")]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, and what they link to."""
    reference: Reference = config.extra["reference"]
    pages = links.pages(ROOT)
    linked = links.linked(ROOT, pages)
    for path in pages:
        files.append(_file(path, config))
    index = reference.contents()
    files.append(File.generated(config, "reference/README.md", content=index))
    for page in reference.pages:
        files.append(File.generated(config, page.file, content=reference.markdown(page)))
    for path in linked:
        for file in _shown(path, config):
            if file.src_uri not in files.src_uris:  # a folder, and its README by name
                files.append(file)
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Points links to folders, source code and notebooks at their pages."""
    path = page.file.src_uri
    if path == "README.md":
        page.meta["hide"] = ["navigation"]  # one page, whose own contents are enough
    shows_code = not (ROOT / path).is_file() and not (ROOT / path).with_suffix(".ipynb").is_file()
    is_source = shows_code and not path.startswith("reference/")
    excluded = is_source or basename(path) == "CHANGELOG.md"
    page.meta["search"] = {"exclude": excluded, "boost": 2 if path.startswith("docs/") else 1}
    return markdown if shows_code else links.redirected(path, markdown, ROOT)


def _shown(path: str, config: MkDocsConfig) -> Iterator[File]:
    """Yields what shows a file or folder; nothing for one that is missing: MkDocs reports it."""
    page = links.shown_as(ROOT, path)
    if path.endswith(".ipynb"):
        name = {"unique_key": basename(page).removesuffix(".md")}  # of its pictures
        text, resources = nbconvert.MarkdownExporter().from_filename(str(ROOT / path), name)
        heading, _, rest = text.partition("\n")
        offer = f"\n\n[Take this page as a notebook]({basename(path)})\n"
        yield File.generated(config, page, content=heading + offer + rest)
        yield _file(path, config)
        for name, picture in resources["outputs"].items():
            yield File.generated(config, f"{dirname(path)}/{name}", content=picture)
    elif page == path or (ROOT / page).is_file():
        if (ROOT / page).is_file():
            yield _file(page, config)
    elif (ROOT / path).exists():
        yield File.generated(config, page, content=links.content(ROOT, path))


def _file(path: str, config: MkDocsConfig) -> File:
    return File(path, str(ROOT), config.site_dir, config.use_directory_urls)
