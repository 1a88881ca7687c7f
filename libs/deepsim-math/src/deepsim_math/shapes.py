# SPDX-License-Identifier: Apache-2.0
"""Rays, planes and frustums: values composed of other values."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, SupportsFloat

from ._value import Field, Row, Value, number, numbers, slot_setters
from .formulas import views as formulas
from .values.coordinates import Point, Vector3, make, xyz
from .values.pose import Pose

if TYPE_CHECKING:
    from ._typing import PoseLike, VectorLike


class Ray(Value):
    """Half-line: the points origin + d * direction with d >= 0.

    >>> down = Ray((0, 0, 2), (0, 0, -1))
    >>> Plane((0, 0, 1), 0).raycast(down)
    2.0
    >>> down.get_point(0.5)
    Point(0.0, 0.0, 1.5)

    Args:
        origin: start of the ray [m].
        direction: direction of any non-zero length; stored as a unit vector.

    Raises:
        ValueError: when `direction` has zero length.
    """

    __match_args__ = ("origin", "direction")
    __slots__ = __match_args__

    origin: Field[Point]
    direction: Field[Vector3]

    _fields = attrgetter("origin", "direction")

    def __init__(self, origin: VectorLike, direction: VectorLike) -> None:
        _set_origin(self, Point.from_array(origin))
        _set_direction(self, Vector3(*xyz(direction)).normalized())

    def get_point(self, distance: float) -> Point:
        """Returns the point at `distance` [m] from the origin."""
        return self.origin + self.direction * distance


_set_origin, _set_direction = slot_setters(Ray)


class Plane(Value):
    """The points p with normal . p = distance; the normal points to the positive side.

    >>> ground = Plane((0, 0, 1), 0)
    >>> ground.distance_to((3, 4, 1.5))
    1.5

    Args:
        normal: direction of any non-zero length; stored as a unit vector.
        distance: distance of the plane from the origin along `normal`, as a multiple of the length
            of `normal`; stored in metres.

    Raises:
        ValueError: when `normal` has zero length.
    """

    __match_args__ = ("normal", "distance")
    __slots__ = __match_args__

    normal: Field[Vector3]
    distance: Field[float]

    _fields = attrgetter("normal", "distance")

    def __init__(self, normal: VectorLike, distance: SupportsFloat = 0.0) -> None:
        direction = Vector3(*xyz(normal))
        unit = direction.normalized()
        length = 1.0 if unit is direction else direction.length
        _set_normal(self, unit)
        _set_distance(self, number(distance, "distance") / length)

    @classmethod
    def from_point(cls, normal: VectorLike, point: VectorLike) -> Plane:
        """Returns the plane through `point`.

        Raises:
            ValueError: when `normal` has zero length.
        """
        direction = Vector3(*xyz(normal)).normalized()
        return cls(direction, direction.dot(point))

    @classmethod
    def from_points(cls, a: VectorLike, b: VectorLike, c: VectorLike) -> Plane:
        """Returns the plane through three points, counter-clockwise seen from its front.

        Raises:
            ValueError: when the points lie on one line.
        """
        origin = Point(*xyz(a))
        side, other = Point(*xyz(b)) - origin, Point(*xyz(c)) - origin
        normal = side.cross(other)
        if normal.length <= 1e-12 * side.length * other.length:
            raise ValueError(f"three points on one line define no plane: {a!r}, {b!r}, {c!r}")
        return cls.from_point(normal, origin)

    def distance_to(self, point: VectorLike) -> float:
        """Returns the signed distance [m]: positive on the side of the normal."""
        return self.normal.dot(point) - self.distance

    def closest_point(self, point: VectorLike) -> Point:
        """Returns the point of the plane nearest to `point`."""
        return Point(*xyz(point)) - self.normal * self.distance_to(point)

    def which_side(self, point: VectorLike) -> int:
        """Returns 1 on the side of the normal, -1 on the other side, 0 exactly on the plane."""
        height = self.distance_to(point)
        return (height > 0.0) - (height < 0.0)

    def same_side(self, a: VectorLike, b: VectorLike) -> bool:
        """Returns whether two points lie on the same side, or both on the plane."""
        return self.which_side(a) == self.which_side(b)

    def flip(self) -> Plane:
        """Returns the same plane facing the other way."""
        return Plane(-self.normal, -self.distance)

    def raycast(self, ray: Ray) -> float | None:
        """Returns the distance [m] along the ray to the plane, from either side.

        It is None if the ray points away from the plane or is parallel to it, and 0 if the ray
        starts on the plane.
        """
        height = self.distance_to(ray.origin)
        if height == 0.0:
            return 0.0
        slope = self.normal.dot(ray.direction)
        if slope == 0.0 or (height > 0.0) == (slope > 0.0):
            return None
        return -height / slope

    def isclose(self, other: Plane, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether normals and distances are close; a flipped plane is another plane."""
        return self.normal.isclose(other.normal, rel_tol, abs_tol) and math.isclose(
            self.distance, other.distance, rel_tol=rel_tol, abs_tol=abs_tol
        )


