# SPDX-License-Identifier: Apache-2.0
"""The size of a model, and whether it may change."""

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
"""Shapes that are all of a model that may be resized by default."""


def finite_bounds(model: ModelDescription) -> Bounds | None:
    """Returns the bounds of a model's collisions, or None without any.

    Raises:
        ValueError: The model has a plane, which is unbounded.
        ModelFormatError: A mesh or picture cannot be read.
    """
    bounds = Bounds.of(model)
    if bounds is not None and not all(map(math.isfinite, bounds.size)):
        raise ValueError(f"{model.name!r} has a plane, which has no end: make it part of `world`")
    return bounds


def is_resizable(model: ModelDescription) -> bool:
    """Returns whether a model is one simple collision, such as a box or a tree's trunk.

    Models of several parts, meshes and models with joints come in one size.
    """
    shapes = [part.geometry for _, link, _ in model.all_links() for part in link.collisions]
    still = not model.models and not model.joints
    return still and len(shapes) == 1 and isinstance(shapes[0], SIMPLE)
