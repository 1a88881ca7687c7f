# SPDX-License-Identifier: Apache-2.0
"""Poses of new models: on the ground, on a grid, or on other models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Vector3
from deepsim_spawn import Bounds, ModelDescription

Snap = Literal["ground", "grid", "object", "nothing"]
SNAPS: tuple[Snap, ...] = get_args(Snap)
_GRID = 0.5  # [m]


def snapped(
    model: ModelDescription,
    position: Vector3,
    yaw: float,
    snap: Snap,
    others: Mapping[str, tuple[Any, NDArray[np.float64]]],
) -> Pose:
    """Returns the pose at which to put a model near a position.

    Args:
        model: The model.
        position: Position of the model frame [m]; z only matters for "nothing".
        yaw: Angle about z [rad].
        snap: "ground" puts the lowest point of the model at z = 0; "grid" also rounds x and y to
            multiples of 0.5 m; "object" puts the model on the highest model below it, or on the
            ground; "nothing" keeps the position.
        others: Descriptions and poses (7,) of the existing models, by name.

    Raises:
        ModelFormatError: A mesh cannot be read.
    """
    x, y, z = position
    turn = Pose(Vector3(0.0, 0.0, 0.0), _about_z(yaw))
    if snap == "nothing":
        return Pose(Vector3(x, y, z), _about_z(yaw))
    if snap == "grid":
        x, y = round(x / _GRID) * _GRID, round(y / _GRID) * _GRID
    bounds = Bounds.of(model, turn)
    low = bounds.lower.z if bounds is not None and math.isfinite(bounds.lower.z) else 0.0
    floor = 0.0
    if snap == "object" and bounds is not None:
        at = np.array([x, y])
        lower, upper = at + bounds.lower[:2], at + bounds.upper[:2]
        tops = [
            top
            for other, pose in others.values()
            if (top := _top_below(other, pose, lower, upper)) is not None
        ]
        floor = max([0.0, *tops])
    return Pose(Vector3(x, y, floor - low), _about_z(yaw))


def _top_below(
    other: Any, pose: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> float | None:
    """Returns the highest point [m] of a model whose bounds overlap a rectangle, or None."""
    if not isinstance(other, ModelDescription):
        return None
    bounds = Bounds.of(other, Pose(Vector3(*pose[:3]), tuple(pose[3:])))
    if bounds is None or not math.isfinite(bounds.upper.z):
        return None
    apart = np.any(np.array(bounds.upper[:2]) <= lower) or np.any(
        np.array(bounds.lower[:2]) >= upper
    )
    return None if apart else float(bounds.upper.z)


def _about_z(yaw: float) -> tuple[float, float, float, float]:
    return (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
