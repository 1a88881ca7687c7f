# SPDX-License-Identifier: Apache-2.0
"""Mass, inertia and velocity decay of links."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from deepsim_math import Pose, quaternions
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Inertial, VelocityDecay

from .tree import Node, RootKind

_MOST = 0.999  # largest share of a velocity that a step removes; 1 would take infinite damping
_NONE = VelocityDecay()


def set_inertia(body: mujoco.MjsBody, inertial: Inertial, frame: Pose) -> None:
    """Sets the mass and inertia of a body; `frame` is the pose of the link in the body."""
    position, turn, moments = _principal(inertial, frame)
    body.mass = inertial.mass
    body.ipos = position
    body.iquat = turn
    body.inertia = moments
    body.explicitinertial = True


@lru_cache(maxsize=1024)  # otherwise half the time of spawning many equal models
def _principal(
    inertial: Inertial, frame: Pose
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Returns the position, orientation (w, x, y, z) and moments of the principal axes."""
    tensor = np.array(
        [
            [inertial.ixx, inertial.ixy, inertial.ixz],
            [inertial.ixy, inertial.iyy, inertial.iyz],
            [inertial.ixz, inertial.iyz, inertial.izz],
        ]
    )
    moments, axes = np.linalg.eigh(tensor)
    # A flat body has I3 = I1 + I2; a sum rounded down would make MuJoCo refuse it.
    flat = moments[0] + moments[1]
    if math.isclose(moments[2], flat, rel_tol=1e-9):
        moments[2] = flat
    axes[:, 2] *= np.linalg.det(axes)  # right-handed
    pose = frame @ inertial.pose @ Pose((0.0, 0.0, 0.0), quaternions.from_matrix(axes))
    turn = pose.orientation.normalized().to_wxyz()
    return tuple(pose.position), tuple(map(float, turn)), tuple(moments.tolist())


def decays(node: Node) -> bool:
    """Returns whether the velocity of a link decays; only that of free links without joints can."""
    if node.link.velocity_decay == _NONE or node.children or node.parent is not None:
        return False
    return node.root_kind is RootKind.FREE


def apply_decay(model: mujoco.MjModel, nodes: Iterable[Node]) -> None:
    """Damps free links so that each step removes a share of their velocity, as in Gazebo.

    A step of the implicit integrators divides a velocity by 1 + c dt / m. The damping acts along
    the axes of the body, and is exact if the centre of mass is at the body's origin.
    """
    for node in filter(decays, nodes):
        body, decay = model.body(node.name).id, node.link.velocity_decay
        axes = np.empty(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[body])
        inertia = np.square(axes.reshape(3, 3)) @ model.body_inertia[body]
        share = np.minimum(np.repeat([decay.linear, decay.angular], 3), _MOST)
        weight = np.concatenate([np.full(3, model.body_mass[body]), inertia])
        start = model.body_dofadr[body]
        damping = weight * share / (1.0 - share) / model.opt.timestep
        model.dof_damping[start : start + 6] = damping
