# SPDX-License-Identifier: Apache-2.0
"""Axis-aligned bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_math import Pose, Vector3
from deepsim_spawn.description.model import ModelDescription

from .shapes import solids

_SIX = np.concatenate([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest box along the axes of a frame that contains a model.

    >>> from deepsim_spawn import Box, CollisionDescription, LinkDescription, ModelDescription
    >>> shape = CollisionDescription("shape", Box((1, 2, 3)))
    >>> crate = ModelDescription("crate", links=(LinkDescription("body", collisions=(shape,)),))
    >>> Bounds.of(crate).upper
    Vector3(0.5, 1.0, 1.5)

    Attributes:
        lower: Lowest x, y and z [m]; -inf where a plane's half space is unbounded.
        upper: Highest x, y and z [m]; inf where a plane's half space is unbounded.
    """

    lower: Vector3
    upper: Vector3

    @classmethod
    def of(cls, model: ModelDescription, pose: Pose | None = None) -> Bounds | None:
        """Returns the bounds of a model's collisions.

        They are exact for every shape except heightmaps. A heightmap counts as the box from its
        lowest to its highest point or, if its file is an elevation model, as the box of its `size`.
        A plane counts as the half space behind it, opposite to its normal.

        Args:
            model: The model.
            pose: Pose of the model frame in the frame of the bounds; by default the identity.

        Returns:
            The bounds, or None for a model without collisions.

        Raises:
            ModelFormatError: A mesh or heightmap cannot be read.
        """
        reaches = [solid.reach(_SIX) for solid in solids(model, pose or Pose())]
        if not reaches:
            return None
        furthest = np.max(reaches, axis=0)
        return cls(Vector3(*(0.0 - furthest[3:])), Vector3(*(0.0 + furthest[:3])))  # no -0.0

    @property
    def size(self) -> Vector3:
        """Full lengths along x, y, z [m]."""
        return self.upper - self.lower

    @property
    def center(self) -> Vector3:
        """Centre [m]; NaN along an axis that is unbounded on both sides."""
        return (self.lower + self.upper) / 2.0
