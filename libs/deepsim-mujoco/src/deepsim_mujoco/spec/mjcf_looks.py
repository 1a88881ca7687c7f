# SPDX-License-Identifier: Apache-2.0
"""The appearance of MJCF models, for viewers without MuJoCo."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from deepsim_math import Pose, Quaternion, Vector3, poses
from deepsim_mujoco.imports import mujoco
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
)
from deepsim_sync import SCOPE

from .builder import Built

_ENDLESS = 20.0  # half the side at which an infinite plane is drawn [m]
_RGB = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)
_Type = mujoco.mjtGeom


def mjcf_looks(built: Built, model: mujoco.MjModel) -> ModelDescription:
    """Returns the links and visuals of an MJCF model, without joints and collisions.

    Height fields, meshes in formats other than OBJ and STL, and visuals that other parts of the
    file refer to are missing, and so are textures of other shapes than meshes.
    """
    textured: dict[tuple[int, int], TexturedSurface] = {}
    visuals: dict[str, list[VisualDescription]] = {}
    for scoped in built.visuals:
        link, _, name = scoped.rpartition(SCOPE)
        number = model.geom(scoped).id
        drawn = _drawn(model, number, built.meshes)
        if drawn is not None:
            geometry, pose = drawn
            surface = _textured(model, number, textured)
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
    model: mujoco.MjModel, geom: int, made: dict[tuple[int, int], TexturedSurface]
) -> TexturedSurface | None:
    """Returns the triangles of a mesh with its texture, or None if it has none.

    Args:
        model: The compiled model.
        geom: Number of the geom.
        made: Surfaces by mesh and texture, which geoms share.
    """
    mesh, material = int(model.geom_dataid[geom]), int(model.geom_matid[geom])
    if model.geom_type[geom] != _Type.mjGEOM_MESH or material < 0:
        return None
    texture = int(model.mat_texid[material, _RGB])
    if texture < 0 or model.mesh_texcoordadr[mesh] < 0:
        return None
    if model.tex_type[texture] != mujoco.mjtTexture.mjTEXTURE_2D or model.tex_nchannel[texture] < 3:
        return None
    key = mesh, texture
    if key not in made:
        made[key] = _surface(model, mesh, texture)
    return made[key]


def _surface(model: mujoco.MjModel, mesh: int, texture: int) -> TexturedSurface:
    """Returns the triangles of a mesh as they are in its file, with their texture."""
    start = model.mesh_faceadr[mesh]
    faces = slice(start, start + model.mesh_facenum[mesh])
    frame = np.asarray(_inertial_frame(model, mesh), dtype=np.float64)
    points = model.mesh_vert[model.mesh_vertadr[mesh] + model.mesh_face[faces]].reshape(-1, 3)
    places = model.mesh_texcoord[model.mesh_texcoordadr[mesh] + model.mesh_facetexcoord[faces]]
    corners = np.asarray(poses.transform_points(frame, points.astype(np.float64)), np.float32)
    height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
    channels, first = int(model.tex_nchannel[texture]), int(model.tex_adr[texture])
    texels = model.tex_data[first : first + height * width * channels]
    image = texels.reshape(height, width, channels)[..., :3].copy()
    return TexturedSurface(corners.reshape(-1, 3, 3), places, image)
