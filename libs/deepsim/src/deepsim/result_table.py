# SPDX-License-Identifier: Apache-2.0
"""Prints how episodes went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from .rollout import Episode


def result_table(task: str, policy: str, seed: int, episodes: list[Episode]) -> Table:
    """A row per episode and agent.

    What the area's info tells of an agent by its name gets columns of its own.
    """
    simulated = sum(episode.duration for episode in episodes)
    wall = sum(episode.wall_time for episode in episodes)
    speed = f"{simulated:.0f} s simulated at {simulated / wall:.0f} x real time" if wall else ""
    table = Table(title=f"{task}: policy {policy}, seed {seed}", caption=speed)
    extra = list(dict.fromkeys(key for one in episodes for row in _told(one) for key in row))
    for column in ("episode", "agent", "reward", *extra):
        text = column in ("agent", "outcome")
        table.add_column(column, justify="left" if text else "right")
    for episode in episodes:
        for agent, reward in episode.rewards.items():
            told = episode.info.get(agent, {})
            cells = (_cell(told.get(key)) for key in extra)
            table.add_row(str(episode.number), agent, f"{reward:.2f}", *cells)
    return table


def _told(episode: Episode) -> list[Mapping[str, Any]]:
    told = (episode.info.get(agent) for agent in episode.rewards)
    return [row for row in told if isinstance(row, Mapping)]


def _cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str("" if value is None else value)
