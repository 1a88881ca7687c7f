# SPDX-License-Identifier: Apache-2.0
"""The appearance of MJCF models, for viewers without MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Quaternion, Vector3, poses
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering import RGB_ROLE
from deepsim_spawn import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    LinkDescription,
    Mesh,
    ModelDescription,
    Plane,
    Sphere,
    TexturedSurface,
    VisualDescription,
    shape_triangles,
    wrapped_places,
)
from deepsim_sync import SCOPE

from .builder import Built

Array = NDArray[np.float64]

_Type = mujoco.mjtGeom
_METRES = (_Type.mjGEOM_MESH, _Type.mjGEOM_PLANE)
"""Types whose vertices MuJoCo stores in metres; those of others are relative to their size."""
_FINE = 500  # least number of triangles with a cube, because places are not linear on them
_SIDES = (  # of OpenGL's cube map +x, -x, +y, -y, +z, -z: axes and signs along s and t
    ((2, -1), (1, -1)),
    ((2, 1), (1, -1)),
    ((0, 1), (2, 1)),
    ((0, 1), (2, -1)),
    ((0, 1), (1, -1)),
    ((0, -1), (1, -1)),
)
_EQUAL = ((0, 1, 1), (0, 1, -1), (1, 2, 1), (1, 2, -1), (0, 2, 1), (0, 2, -1))
"""Axes a, b and factors f of the planes a = f b that part the sides of a cube."""


def mapped(
    model: mujoco.MjModel,
    geom: int,
    texture: int,
    triangles: Array,
    places: NDArray[np.float32] | None,
) -> tuple[Array, Array]:
    """Returns the triangles of a geom, cut where its texture needs it, with their places in it.

    Args:
        model: The compiled model.
        geom: Number of the geom, which has a material.
        texture: Number of its texture: a picture, or the six sides of a cube below each other.
        triangles: Its surface in its frame, (m, 3, 3) [m].
        places: The texture coordinates of a mesh, (m, 3, 2), if it has some.

    Returns:
        Triangles (k, 3, 3) [m] and the places of their corners (k, 3, 2), as in `TexturedSurface`.
    """
    material, kind = int(model.geom_matid[geom]), _Type(model.geom_type[geom])
    uniform = bool(model.mat_texuniform[material])
    a, b, c = model.geom_size[geom].tolist()
    is_tube = kind in (_Type.mjGEOM_CAPSULE, _Type.mjGEOM_CYLINDER)
    size = np.array(
        (a, a, a) if kind == _Type.mjGEOM_SPHERE else (a, a, b) if is_tube else (a, b, c)
    )
    is_endless = kind == _Type.mjGEOM_PLANE and not size[:2].all()
    limited = np.where(size > 0.0, size, 1.0)
    if places is None and model.tex_type[texture] != mujoco.mjtTexture.mjTEXTURE_2D:
        while len(triangles) < _FINE:
            triangles = _quartered(triangles)
        rays = triangles.copy() if kind in _METRES else _unit(kind, triangles, limited)
        return _on_cube(triangles, rays * limited if uniform else rays)
    repeat = model.mat_texrepeat[material] * (limited[:2] if uniform else 1.0)
    if places is not None:
        return triangles, places * repeat
    if kind == _Type.mjGEOM_MESH:
        return triangles, triangles[..., :2] / limited[:2] * repeat * (0.5, -0.5) - 0.5
    return triangles, _on_shape(kind, triangles, size) * repeat - 0.5 * is_endless


def _unit(kind: mujoco.mjtGeom, triangles: Array, size: Array) -> Array:
    """Returns the corners of a simple shape relative to its size."""
    unit = triangles / size
    if kind == _Type.mjGEOM_CAPSULE:  # MuJoCo's halves of balls are around a point at 1 or -1
        for end in (1.0, -1.0):
            is_end = (end * unit[..., 2] > 1.0 - 1e-9).all(axis=1)
            ends = triangles[is_end, :, 2] - end * size[2]
            unit[is_end, :, 2] = end + ends / size[0]
    return unit


def _on_shape(kind: mujoco.mjtGeom, triangles: Array, size: Array) -> Array:
    """Returns the places (m, 3, 2) of the corners of a simple shape, in a picture shown once.

    An endless side of a plane shows it once in two metres.
    """
    if kind == _Type.mjGEOM_PLANE:
        across = [
            triangles[..., axis] / 2.0 / (side or 1.0) + 0.5 * (side > 0.0)
            for axis, side in enumerate(size[:2])
        ]
        return np.stack([across[0], (size[1] > 0.0) - across[1]], axis=-1)
    unit = _unit(kind, triangles, size)
    x, y, z = np.moveaxis(unit, -1, 0)
    if kind == _Type.mjGEOM_BOX:
        normals = np.abs(np.cross(unit[:, 1] - unit[:, 0], unit[:, 2] - unit[:, 0]))
        shown = np.array([[1, 2], [0, 2], [0, 1]])[normals.argmax(axis=1)]
        flat = np.take_along_axis(unit, shown[:, None], axis=-1)
        return flat * (0.5, -0.5) + 0.5
    if kind in (_Type.mjGEOM_SPHERE, _Type.mjGEOM_ELLIPSOID):
        return wrapped_places(y, x, 0.5 - np.arcsin(np.clip(z, -1.0, 1.0)) / np.pi)
    places = wrapped_places(y, x, (1.0 - z) / 2.0)
    for end in (1.0, -1.0):
        is_end = (end * z > 1.0 - 1e-9).all(axis=1)
        if kind == _Type.mjGEOM_CYLINDER:
            places[is_end] = unit[is_end, :, :2] / 2.0 + 0.5
        else:
            height = np.arcsin(np.clip(z[is_end] - end, -1.0, 1.0)) / (np.pi / 2.0)
            places[is_end, :, 1] = (end > 0.0) - height
    return places


def _on_cube(triangles: Array, rays: Array) -> tuple[Array, Array]:
    """Returns triangles that each lie on one side of a cube map, and their places in it."""
    both = np.concatenate([triangles, rays], axis=-1)
    for one, other, factor in _EQUAL:
        both = _cut(both, both[..., 3 + one] - factor * both[..., 3 + other])
    rays = both[..., 3:]
    middle = rays.mean(axis=1)
    axis = np.abs(middle).argmax(axis=1)
    side = 2 * axis + (middle[np.arange(len(axis)), axis] < 0.0)
    places = np.empty((*rays.shape[:2], 2))
    for number, signs in enumerate(_SIDES):
        some = rays[side == number]
        depth = np.maximum(np.abs(some[..., number // 2]), 1e-9)
        for column, (along, sign) in enumerate(signs):
            places[side == number, :, column] = (sign * some[..., along] / depth + 1.0) / 2.0
    inside = np.clip(places, 0.01, 0.99)  # no interpolation with another side
    return both[..., :3], np.stack(
        [inside[..., 0], (side[:, None] + inside[..., 1]) / 6.0], axis=-1
    )


def _cut(corners: Array, heights: Array) -> Array:
    """Returns triangles (m, 3, n), cut where heights (m, 3) over a plane change their sign."""
    above = heights >= 0.0
    count = above.sum(axis=1)
    whole = corners[(count == 0) | (count == 3)]
    crossing = (count == 1) | (count == 2)
    corners, heights, above = corners[crossing], heights[crossing], above[crossing]
    alone = np.where(count[crossing] == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    order = (alone[:, None] + np.arange(3)) % 3
    (a, b, c) = np.take_along_axis(corners, order[..., None], axis=1).swapaxes(0, 1)
    (u, v, w) = np.take_along_axis(heights, order, axis=1).T[..., None]
    ab, ac = a + u / (u - v) * (b - a), a + u / (u - w) * (c - a)
    parts = [np.stack(each, axis=1) for each in ((a, ab, ac), (ab, b, c), (ab, c, ac))]
    return np.concatenate([whole, *parts])


def _quartered(triangles: Array) -> Array:
    a, b, c = triangles.swapaxes(0, 1)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.concatenate([np.stack(each, axis=1) for each in parts])


_ENDLESS = 20.0  # half the side at which an infinite plane is drawn [m]
_HORIZON = 1000.0  # the same with a texture, which viewers do not enlarge
_SEGMENTS = 64  # corners around round shapes with a texture


def mjcf_looks(built: Built, model: mujoco.MjModel) -> ModelDescription:
    """Returns the links and visuals of an MJCF model, without joints and collisions.

    Height fields, meshes in formats other than OBJ and STL, and visuals that other parts of the
    file refer to are missing.
    """
    textured: dict[object, TexturedSurface] = {}
    visuals: dict[str, list[VisualDescription]] = {}
    for scoped in built.visuals:
        link, _, name = scoped.rpartition(SCOPE)
        number = model.geom(scoped).id
        drawn = _drawn(model, number, built.meshes)
        if drawn is not None:
            geometry, pose = drawn
            surface = _textured(model, number, geometry, textured)
            visual = VisualDescription(name, geometry, pose, textured=surface)
            visuals.setdefault(link, []).append(visual)
    links = (
        LinkDescription(node.link.name, visuals=tuple(visuals.get(node.name, ())))
        for node in built.links
    )
    return ModelDescription(built.name, links=tuple(links))


def _drawn(
    model: mujoco.MjModel, geom: int, meshes: dict[str, Path]
) -> tuple[Geometry, Pose] | None:
    """Returns the shape of a geom and its pose in the frame of its body, or None."""
    w, x, y, z = model.geom_quat[geom].tolist()
    pose = Pose(Vector3(*model.geom_pos[geom].tolist()), Quaternion(x, y, z, w))
    a, b, c = model.geom_size[geom].tolist()
    match _Type(model.geom_type[geom]):
        case _Type.mjGEOM_BOX:
            return Box(Vector3(2 * a, 2 * b, 2 * c)), pose
        case _Type.mjGEOM_SPHERE:
            return Sphere(a), pose
        case _Type.mjGEOM_CAPSULE:
            return Capsule(a, 2 * b), pose
        case _Type.mjGEOM_CYLINDER:
            return Cylinder(a, 2 * b), pose
        case _Type.mjGEOM_ELLIPSOID:
            return Ellipsoid(Vector3(a, b, c)), pose
        case _Type.mjGEOM_PLANE:
            return Plane(size=(2 * (a or _ENDLESS), 2 * (b or _ENDLESS))), pose
        case _Type.mjGEOM_MESH:
            number = int(model.geom_dataid[geom])
            path = meshes.get(model.mesh(number).name)
            if path is None:
                return None
            scale = Vector3(*model.mesh_scale[number].tolist())
            return Mesh(path, scale), pose @ _inertial_frame(model, number).inverse()
        case _:
            return None


def _inertial_frame(model: mujoco.MjModel, mesh: int) -> Pose:
    """Returns the frame of a compiled mesh's vertices in the frame of its file."""
    w, x, y, z = model.mesh_quat[mesh].tolist()
    return Pose(Vector3(*model.mesh_pos[mesh].tolist()), Quaternion(x, y, z, w))


