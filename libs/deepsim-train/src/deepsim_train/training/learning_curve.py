# SPDX-License-Identifier: Apache-2.0
"""Draws the learning curve of a training run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .progress import RETURN, REWARD

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
