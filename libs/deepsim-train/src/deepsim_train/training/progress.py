# SPDX-License-Identifier: Apache-2.0
"""The log of a training run: CSV with a row for each update, times in a separate file, curves."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from io import TextIOWrapper
from itertools import cycle
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from deepsim_train.policies.trained_policy import whole_file

WINDOW = 100
"""Means are taken over this number of latest episodes."""
_MOST_WORDS = 16
_STEPS = "time/total_timesteps"
RETURN = "return"
"""Prefix of the columns of reward terms: ``return/TERM``, and with several agents
``return/TERM/AGENT``."""
REWARD = "reward"
"""The column of the mean reward; with several agents, each also has ``reward/AGENT``."""
_NAMES = {"rollout/ep_rew_mean": REWARD, "rollout/ep_len_mean": "length"}
_TIMES = {"time/time_elapsed": "seconds", "time/fps": "steps_per_second"}


class ProgressFiles:
    """Writes ``progress.csv`` and ``timing.csv``.

    On one machine, the same task, settings and seed give the same bytes in ``progress.csv``; real
    times are only in ``timing.csv``.
    It has the methods of an output format of Stable-Baselines3's logger.

    Attributes:
        rows: The rows of ``progress.csv``, each by column.
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
        """Adds a row with the values of an update, and writes both files."""
        steps = {"steps": key_values.get(_STEPS, step)}
        values = {key: value for key, value in key_values.items() if not key.startswith("time/")}
        self.rows.append(
            {**steps, **{_NAMES.get(key, key): values[key] for key in sorted(values, key=_order)}}
        )
        times = {name: key_values[key] for key, name in _TIMES.items() if key in key_values}
        self._times.append({**steps, **times})
        write_csv(self._folder / "progress.csv", self.rows)
        write_csv(self._folder / "timing.csv", self._times)

    def get_state(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Returns all rows, for `set_state`."""
        return self.rows, self._times

    def set_state(self, state: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
        """Restores the rows returned by `get_state`; the next update writes the files."""
        self.rows, self._times = state

    def close(self) -> None:
        """Does nothing, because files are closed after each update."""


class EpisodeEnds:
    """The rewards and infos of agents at the ends of their latest episodes.

    Numbers and booleans of infos are averaged over the episodes that have them; of strings, the
    frequency of each is counted, unless there are too many different ones. For a reward term, the
    sum over the episode is used, not the value in the last step.

    Args:
        agents: All agents that learn.
        window: The number of latest episodes to use; None for all.
    """

    def __init__(self, agents: Sequence[str], *, window: int | None = WINDOW) -> None:
        self._rewards = {agent: deque[float](maxlen=window) for agent in agents}
        self._terms = {agent: deque[Mapping[str, float]](maxlen=window) for agent in agents}
        self._ends: deque[Mapping[str, Any]] = deque(maxlen=window)
        self._words: dict[str, set[str]] = {}

    def add(self, infos: Sequence[Mapping[str, Any]], agents: Sequence[str] | None = None) -> None:
        """Adds the episodes that ended in a step.

        Args:
            infos: The step's infos, one per slot: the agents of world 0, then of world 1, ...
            agents: The agents of each world; by default all agents that learn.
        """
        for info, agent in zip(infos, cycle(self._rewards if agents is None else agents)):
            if "episode" not in info:
                continue
            self._rewards[agent].append(info["episode"]["r"])
            end = {key: value for key, value in info.items() if key != "TimeLimit.truncated"}
            terms = {key: end.pop(key) for key in [*end] if key.startswith(f"{RETURN}/")}
            for key in terms:
                end.pop(key.replace(RETURN, REWARD, 1), None)
            self._terms[agent].append(terms)
            self._ends.append(end)
            for key, value in end.items():
                words = self._words.setdefault(key, set())
                if isinstance(value, str) and len(words) <= _MOST_WORDS:
                    words.add(value)

    def rewards(self) -> dict[str, float]:
        """Returns the mean reward of each agent that has ended an episode."""
        return {agent: float(np.mean(each)) for agent, each in self._rewards.items() if each}

    def reward(self) -> float:
        """Returns the mean reward of all episodes."""
        return float(np.mean([reward for each in self._rewards.values() for reward in each]))

    def means(self) -> dict[str, float]:
        """Returns ``end/NAME`` for numbers, ``end/NAME=WORD`` for strings, and ``return/TERM``.

        With several agents, each also has ``reward/AGENT`` and ``return/TERM/AGENT``.
        """
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
        every = [terms for each in self._terms.values() for terms in each]
        means |= _means_of(every)
        if len(self._rewards) > 1:
            means |= {f"{REWARD}/{agent}": reward for agent, reward in self.rewards().items()}
            for agent, own in self._terms.items():
                means |= {f"{key}/{agent}": mean for key, mean in _means_of(own).items()}
        return means


def _means_of(episodes: Collection[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(key for episode in episodes for key in episode)
    return {
        name: float(np.mean([episode[name] for episode in episodes if name in episode]))
        for name in names
    }


def _order(key: str) -> tuple[int, str]:
    return ("rollout", REWARD, RETURN, "end", "eval", "train").index(key.partition("/")[0]), key


def write_csv(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes rows as CSV; a column that a row lacks is empty."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with whole_file(file) as binary, TextIOWrapper(binary, "utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


_PREFIX = "end/"


def write_learning_curve(file: Path, title: str, rows: list[dict[str, Any]]) -> None:
    """Writes a PNG with curves of mean rewards, of their terms, and of infos at episode ends.

    Args:
        file: Output file.
        title: Title of the picture.
        rows: The rows of ``progress.csv``.
    """
    # Imported here because it takes half a second.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (see above)
    from matplotlib.figure import Figure  # noqa: PLC0415 (see above)

    columns = dict.fromkeys(key for row in rows for key in row)
    ends = [key for key in columns if key.startswith(_PREFIX)]
    agents = [key for key in columns if key.startswith(f"{REWARD}/")]
    shares = [key for key in ends if "=" in key]
    terms = [key for key in columns if key.startswith(f"{RETURN}/") and key.count("/") == 1]
    panels = [
        [REWARD, *agents],
        *([terms] if terms else []),
        *([key] for key in ends if key not in shares),
    ]
    if shares:
        panels.append(shares)
    figure = Figure(figsize=(7, 1.7 * len(panels) + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, keys in zip(axes, panels, strict=True):
        for key in keys:
            points = [(row["steps"], row[key]) for row in rows if key in row]
            if points:
                axis.plot(*zip(*points, strict=True), label=_label(key))
        if len(keys) > 1 or "=" in keys[0] or keys == terms:
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
        name = RETURN if keys == terms else keys[0].removeprefix(_PREFIX).partition("=")[0]
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    axes[0].set_title(title)
    axes[-1].set_xlabel("steps of agents")
    figure.savefig(file, dpi=100)


def _label(key: str) -> str:
    if key == REWARD:
        return "mean"
    return key.removeprefix(f"{REWARD}/").removeprefix(f"{RETURN}/").rpartition("=")[2]
