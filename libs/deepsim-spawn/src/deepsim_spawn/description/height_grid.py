# SPDX-License-Identifier: Apache-2.0
"""Heights on a grid: their triangles, their text in SDF, and a mesh of them for Gazebo."""

from __future__ import annotations

import base64
import binascii
import zlib
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.temporary_folders import process_folder

from .checks import finite

MOST_HEIGHTS = 2**24
"""Largest number of heights that is read from a file."""

_Floats = NDArray[np.float64]
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("unused", "<u2")])


def checked_heights(source: ArrayLike) -> _Floats:
    """Returns a read-only copy of finite heights (rows, columns)."""
    try:
        heights = np.array(source, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise TypeError(
            f"a heightmap takes a Path, or an array of heights, got {source!r}"
        ) from None
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise ValueError(
            f"heights must have the shape (rows, columns), each >= 2, got {heights.shape}"
        )
    finite("heights [m]", float(heights.min()), float(heights.max()))
    heights.flags.writeable = False
    return heights


def grid_triangles(
    heights: _Floats, along_x: float, along_y: float, middle: ArrayLike
) -> tuple[_Floats, NDArray[np.int64]]:
    """Returns the triangles of a grid of heights, with rows along y and columns along x.

    Each cell is cut from its corner of least x and y to the opposite one, as MuJoCo cuts it.

    Returns:
        Vertices (rows * columns, 3) [m], and faces (m, 3), counterclockwise from above.
    """
    rows, columns = heights.shape
    x, y = np.meshgrid(
        np.linspace(-along_x / 2, along_x / 2, columns),
        np.linspace(-along_y / 2, along_y / 2, rows),
    )
    points = np.column_stack([x.reshape(-1), y.reshape(-1), heights.reshape(-1)])
    points += np.asarray(middle, dtype=np.float64)
    number = np.arange(rows * columns).reshape(rows, columns)
    low, right = number[:-1, :-1].reshape(-1), number[:-1, 1:].reshape(-1)
    up, far = number[1:, :-1].reshape(-1), number[1:, 1:].reshape(-1)
    lower, upper = np.column_stack([low, right, far]), np.column_stack([low, far, up])
    return points, np.concatenate([lower, upper])


def heights_text(heights: _Floats) -> str:
    """Returns heights as text: Base64 of compressed little-endian numbers, row by row."""
    return base64.b64encode(zlib.compress(heights.astype("<f8").tobytes())).decode("ascii")


def heights_of_text(text: str, columns: int) -> _Floats:
    """Returns the heights (rows, columns) in a result of `heights_text`.

    Raises:
        ValueError: The text is not such a result, or holds more than `MOST_HEIGHTS` numbers.
    """
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(base64.b64decode(text, validate=True), 8 * MOST_HEIGHTS)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"expected compressed heights in Base64: {error}") from None
    if unpacker.unconsumed_tail:
        raise ValueError(f"expected at most {MOST_HEIGHTS} heights, got more")
    if columns < 2 or not unpacker.eof or len(content) % (8 * columns):
        raise ValueError(f"expected rows of {columns} heights, got {len(content)} bytes")
    return np.frombuffer(content, dtype="<f8").reshape(-1, columns).astype(np.float64)


def grid_mesh(heights: _Floats, along_x: float, along_y: float, middle: ArrayLike) -> Path:
    """Returns a binary STL file of a grid of heights, which exists as long as the process.

    Gazebo reads it; its own heightmaps have 256 levels, and lie at the world's origin.
    """
    shape = f"{heights.shape} {along_x!r} {along_y!r} {np.asarray(middle).tolist()}"
    name = sha256(heights.tobytes() + shape.encode()).hexdigest()
    file = process_folder("deepsim-spawn-") / f"heights-{name}.stl"
    if file.exists():
        return file
    points, faces = grid_triangles(heights, along_x, along_y, middle)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facets = np.zeros(len(faces), _FACET)
    facets["normal"] = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    facets["corners"] = corners
    file.write_bytes(bytes(80) + np.array([len(faces)], "<u4").tobytes() + facets.tobytes())
    return file
