# SPDX-License-Identifier: Apache-2.0
"""Shows the results of episodes as a table."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table

from .episode import Episode


def result_table(task: str, policy: str, seed: int, episodes: list[Episode]) -> Table:
    """Returns a table with a row for each agent of each episode and world.

    The area's info of an agent, a dict under its name, gets columns of its own.
    """
    simulated = sum(episode.duration for episode in episodes)
    wall = sum(episode.wall_time for episode in episodes)
    title = f"{task}: policy {policy}, seed {seed}"
    speed = f"{simulated:.0f} s simulated at {simulated / wall:.0f} x real time" if wall else ""
    # As wide as the lines above and below it, which would wrap otherwise.
    width = max(cell_len(title), cell_len(speed))
    table = Table(title=escape(title), caption=speed, min_width=width)
    agents = [(episode, agent) for episode in episodes for agent in episode.rewards]
    infos = [_info(episode, agent) for episode, agent in agents]
    columns: list[tuple[str, list[Any]]] = [
        ("episode", [episode.number for episode, _ in agents]),
        ("world", [episode.world for episode, _ in agents]),
        ("agent", [agent for _, agent in agents]),
        ("reward", [float(episode.rewards[agent]) for episode, agent in agents]),
        ("diverged", [episode.diverged for episode, _ in agents]),
        *((str(key), [row.get(key) for row in infos]) for key in _keys(infos)),
    ]
    # Most tasks run in one world, and diverge in none.
    columns = [each for each in columns if each[0] not in ("world", "diverged") or any(each[1])]
    for header, values in columns:
        numbers = all(isinstance(value, Real | None) for value in values)
        table.add_column(escape(header), justify="right" if numbers else "left")
    for row in zip(*(values for _, values in columns), strict=True):
        table.add_row(*(escape(_cell(value)) for value in row))
    return table


def _info(episode: Episode, agent: str) -> Mapping[Any, Any]:
    info = episode.info.get(agent)
    return info if isinstance(info, Mapping) else {}


def _keys(rows: list[Mapping[Any, Any]]) -> list[Any]:
    return list(dict.fromkeys(key for row in rows for key in row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Real) and not isinstance(value, Integral):
        return f"{float(value):.2f}"
    return str(value)
