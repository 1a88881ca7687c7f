# SPDX-License-Identifier: Apache-2.0
"""Shapes with their textures: pictures that materials name, or that come with meshes."""

from __future__ import annotations

import warnings
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn.description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Sphere,
)
from deepsim_spawn.description.link import TexturedSurface, VisualDescription
from deepsim_spawn.errors import ModelFormatError, ModelFormatWarning
from deepsim_spawn.search_path import SearchPath

from .parts import Faces, MeshPaint, Skin, Vertices
from .pictures import MOST_PIXELS, pixels_of, read_picture
from .shapes import shape_triangles
from .triangles import painted_triangles

_PAINTED = frozenset({".dae", ".glb", ".gltf", ".obj"})
"""Formats of meshes that have materials."""
_SEGMENTS = 64  # corners around round shapes
_MOST_BYTES = 2**27  # of a file that a mesh names
_LONGEST = 8192  # side of a picture that is put together of others [pixels]
_EDGE = 2  # repeated pixels around each of them, for interpolation


def textured_surface(visual: VisualDescription) -> TexturedSurface | None:
    """Returns the shape of a visual with its texture, or None if it has none.

    The places of a visual's `texture` are those of the mesh's file or, on simple shapes, Gazebo's:
    a picture is upright on each side of a box and covers a plane once; it is wrapped around the z
    axis of cylinders, cones and capsules, with its upper edge at the bottom, and around the y axis
    of spheres and ellipsoids. The flat ends of a cylinder or cone show a disc of it.

    A mesh without `texture` and `material` has the diffuse colours and pictures of its file, joined
    in one picture. glTF needs the extra ``deepsim-spawn[meshes]``, pictures need
    ``deepsim-spawn[images]``. If something cannot be read, there is a warning, and no texture.
    """
    if visual.textured is not None:
        return visual.textured
    geometry, texture = visual.geometry, visual.texture
    files = [] if texture is None else [texture]
    if isinstance(geometry, Mesh):
        files.append(geometry.path)
        has_own = visual.material is None and geometry.path.suffix.lower() in _PAINTED
        if texture is None and not has_own:
            return None
    elif texture is None:
        return None
    try:
        states = tuple((state.st_size, state.st_mtime_ns) for state in map(Path.stat, files))
    except OSError:
        states = ()
    return _resolved(geometry, texture, states)


@lru_cache(maxsize=256)  # engine and viewer read the same files, and many models are equal
def _resolved(geometry: Geometry, texture: Path | None, _: object) -> TexturedSurface | None:
    try:
        if isinstance(geometry, Mesh):
            return _on_mesh(geometry, texture)
        assert texture is not None
        return _surface(*_on_shape(geometry), _colours(read_picture(texture)))
    except ModelFormatError as error:
        warnings.warn(
            ModelFormatWarning(f"{error}: it is drawn without texture", file=error.file),
            stacklevel=2,
        )
        return None


def _surface(
    triangles: NDArray[np.float64], coordinates: NDArray[np.float64], image: NDArray[np.uint8]
) -> TexturedSurface:
    return TexturedSurface(
        triangles.astype(np.float32), coordinates.astype(np.float32), np.ascontiguousarray(image)
    )


def _colours(pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> NDArray[np.uint8]:
    if pixels.dtype == np.uint16:
        return np.repeat((pixels >> 8).astype(np.uint8), 3, axis=2)
    return np.asarray(pixels, dtype=np.uint8)


# Meshes


def _on_mesh(mesh: Mesh, texture: Path | None) -> TexturedSurface | None:
    file = str(mesh.path)
    is_obj = mesh.path.suffix.lower() == ".obj"
    if is_obj and texture is None and not _names_materials(mesh.path):
        return None
    ignores = is_obj and texture is not None
    found = painted_triangles(mesh, (lambda _: b"") if ignores else partial(_content, mesh.path))
    points, faces, skin = found or (np.zeros((0, 3)), np.zeros((0, 3), int), None)
    if texture is not None:
        if skin is None or skin.coordinates is None:
            raise ModelFormatError("has no texture coordinates", file=file)
        return _surface(points[faces], skin.coordinates, _colours(read_picture(texture)))
    if skin is None or all(
        skin.paints[number] == MeshPaint() for number in np.unique(skin.numbers)
    ):
        return None
    return _surface(points[faces], *_joined(skin, file))


def _names_materials(obj: Path) -> bool:
    small = obj.is_file() and obj.stat().st_size <= _MOST_BYTES
    return small and b"mtllib" in obj.read_bytes()


def _content(mesh: Path, name: str) -> bytes:
    """Returns the content of a file that a mesh names, in the folders that a mesh may be in."""
    path = _beside(mesh, name)
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"{name!r} must be a file of <= {_MOST_BYTES} bytes")
    return path.read_bytes()


