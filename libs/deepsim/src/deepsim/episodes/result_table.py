# SPDX-License-Identifier: Apache-2.0
"""Shows the results of episodes as a table."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from rich.table import Table

from deepsim.output import table
from deepsim_train.episodes import Episode, columns_of_each, columns_of_means

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
    cells = {head: list(map(_cell, column)) for head, column in columns.items()}
    if _width(columns) > width:
        named = [cells.pop(head) for head in ("agent", "episode", "world") if head in cells]
        heads = [" ".join(words) for words in zip(*named, strict=True)]
        turned = [{"": head, **dict(zip(heads, row, strict=True))} for head, row in cells.items()]
        return table(turned, title=title, caption=speed, right=heads)
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    return table(rows, title=title, caption=speed, right=numbers)


def _width(columns: Mapping[str, list[Any]]) -> int:
    widths = [max(len(head), *(len(_cell(c)) for c in column)) for head, column in columns.items()]
    return sum(widths) + _GAP * (len(widths) - 1)


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, Real)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{float(value):.2f}"
    return str(value)
