# SPDX-License-Identifier: Apache-2.0
"""The tables of Poetry in each pyproject.toml: how `poetry install` sets up a library's folder.

They follow from the rest: the siblings in `[project]` are taken from the working tree, and the
group `dev` is what tox.ini installs for tests. No wheel has them, and only Poetry reads them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from libraries import Library

_LOWEST = 10
"""The minor version of the first Python on which contributors work; see CONTRIBUTING.md."""

_DEPENDENCIES = (
    "[tool.poetry.dependencies]  # written by tools/pin.py: siblings of the working tree"
)
_DEV = "[tool.poetry.group.dev.dependencies]  # written by tools/pin.py: what tox.ini installs"
_TABLES = re.compile(
    r"(?m)^\[tool\.poetry\.(?:group\.dev\.)?dependencies\][^\n]*\n(?:[^\[\n][^\n]*\n)*\n?"
)


def with_overlay(text: str, library: Library, siblings: set[str]) -> str:
    """Returns the text of a library's pyproject.toml with its tables of Poetry as they should be.

    Args:
        text: The text of the file; layout and comments of all other tables stay.
        library: The library.
        siblings: The names of all libraries of the workspace.
    """
    main = {
        need.name: _sibling(need.name)
        for need in (*library.dependencies, *library.extras)
        if need.name in siblings
    }
    always = {need.name: main.get(need.name) for need in library.dependencies}
    dev = {name: value for name, value in _dev(library, siblings) if value != always.get(name, "")}
    python = f'">=3.{_LOWEST},<3.{max(library.minors) + 1}"'
    tables = [_table(_DEPENDENCIES, {"python": python, **main}), _table(_DEV, dev)]
    return _TABLES.sub("", text).rstrip("\n") + "\n\n" + "\n".join(tables)


def _dev(library: Library, siblings: set[str]) -> Iterator[tuple[str, str]]:
    """Yields name and constraint of each package that tox.ini installs in every environment."""
    for need in library.test_dependencies:
        if need.name in siblings:
            yield need.name, _sibling(need.name, need.extras)
        else:
            version = ",".join(f"{sign}{bound}" for sign, bound in need.clauses) or "*"
            yield need.name, f'"{version}"'


def _sibling(name: str, extras: Collection[str] = ()) -> str:
    listed = ", ".join(f'"{extra}"' for extra in sorted(extras))
    also = f", extras = [{listed}]" if extras else ""
    return f'{{ path = "../{name}", develop = true{also} }}'


def _table(heading: str, rows: dict[str, str]) -> str:
    return "\n".join([heading, *(f"{name} = {value}" for name, value in rows.items()), ""])
