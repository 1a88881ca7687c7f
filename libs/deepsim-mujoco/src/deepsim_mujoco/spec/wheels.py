# SPDX-License-Identifier: Apache-2.0
"""Wheels, whose contacts with the ground are softer than others, and whose servos add inertia.

With contacts as hard as those of other shapes, MuJoCo's convex friction makes cylinders hop, so
that they hardly push sideways: skid steering turns at a third of its rate. Contacts that become
hard within half a millimetre hold the rim to the ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Surface
from deepsim_sync import SCOPE

from .servos import Axis

_SOFTEST = 0.01  # impedance where a contact begins
_DEEPEST = 5e-4  # depth of the full impedance [m]
_SHALLOW = 1 / 160  # the same in radii
_SOFT_WINS = 1e6  # weight of a wheel's contact settings; those of other geoms have 1
_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_CYLINDER, _SPHERE = int(mujoco.mjtGeom.mjGEOM_CYLINDER), int(mujoco.mjtGeom.mjGEOM_SPHERE)
_CAPSULE, _MESH = int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_MESH)
_ROUND = 0.97  # least distance of a rim's points from its axle, over the largest
_SECTORS = 12  # a mesh has points of the rim in each of so many equal sectors
_PARALLEL = 0.99  # cosine of the angle between the axes of a rim and of its joint
_LEVEL = 0.5  # highest sine of the slope of an axle
_OFF_CENTRE = 0.1  # distance of a rim from its axle, in radii
_CLEARANCE = 0.5  # height of a rim above the lowest point of its model, in radii
_LEAST, _MOST = 0.05, 0.5  # inertia that a servo adds, over its damping times a step
_SHARE = 0.1  # the same at steps of 1 ms, over the inertia of the mass that the wheel carries
_MILLISECOND = 1e-3
_MJCF_SOLREF, _MJCF_SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)  # MuJoCo's defaults


class Wheel(NamedTuple):
    """A wheel of a model.

    Attributes:
        joint: Name of its axis; empty for a wheel that no free hinge turns.
        geoms: Names of its collision geoms.
        radius: [m].
        is_mjcf: Whether its geoms are those of MJCF, which keep their contact settings: only pairs
            with other models are soft.
    """

    joint: str
    geoms: tuple[str, ...]
    radius: float
    is_mjcf: bool = False

    def softness(self, timestep: float, impedance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the solimp of its contacts, given that of other contacts.

        Small wheels sink less, to roll as far as their radius says, and heavy ones are large; both
        need more depth at long steps.
        """
        least, most = sorted((_DEEPEST, _SHALLOW * self.radius))
        soft = impedance.copy()
        soft[[0, 2]] = _SOFTEST, min(most, least * max(1.0, timestep / _MILLISECOND))
        return soft


def find_wheels(
    model: mujoco.MjModel,
    axes: Sequence[Axis],
    surfaces: Mapping[str, Surface],
    *,
    is_mjcf: bool = False,
) -> list[Wheel]:
    """Returns the wheels of a model of which all joints are at their initial positions.

    A wheel is a sphere, cylinder, capsule or round mesh that turns about its own level axle, on a
    joint without limits, and that reaches down to where the model may touch the ground; or a shape
    whose surface is described as a wheel's. Shapes with a restitution are none, because they
    bounce.

    Args:
        model: The compiled model.
        axes: The axes of the robot.
        surfaces: Surfaces of its collision geoms by name.
        is_mjcf: Whether the geoms are those of MJCF.
    """
    free = [axis for axis in axes if not axis.ball and _is_free(axis)]
    numbers = {
        model.geom(name).id: name
        for name, surface in surfaces.items()
        if surface.restitution == 0.0 and (surface.wheel or (free and surface.wheel is None))
    }
    if not numbers:
        return []
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    lowest = min(_lowest(model, data, model.geom(name).id) for name in surfaces)
    wheels: list[Wheel] = []
    for axis in free:
        joint = model.joint(axis.joint).id
        body = model.jnt_bodyid[joint]
        if model.jnt_type[joint] != _HINGE or model.body_jntnum[body] != 1:
            continue
        own = [
            geom
            for geom, name in numbers.items()
            if model.body_weldid[model.geom_bodyid[geom]] == model.body_weldid[body]
            and (surfaces[name].wheel or _is_rim(model, data, joint, geom, lowest))
        ]
        if own:
            radius = max(_radius(model, geom) for geom in own)
            wheels.append(Wheel(axis.name, tuple(numbers[geom] for geom in own), radius, is_mjcf))
    on_axles = {name for wheel in wheels for name in wheel.geoms}
    for geom, name in numbers.items():
        if surfaces[name].wheel and name not in on_axles:
            wheels.append(Wheel("", (name,), _radius(model, geom)))
    return wheels


def _is_free(axis: Axis) -> bool:
    limits = axis.description.lower, axis.description.upper
    return not any(map(math.isfinite, limits))


def surfaces_of_mjcf(model: mujoco.MjModel, name: str) -> dict[str, Surface]:
    """Returns surfaces of the collision geoms of an MJCF model, to find its wheels.

    Geoms with contact settings of their own are no wheels.
    """
    acts = model.geom_contype | model.geom_conaffinity
    found: dict[str, Surface] = {}
    for geom in np.flatnonzero(acts).tolist():
        own = model.geom(geom).name
        if own.startswith(name + SCOPE):
            usual = (model.geom_solref[geom] == _MJCF_SOLREF).all()
            usual = usual and (model.geom_solimp[geom] == _MJCF_SOLIMP).all()
            usual = usual and model.geom_priority[geom] == 0
            found[own] = Surface(wheel=None if usual else False)
    return found


