# SPDX-License-Identifier: Apache-2.0
"""Discs, balls, boxes, capsules and cylinders."""

from __future__ import annotations

import itertools
import math
from typing import Any, SupportsFloat

import numpy as np
import shapely
from numpy.typing import NDArray

from deepsim_colliders._borders import positive
from deepsim_colliders._crossings import Crossing, cross_ball, cross_balls, cross_box, cross_boxes
from deepsim_colliders._frames import Pair, Triple
from deepsim_colliders._gjk import dot, scaled
from deepsim_colliders._shape import BALL, BOX, CAPSULE, Array, Solid
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_2d import Collider2D
from deepsim_colliders.collider_3d import Collider3D
from deepsim_math import Pose


class BoxCollider(Collider3D):
    """Solid box centred on its frame.

    >>> from deepsim_math import Ray
    >>> shelf = BoxCollider(length=2.0, width=0.4, height=0.1, pose_offset=Pose((0, 0, 1)))
    >>> shelf.raycast(Ray((0, 0, 3), (0, 0, -1))).distance
    1.95

    Args:
        length: along its x axis [m], > 0.
        width: along its y axis [m], > 0.
        height: along its z axis [m], > 0.
    """

    def __init__(
        self,
        length: SupportsFloat,
        width: SupportsFloat,
        height: SupportsFloat,
        *,
        pose_offset: Pose = ORIGIN,
    ) -> None:
        super().__init__(pose_offset)
        lengths = positive(length, "length"), positive(width, "width"), positive(height, "height")
        self._half: Triple = (0.5 * lengths[0], 0.5 * lengths[1], 0.5 * lengths[2])
        self._numbers = Solid(BOX, self._half, 0.0)

    @property
    def length(self) -> float:
        """Length along x [m]."""
        return 2.0 * self._half[0]

    @property
    def width(self) -> float:
        """Width along y [m]."""
        return 2.0 * self._half[1]

    @property
    def height(self) -> float:
        """Height along z [m]."""
        return 2.0 * self._half[2]

    def _sizes(self) -> str:
        return f"length={self.length}, width={self.width}, height={self.height}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest corner along a direction of the frame."""
        x, y, z = map(math.copysign, self._half, direction)
        return x, y, z

    def _core_corners(self) -> list[Triple]:
        x, y, z = self._half
        return list(itertools.product((-x, x), (-y, y), (-z, z)))

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        return cross_box(origin, direction, self._half)

    def _contains(self, other: Any) -> bool:
        frame, touch = self._frame, self._touch(other)
        for axis, half in zip(frame.axes, self._half):
            middle = dot(frame.origin, axis)
            if not other._support(axis) <= middle + half + touch:
                return False
            if not other._support(scaled(axis, -1.0)) <= half - middle + touch:
                return False
        return True