_set_normal, _set_distance = slot_setters(Plane)


_ORIGIN = Pose()


class Frustum(Row):
    """Part of the world that a perspective camera sees: a truncated pyramid.

    The camera looks along the x axis of its pose, with y to its left and z up. The frustum is a
    closed set: points on its planes are contained. To follow a camera, use
    ``frustum.replace(pose=...)``. As a sequence or an array it is near, far, horizontal_fov,
    view_ratio and the seven numbers of the pose. A negative radius or size raises ValueError.

    >>> view = Frustum(0.1, 100, math.pi / 2, 0.75, Pose((0, 0, 2)))
    >>> (5, 0, 2) in view, (-5, 0, 2) in view
    (True, False)
    >>> view.world_to_viewport_point((5, 0, 2))
    Vector3(0.5, 0.5, 5.0)

    Args:
        near: distance along x at which the view begins [m], > 0.
        far: distance along x at which it ends [m], > near; may be infinite.
        horizontal_fov: full angle of view from left to right [rad], in (0, pi).
        view_ratio: height over width of the picture, > 0.
        pose: pose of the camera in the world.

    Raises:
        ValueError: when a number is outside its range.
    """

    __match_args__ = ("near", "far", "horizontal_fov", "view_ratio", "pose")
    __slots__ = __match_args__

    near: Field[float]
    far: Field[float]
    horizontal_fov: Field[float]
    view_ratio: Field[float]
    pose: Field[Pose]

    _fields = attrgetter(*__match_args__)

    def __init__(
        self,
        near: SupportsFloat,
        far: SupportsFloat,
        horizontal_fov: SupportsFloat,
        view_ratio: SupportsFloat,
        pose: PoseLike = _ORIGIN,
    ) -> None:
        near, far = number(near, "near"), number(far, "far")
        fov, ratio = number(horizontal_fov, "horizontal_fov"), number(view_ratio, "view_ratio")
        if not 0.0 < near < far:
            raise ValueError(f"near and far must satisfy 0 < near < far, got {near} and {far}")
        if not 0.0 < fov < math.pi:
            raise ValueError(f"horizontal_fov must be in (0, pi) rad, got {fov}")
        if not 0.0 < ratio < math.inf:
            raise ValueError(f"view_ratio (height / width) must be positive, got {ratio}")
        _set_near(self, near)
        _set_far(self, far)
        _set_horizontal_fov(self, fov)
        _set_view_ratio(self, ratio)
        _set_pose(self, Pose.from_array(pose))

    @classmethod
    def from_array(cls: type[Frustum], values: Any) -> Frustum:
        """Builds a Frustum from its eleven numbers; a Frustum is returned unchanged."""
        if type(values) is cls:
            return values
        near, far, fov, ratio, *pose = numbers(values, 11, "Frustum")
        return cls(near, far, fov, ratio, pose)

    def _row(self) -> tuple[float, ...]:
        return (self.near, self.far, self.horizontal_fov, self.view_ratio, *self.pose)

    @property
    def vertical_fov(self) -> float:
        """Full angle of view from bottom to top [rad]."""
        return 2.0 * math.atan(self._slopes()[1])

    @property
    def planes(self) -> tuple[Plane, Plane, Plane, Plane, Plane, Plane]:
        """Near, far, left, right, top and bottom plane in the world, facing inwards."""
        return (
            self.near_plane,
            self.far_plane,
            self.left_plane,
            self.right_plane,
            self.top_plane,
            self.bottom_plane,
        )

    @property
    def near_plane(self) -> Plane:
        """Plane at `near`, facing away from the camera."""
        return self._plane((1.0, 0.0, 0.0), -self.near)

    @property
    def far_plane(self) -> Plane:
        """Plane at `far`, facing the camera."""
        return self._plane((-1.0, 0.0, 0.0), self.far)

    @property
    def left_plane(self) -> Plane:
        """Plane through the camera and the left side of the picture, facing inwards."""
        return self._plane((self._slopes()[0], -1.0, 0.0))

    @property
    def right_plane(self) -> Plane:
        """Plane through the camera and the right side of the picture, facing inwards."""
        return self._plane((self._slopes()[0], 1.0, 0.0))

    @property
    def top_plane(self) -> Plane:
        """Plane through the camera and the upper side of the picture, facing inwards."""
        return self._plane((self._slopes()[1], 0.0, -1.0))

    @property
    def bottom_plane(self) -> Plane:
        """Plane through the camera and the lower side of the picture, facing inwards."""
        return self._plane((self._slopes()[1], 0.0, 1.0))

    def contains(self, point: VectorLike) -> bool:
        """Returns whether a point lies inside or on the boundary; also ``point in frustum``."""
        return formulas.contains_sphere(*self._row(), *xyz(point), 0.0)

    def __contains__(self, point: VectorLike) -> bool:
        return self.contains(point)

    def contains_sphere(self, center: VectorLike, radius: SupportsFloat) -> bool:
        """Returns whether a sphere of `radius` [m] lies entirely inside."""
        return formulas.contains_sphere(*self._row(), *xyz(center), _extent(radius, "radius"))

    def contains_box(self, pose: PoseLike, size: VectorLike) -> bool:
        """Returns whether a box lies entirely inside.

        Args:
            pose: pose of the centre; the edges are along its axes.
            size: full lengths of its edges [m].
        """
        return formulas.contains_box(*self._box(pose, size))

    def intersects_sphere(self, center: VectorLike, radius: SupportsFloat) -> bool:
        """Returns whether a sphere of `radius` [m] has a point in common with the frustum."""
        return formulas.intersects_sphere(*self._row(), *xyz(center), _extent(radius, "radius"))

    def intersects_box(self, pose: PoseLike, size: VectorLike) -> bool:
        """Returns whether a box shares a point with the frustum; arguments as in `contains_box`."""
        return formulas.intersects_box(*self._box(pose, size))

    def world_to_viewport_point(self, point: VectorLike) -> Vector3:
        """Projects a world point to u, v, depth.

        u grows to the right and v upwards, both from 0 to 1 within the picture and beyond
        these limits outside it; depth [m] is measured along the camera's x axis. For a point at or
        behind the camera, u and v are NaN and depth is zero or negative.
        """
        return make(Vector3, *formulas.to_viewport(*self._row(), *xyz(point)))

    def viewport_to_world_point(self, point: VectorLike) -> Point:
        """Returns the world point that projects to u, v, depth."""
        return make(Point, *formulas.from_viewport(*self._row(), *xyz(point)))

    def viewport_point_to_ray(self, u: SupportsFloat, v: SupportsFloat) -> Ray:
        """Returns the ray from the camera through a point of the picture.

        Raises:
            ValueError: when `u` or `v` is outside [0, 1].
        """
        u, v = number(u, "u"), number(v, "v")
        for name, value in (("u", u), ("v", v)):
            if value < 0.0 or value > 1.0:
                raise ValueError(f"viewport point {name} must be in [0, 1], got {value}")
        return Ray(self.pose.position, formulas.to_ray(*self._row(), u, v))

    def isclose(self, other: Frustum, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether the poses and the four numbers are close."""
        return self.pose.isclose(other.pose, rel_tol, abs_tol) and all(
            math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)
            for a, b in zip(self[:4], other[:4])
        )

    def _box(self, pose: PoseLike, size: VectorLike) -> tuple[float, ...]:
        edges = [_extent(edge, "size") for edge in xyz(size)]
        return (*self._row(), *Pose.from_array(pose)._row(), *edges)

    def _slopes(self) -> tuple[float, float]:
        """Returns the half width and half height of the view per metre of depth."""
        return formulas.slopes(self.horizontal_fov, self.view_ratio)

    def _plane(self, normal: tuple[float, float, float], height: float = 0.0) -> Plane:
        """Returns, in the world, the plane normal . p = -height of the camera's frame."""
        direction = self.pose.transform_vector(normal).normalized()
        return Plane(direction, direction.dot(self.pose.position) - height)


def _extent(value: SupportsFloat, name: str) -> float:
    extent = number(value, name)
    if extent < 0.0:
        raise ValueError(f"{name} must not be negative, got {extent}")
    return extent


_set_near, _set_far, _set_horizontal_fov, _set_view_ratio, _set_pose = slot_setters(Frustum)
