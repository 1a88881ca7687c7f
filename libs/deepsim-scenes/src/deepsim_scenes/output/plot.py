# SPDX-License-Identifier: Apache-2.0
"""Plots a scene from above."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepsim_scenes.scene import Scene, SceneObject
from deepsim_spawn import Footprint

from .world import described


def write_plot(scene: Scene, file: str | Path, *, zoom: float = 1.0) -> None:
    """Draws objects with grey footprints and red bounds, and mission-only objects as blue arrows.

    Args:
        scene: The scene.
        file: Output file; its suffix sets the format.
        zoom: Zoom factor about the centre; 1 shows the whole scene.

    Raises:
        ImportError: matplotlib is not installed; the extra ``deepsim-scenes[scenic]`` brings it.
        ValueError: `zoom` is not > 0.
    """
    if not zoom > 0.0:
        raise ValueError(f"zoom must be > 0, got {zoom}")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (of an extra)
        from matplotlib.collections import PolyCollection  # noqa: PLC0415 (of an extra)
        from matplotlib.figure import Figure  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'deepsim-scenes[scenic]'") from None
    figure = Figure(figsize=(7.0, 7.0), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    pieces = [
        piece
        for each in scene.in_world
        for piece in Footprint.of(described(each), each.pose).pieces
    ]
    axes.add_collection(PolyCollection(pieces, facecolors="0.75", edgecolors="none"))
    bounds = [_rectangle(each) for each in scene.in_world]
    axes.add_collection(PolyCollection(bounds, facecolors="none", edgecolors="red", linewidths=1))
    for each in scene.objects:
        x, y = float(each.position.x), float(each.position.y)
        if not each.is_in_world:
            ahead = 0.3 * np.array([math.cos(each.forward_yaw), math.sin(each.forward_yaw)])
            axes.plot(x, y, "b.")
            axes.arrow(x, y, *ahead, color="blue", width=0.02, length_includes_head=True)
        if each.model.class_name != "GreyWall":
            axes.annotate(each.name, (x, y), (3, 3), textcoords="offset points", fontsize=7)
    places = np.array([tuple(each.position)[:2] for each in scene.objects] or [(0.0, 0.0)])
    corners = np.concatenate([places, *bounds]) if bounds else places
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    reach = (float(np.ptp(corners, axis=0).max()) / 2 + 0.3) / zoom
    axes.set_xlim(middle[0] - reach, middle[0] + reach)
    axes.set_ylim(middle[1] - reach, middle[1] + reach)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    figure.savefig(file, metadata={"Software": None} if Path(file).suffix == ".png" else None)


def _rectangle(thing: SceneObject) -> NDArray[np.float64]:
    """Returns the corners of an object's bounds in the ground plane, (4, 2) [m], world frame."""
    yaw = thing.pose.yaw
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(thing.size)[:2] / 2
    turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
    return np.asarray(half @ turn.T + np.array(thing.position)[:2])