class CapsuleCollider(Collider3D):
    """Cylinder along z with hemispherical ends, centred on its frame.

    It consists of all points within `radius` of a line of `length`, as in MuJoCo and SDF.

    >>> arm = CapsuleCollider(radius=0.1, length=1.0)
    >>> arm.contains((0, 0, 0.59)), arm.contains((0.1, 0, 0.59))
    (True, False)

    Args:
        radius: radius [m], > 0.
        length: length of the cylinder without its ends [m], > 0.
    """

    def __init__(
        self, radius: SupportsFloat, length: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._half = 0.5 * positive(length, "length")
        self._numbers = Solid(CAPSULE, (0.0, 0.0, self._half), self._radius)

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def length(self) -> float:
        """Length along z [m], without its ends."""
        return 2.0 * self._half

    def _sizes(self) -> str:
        return f"radius={self._radius}, length={self.length}"

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core, the central line [m]."""
        return self._radius

    def support_point(self, direction: Triple) -> Triple:
        """Returns the end of the central line along a direction of the frame."""
        return 0.0, 0.0, math.copysign(self._half, direction[2])

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, self._half), (0.0, 0.0, -self._half)]

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        # The capsule is convex: from the first entry into any of its three parts to the last exit.
        x, y, z = origin
        half, radius = self._half, self._radius
        parts = [cross_ball((x, y, z - end), direction, radius) for end in (half, -half)]
        wall = cross_ball((x, y), direction[:2], radius)
        slab = cross_box((z,), direction[2:], (half,))
        if wall and slab:
            start, end = max(wall.start, slab.start), min(wall.end, slab.end)
            if start <= end:
                parts.append(Crossing(start, end, None))
        met = [part for part in parts if part]
        if not met:
            return None
        start, end = min(part.start for part in met), max(part.end for part in met)
        x, y, z = (o + start * d for o, d in zip(origin, direction))
        z -= max(-half, min(z, half))
        return Crossing(start, end, (x / radius, y / radius, z / radius))


class CylinderCollider(Collider3D):
    """Solid cylinder along z, centred on its frame.

    >>> pillar = CylinderCollider(radius=0.5, length=2.0)
    >>> pillar.contains((0.3, 0.4, 1.0)), pillar.contains((0.4, 0.4, 1.0))
    (True, False)

    Args:
        radius: radius [m], > 0.
        length: length from end to end [m], > 0.
    """

    def __init__(
        self, radius: SupportsFloat, length: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._half = 0.5 * positive(length, "length")

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def length(self) -> float:
        """Length along z [m] from end to end."""
        return 2.0 * self._half

    def _sizes(self) -> str:
        return f"radius={self._radius}, length={self.length}"

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest point of the rim along a direction of the frame."""
        x, y, z = direction
        aside = math.hypot(x, y)
        part = self._radius / aside if aside > 0.0 else 0.0
        return part * x, part * y, math.copysign(self._half, z)

    def _measure_core(self) -> tuple[float, float]:
        size = math.hypot(self._half, self._radius)
        return size, size

    def _gap_to_core(self, point: Triple) -> tuple[float, Triple]:
        x, y, z = point
        aside = math.hypot(x, y)
        out, up = max(aside - self._radius, 0.0), max(abs(z) - self._half, 0.0)
        distance = math.hypot(out, up)
        if distance == 0.0:
            return 0.0, (0.0, 0.0, 0.0)
        part = out / (distance * aside) if out else 0.0
        return distance, (part * x, part * y, math.copysign(up / distance, z))

    def _gaps(self, points: Array) -> tuple[Array, Array]:
        x, y, z = points.T
        aside = np.hypot(x, y)
        out, up = np.maximum(aside - self._radius, 0.0), np.maximum(np.abs(z) - self._half, 0.0)
        distance = np.hypot(out, up)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(out > 0.0, out / (distance * aside), 0.0)
            away = np.stack([part * x, part * y, np.copysign(up / distance, z)], axis=1)
        away[distance == 0.0] = 0.0
        return distance, away

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        held: NDArray[np.bool_] = self._gaps(np.asarray(points).T)[0] <= self._gap
        return held

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        wall = cross_ball(origin[:2], direction[:2], self._radius)
        slab = cross_box(origin[2:], direction[2:], (self._half,))
        if not wall or not slab or wall.normal is None or slab.normal is None:
            return None
        start, end = max(wall.start, slab.start), min(wall.end, slab.end)
        if not start <= end:
            return None
        if wall.start >= slab.start:
            return Crossing(start, end, (*wall.normal, 0.0))
        return Crossing(start, end, (0.0, 0.0, *slab.normal))

    def _cross_many(self, origins: Array, directions: Array) -> tuple[Array, Array]:
        columns, steps = origins.T, directions.T
        enter, leave = cross_balls(columns[:2], steps[:2], self._radius)
        bottom, top = cross_boxes(columns[2:], steps[2:], (self._half,))
        starts, ends = np.maximum(enter, bottom), np.minimum(leave, top)
        starts[~(starts <= ends)] = np.nan
        normals = np.zeros(origins.shape)
        with np.errstate(invalid="ignore"):
            normals[:, :2] = (origins + starts[:, np.newaxis] * directions)[:, :2] / self._radius
        lids = ~(enter >= bottom)
        normals[lids] = 0.0
        normals[lids, 2] = -np.sign(directions[lids, 2])
        return starts, normals


class CircleCollider(Collider2D):
    """Disc centred on its frame, exact rather than a polygon.

    >>> from deepsim_colliders import RectangleCollider
    >>> from deepsim_math import Pose
    >>> disc = CircleCollider(1.0)
    >>> disc.intersects(RectangleCollider(2.0, 0.5, pose_offset=Pose((1.5, 0, 9))))  # z is ignored
    True

    Args:
        radius: radius [m], > 0.
    """

    def __init__(self, radius: SupportsFloat, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._numbers = Solid(BALL, (0.0, 0.0), self._radius)

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core, the centre [m]."""
        return self._radius

    def core(self) -> shapely.Geometry:
        """Returns the centre."""
        return shapely.Point(0.0, 0.0)

    def _sizes(self) -> str:
        return f"radius={self._radius}"

    def _cross(self, origin: Pair, direction: Pair) -> Crossing | None:
        return cross_ball(origin, direction, self._radius)


class SphereCollider(Collider3D):
    """Solid ball centred on its frame.

    >>> SphereCollider(1.0).distance((3, 0, 0))
    2.0

    Args:
        radius: radius [m], > 0.
    """

    _is_point = True

    def __init__(self, radius: SupportsFloat, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._radius = positive(radius, "radius")
        self._numbers = Solid(BALL, (0.0, 0.0, 0.0), self._radius)

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return self._radius

    @property
    def margin(self) -> float:
        """Distance by which the shape extends beyond its core, the centre [m]."""
        return self._radius

    def support_point(self, direction: Triple) -> Triple:
        """Returns the centre."""
        return 0.0, 0.0, 0.0

    def _sizes(self) -> str:
        return f"radius={self._radius}"

    def _core_corners(self) -> list[Triple]:
        return [(0.0, 0.0, 0.0)]

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        return cross_ball(origin, direction, self._radius)