def _textured(
    model: mujoco.MjModel, geom: int, geometry: Geometry, made: dict[object, TexturedSurface]
) -> TexturedSurface | None:
    """Returns the triangles of a geom with its texture, or None if it has none.

    Args:
        model: The compiled model.
        geom: Number of the geom.
        geometry: Its shape.
        made: Surfaces by shape and material, which geoms share.
    """
    material = int(model.geom_matid[geom])
    texture = -1 if material < 0 else int(model.mat_texid[material, RGB_ROLE])
    if texture < 0 or model.tex_nchannel[texture] < 3:
        return None
    mesh = int(model.geom_dataid[geom]) if isinstance(geometry, Mesh) else -1
    is_picture = model.tex_type[texture] == mujoco.mjtTexture.mjTEXTURE_2D
    if mesh >= 0 and model.mesh_texcoordadr[mesh] >= 0 and not is_picture:
        return None  # MuJoCo draws some other texture
    key = geometry, mesh, material, model.geom_size[geom].tobytes()
    if key not in made:
        made[key] = _surface(model, geom, geometry, texture)
    return made[key]


def _surface(model: mujoco.MjModel, geom: int, geometry: Geometry, texture: int) -> TexturedSurface:
    """Returns the triangles of a geom in the frame of its shape, with their texture."""
    mesh = int(model.geom_dataid[geom]) if isinstance(geometry, Mesh) else -1
    places = None
    if mesh >= 0:
        faces = slice(model.mesh_faceadr[mesh], model.mesh_faceadr[mesh] + model.mesh_facenum[mesh])
        points = model.mesh_vert[model.mesh_vertadr[mesh] + model.mesh_face[faces]]
        start = model.mesh_texcoordadr[mesh]
        if start >= 0:
            places = model.mesh_texcoord[start + model.mesh_facetexcoord[faces]]
    else:
        endless = isinstance(geometry, Plane) and not model.geom_size[geom, :2].any()
        shape = Plane(size=(2.0 * _HORIZON,) * 2) if endless else geometry
        vertices, corners = shape_triangles(shape, _SEGMENTS)
        points = vertices[corners]
    points = np.asarray(points, dtype=np.float64)
    points, found = mapped(model, geom, texture, points, places)
    if mesh >= 0:
        frame = np.asarray(_inertial_frame(model, mesh), dtype=np.float64)
        points = poses.transform_points(frame, points.reshape(-1, 3)).reshape(-1, 3, 3)
    height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
    channels, first = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
    texels = model.tex_data[first : first + height * width * channels]
    image = texels.reshape(height, width, channels)[..., :3].copy()
    return TexturedSurface(points.astype(np.float32), found.astype(np.float32), image)
