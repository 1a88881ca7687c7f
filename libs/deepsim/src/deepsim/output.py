# SPDX-License-Identifier: Apache-2.0
"""Prints the results of commands: lines, tables, and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deepsim_train.episodes import Episode, columns_of_each, columns_of_means

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


_GAP = 3  # characters between two columns
_MOST_TURNED = 5  # columns of agents in a table that is turned; more are shown as means
LONGEST = 20
"""The greatest number of rows; if there were more, each agent gets one row with its means."""


def result_table(
    task: str, policy: str, seed: int, episodes: list[Episode], width: int = 80
) -> Table:
    """Returns a table with one row for each agent of each episode.

    If that makes more than `LONGEST` rows, each agent has one row with its means instead. The
    values of an agent's info are columns too, except the reward terms of the last step. The mean
    of booleans is the share that is true; text has no mean. A table that is wider than the terminal
    is turned: each agent of each episode has a column, or its means if there are many.

    Args:
        task: Name of the task, for the title.
        policy: Name of the policy, for the title.
        seed: Seed of the run, for the title.
        episodes: The episodes of all worlds.
        width: Characters in a line of the terminal.
    """
    simulated = sum(episode.duration for episode in episodes)
    wall = sum(episode.wall_time for episode in episodes)
    title = f"{task}: policy {policy}, seed {seed}"
    speed = f"{simulated:.0f} s simulated at {simulated / wall:.0f} x real time" if wall else ""
    agents = [(episode, agent) for episode in episodes for agent in episode.rewards]
    columns = dict(columns_of_each(agents) if len(agents) <= LONGEST else columns_of_means(agents))
    if len(agents) > _MOST_TURNED and _width(columns) > width:
        columns = dict(columns_of_means(agents))
    numbers = [head for head, cells in columns.items() if all(map(_is_number, cells))]
    cells = {head: list(map(_text, column)) for head, column in columns.items()}
    if _width(columns) > width:
        named = [cells.pop(head) for head in ("agent", "episode", "world") if head in cells]
        heads = [" ".join(words) for words in zip(*named, strict=True)]
        turned = [{"": head, **dict(zip(heads, row, strict=True))} for head, row in cells.items()]
        return table(turned, title=title, caption=speed, right=heads)
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    return table(rows, title=title, caption=speed, right=numbers)


def _width(columns: Mapping[str, list[Any]]) -> int:
    widths = [max(len(head), *(len(_text(c)) for c in column)) for head, column in columns.items()]
    return sum(widths) + _GAP * (len(widths) - 1)


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, Real)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{float(value):.2f}"
    return str(value)
