# SPDX-License-Identifier: Apache-2.0
"""The appearance of MJCF models, for viewers without MuJoCo."""

from __future__ import annotations

from pathlib import Path

from deepsim_math import Pose, Quaternion, Vector3
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
    VisualDescription,
)
from deepsim_sync import SCOPE

from .builder import Built

_ENDLESS = 20.0  # half the side at which an infinite plane is drawn [m]
_Type = mujoco.mjtGeom


def mjcf_looks(built: Built, model: mujoco.MjModel) -> ModelDescription:
    """Returns the links and visuals of an MJCF model, without joints and collisions.

    Height fields, meshes in formats other than OBJ and STL, and visuals that other parts of the
    file refer to are missing.
    """
    visuals: dict[str, list[VisualDescription]] = {}
    for scoped in built.visuals:
        link, _, name = scoped.rpartition(SCOPE)
        drawn = _drawn(model, model.geom(scoped).id, built.meshes)
        if drawn is not None:
            geometry, pose = drawn
            visuals.setdefault(link, []).append(VisualDescription(name, geometry, pose))
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
            w, x, y, z = model.mesh_quat[number].tolist()  # from its inertial frame
            moved = Pose(Vector3(*model.mesh_pos[number].tolist()), Quaternion(x, y, z, w))
            scale = Vector3(*model.mesh_scale[number].tolist())
            return Mesh(path, scale), pose @ moved.inverse()
        case _:
            return None