def _beside(mesh: Path, name: str) -> Path:
    name = name.replace("\\", "/")
    try:
        return SearchPath().find(name, mesh)
    except (OSError, ValueError) as error:
        try:  # a path of the machine on which the mesh was made
            return SearchPath().find(PurePosixPath(name).name, mesh)
        except (OSError, ValueError):
            raise error from None


def _joined(skin: Skin, file: str) -> tuple[Vertices, NDArray[np.uint8]]:
    """Returns the coordinates of all faces in one picture of all materials, and that picture."""
    used, numbers = np.unique(skin.numbers, return_inverse=True)
    pictures = [_painted(skin.paints[number], file) for number in used]
    coordinates = skin.coordinates
    if coordinates is None:
        coordinates = np.zeros((len(numbers), 3, 2))
    if len(pictures) == 1:
        return coordinates, pictures[0]
    # A picture that repeats is repeated, as often as the largest of its faces needs.
    places = coordinates - np.floor(coordinates.min(axis=1, keepdims=True) + 1e-6)
    plain = np.array([picture.size == 3 for picture in pictures])
    places[plain[numbers]] = 0.5
    repeats = [
        np.clip(np.ceil(places[numbers == number].max(axis=(0, 1)) - 1e-6), 1, 1e6).astype(int)
        for number in range(len(pictures))
    ]
    step = _step(pictures, repeats, file)
    blocks, scales, starts, top = [], [], [], 0
    for picture, (across, down) in zip(pictures, repeats, strict=True):
        block = np.tile(picture[::step, ::step], (down, across, 1))
        starts.append((_EDGE, top + _EDGE))
        scales.append((block.shape[1] / across, block.shape[0] / down))
        blocks.append(np.pad(block, ((_EDGE, _EDGE), (_EDGE, _EDGE), (0, 0)), mode="edge"))
        top += len(blocks[-1])
    width = max(block.shape[1] for block in blocks)
    image = np.concatenate(
        [np.pad(each, ((0, 0), (0, width - each.shape[1]), (0, 0)), "edge") for each in blocks]
    )
    pixels = np.array(starts)[numbers][:, None] + places * np.array(scales)[numbers][:, None]
    return pixels / (width, top), image


def _step(pictures: list[NDArray[np.uint8]], repeats: list[Faces], file: str) -> int:
    """Returns by which factor pictures are reduced, so that all repeated ones fit into one."""
    for step in (1, 2, 4, 8, 16, 32):
        sizes = np.array(
            [
                many * -(-np.array([picture.shape[1], picture.shape[0]]) // step) + 2 * _EDGE
                for picture, many in zip(pictures, repeats, strict=True)
            ]
        )
        width, height = sizes[:, 0].max(), sizes[:, 1].sum()
        if max(width, height) <= _LONGEST and width * height <= MOST_PIXELS:
            return step
    raise ModelFormatError("has too many pictures, or repeats them too often", file=file)


def _painted(paint: MeshPaint, file: str) -> NDArray[np.uint8]:
    """Returns the picture of a material in its colour; one pixel without picture."""
    colour = np.clip(np.nan_to_num(paint.color), 0.0, 1.0)
    if paint.picture is None:
        return np.asarray(np.rint(255.0 * colour), dtype=np.uint8)[None, None]
    if isinstance(paint.picture, str):
        try:
            path = _beside(Path(file), paint.picture)
        except (OSError, ValueError) as error:
            raise ModelFormatError(str(error), file=file) from error
        pixels = _colours(read_picture(path))
    else:
        pixels = _colours(pixels_of(paint.picture, file))
    if (colour == 1.0).all():
        return pixels
    return np.asarray(np.rint(pixels * colour), dtype=np.uint8)


# Simple shapes, as Gazebo 11 places pictures on them (gazebo/common/MeshManager.cc)


_RIGHT = np.array([[0, -1, 0], [0, 1, 0], [1, 0, 0], [-1, 0, 0], [0, -1, 0], [0, -1, 0]])
_UP = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]])
"""Right and upper side of the picture on the sides -x, x, -y, y, -z, z of a box."""


