# SPDX-License-Identifier: Apache-2.0
"""Prints the results of commands: lines, tables, and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_STYLES = {
    "ok": "green",
    "passed": "green",
    "loads": "green",
    "missing": "yellow",
    "remark": "yellow",
    "warned": "yellow",
    "approximated": "yellow",
    "skipped": "yellow",
    "broken": "red",
    "failed": "red",
    "fails": "red",
}
"""The colour of each outcome of an examination."""


def say(console: Console, text: str, outcome: str = "", width: int = 8) -> None:
    """Prints a line, which the terminal wraps; an outcome comes first, in its colour."""
    mark = [(f"{outcome:{width}}", _STYLES[outcome])] if outcome else []
    console.print(Text.assemble(*mark, text), soft_wrap=True)


def print_json(value: Any) -> None:
    """Prints plain data as JSON to stdout."""
    print(json.dumps(value, indent=2))


def table(
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str = "",
    caption: str = "",
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> Table:
    """Returns a table with a line for each row; the keys of the first row are the heads.

    Args:
        rows: The cells, by head. A column of numbers is aligned to the right, None is an empty
            cell, and a `rich.text.Text` keeps its style.
        title: A line above the table.
        caption: A line below the table.
        right: Further columns to align to the right.
        whole: Columns whose cells are never wrapped.
    """
    # At least as wide as its title and caption, which would wrap otherwise.
    shown = Table(
        title=Text(title) if title else None,
        caption=Text(caption) if caption else None,
        min_width=max(cell_len(title), cell_len(caption)),
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for head in rows[0] if rows else ():
        cells = [row[head] for row in rows]
        numbers = all(isinstance(c, Real | None) and not isinstance(c, bool) for c in cells)
        shown.add_column(
            Text(head),
            justify="right" if numbers or head in right else "left",
            overflow="fold",
            no_wrap=head in whole,
        )
    for row in rows:
        shown.add_row(*map(_cell, row.values()))
    return shown


def fields(values: Sequence[tuple[str, Any]]) -> Table:
    """Returns a table with a line for each name and its value; a value may have several lines."""
    shown = Table.grid("", "", padding=(0, 2))
    shown.columns[1].overflow = "fold"
    for name, value in values:
        shown.add_row(Text(name, "bold"), _cell(value))
    return shown


def _cell(value: Any) -> Text:
    if isinstance(value, Text):
        return value
    if value is None:
        return Text()
    if isinstance(value, bool):
        return Text("yes" if value else "no")
    return Text(", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
