# SPDX-License-Identifier: Apache-2.0
"""Converts the collisions of a model to colliders; needs the extra ``deepsim-spawn[colliders]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from deepsim_math import Pose

from .description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Image,
    Mesh,
    Plane,
    Sphere,
)
from .description.model import ModelDescription
from .description.polyline import Polyline
from .meshes import mesh_triangles
from .pictures import heightmap_heights, image_rectangles

if TYPE_CHECKING:
    from deepsim_colliders import Collider, CompoundCollider


def colliders_of(
    model: ModelDescription, pose: Pose | None = None, *, convex_meshes: bool = False
) -> dict[str, CompoundCollider]:
    """Returns one collider for each link that has collisions, by the scoped name of the link.

    Each collider is ready to be attached to its link; with `pose`, it stands where the link is.

    >>> from deepsim_spawn import Box, CollisionDescription, LinkDescription
    >>> shape = CollisionDescription("shape", Box((1, 1, 1)), Pose((0, 0, 0.5)))
    >>> crate = ModelDescription("crate", links=(LinkDescription("body", collisions=(shape,)),))
    >>> body = colliders_of(crate, Pose((3, 0, 0)))["body"]
    >>> body.contains((3.2, 0, 0.9))
    True

    The layers and the mask of a collider are the bitwise union of `Surface.collide_bitmask` over
    its collisions. Images become boxes, and polylines become the hulls of their convex parts.

    Args:
        model: The model.
        pose: Pose of the model frame in the world frame; None leaves all colliders at the origin.
        convex_meshes: Whether to replace each mesh by its convex hull, as MuJoCo does.

    Raises:
        ImportError: deepsim-colliders is not installed.
        ModelFormatError: A mesh or picture cannot be read.
    """
    try:
        from deepsim_colliders import CompoundCollider  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ImportError(
            "colliders need an extra: pip install 'deepsim-spawn[colliders]'"
        ) from None
    found = {}
    for name, link, place in model.all_links():
        parts = []
        for collision in link.collisions:
            for part in _shapes(collision.geometry, convex_meshes):
                part.pose_offset = collision.pose @ part.pose_offset
                parts.append(part)
        if parts:
            collider = CompoundCollider(parts)
            bits = np.bitwise_or.reduce([one.surface.collide_bitmask for one in link.collisions])
            collider.layers = collider.mask = int(bits)
            if pose is not None:
                collider.pose_offset = pose @ place
            found[name] = collider
    return found


def _shapes(geometry: Geometry, convex_meshes: bool) -> Iterator[Collider]:
    """Yields colliders for a shape, posed in the frame of the shape."""
    import deepsim_colliders as shapes  # noqa: PLC0415 (of an extra)

    match geometry:
        case Box(size):
            yield shapes.BoxCollider(*size)
        case Sphere(radius):
            yield shapes.SphereCollider(radius)
        case Cylinder(radius, length):
            yield shapes.CylinderCollider(radius, length)
        case Capsule(radius, length):
            yield shapes.CapsuleCollider(radius, length)
        case Cone(radius, length):
            yield shapes.ConeCollider(radius, length)
        case Ellipsoid(radii):
            yield shapes.EllipsoidCollider(radii)
        case Plane(normal):
            yield shapes.PlaneCollider(normal)
        case Mesh():
            points, faces = mesh_triangles(geometry)
            hull = convex_meshes
            yield shapes.HullCollider(points) if hull else shapes.MeshCollider(points, faces)
        case Polyline(_, height):
            for flat in geometry.convex_parts():
                yield shapes.HullCollider(
                    [(x, y, z) for z in (0.0, height) for x, y in flat.tolist()]
                )
        case Heightmap(_, size, position):
            yield shapes.HeightmapCollider(
                heightmap_heights(geometry),
                (size.x, size.y),
                depth=max(size),
                pose_offset=Pose(position),
            )
        case Image():
            for left, low, right, high in image_rectangles(geometry).tolist():
                middle = Pose((0.5 * (left + right), 0.5 * (low + high), 0.5 * geometry.height))
                yield shapes.BoxCollider(
                    right - left, high - low, geometry.height, pose_offset=middle
                )
