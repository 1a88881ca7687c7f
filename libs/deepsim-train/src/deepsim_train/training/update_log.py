# SPDX-License-Identifier: Apache-2.0
"""Logs each update: the values of all learners become one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger

from .learner import Learner
from .progress import REWARD

_ROLLOUT = "rollout/"
_SUMS = ("time/total_timesteps", "time/fps")


class UpdateLog:
    """Collects the values that the learners log, and writes one row for each update.

    Means over episodes are weighted by each learner's number of agents. With several learners, each
    one has a value ``reward/NAME``, and the names of its other values, such as losses, end with its
    name.

    Args:
        learners: The learners; their loggers are replaced.
        formats: The output formats.
    """

    def __init__(self, learners: Sequence[Learner], formats: Sequence[KVWriter]) -> None:
        self._learners, self._formats = learners, formats
        self._shared: dict[str, float] = {}
        self._logged: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        for learner in learners:
            learner.model.set_logger(Logger(None, [_Collector(self, learner.name)]))

    def record(self, values: Mapping[str, float]) -> None:
        """Adds values that concern all learners to the next row."""
        self._shared.update(values)

    def collect(self, name: str, values: Mapping[str, Any], excluded: Mapping[str, Any]) -> None:
        """Takes the values of one learner; writes a row when all learners have logged theirs."""
        self._logged[name] = dict(values), dict(excluded)
        if len(self._logged) < len(self._learners):
            return
        row, left_out = self._joined()
        row |= self._shared
        self._logged, self._shared = {}, {}
        for key in row:
            left_out.setdefault(key, ())
        steps = sum(learner.model.num_timesteps for learner in self._learners)
        for each in self._formats:
            each.write(row, left_out, steps)

    def close(self) -> None:
        """Closes all output formats."""
        for each in self._formats:
            each.close()

    def _joined(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if len(self._learners) == 1:
            return self._logged[self._learners[0].name]
        row: dict[str, Any] = {}
        excluded: dict[str, Any] = {}
        weights: dict[str, int] = {}
        for learner in self._learners:
            agents = len(learner.agents)
            values, own_excluded = self._logged[learner.name]
            for key, value in values.items():
                name = key
                if key.startswith(_ROLLOUT):
                    weights[key] = weights.get(key, 0) + agents
                    row[key] = row.get(key, 0.0) + value * agents
                elif key in _SUMS:
                    row[key] = row.get(key, 0) + value
                elif key.startswith("time/"):
                    row[key] = value
                else:
                    name = f"{key}/{learner.name}"
                    row[name] = value
                excluded[name] = own_excluded.get(key, ())
            if f"{_ROLLOUT}ep_rew_mean" in values:
                row[f"{REWARD}/{learner.name}"] = values[f"{_ROLLOUT}ep_rew_mean"]
        return row | {key: row[key] / weight for key, weight in weights.items()}, excluded


class _Collector(KVWriter):  # type: ignore[misc]  # not typed where it is not installed
    """Passes the logged values of one learner to `UpdateLog`."""

    def __init__(self, log: UpdateLog, name: str) -> None:
        self._log, self._name = log, name

    def write(
        self,
        key_values: Mapping[str, Any],
        key_excluded: Mapping[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Passes on the values of an update."""
        self._log.collect(self._name, key_values, key_excluded)

    def close(self) -> None:
        """Does nothing, because `UpdateLog` closes the output formats."""
