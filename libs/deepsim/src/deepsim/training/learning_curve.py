# SPDX-License-Identifier: Apache-2.0
"""Draws how a training went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_PREFIX = "end/"


def write_learning_curve(file: Path, title: str, rows: list[dict[str, Any]]) -> None:
    """Writes a PNG: the reward of episodes, and what the area told of their ends.

    Args:
        file: Output file.
        title: Above the picture.
        rows: Those of ``progress.csv``.
    """
    # Half a second of imports, for those who draw.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (see above)
    from matplotlib.figure import Figure  # noqa: PLC0415 (see above)

    told = dict.fromkeys(key for row in rows for key in row if key.startswith(_PREFIX))
    shares = [key for key in told if "=" in key]
    panels = [["reward"], *([key] for key in told if key not in shares)]
    if shares:
        panels.append(shares)
    figure = Figure(figsize=(7, 1.7 * len(panels) + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, keys in zip(axes, panels, strict=True):
        for key in keys:
            points = [(row["steps"], row[key]) for row in rows if key in row]
            if points:
                axis.plot(*zip(*points, strict=True), label=key.rpartition("=")[2])
        if len(keys) > 1 or "=" in keys[0]:
            axis.legend(loc="center left", fontsize="small")
        axis.set_ylabel(keys[0].removeprefix(_PREFIX).partition("=")[0])
        axis.grid(alpha=0.3)
    axes[0].set_title(title)
    axes[-1].set_xlabel("steps of agents")
    figure.savefig(file, dpi=100)
