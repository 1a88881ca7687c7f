# SPDX-License-Identifier: Apache-2.0
"""Terrain for many worlds: patches of growing difficulty, and the heights below a link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Color, Material, Vector3
from deepsim_sync import StateRows

from .description.geometry import Heightmap
from .description.link import (
    CollisionDescription,
    LinkDescription,
    Surface,
    VisualDescription,
)
from .description.model import ModelDescription
from .meshes.shapes import heightmap_heights
from .terrain_kinds import TerrainKind

_Floats = NDArray[np.float64]

_BESIDE = 0.5  # the highest point within this distance along x and y is the height of an origin [m]
_BLOCK = 2**14  # points that are computed at once, so that they stay in the cache
_COLOR = Color(0.68, 0.64, 0.56)


class Terrain:
    """One landscape that all worlds share, with places for robots to begin.

    Each world has the whole terrain, which exists once in memory. What differs from world to world
    is the place of the robot: `origins[row, column]`.

    >>> from deepsim_spawn.terrain_kinds import slopes, stairs
    >>> terrain = Terrain.generate([slopes, stairs], rows=5, seed=3)
    >>> terrain.origins.shape, terrain.model().name
    ((5, 2, 3), 'terrain')
    >>> terrain.origins[4, 0].round(2).tolist() == [-4.0, 16.0, 1.2]
    True

    Attributes:
        heightmap: The landscape, in the world frame if its model is at the origin.
        origins: Points on the ground in the middle of patches, (rows, columns, 3) [m]; read-only.
            Rows are levels of difficulty, columns are kinds of terrain.
        patch: Lengths of a patch along x and y [m].

    Args:
        heightmap: The landscape.
        origins: Places to begin, (rows, columns, 3) or (rows, columns, 2) [m]; by default one in
            the middle. Without z, it is the greatest height within 0.5 m along x and y.
        patch: Lengths of a patch; by default those of the heightmap.

    Raises:
        ModelFormatError: The picture of the heightmap cannot be read.
        ValueError: The origins have another shape, or lie outside of the heightmap.
    """

    def __init__(
        self,
        heightmap: Heightmap,
        origins: ArrayLike | None = None,
        patch: tuple[float, float] | None = None,
    ) -> None:
        self.heightmap = heightmap
        self.patch = (heightmap.size.x, heightmap.size.y) if patch is None else patch
        self._heights = np.ascontiguousarray(heightmap_heights(heightmap))
        x, y, z = heightmap.position
        self._least = np.array([x - heightmap.size.x / 2, y - heightmap.size.y / 2])
        self._ground = z
        rows, columns = self._heights.shape
        self._cells = np.array([columns - 1, rows - 1])
        self._per_metre = self._cells / np.array([heightmap.size.x, heightmap.size.y])
        self.origins = self._checked_origins([[[x, y]]] if origins is None else origins)

    @classmethod
    def generate(
        cls,
        kinds: Sequence[TerrainKind],
        rows: int = 10,
        *,
        patch: tuple[float, float] = (8.0, 8.0),
        resolution: float = 0.1,
        difficulty: tuple[float, float] = (0.0, 1.0),
        border: float = 4.0,
        seed: int = 0,
    ) -> Terrain:
        """Returns a terrain of generated patches: a row for each level, a column for each kind.

        Rows follow each other along y, columns along x; the middle of all is at the origin of the
        world. A patch depends on the seed, its row and its column alone.

        Args:
            kinds: The generator of each column, such as those of `terrain_kinds`; a kind may occur
                several times.
            rows: Number of levels.
            patch: Lengths of a patch along x and y [m], multiples of the resolution.
            resolution: Spacing of samples [m].
            difficulty: Difficulties of the first and the last row, between which they grow evenly.
            border: Width of the level ground around all patches [m], in whole samples.
            seed: Seed of all random numbers.

        Raises:
            ValueError: There are no kinds or no rows, a length is not a multiple of the
                resolution, or a generator returns heights of another shape.
        """
        if not kinds or rows < 1:
            raise ValueError(f"a terrain needs kinds and rows, got {len(kinds)} and {rows}")
        across, along = (round(length / resolution) for length in patch)
        margin = round(border / resolution)
        cells = rows * along + 2 * margin, len(kinds) * across + 2 * margin
        heights = np.zeros((cells[0] + 1, cells[1] + 1))
        origins = np.empty((rows, len(kinds), 2))
        for row, level in enumerate(np.linspace(*difficulty, rows).tolist()):
            for column, kind in enumerate(kinds):
                rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(row, column)))
                part = np.asarray(kind(patch, resolution, level, rng))
                if part.shape != (along + 1, across + 1):
                    raise ValueError(
                        f"kind {column} must return {along + 1} x {across + 1} heights for "
                        f"{patch} m, got {part.shape}"
                    )
                # Neighbours share the samples of an edge, which are those of the later one.
                y, x = margin + row * along, margin + column * across
                heights[y : y + along + 1, x : x + across + 1] = part
                origins[row, column] = (
                    (column + 0.5 - len(kinds) / 2) * patch[0],
                    (row + 0.5 - rows / 2) * patch[1],
                )
        top = float(heights.max())
        size = Vector3(cells[1] * resolution, cells[0] * resolution, top)
        return cls(Heightmap(heights, size), origins, patch)

    def model(
        self, name: str = "terrain", *, friction: float = 1.0, color: Color = _COLOR
    ) -> ModelDescription:
        """Returns a static model of the terrain, to be spawned at the origin of the world.

        Args:
            name: Name of the model.
            friction: Coefficient of friction.
            color: Ambient and diffuse colour.
        """
        link = LinkDescription(
            "link",
            collisions=(
                CollisionDescription(
                    "heights", self.heightmap, surface=Surface(mu=friction, mu2=friction)
                ),
            ),
            visuals=(
                VisualDescription(
                    "heights", self.heightmap, material=Material(ambient=color, diffuse=color)
                ),
            ),
        )
        return ModelDescription(name, links=(link,), static=True)

    def height(self, points: ArrayLike) -> _Floats:
        """Returns the height of the ground at points, exactly on the triangles that physics uses.

        Args:
            points: x and y in the world frame, (..., 2) or (..., 3) [m]; z is ignored. A point
                outside counts as the nearest one on the edge.

        Returns:
            z in the world frame, (...) [m].
        """
        places = np.asarray(points, dtype=np.float64)
        u, v = (
            np.clip((places[..., axis] - self._least[axis]) * self._per_metre[axis], 0.0, cells)
            for axis, cells in enumerate(self._cells.tolist())
        )
        column = np.minimum(u.astype(np.int64), self._cells[0] - 1)
        row = np.minimum(v.astype(np.int64), self._cells[1] - 1)
        u, v = u - column, v - row
        # A cell is cut from its corner of least x and y to the opposite one: via the corner beside
        # the diagonal, heights grow along the greater coordinate first.
        stride = self._heights.shape[1]
        first = row * stride + column
        right = u >= v
        beside = first + np.where(right, 1, stride)
        low, middle, high = (
            self._heights.reshape(-1).take(corner) for corner in (first, beside, first + stride + 1)
        )
        more, less = np.maximum(u, v), np.minimum(u, v)
        return np.asarray(low + more * (middle - low) + less * (high - middle) + self._ground)

    def next_levels(
        self, levels: ArrayLike, walked: ArrayLike, asked: ArrayLike, draws: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        """Returns the levels of the next episodes, from the distances walked in the last ones.

        As in legged_gym: a robot that walked farther than half a patch moves up, to the next row;
        otherwise, one that walked less than half of the distance it was asked for moves down.

        Args:
            levels: Rows of the last episodes, (w,).
            walked: Distances from the origins at their ends, (w,) [m].
            asked: Distances that the commands asked for, (w,) [m].
            draws: Random numbers in [0, 1), (w,): a robot that moves up from the last row then
                gets a random row, so that none is forgotten. By default it stays.

        Example::

            def next_level(self, worlds):  # a hook of an Area
                begin = self.terrain.origins[self.level[worlds], self.kind[worlds]]
                walked = np.linalg.norm(self.robot.model.pose[worlds, 0, :2] - begin[:, :2], axis=1)
                return self.terrain.next_levels(self.level[worlds], walked, self.asked[worlds])
        """
        rows = len(self.origins)
        before, distance = np.asarray(levels, dtype=np.int64), np.asarray(walked)
        up = distance > self.patch[0] / 2
        down = ~up & (distance < np.asarray(asked) / 2)
        after = np.maximum(before + up - down, 0)
        last: ArrayLike = rows - 1
        if draws is not None:
            last = np.floor(np.asarray(draws) * rows).astype(np.int64)
        return np.where(after < rows, after, last)

    def _checked_origins(self, origins: ArrayLike) -> _Floats:
        given = np.array(origins, dtype=np.float64)
        if given.ndim != 3 or given.shape[2] not in (2, 3) or not given.size:
            raise ValueError(
                f"origins must have the shape (rows, columns, 2 or 3), got {given.shape}"
            )
        from_least = given[..., :2] - self._least
        if (from_least < 0.0).any() or (from_least > self._cells / self._per_metre).any():
            raise ValueError("origins must lie on the heightmap")
        if given.shape[2] == 2:
            low = np.floor((from_least - _BESIDE) * self._per_metre + 1e-6).astype(np.int64)
            high = np.ceil((from_least + _BESIDE) * self._per_metre - 1e-6).astype(np.int64)
            z = np.empty(given.shape[:2])
            for place in np.ndindex(z.shape):
                (x0, y0), (x1, y1) = np.maximum(low[place], 0), high[place] + 1
                z[place] = self._heights[y0:y1, x0:x1].max() + self._ground
            given = np.concatenate([given, z[..., None]], axis=2)
        given.flags.writeable = False
        return given


class HeightScan:
    """The clearance of a link above the terrain, at points of a grid around it.

    The grid turns with the yaw of the link alone, and stays level when the link rolls or pitches.
    The scan samples the heights of the terrain, exactly; nothing else is in its way, and it sees
    no other model. Points outside of the terrain see its nearest edge.

    Example::

        trunk = world.links.select(["robot::trunk"])
        scan = HeightScan(terrain, trunk, size=(1.6, 1.0), resolution=0.1)
        scan.read()  # (W, 187)

    Attributes:
        points: Points of the grid in the frame that the link's yaw turns, (n, 2) [m]: x ahead, y to
            the left. They are in rows from back to front; the rows from right to left.
        shape: Rows and columns of the grid: ``scan.read().reshape(-1, *scan.shape)`` is a picture
            of each world.

    Args:
        terrain: The terrain; its model is at the origin of the world.
        link: A handle on one link, or one model.
        size: Lengths of the grid along x and y [m], multiples of the resolution.
        resolution: Distance of neighbouring points [m].
        offset: Middle of the grid in the frame that the link's yaw turns [m].

    Raises:
        ValueError: The handle has not exactly one row, or a length is not a multiple.
    """

    def __init__(
        self,
        terrain: Terrain,
        link: StateRows,
        size: tuple[float, float] = (1.6, 1.0),
        resolution: float = 0.1,
        offset: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        if len(link) != 1:
            raise ValueError(f"a height scan needs a handle on one link, got {len(link)} rows")
        if not resolution > 0.0:
            raise ValueError(f"resolution must be > 0 m, got {resolution}")
        columns, rows = (round(length / resolution) + 1 for length in size)
        spans = (columns - 1) * resolution, (rows - 1) * resolution
        if not np.allclose(spans, size, rtol=1e-6, atol=0.0):
            raise ValueError(f"size must be multiples of the resolution {resolution} m, got {size}")
        x, y = np.meshgrid(
            np.linspace(-spans[0] / 2, spans[0] / 2, columns) + offset[0],
            np.linspace(-spans[1] / 2, spans[1] / 2, rows) + offset[1],
        )
        self.terrain = terrain
        self.link = link
        self.shape = rows, columns
        self.points = np.column_stack([x.reshape(-1), y.reshape(-1)])
        self.points.flags.writeable = False

    def read(self) -> _Floats:
        """Returns the z of the link minus the height of the ground at each point, (W, n) [m]."""
        pose = self.link.pose[:, 0]
        return np.asarray(pose[:, 2:3] - self._ground(pose)[..., 2])

    def ground(self) -> _Floats:
        """Returns the points of the ground below the grid, in the world frame, (W, n, 3) [m]."""
        return self._ground(self.link.pose[:, 0])

    def _ground(self, pose: _Floats) -> _Floats:
        ground = np.empty((len(pose), len(self.points), 3))
        step = max(_BLOCK // len(self.points), 1)
        for start in range(0, len(pose), step):
            part = slice(start, start + step)
            ground[part, :, :2] = self._below(pose[part])
            ground[part, :, 2] = self.terrain.height(ground[part])
        return ground

    def _below(self, pose: _Floats) -> _Floats:
        """Returns the points of the grid in the world frame, (w, n, 2)."""
        x, y, z, w = (pose[:, axis : axis + 1] for axis in range(3, 7))
        # The heading is where the link's x axis points, seen from above.
        cosine, sine = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)
        length = np.sqrt(cosine * cosine + sine * sine)
        upright = length < 1e-9  # that is straight up or down: any heading is as good
        length = np.where(upright, 1.0, length)
        cosine, sine = (
            np.where(upright, 1.0, cosine / length),
            np.where(upright, 0.0, sine / length),
        )
        ahead, left = self.points.T
        across = pose[:, 0:1] + cosine * ahead - sine * left
        along = pose[:, 1:2] + sine * ahead + cosine * left
        return np.stack([across, along], axis=2)
