# SPDX-License-Identifier: Apache-2.0
"""What a training logs: a row for each update, as CSV; times are kept apart."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

WINDOW = 100
"""How many of the latest episodes a mean is of."""
_MOST_WORDS = 16
_STEPS = "time/total_timesteps"
_NAMES = {"rollout/ep_rew_mean": "reward", "rollout/ep_len_mean": "length"}
_TIMES = {"time/time_elapsed": "seconds", "time/fps": "steps_per_second"}


class ProgressFiles:
    """Writes ``progress.csv``, in which the same seed gives the same bytes, and ``timing.csv``.

    It has the methods of an output format of Stable-Baselines3's logger.

    Attributes:
        rows: What was logged so far, by column.
    """

    def __init__(self, folder: Path) -> None:
        self.rows: list[dict[str, Any]] = []
        self._times: list[dict[str, Any]] = []
        self._folder = folder

    def write(
        self,
        key_values: Mapping[str, Any],
        key_excluded: Mapping[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Takes the values of an update."""
        steps = {"steps": key_values.get(_STEPS, step)}
        values = {key: value for key, value in key_values.items() if not key.startswith("time/")}
        self.rows.append(
            {**steps, **{_NAMES.get(key, key): values[key] for key in sorted(values, key=_order)}}
        )
        times = {name: key_values[key] for key, name in _TIMES.items() if key in key_values}
        self._times.append({**steps, **times})
        _write_csv(self._folder / "progress.csv", self.rows)
        _write_csv(self._folder / "timing.csv", self._times)

    def close(self) -> None:
        """Nothing is left open."""


class EpisodeEnds:
    """What the area told of agents at the ends of their latest episodes.

    Numbers and truth values are averaged over the episodes that have them; of words, such as an
    outcome, the share is told. A name that comes with ever new words is left out.
    """

    def __init__(self) -> None:
        self._ends: deque[Mapping[str, Any]] = deque(maxlen=WINDOW)
        self._words: dict[str, set[str]] = {}

    def add(self, infos: list[dict[str, Any]]) -> None:
        """Looks through the infos of a step for episodes that ended."""
        for info in infos:
            if "episode" not in info:
                continue
            end = {key: value for key, value in info.items() if key != "TimeLimit.truncated"}
            self._ends.append(end)
            for key, value in end.items():
                words = self._words.setdefault(key, set())
                if isinstance(value, str) and len(words) <= _MOST_WORDS:
                    words.add(value)

    def means(self) -> dict[str, float]:
        """By name: ``end/NAME`` of numbers, ``end/NAME=WORD`` of words."""
        numbers: dict[str, list[float]] = {}
        for end in self._ends:
            for key, value in end.items():
                if isinstance(value, (Real, np.bool_)):
                    numbers.setdefault(key, []).append(float(value))
        means = {f"end/{key}": float(np.mean(numbers[key])) for key in sorted(numbers)}
        for key, words in sorted(self._words.items()):
            for word in sorted(words) if len(words) <= _MOST_WORDS else ():
                share = np.mean([end.get(key) == word for end in self._ends])
                means[f"end/{key}={word}"] = float(share)
        return means


def _order(key: str) -> tuple[int, str]:
    return ("rollout", "end", "train").index(key.partition("/")[0]), key


def _write_csv(file: Path, rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
