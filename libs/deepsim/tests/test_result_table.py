# SPDX-License-Identifier: Apache-2.0
"""The table of episodes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from deepsim.output import result_table
from deepsim_train.episodes import Episode


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def printed(rewards: dict[str, float], info: dict[str, Any]) -> list[str]:
    episode = Episode(1, duration=40.0, wall_time=1.0, rewards=rewards, info=info)
    console = Console(width=100)
    with console.capture() as capture:
        console.print(result_table("t", "random", 0, [episode]))
    return capture.get().splitlines()


@pytest.mark.parametrize("other", [3.0, None, "text", [1, 2]])
def test_info_of_an_agent_that_is_no_dict_has_no_columns(other: object) -> None:
    lines = printed({"a": 1.0, "b": 2.0}, {"a": {"x": 1}, "b": other})
    assert cells(lines[3]) == ["1", "a", "1.00", "1"]
    assert cells(lines[4]) == ["1", "b", "2.00"]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (7, "       7"),
        (0.5, "    0.50"),
        (np.float32(0.5), "    0.50"),
        (np.int64(7), "       7"),
        ("[won]", "  [won] "),
    ],
)
def test_numbers_stand_at_the_right_and_text_at_the_left(value: object, cell: str) -> None:
    assert any(line.endswith(cell) for line in printed({"a": 1.0}, {"a": {"column": value}}))


def test_title_and_caption_are_one_line_each_though_the_columns_are_narrow() -> None:
    lines = printed({"a": 1.0}, {})
    assert lines[0].strip() == "t: policy random, seed 0"
    assert lines[-1].strip() == "40 s simulated at 40 x real time"


def test_many_episodes_are_shown_as_means_of_each_agent() -> None:
    """Of booleans that is the share of true ones; text has none."""
    episodes = [
        Episode(1, world, rewards={"a": float(world), "b": 1.0}, info={"a": info})
        for world in range(12)
        for info in [{"success": np.bool_(world >= 3), "why": "fell", "far": np.float64(world)}]
    ]
    console = Console(width=100)
    with console.capture() as capture:
        console.print(result_table("t", "random", 0, episodes))
    lines = capture.get().splitlines()
    assert cells(lines[1]) == ["agent", "episodes", "mean reward", "success", "far"]
    assert cells(lines[3]) == ["a", "12", "5.50", "0.75", "5.50"]
    assert cells(lines[4]) == ["b", "12", "1.00"]


@pytest.mark.parametrize("count", [2, 9])
def test_a_table_wider_than_the_terminal_is_turned(count: int) -> None:
    """Every number of a task with many reward terms can be read at 80 columns."""
    info = {f"return/term_{number}": number + 0.25 for number in range(14)}
    episodes = [
        Episode(number, rewards={"quadruped": 1.5}, info={"quadruped": info})
        for number in range(1, count + 1)
    ]
    console = Console(width=80)
    with console.capture() as capture:
        console.print(result_table("t", "random", 0, episodes, console.width))
    lines = capture.get().splitlines()
    assert all(len(line) <= 80 for line in lines)
    shown = ["13.25"] * (2 if count == 2 else 1)
    assert ["return/term_13", *shown] in map(cells, lines)
    heads = ["quadruped 1", "quadruped 2"] if count == 2 else ["quadruped"]
    assert cells(lines[1]) == heads
