# SPDX-License-Identifier: Apache-2.0
"""The site: links lead to pages, the reference finds public names, examples are code."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def website(monkeypatch):
    """Imports a module of tools/website."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return lambda module: importlib.import_module(f"website.{module}")


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("other.md", "other.md"),
        ("other.md#part", "other.md#part"),
        ("../code.py", "../code.py.md"),
        ("../folder", "../folder/README.md"),
        ("../folder#readme", "../folder/README.md"),
        ("../film.gif", "../film.gif"),
        ("../first.ipynb", "../first.md"),
        ("missing.py", "missing.py"),
        ("https://example.org/folder", "https://example.org/folder"),
        ("#part", "#part"),
    ],
)
def test_a_link_leads_to_a_page(website, tmp_path, link, shown):
    """Folders stand for their README, code and notebooks for pages that show them."""
    (tmp_path / "folder").mkdir()
    for name in ("code.py", "film.gif", "first.ipynb"):
        (tmp_path / name).touch()
    text = website("links").redirected("docs/page.md", f"[here]({link})", tmp_path)
    assert text == f"[here]({shown})"


def test_links_in_code_stay(website, tmp_path):
    """What looks like a link within a fence is an example."""
    (tmp_path / "folder").mkdir()
    text = "```python\nrows[0](folder)\n```\n"
    assert website("links").redirected("page.md", text, tmp_path) == text


@pytest.fixture
def reference(website, workspace):
    """The reference of a toy workspace whose deepsim-math has a class and a module."""
    source = workspace / "libs/deepsim-math/src/deepsim_math"
    source.joinpath("__init__.py").write_text(
        '"""Numbers."""\n'
        "from . import angles\n"
        "from .values.vector import Vector\n"
        'Numbers = tuple\n"""Some numbers."""\n'
        '__all__ = ["Numbers", "Vector", "angles"]\n'
    )
    source.joinpath("angles.py").write_text(
        '"""Angles."""\ndef wrap(angle):\n    """Returns it within a turn."""\n'
    )
    source.joinpath("values").mkdir()
    source.joinpath("values/__init__.py").write_text('"""Values."""\n')
    source.joinpath("values/vector.py").write_text(
        '"""A vector."""\n\n'
        "class Vector:\n"
        '    """Three numbers [m]. Immutable."""\n\n'
        "    def dot(self, other):\n"
        '        """Returns the inner product."""\n'
    )
    return website("reference").Reference(workspace)


def test_the_reference_finds_the_public_names(reference):
    """A folder of the library is a page, and so is a module in its `__all__`."""
    pages = {page.file: [name.path for name in page.names] for page in reference.pages}
    assert pages["reference/deepsim-math/values.md"] == ["deepsim_math.Vector"]
    assert pages["reference/deepsim-math/angles.md"] == ["deepsim_math.angles.wrap"]
    (page,) = [page for page in reference.pages if page.module == "deepsim_math"]
    assert "| [`Vector`][deepsim_math.Vector] | Three numbers [m]. |" in reference.markdown(page)


@pytest.mark.parametrize(
    ("without", "name"),
    [
        ('    """Three numbers [m]. Immutable."""\n', "deepsim_math.values.vector.Vector"),
        ('        """Returns the inner product."""\n', "deepsim_math.values.vector.Vector.dot"),
        ('"""Some numbers."""\n', "deepsim_math.Numbers"),
    ],
)
def test_a_public_name_without_docstring_is_found(website, workspace, reference, without, name):
    """Classes, methods and constants alike; one that has a docstring is not named."""
    assert reference.undocumented() == []
    for file in workspace.glob("libs/deepsim-math/src/deepsim_math/**/*.py"):
        rest = "        pass\n" if ".dot" in name else ""
        file.write_text(file.read_text().replace(without, rest))
    assert website("reference").Reference(workspace).undocumented() == [name]


def test_an_override_has_the_docstring_of_its_base(website, workspace, reference):
    """A method that no base class documents still needs one of its own."""
    source = workspace / "libs/deepsim-math/src/deepsim_math"
    vector = source / "values/vector.py"
    unit = 'class Unit(Vector):\n    """Of length 1."""\n    '
    methods = "def dot(self, other):\n        pass\n    def bare(self):\n        pass\n"
    vector.write_text(vector.read_text() + unit + methods)
    names = (source / "__init__.py").read_text().replace("import Vector", "import Unit, Vector")
    (source / "__init__.py").write_text(names.replace('"Vector"', '"Unit", "Vector"'))
    bare = website("reference").Reference(workspace).undocumented()
    assert bare == ["deepsim_math.values.vector.Unit.bare"]


def test_every_public_name_of_ours_has_a_docstring(website):
    """`make docs` fails otherwise; here it is said without the tools for the site."""
    assert website("reference").Reference(ROOT).undocumented() == []


def test_an_example_in_a_docstring_is_code(website):
    """A doctest becomes a fence of its own, up to the next empty line."""
    text = "Adds.\n>>> 1 + 1\n2\n\nArgs:\n    x: One.\n\n    >>> x\n    1"
    assert website("reference").with_examples(text) == (
        "Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nArgs:\n    x: One.\n\n"
        "    ```pycon\n    >>> x\n    1\n    ```"
    )


def test_a_class_in_a_docstring_is_a_link(website):
    """Where its place is known; other words in backticks stay as they are."""
    text = website("reference").with_links("A `World` of `rows`, `Other`.", {"World": "a.World"})
    assert text == "A [`World`][a.World] of `rows`, `Other`."


def test_every_page_is_in_the_menu():
    """Whoever adds a guide, a library or an example adds a line to mkdocs.yml."""
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    folders = (
        "docs/*.md",
        "docs/howto/*.md",
        "docs/start/*.md",
        "libs/*/*.md",
        "libs/*/docs/*.md",
        "examples/*/*.md",
    )
    pages = [page.relative_to(ROOT).as_posix() for each in folders for page in ROOT.glob(each)]
    pages += [page.with_suffix(".md").relative_to(ROOT).as_posix() for page in _notebooks()]
    assert len(pages) > 80
    assert [page for page in pages if f" {page}\n" not in menu] == []


def _notebooks():
    return ROOT.glob("docs/tutorials/*.ipynb")


def test_every_film_of_an_example_is_in_the_gallery():
    """Whoever adds an example with a film shows it there, too."""
    gallery = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    films = [
        *ROOT.glob("libs/deepsim-tasks/docs/images/*.webp"),
        *ROOT.glob("libs/deepsim-tasks/docs/images/*.gif"),
        *ROOT.glob("examples/*/film.webp"),
    ]
    assert len(films) >= 11
    names = [film.relative_to(ROOT).as_posix() for film in films]
    assert [name for name in names if name not in gallery] == []