def _on_shape(geometry: Geometry) -> tuple[Vertices, Vertices]:
    """Returns the triangles (m, 3, 3) of a shape and the places of their corners (m, 3, 2)."""
    match geometry:
        case Box(size):
            triangles = _triangles(geometry)
            normals = _normals(triangles)
            axes = np.abs(normals).argmax(axis=1)
            sides = 2 * axes + (normals[np.arange(len(axes)), axes] > 0.0)
            across = np.einsum("mij,mj->mi", triangles / np.array(size), _RIGHT[sides])
            up = np.einsum("mij,mj->mi", triangles / np.array(size), _UP[sides])
            return triangles, np.stack([0.5 + across, 0.5 - up], axis=-1)
        case Plane(_, size):
            flat = _triangles(Plane(size=size))[..., :2] / np.array(size)
            return _triangles(geometry), flat * (1.0, -1.0) + 0.5
        case Sphere(radius):
            return _on_ball(np.full(3, radius))
        case Ellipsoid(radii):
            return _on_ball(np.array(radii))
        case Cylinder(radius) | Capsule(radius) | Cone(radius):
            triangles = _triangles(geometry)
            x, y, z = np.moveaxis(triangles, -1, 0)
            half = z.max()
            places = wrapped_places(x, y, (z / half + 1.0) / 2.0)
            ends = np.ptp(z, axis=1) < 1e-9 * half
            disc = triangles[ends, :, :2] / (2.0 * radius)
            places[ends] = disc * (1.0, -1.0) + 0.5
            return triangles, places
        case _:
            name = type(geometry).__name__.lower()
            raise ModelFormatError(f"a {name} has no texture coordinates")


def _on_ball(radii: NDArray[np.float64]) -> tuple[Vertices, Vertices]:
    unit = _triangles(Sphere(1.0))[..., [1, 2, 0]]  # poles on the y axis
    x, y, z = np.moveaxis(unit, -1, 0)
    return unit * radii, wrapped_places(x, z, np.arccos(np.clip(y, -1.0, 1.0)) / np.pi)


def wrapped_places(x: Vertices, y: Vertices, down: Vertices) -> Vertices:
    """Returns the places (m, 3, 2) of triangles in a picture that is wrapped around an axis.

    Args:
        x: Distances of the corners from the axis to one side, (m, 3).
        y: Distances to a perpendicular side, where the picture begins; it continues towards +x.
        down: Places from the upper edge of the picture, in its heights.
    """
    across = np.arctan2(x, y) / (2.0 * np.pi) % 1.0
    is_tip = np.hypot(x, y) < 1e-9
    across[is_tip] = np.nan
    wraps = np.nanmax(across, axis=1) - np.nanmin(across, axis=1) > 0.5
    across[wraps[:, None] & (across < 0.5)] += 1.0
    means = np.broadcast_to(np.nanmean(across, axis=1)[:, None], across.shape)
    return np.stack([np.where(is_tip, means, across), down], axis=-1)


def _triangles(geometry: Geometry) -> Vertices:
    points, faces = shape_triangles(geometry, _SEGMENTS)
    return np.asarray(points[faces])


def _normals(triangles: Vertices) -> Vertices:
    a, b, c = triangles.swapaxes(0, 1)
    return np.cross(b - a, c - a)
