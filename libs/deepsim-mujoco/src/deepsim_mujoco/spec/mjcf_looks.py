# SPDX-License-Identifier: Apache-2.0
"""The appearance of MJCF models, for viewers without MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np

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
)
from deepsim_sync import SCOPE

from .builder import Built
from .mjcf_textures import mapped

_ENDLESS = 20.0  # half the side at which an infinite plane is drawn [m]
_HORIZON = 1000.0  # the same with a texture, which viewers do not enlarge
_SEGMENTS = 64  # corners around round shapes with a texture
_Type = mujoco.mjtGeom


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
