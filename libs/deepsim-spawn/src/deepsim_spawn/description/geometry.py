# SPDX-License-Identifier: Apache-2.0
"""Shapes of collisions and visuals, centred on their own frames; lengths in metres."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Vector3
from deepsim_spawn.errors import ModelFormatError

from .checks import (
    direction,
    finite,
    positive,
    round_sides,
    sides,
    trimmed,
    vector,
)
from .height_grid import checked_heights
from .sdf_paths import sdf

Outline: TypeAlias = tuple[tuple[float, float], ...]
_Floats: TypeAlias = NDArray[np.float64]

_MOST_PARTS = 2**14


@dataclass(frozen=True, slots=True)
class Polyline:
    """A flat shape in the plane z = 0 of its frame, extruded along z.

    >>> square = Polyline(outlines=(((0, 0), (2, 0), (2, 1), (0, 1)),), height=0.5)
    >>> len(square.convex_parts())
    1

    Attributes:
        outlines: Closed lines of at least three points [m, m] that do not cross. Points inside an
            odd number of outlines are solid: an outline within another one is a hole.
        height: Height above z = 0 [m], > 0.
    """

    outlines: tuple[Outline, ...]
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "outlines", tuple(map(_checked, self.outlines)))
        if not self.outlines:
            raise ValueError("polyline needs at least one outline, got none")
        positive("polyline height [m]", self.height)

    def convex_parts(self) -> tuple[_Floats, ...]:
        """Returns the flat shape cut into touching convex polygons.

        A convex outline stays whole; others are cut along x from every point to the next edges,
        which gives trapezoids.

        Returns:
            Polygons (k, 2) [m], counterclockwise.

        Raises:
            ModelFormatError: There are more than 16384 parts.
        """
        if len(self.outlines) == 1 and _is_convex(self.outlines[0]):
            return (_counterclockwise(np.array(self.outlines[0])),)
        return tuple(_trapezoids(self.outlines))


def _checked(outline: Iterable[Iterable[float]]) -> Outline:
    points = tuple((float(x), float(y)) for x, y in outline)
    finite("polyline points [m]", *(number for point in points for number in point))
    if len(points) > 1 and points[0] == points[-1]:
        points = points[:-1]  # some files repeat the first point
    if len(set(points)) < 3:
        raise ValueError(f"polyline needs at least 3 points, got {len(set(points))}")
    (x0, y0), (x1, y1) = points[0], next(point for point in points if point != points[0])
    if all((x1 - x0) * (y - y0) == (y1 - y0) * (x - x0) for x, y in points):
        raise ValueError("polyline points must not all lie on one line")
    return points


def _is_convex(outline: Outline) -> bool:
    """Returns whether the outline turns in one direction only and makes one full turn."""
    sides = np.roll(outline, -1, axis=0) - np.array(outline)
    following = np.roll(sides, -1, axis=0)
    cross = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    turns = np.arctan2(cross, (sides * following).sum(axis=1))
    one_way = (cross >= 0.0).all() or (cross <= 0.0).all()
    return bool(one_way and abs(abs(turns.sum()) - 2.0 * math.pi) < 1e-6)


def _counterclockwise(polygon: _Floats) -> _Floats:
    x, y = polygon.T
    area = x @ np.roll(y, -1) - y @ np.roll(x, -1)
    return polygon if area > 0.0 else polygon[::-1]


def _trapezoids(outlines: Iterable[Outline]) -> _Floats:
    """Returns trapezoids (n, 4, 2) that extend along x from every point to the next edges.

    Between the heights of two points, the passing edges are alternately left and right sides. A
    part continues while its two sides are neighbours, so that there are about as many parts as
    points; cutting at every height would give as many as the square of that number. Where outlines
    touch, two sides may meet again after a gap, which starts another part.
    """
    edges = _rising_edges(outlines)
    heights = np.unique(edges[:, 1::2])
    firsts = np.searchsorted(edges[:, 1], [*heights, np.inf])
    sides = np.zeros((_MOST_PARTS, 2), dtype=np.int64)  # left and right edge of each part
    spans = np.zeros((_MOST_PARTS, 2))  # lowest and highest y of each part
    part_of = np.zeros(len(edges), dtype=np.int64)  # the last part with this edge as left side
    passing = np.zeros(0, dtype=np.int64)
    count = 0
    for index, (low, high) in enumerate(pairwise(heights)):
        rising = np.arange(firsts[index], firsts[index + 1])
        passing = np.append(passing[edges[passing, 3] > low], rising)
        passing = passing[np.lexsort((_x(edges[passing], high), _x(edges[passing], low)))]
        pairs = passing.reshape(-1, 2)
        known = part_of[pairs[:, 0]]
        new = pairs[(sides[known] != pairs).any(axis=1) | (spans[known, 1] != low)]
        first, count = count, count + len(new)
        if count > _MOST_PARTS:
            raise ModelFormatError(
                f"a polyline must have <= {_MOST_PARTS} convex parts: give it fewer points"
            )
        part_of[new[:, 0]] = np.arange(first, count)
        sides[first:count] = new
        spans[first:count, 0] = low
        spans[part_of[pairs[:, 0]], 1] = high
    left, right = edges[sides[:count, 0]], edges[sides[:count, 1]]
    low, high = spans[:count].T
    x = [_x(left, low), _x(right, low), _x(right, high), _x(left, high)]
    return np.stack([np.stack(x, axis=1), np.stack([low, low, high, high], axis=1)], axis=2)


def _rising_edges(outlines: Iterable[Outline]) -> _Floats:
    """Returns the edges that are not level as rows (n, 4): lower x, y, upper x, y; lowest first."""
    edges = np.concatenate(
        [np.hstack([outline, np.roll(outline, -1, axis=0)]) for outline in outlines]
    )
    falls = edges[:, 1] > edges[:, 3]
    edges[falls] = edges[falls][:, [2, 3, 0, 1]]
    edges = edges[edges[:, 1] < edges[:, 3]]
    return edges[np.argsort(edges[:, 1], kind="stable")]


def _x(edges: _Floats, y: float | _Floats) -> _Floats:
    """Returns the x of each edge (n, 4) at the height y; it is exact at the ends."""
    x0, y0, x1, y1 = edges.T
    return np.asarray(np.where(y == y1, x1, x0 + (x1 - x0) * ((y - y0) / (y1 - y0))))


_PICTURES = {".png", ".jpg", ".jpeg"}


@dataclass(frozen=True, slots=True)
class Box:
    """A box aligned with the axes of its frame.

    >>> Box((1, 2, 0.5)).size
    Vector3(1.0, 2.0, 0.5)

    Attributes:
        size: Full lengths along x, y, z [m], each > 0; accepts any three numbers.
    """

    size: Vector3 = field(metadata=sdf("size"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", vector("box size", self.size))
        sides("box size [m]", *self.size)


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball with a radius > 0 [m].

    >>> CollisionDescription("ball", Sphere(0.11)).geometry
    Sphere(radius=0.11)
    """

    radius: float = field(metadata=sdf("radius"))

    def __post_init__(self) -> None:
        sides("sphere radius [m]", self.radius)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along z, with radius and full length > 0 [m].

    >>> CollisionDescription("wheel", Cylinder(radius=0.3, length=0.1)).geometry
    Cylinder(radius=0.3, length=0.1)
    """

    radius: float = field(metadata=sdf("radius"))
    length: float = field(metadata=sdf("length"))

    def __post_init__(self) -> None:
        round_sides("cylinder", self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder along z with hemispherical ends.

    >>> CollisionDescription("finger", Capsule(radius=0.01, length=0.04)).geometry
    Capsule(radius=0.01, length=0.04)

    Attributes:
        radius: Radius of the cylinder and its ends [m].
        length: Length of the cylinder alone [m], without the ends.
    """

    radius: float = field(metadata=sdf("radius"))
    length: float = field(metadata=sdf("length"))

    def __post_init__(self) -> None:
        round_sides("capsule", self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Cone:
    """A cone along z, tip up, centred at half its length; radius and full length > 0 [m].

    >>> VisualDescription("hat", Cone(radius=0.2, length=0.5)).geometry
    Cone(radius=0.2, length=0.5)
    """

    radius: float = field(metadata=sdf("radius"))
    length: float = field(metadata=sdf("length"))

    def __post_init__(self) -> None:
        round_sides("cone", self.radius, self.length)


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """An ellipsoid aligned with the axes of its frame.

    >>> Ellipsoid((0.3, 0.2, 0.1)).radii
    Vector3(0.3, 0.2, 0.1)

    Attributes:
        radii: Half lengths along x, y, z [m], each > 0; accepts any three numbers.
    """

    radii: Vector3 = field(metadata=sdf("radii"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "radii", vector("ellipsoid radii", self.radii))
        sides("ellipsoid radii [m]", *self.radii)


@dataclass(frozen=True, slots=True)
class Plane:
    """A plane through the origin of its frame; a half space for collisions, drawn as a rectangle.

    >>> Plane(normal=(0, 0, 2)).normal
    Vector3(0.0, 0.0, 1.0)

    Attributes:
        normal: Direction out of the ground; normalised.
        size: Sides of the visible rectangle [m, m]; collisions are infinite.
    """

    normal: Vector3 = field(default=Vector3(0.0, 0.0, 1.0), metadata=sdf("normal"))
    size: tuple[float, float] = field(default=(1.0, 1.0), metadata=sdf("size"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", direction("plane normal", self.normal))
        positive("plane size [m]", *self.size)


@dataclass(frozen=True, slots=True)
class Mesh:
    """A triangle mesh in a file.

    >>> from pathlib import Path
    >>> VisualDescription("hull", Mesh(Path("boat.stl"), scale=(0.01,) * 3)).geometry.scale
    Vector3(0.01, 0.01, 0.01)

    Attributes:
        path: An existing file, absolute after loading.
        scale: Non-zero factors along x, y, z in the mesh's frame; negative ones mirror.
        submesh: Name of the part to use; empty for the whole file.
        center: Whether the bounding box of the submesh is centred on the frame; as in SDF, only
            possible with a submesh.
    """

    path: Path
    scale: Vector3 = field(default=Vector3(1.0, 1.0, 1.0))
    submesh: str = ""
    center: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", vector("mesh scale", self.scale))
        if 0.0 in tuple(self.scale):
            raise ValueError(f"mesh scale must not be 0, got {tuple(self.scale)}")
        trimmed("mesh submesh", self.submesh)
        if self.center and not self.submesh:
            raise ValueError("mesh center needs a submesh: a whole file stays in place")


@dataclass(frozen=True, slots=True)
class Heightmap:
    """A landscape: heights in an array, in a picture's pixels, or in an elevation model.

    >>> ramp = Heightmap(np.tile(np.linspace(0.0, 2.0, 41), (61, 1)), size=(4, 6))
    >>> ramp.size
    Vector3(4.0, 6.0, 2.0)

    Attributes:
        source: Heights [m], (rows, columns), each at least 2: rows along y, columns along x, from
            the least x and y on; the outer ones lie on the edges. Or an existing file, absolute
            after loading. Arrays are copied, and read-only.
        size: Lengths along x and y [m], each > 0; and the greatest height [m], which is that of a
            picture's brightest pixel and > 0. An array has its own: (x, y) suffice.
        position: Centre of the landscape's ground, where heights are 0, in the shape's frame [m].
    """

    source: Path | ArrayLike = field(compare=False)
    size: Vector3 = field(default=Vector3(1.0, 1.0, 1.0), metadata=sdf("size"))
    position: Vector3 = field(default=Vector3(0.0, 0.0, 0.0), metadata=sdf("pos"))
    key: str = field(init=False, repr=False)
    """The file, or a digest of the heights: equal for equal sources."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector("heightmap position", self.position))
        if isinstance(self.source, Path):
            object.__setattr__(self, "size", vector("heightmap size", self.size))
            positive("heightmap size [m]", *self.size)
            object.__setattr__(self, "key", str(self.source))
            return
        heights = checked_heights(self.source)
        x, y, *given = self.size
        top = float(heights.max())
        if given not in ([], [top]):
            raise ValueError(
                f"size of a heightmap of an array must be (x, y) [m], got {tuple(self.size)}"
            )
        object.__setattr__(self, "size", vector("heightmap size", (x, y, top)))
        positive("heightmap size [m]", *self.size[:2])
        object.__setattr__(self, "source", heights)
        digest = sha256(heights.tobytes() + repr(heights.shape).encode())
        object.__setattr__(self, "key", digest.hexdigest())

    @property
    def heights(self) -> _Floats | None:
        """The array of heights; None for a file, which `heightmap_heights` reads."""
        return None if isinstance(self.source, Path) else np.asarray(self.source)

    @property
    def is_elevation_model(self) -> bool:
        """Whether the source is a file other than PNG or JPEG, which Gazebo reads as DEM."""
        return isinstance(self.source, Path) and self.source.suffix.lower() not in _PICTURES


Geometry: TypeAlias = (
    Box | Sphere | Cylinder | Capsule | Cone | Ellipsoid | Plane | Mesh | Polyline | Heightmap
)
"""Any shape of a collision or visual."""
