# SPDX-License-Identifier: Apache-2.0
"""The collisions of a model, each where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deepsim_math import Pose
from deepsim_spawn.description import Geometry, Image, ModelDescription

from .polygon import Floats
from .shapes import corners, reach, shadow


@dataclass(frozen=True, slots=True)
class Solid:
    """A shape in the frame in which a model's extent is asked for.

    Attributes:
        geometry: The shape.
        points: Its corners, in its own frame (n, 3).
        rotation: From its frame (3, 3).
        position: Of its frame (3,).
    """

    geometry: Geometry
    points: Floats
    rotation: Floats
    position: Floats

    def reach(self, directions: Floats) -> Floats:
        """Returns the largest p.d of its points p for directions d (n, 3)."""
        own = reach(self.geometry, self.points, directions @ self.rotation)
        return own + directions @ self.position

    def shadow(self, axes: Floats, tolerance: float) -> Floats:
        """Returns points (n, 2) around its shadow in the plane of two axes (2, 3)."""
        own = shadow(self.geometry, self.points, axes @ self.rotation, tolerance)
        return own + axes @ self.position


def solids(model: ModelDescription, pose: Pose) -> Iterator[Solid]:
    """Yields the collisions of a model, but for images in which nothing is solid.

    Args:
        model: Its own pose is not used.
        pose: Of the model frame, in the frame in which the extent is asked for.

    Raises:
        ModelFormatError: A mesh or image cannot be read.
    """
    for _, link, link_pose in model.all_links():
        for collision in link.collisions:
            points = corners(collision.geometry)
            if isinstance(collision.geometry, Image) and not len(points):
                continue  # nothing of it is solid
            placed = pose @ link_pose @ collision.pose
            yield Solid(
                collision.geometry,
                points,
                np.array(placed.orientation.normalized().to_matrix()),
                np.array(placed.position),
            )
