# SPDX-License-Identifier: Apache-2.0
"""Draws the paths of agents on a picture of the world from above."""

from __future__ import annotations

import math
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .episodes import COLUMNS, Episode
from .task_code import TaskError
from .tasks.task import Task

_AGENT = COLUMNS.index("agent")
_COLORS = ("tab:red", "tab:blue", "tab:orange", "tab:purple", "tab:cyan", "tab:pink")


def write_map(
    path: Path, picture: NDArray[np.uint8] | None, task: Task, episodes: list[Episode]
) -> None:
    """Writes a PNG that shows the agents' paths on a picture from above, or on a grid.

    Axes and picture agree on the ground, z = 0. A dot marks the end of each path.

    Args:
        path: Output file.
        picture: Picture from the task's ``map_view``, (height, width, 3) RGB; None for a grid.
        task: The task, which has the view and the name.
        episodes: Episodes to draw.

    Raises:
        TaskError: The task has no ``map_view``.
    """
    # Imported here because it takes half a second.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (see above)
    from matplotlib.figure import Figure  # noqa: PLC0415 (see above)

    view = task.map_view
    if view is None:
        raise TaskError(f"{task.name} has no map_view: give its Task one to draw a map")
    x, y, height = view.pose.position
    half_width = height * math.tan(view.horizontal_fov / 2)
    half_height = half_width * view.height / view.width
    figure = Figure(figsize=(9, 9 * view.height / view.width + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(
        title=task.name, xlabel="x [m]", ylabel="y [m]", aspect="equal",
        xlim=(x - half_width, x + half_width), ylim=(y - half_height, y + half_height),
    )  # fmt: skip
    if picture is None:
        axes.grid()
    else:
        axes.imshow(picture, extent=(*axes.get_xlim(), *axes.get_ylim()))
    agents = dict.fromkeys(row[_AGENT] for episode in episodes for row in episode.rows)
    for agent, color in zip(agents, cycle(_COLORS), strict=False):
        for episode in episodes:
            line = episode.line(agent)
            label = agent if episode is episodes[0] else None
            axes.plot(*line.T, color=color, linewidth=1.4, alpha=0.9, label=label)
            axes.plot(*line[-1:].T, "o", color=color, markersize=5)
    if agents:
        axes.legend(loc="lower right")
    figure.savefig(path, dpi=110)