def soften(model: mujoco.MjModel, wheels: Sequence[Wheel]) -> None:
    """Makes the contacts of wheels soft where they begin, where `pairs` does not do it."""
    for wheel in wheels:
        for geom in (model.geom(name).id for name in wheel.geoms if not wheel.is_mjcf):
            impedance = model.geom_solimp[geom]
            model.geom_solimp[geom] = wheel.softness(float(model.opt.timestep), impedance)
            model.geom_solmix[geom] = _SOFT_WINS


def carried_inertia(model: mujoco.MjModel, wheels: Sequence[Wheel]) -> Iterator[float]:
    """Yields, for each wheel, the inertia of the mass that it carries [kg m^2].

    It is the mass of its robot, shared evenly by the robot's wheels, at its radius.
    """
    roots = [
        int(model.body_rootid[model.jnt_bodyid[model.joint(wheel.joint).id]]) for wheel in wheels
    ]
    for wheel, root in zip(wheels, roots, strict=True):
        yield model.body_subtreemass[root] / roots.count(root) * wheel.radius**2


def servo_inertia(
    damping: NDArray[np.floating[Any]], carried: NDArray[np.float64], timestep: float
) -> NDArray[np.floating[Any]]:
    """Returns the inertia that lets contacts of a driven wheel know of its servo [kg m^2].

    MuJoCo integrates a servo's damping implicitly, which holds a wheel as if its inertia were
    larger by ``damping * timestep``. Contacts do not know this: they take the wheel to be as light
    as it is, and push it too little or throw it off. A twentieth to half of that inertia cures this
    in all cases tried (steps of 0.5 to 5 ms, 1 to 80 kg, damping of 5 to 500). Within this
    range, the less the better, because it delays a robot at the limit of its efforts: a tenth of
    the mass that the wheel carries is enough at 1 ms, and more at longer steps.

    Args:
        damping: Damping of the servos, (..., n) [N m s/rad].
        carried: See `carried_inertia`, (n,).
        timestep: [s].
    """
    implicit = damping * timestep
    share = _SHARE * max(1.0, timestep / _MILLISECOND) ** 2
    return np.clip(share * carried, _LEAST * implicit, _MOST * implicit)


def _is_rim(
    model: mujoco.MjModel, data: mujoco.MjData, joint: int, geom: int, lowest: float
) -> bool:
    """Returns whether a geom can roll on level ground about a joint."""
    axle, kind = data.xaxis[joint], model.geom_type[geom]
    if abs(axle[2]) > _LEVEL:
        return False
    above = _lowest(model, data, geom) - lowest
    if kind == _MESH:
        radius = _radius_of_mesh(model, data, joint, geom)
        return radius > 0.0 and above <= _CLEARANCE * radius
    along = data.geom_xmat[geom].reshape(3, 3)[:, 2]
    if kind not in (_CYLINDER, _CAPSULE, _SPHERE):
        return False
    if kind != _SPHERE and abs(along @ axle) < _PARALLEL:
        return False
    radius = _radius(model, geom)
    arm = data.geom_xpos[geom] - data.xanchor[joint]
    off = np.linalg.norm(arm - (arm @ axle) * axle)
    return bool(off <= _OFF_CENTRE * radius and above <= _CLEARANCE * radius)


def _radius_of_mesh(model: mujoco.MjModel, data: mujoco.MjData, joint: int, geom: int) -> float:
    """Returns the radius of a mesh about the axle of a joint; 0 if it is not round [m]."""
    axle, turn = data.xaxis[joint], data.geom_xmat[geom].reshape(3, 3)
    arms = _vertices(model, geom) @ turn.T + (data.geom_xpos[geom] - data.xanchor[joint])
    arms -= np.outer(arms @ axle, axle)
    distance = np.linalg.norm(arms, axis=1)
    rim = arms[distance >= _ROUND * distance.max()]
    across = np.cross(axle, rim[0])
    angle = np.arctan2(rim @ across / np.linalg.norm(across), rim @ rim[0] / np.linalg.norm(rim[0]))
    sectors = np.floor((angle / (2 * np.pi) + 0.5) * _SECTORS).astype(np.intp) % _SECTORS
    return float(distance.max()) if len(np.unique(sectors)) == _SECTORS else 0.0


def _vertices(model: mujoco.MjModel, geom: int) -> NDArray[np.floating[Any]]:
    """Returns the vertices of a geom's mesh, (n, 3) [m]."""
    mesh = model.geom_dataid[geom]
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    vertices: NDArray[np.floating[Any]] = model.mesh_vert[first : first + count]
    return vertices


def _radius(model: mujoco.MjModel, geom: int) -> float:
    """Returns the radius of a round geom, or half of the longest side of another one [m]."""
    if model.geom_type[geom] in (_CYLINDER, _CAPSULE, _SPHERE):
        return float(model.geom_size[geom, 0])
    return float(model.geom_aabb[geom, 3:].max())


def _lowest(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Returns the height of the lowest point of a geom; -inf for a plane [m]."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    down, height = data.geom_xmat[geom].reshape(3, 3)[2], float(data.geom_xpos[geom, 2])
    if kind == _SPHERE:
        return height - float(size[0])
    if kind == _CAPSULE:
        return height - float(size[0] + abs(down[2]) * size[1])
    if kind == _CYLINDER:
        return height - float(np.hypot(down[0], down[1]) * size[0] + abs(down[2]) * size[1])
    if kind == _MESH:
        return height + float((_vertices(model, geom) @ down).min())
    if kind == int(mujoco.mjtGeom.mjGEOM_PLANE):
        return -np.inf
    middle, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    return height + float(middle @ down - half @ np.abs(down))
