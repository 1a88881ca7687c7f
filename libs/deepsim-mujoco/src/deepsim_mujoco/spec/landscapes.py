# SPDX-License-Identifier: Apache-2.0
"""Heightmaps as MuJoCo height fields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Vector3
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Heightmap, heightmap_heights

_FOOT = 1.0  # depth of the ground below the lowest point, as in Gazebo [m]


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """Uneven ground.

    Attributes:
        heights: Heights above the lowest point, (rows, columns) [m]; rows along y, columns along x.
        size: Full lengths along x and y [m].
        middle: Middle of the lowest level in the shape's frame [m].
    """

    heights: NDArray[np.float64]
    size: tuple[float, float]
    middle: Vector3

    @classmethod
    def of(cls, heightmap: Heightmap) -> Landscape:
        """Returns the landscape of a picture or an array."""
        heights = heightmap_heights(heightmap)
        lowest = float(heights.min())
        x, y, z = heightmap.position
        return cls(
            heights - lowest, (heightmap.size.x, heightmap.size.y), Vector3(x, y, z + lowest)
        )


def reason_left_out(heightmap: Heightmap, *, placed: bool) -> str:
    """Returns why MuJoCo cannot simulate a heightmap; empty if it can.

    Args:
        heightmap: The shape.
        placed: Whether its link stays where it is put; height fields cannot move.
    """
    if heightmap.is_elevation_model:
        return "an elevation model, not a picture"
    return "" if placed else "on a link that may move"


def add_landscape(spec: mujoco.MjSpec, name: str, landscape: Landscape) -> mujoco.MjsHField:
    """Adds a height field asset, with its frame at the middle of its lowest level."""
    rows, columns = landscape.heights.shape
    x, y = landscape.size
    top = float(landscape.heights.max())
    # MuJoCo scales heights to 0..1, except those of flat ground, which become 0.
    size = [x / 2, y / 2, top or 1.0, _FOOT]
    field = spec.add_hfield(name=name, nrow=rows, ncol=columns, size=size)
    field.userdata = landscape.heights.ravel()
    return field
