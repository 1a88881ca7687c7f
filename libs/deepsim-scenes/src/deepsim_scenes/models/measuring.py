# SPDX-License-Identifier: Apache-2.0
"""Measures models, and says which may be resized."""

from __future__ import annotations

import math

from deepsim_spawn import (
    Bounds,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    ModelDescription,
    Sphere,
)

SIMPLE = (Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere)
"""A model may be resized by default if its only collision has one of these shapes."""


def finite_bounds(model: ModelDescription) -> Bounds | None:
    """Returns the bounds of a model's collisions, or None if it has no collisions.

    Raises:
        ValueError: The model has a plane, which is unbounded.
        ModelFormatError: A mesh or heightmap cannot be read.
    """
    bounds = Bounds.of(model)
    if bounds is not None and not all(map(math.isfinite, bounds.size)):
        raise ValueError(f"{model.name!r} has a plane, which has no end: make it part of `world`")
    return bounds


def is_resizable(model: ModelDescription) -> bool:
    """Returns whether a model may be resized by default: its only collision has a simple shape.

    Models with several collisions, meshes, joints or nested models keep their size.
    """
    shapes = [part.geometry for _, link, _ in model.all_links() for part in link.collisions]
    still = not model.models and not model.joints
    return still and len(shapes) == 1 and isinstance(shapes[0], SIMPLE)
