# SPDX-License-Identifier: Apache-2.0
"""Compares training runs: the mean over seeds, and how far the seeds differ."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_train.task_code import TaskError

from .progress import REWARD
from .run_folder import CONFIG, read_mapping

_PROGRESS = "progress.csv"
_APART = ("seed", "folder", "steps", "checkpoint")  # settings in which runs of one curve may differ


@dataclass(frozen=True)
class Curve:
    """Training runs with equal settings but their seeds.

    Attributes:
        label: The task, and the settings in which the curve differs from others.
        seeds: The seeds of the r runs.
        steps: (n,) steps of all agents, up to the end of the shortest run.
        values: (r, n) values of the column at these steps, interpolated linearly.
        repeated: Runs that are left out, because a run that is as long or longer has their seed.
    """

    label: str
    seeds: tuple[int, ...]
    steps: NDArray[np.float64]
    values: NDArray[np.float64]
    repeated: tuple[Path, ...] = ()

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean over the runs, (n,)."""
        return np.asarray(self.values.mean(axis=0), dtype=np.float64)

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The sample standard deviation over the runs, (n,); 0 for a single run."""
        if len(self.values) == 1:
            return np.zeros_like(self.steps)
        return np.asarray(self.values.std(axis=0, ddof=1), dtype=np.float64)

    def end(self, column: str = REWARD) -> dict[str, Any]:
        """Returns label, seeds and last step, and the mean and deviation of a column there."""
        return {
            "runs": self.label,
            "seeds": list(self.seeds),
            "steps": int(self.steps[-1]),
            column: float(self.mean[-1]),
            "deviation": float(self.deviation[-1]),
        }


class _Run(NamedTuple):
    seed: int
    folder: Path
    points: NDArray[np.float64]  # (n, 2) steps and values


def curves_of(folders: Iterable[Path], column: str = REWARD) -> list[Curve]:
    """Reads training runs, and joins those with equal settings but their seeds to curves.

    Of several runs with equal settings and the same seed, which repeat one another, only the
    longest counts.

    Args:
        folders: Folders of training runs; other folders may be among them, if any is one.
        column: A column of ``progress.csv``.

    Raises:
        TaskError: No folder holds a training run, or a run does not have the column.
    """
    given = list(folders)
    found = [folder for folder in given if (folder / _PROGRESS).is_file()]
    if not found:
        names = ", ".join(map(str, given)) or "no folder"
        raise TaskError(f"no training run with a {_PROGRESS} is in {names}")
    groups: dict[str, list[_Run]] = {}
    settings: dict[str, dict[str, Any]] = {}
    for folder in found:
        own = read_mapping(folder / CONFIG)
        if not isinstance(own.get("task"), str) or not isinstance(own.get("seed"), int):
            raise TaskError(f"{folder / CONFIG} must have a task and a seed")
        shared = {name: value for name, value in own.items() if name not in _APART}
        key = json.dumps(shared, sort_keys=True)
        settings[key] = shared
        run = _Run(int(own["seed"]), folder, _points(folder, column))
        groups.setdefault(key, []).append(run)
    differing = _differing(list(settings.values()))
    return [_curve(_label(settings[key], differing), runs) for key, runs in groups.items()]


def _points(folder: Path, column: str) -> NDArray[np.float64]:
    """Returns steps and values of a run, (n, 2), without the rows that lack the column."""
    try:
        with (folder / _PROGRESS).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        points = [(float(row["steps"]), float(row[column])) for row in rows if row.get(column)]
    except (ValueError, TypeError, KeyError, csv.Error) as error:
        raise TaskError(f"{folder / _PROGRESS} is no table of a training run: {error!r}") from error
    if not points:
        known = ", ".join(str(name) for name in (rows[0] if rows else ()) if name != "steps")
        raise TaskError(f"{folder / _PROGRESS} has no values of {column!r}; there are: {known}")
    return np.array(points)


def _curve(label: str, runs: Sequence[_Run]) -> Curve:
    longest: dict[int, _Run] = {}
    for run in sorted(runs, key=lambda run: (run.seed, -run.points[-1, 0], str(run.folder))):
        longest.setdefault(run.seed, run)
    points = [run.points for run in longest.values()]
    begin, end = max(each[0, 0] for each in points), min(each[-1, 0] for each in points)
    steps = np.unique(np.concatenate([each[:, 0] for each in points]))
    steps = steps[(steps >= begin) & (steps <= end)]
    if not len(steps):
        raise TaskError(f"the runs of {label} have no steps in common")
    values = np.array([np.interp(steps, *each.T) for each in points])
    repeated = tuple(run.folder for run in runs if run is not longest[run.seed])
    return Curve(label, tuple(longest), steps, values, repeated)


def _differing(settings: Sequence[dict[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for each in settings for name in each)
    return [
        name
        for name in names
        if name != "task" and any(each.get(name) != settings[0].get(name) for each in settings)
    ]


def _label(settings: dict[str, Any], differing: Sequence[str]) -> str:
    return " ".join([str(settings["task"]), *(f"{name}={settings[name]}" for name in differing)])


def write_curves(file: Path, curves: Sequence[Curve], column: str = REWARD) -> None:
    """Writes a picture of the means, each in a band of one standard deviation to either side.

    Args:
        file: Output file; its suffix is the format: PNG, SVG or PDF.
        curves: The curves.
        column: Name of the values.
    """
    # Imported here because it takes half a second.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (see above)
    from matplotlib.figure import Figure  # noqa: PLC0415 (see above)

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axis = figure.subplots()
    for curve in curves:
        name = f"{curve.label} ({len(curve.seeds)} seed{'s' * (len(curve.seeds) != 1)})"
        (line,) = axis.plot(curve.steps, curve.mean, label=name)
        low, high = curve.mean - curve.deviation, curve.mean + curve.deviation
        axis.fill_between(curve.steps, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axis.set_xlabel("steps of agents")
    axis.set_ylabel(column)
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small")
    figure.savefig(file, dpi=120)
