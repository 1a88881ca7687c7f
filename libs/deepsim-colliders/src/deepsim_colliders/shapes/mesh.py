# SPDX-License-Identifier: Apache-2.0
"""Triangle meshes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_colliders._borders import points_array
from deepsim_colliders._crossings import Crossing, first_piece
from deepsim_colliders._frames import Triple
from deepsim_colliders._gjk import Vec, along, minus, mixed, nearest
from deepsim_colliders._triangles import Triangles, is_closed
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_3d import Collider3D
from deepsim_colliders.proximity import Piece, piece_separation
from deepsim_math import Pose

Array = NDArray[np.float64]

_DIAGONALS: list[Vec] = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]


class MeshCollider(Collider3D):
    """Triangle mesh: a solid if it is closed, otherwise a surface without thickness.

    It is closed if each edge belongs to two triangles, in opposite directions.

    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> tetrahedron = MeshCollider(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> tetrahedron.is_solid, tetrahedron.contains((0.2, 0.2, 0.2))
    (True, True)

    Args:
        vertices: corners in its frame (n, 3) [m].
        faces: numbers of the vertices of each triangle (m, 3), counter-clockwise seen from
            outside; triangles without area are ignored.

    Raises:
        TypeError: when `faces` are not integers.
        ValueError: when an array has another shape, or a number is out of range or not finite.
    """

    def __init__(
        self, vertices: ArrayLike, faces: ArrayLike, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._vertices = points_array(vertices, "the vertices of a mesh")
        self._faces = _checked(faces, len(self._vertices))
        corners = self._vertices[self._faces]
        areas = np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
        )
        if not areas.any():
            raise ValueError("a mesh needs a triangle with an area > 0")
        # Files often repeat a vertex for each of its triangles.
        _, same = np.unique(self._vertices, axis=0, return_inverse=True)
        self._solid_inside = is_closed(same.reshape(-1)[self._faces[areas > 0.0]])
        self._triangles = Triangles(corners[areas > 0.0])
        used = self._vertices[np.unique(self._faces)]
        self._points = used
        self._radius = float(np.linalg.norm(used, axis=1).max())
        self._low, self._high = used.min(axis=0), used.max(axis=0)
        room = 0.5 * float(np.linalg.norm(self._high - self._low))
        self._room = min(self._radius, max(room, 1e-6 * self._radius))

    @classmethod
    def from_file(
        cls, path: str | Path, *, scale: float = 1.0, pose_offset: Pose = ORIGIN
    ) -> MeshCollider:
        """Returns a mesh from a file that trimesh reads (STL, OBJ, PLY, glTF, ...).

        Args:
            path: the file; all parts of a scene become one mesh.
            scale: length of the file's unit [m].
            pose_offset: see `Collider`.

        Raises:
            ImportError: when trimesh, of the extra ``meshes``, is not installed.
        """
        try:
            import trimesh  # noqa: PLC0415 (of an extra)
        except ImportError:
            raise ImportError(
                "reading meshes needs trimesh: "
                "pip install --find-links dist 'deepsim-colliders[meshes]'"
            ) from None
        mesh: Any = trimesh.load_mesh(str(path))
        return cls(np.asarray(mesh.vertices) * scale, mesh.faces, pose_offset=pose_offset)

    @property
    def vertices(self) -> Array:
        """Corners in the frame of the mesh, (n, 3) [m]."""
        return self._vertices.copy()

    @property
    def faces(self) -> NDArray[np.intp]:
        """Numbers of the vertices of each triangle (m, 3)."""
        return self._faces.copy()

    @property
    def is_solid(self) -> bool:
        """Whether the mesh is closed, so that it has an inside."""
        return self._solid_inside

    def _sizes(self) -> str:
        return f"<{len(self._vertices)} vertices>, <{len(self._faces)} faces>"

    def _measure_core(self) -> tuple[float, float]:
        return self._radius, self._room

    # In the frame of the mesh.

    def _core_corners(self) -> list[Triple]:
        return [(x, y, z) for x, y, z in self._points.tolist()]

    def _holds(self, point: Triple) -> bool:
        return bool(self._hold(np.array([point]).T)[0])

    def _hold(self, points: Any) -> NDArray[np.bool_]:
        rows = np.asarray(points, dtype=np.float64).T
        gap = self._gap
        held: NDArray[np.bool_] = ((rows >= self._low - gap) & (rows <= self._high + gap)).all(
            axis=1
        )
        some = np.flatnonzero(held)
        inside = self._triangles.nearest(rows[some])[0] <= gap
        if self._solid_inside:
            inside |= self._triangles.enclose(rows[some])
        held[some] = inside
        return held

    def _gap_to_core(self, point: Triple) -> tuple[float, Triple]:
        distances, ((x, y, z),) = self._gaps(np.array([point]))
        return float(distances[0]), (float(x), float(y), float(z))

    def _gaps(self, points: Array) -> tuple[Array, Array]:
        distances, away = self._triangles.nearest(points)
        with np.errstate(invalid="ignore"):
            away = np.nan_to_num(away / distances[:, np.newaxis])
        if self._solid_inside:
            inside = self._triangles.enclose(points)
            distances[inside], away[inside] = 0.0, 0.0
        return distances, away

    def _sweep(self, origins: Array, directions: Array, radii: Array, farthest: Array) -> Array:
        return self._triangles.sweep(origins, directions, radii, farthest)

    def _cross(self, origin: Triple, direction: Triple) -> Crossing | None:
        """Returns the first connected piece of the ray, t >= 0, inside the mesh."""
        start, step = np.array(origin), np.array(direction)
        (times,) = self._triangles.meetings(start[np.newaxis], step[np.newaxis])
        slack = -1e-12 * (1.0 + abs(float(start @ step)) / float(step @ step))
        faces = np.flatnonzero(times >= slack)
        times = times[faces]
        order = np.argsort(times, kind="stable")
        times, faces = np.maximum(times[order], 0.0), faces[order]
        if not times.size:
            return None
        inside = self._holds(origin)
        knots = np.concatenate([[0.0], times]) if inside else times
        normal = self._triangles.normals[faces[0]]
        if inside:
            normal = -step / math.sqrt(step @ step)
        elif normal @ step > 0.0:
            normal = -normal
        return Crossing(*first_piece(origin, direction, knots, self._hold), tuple(normal.tolist()))

    def _cross_many(self, origins: Array, directions: Array) -> tuple[Array, Array]:
        starts, faces = self._triangles.first_met(origins, directions)
        normals = self._triangles.normals[faces]
        along = np.einsum("nd,nd->n", normals, directions)
        return starts, np.where((along > 0.0)[:, np.newaxis], -normals, normals)

    def support_point(self, direction: Triple) -> Triple:
        """Returns the farthest vertex along a direction of the frame."""
        x, y, z = self._points[int(np.argmax(self._points @ direction))].tolist()
        return x, y, z

    # In the world.

    def _world(self) -> Triangles:
        """Returns the triangles in the world frame."""
        if "world" not in self.__dict__:
            frame = self._frame
            moved = self._triangles.corners @ np.array(frame.axes) + frame.origin
            self.__dict__["world"] = Triangles(moved)
        triangles: Triangles = self.__dict__["world"]
        return triangles

    def _pieces(self, other: Any) -> Iterable[Any]:
        if other._is_plane:
            return (self,)
        world = self._world()
        middle, radius = other._ball()
        gaps = np.linalg.norm(world.middles - middle, axis=1)
        # Some point of the other is inside its ball, so no nearer triangle is left out.
        near = gaps - world.radii - radius <= (gaps + radius).min()
        return [Piece(corners) for corners in world.corners[near].tolist()]

    def _encloses(self, other: Any) -> bool:
        if not self._solid_inside or other._is_plane:
            return False
        return self._holds(self._frame.to_local(other._far_point((1.0, 0.0, 0.0))))

    def _contains(self, other: Any) -> bool:
        if not self._encloses(other) or math.isinf(other._size):
            return False
        touch = self._touch(other)
        return not any(
            _overlap(piece, part, touch)
            for part in other._pieces(self)
            for piece in self._pieces(part)
        )


class _Shrunk:
    """A convex piece that is smaller by a fraction, about a point inside it."""

    def __init__(self, piece: Any, fraction: float) -> None:
        self._piece, self._fraction = piece, fraction
        ends = [piece._far_point(axis) for axis in _DIAGONALS]
        self._middle = mixed([0.25] * 4, ends)

    def _far_point(self, direction: Vec) -> Vec:
        point: Vec = self._piece._far_point(direction)
        return along(point, self._fraction, minus(self._middle, point))


def _overlap(triangle: Piece, part: Any, touch: float) -> bool:
    """Returns whether a convex part overlaps a triangle by more than a touch [m]."""
    distance = piece_separation(triangle, part).distance
    if part.margin or distance > touch:
        return distance < -touch
    if isinstance(part, Piece):
        return _crossing(triangle, part) > touch
    smaller = _Shrunk(part, 2.0 * touch / part._size)
    return nearest(triangle, smaller, triangle._size + part._size).gap == (0.0, 0.0, 0.0)


def _crossing(a: Piece, b: Piece) -> float:
    """Returns the shortest move that separates two triangles [m], by separating axes."""
    first, second = np.array(a._points), np.array(b._points)
    edges = [np.roll(corners, -1, axis=0) - corners for corners in (first, second)]
    axes = np.concatenate(
        [
            [np.cross(*edges[0][:2]), np.cross(*edges[1][:2])],
            np.cross(edges[0][:, np.newaxis], edges[1]).reshape(-1, 3),
        ]
    )
    lengths = np.linalg.norm(axes, axis=1)
    real = lengths > 1e-9 * np.abs(edges).max() ** 2
    axes = axes[real] / lengths[real, np.newaxis]
    one, two = axes @ first.T, axes @ second.T
    apart = np.minimum(one.max(axis=1) - two.min(axis=1), two.max(axis=1) - one.min(axis=1))
    return float(apart.min())


def _checked(faces: ArrayLike, count: int) -> NDArray[np.intp]:
    array = np.asarray(faces)
    if array.dtype.kind not in "iu":
        raise TypeError(f"the faces of a mesh must be integers, got an array of {array.dtype}")
    if array.ndim != 2 or array.shape[1] != 3 or not len(array):
        raise ValueError(f"the faces of a mesh must have shape (m, 3), got {array.shape}")
    bad = np.flatnonzero(((array < 0) | (array >= count)).any(axis=1))
    if bad.size:
        row = array[bad[0]].tolist()
        raise ValueError(f"face {bad[0]} is {row}, expected vertices 0 to {count - 1}")
    return np.asarray(array, dtype=np.intp)
