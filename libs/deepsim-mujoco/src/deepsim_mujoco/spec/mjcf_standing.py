# SPDX-License-Identifier: Apache-2.0
"""Places MJCF models on the ground, and lets those stand there that only their own scene holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations

import numpy as np

from deepsim_mujoco.imports import mujoco

_EVERYTHING = -1  # all bits
_GROUND = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
_FRICTION = [1.0, 1.0, 0.005, 0.0001, 0.0001]
"""Friction of a pair by default: sliding, twice, torsional, and rolling, twice."""


def let_stand(child: mujoco.MjSpec, floor_contacts: Mapping[str, Mapping[str, str]]) -> None:
    """Lets geoms that touch nothing but the floor of a scene touch everything but each other.

    Their contacts get the settings of the scene's pairs. They still do not touch other geoms of the
    model: those of another body are excluded, and pairs keep what these touch among themselves.
    """
    if not floor_contacts:
        return
    own = [geom for geom in child.geoms if geom.contype]
    named = [geom for geom in child.geoms if geom.name in floor_contacts and geom not in own]
    known = {frozenset((each.bodyname1, each.bodyname2)) for each in child.excludes}
    added = {
        frozenset((geom.parent.name, other.parent.name)) for geom in named for other in own
    } - known
    added = {pair for pair in added if len(pair) == 2}
    for pair in sorted(map(sorted, added)):
        child.add_exclude(bodyname1=pair[0], bodyname2=pair[1])
    for number, geom in enumerate(own):
        geom.name = geom.name or f"#own {number}"
    for one, other in combinations(own, 2):
        touches = one.contype & other.conaffinity or other.contype & one.conaffinity
        if touches and frozenset((one.parent.name, other.parent.name)) in added:
            child.add_pair(geomname1=one.name, geomname2=other.name)
    for geom in named:
        settings = floor_contacts[geom.name]
        geom.conaffinity = _EVERYTHING
        geom.priority = 1
        geom.condim = int(settings.get("condim", "3"))
        friction = [float(number) for number in settings.get("friction", "").split()]
        friction += _FRICTION[len(friction) :]
        geom.friction = [friction[0], friction[2], friction[3]]
        for name in ("solref", "solimp"):
            values = [float(number) for number in settings.get(name, "").split()]
            setattr(geom, name, [*values, *getattr(geom, name)[len(values) :]])
        geom.margin, geom.gap = (float(settings.get(name, "0")) for name in ("margin", "gap"))


def lowest_point(
    model: mujoco.MjModel, data: mujoco.MjData, floor_contacts: Collection[str]
) -> float:
    """Returns the height of the lowest colliding point of a model [m]; 0 if nothing collides.

    The points of a model whose base is fixed count only below 0.

    Args:
        model: The model.
        data: Its data, with positions.
        floor_contacts: Names of the geoms that collide with the floor, besides those that collide
            by themselves.
    """
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    collides[model.pair_geom1] = collides[model.pair_geom2] = True
    collides |= [model.geom(geom).name in floor_contacts for geom in range(model.ngeom)]
    collides &= ~np.isin(model.geom_type, _GROUND)
    heights = [_bottom(model, data, int(geom)) for geom in np.flatnonzero(collides)]
    lowest = min(heights, default=0.0)
    is_free = (model.jnt_type == mujoco.mjtJoint.mjJNT_FREE).any()
    return lowest if is_free else min(lowest, 0.0)


def _bottom(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Returns the height of the lowest point of a geom [m]."""
    down = -data.geom_xmat[geom].reshape(3, 3)[2]  # in the frame of the geom
    kind, size = mujoco.mjtGeom(model.geom_type[geom]), model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        depth = (model.mesh_vert[first : first + count] @ down).max()
    elif kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        depth = size[0]
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        depth = size[0] + size[1] * abs(down[2])
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        depth = size[0] * np.hypot(down[0], down[1]) + size[1] * abs(down[2])
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        depth = np.linalg.norm(size * down)
    else:  # a box
        depth = size @ np.abs(down)
    return float(data.geom_xpos[geom, 2] - depth)
