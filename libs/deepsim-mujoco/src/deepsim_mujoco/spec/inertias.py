# SPDX-License-Identifier: Apache-2.0
"""Mass and inertia of links, by the principal moments and axes."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from deepsim_math import Pose, quaternions
from deepsim_mujoco.engine import mujoco
from deepsim_spawn import Inertial


def set_inertia(body: mujoco.MjsBody, inertial: Inertial, frame: Pose) -> None:
    """Gives a body the inertia of a link.

    Args:
        body: The body.
        inertial: Of the link.
        frame: The link's frame in the frame of the body.
    """
    position, turn, moments = _principal(inertial, frame)
    body.mass = inertial.mass
    body.ipos = position
    body.iquat = turn
    body.inertia = moments
    body.explicitinertial = True


@lru_cache(maxsize=1024)  # of many models alike, this was half the time of each
def _principal(
    inertial: Inertial, frame: Pose
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Position (3) and orientation (w, x, y, z) of the principal axes, and the moments (3)."""
    tensor = np.array(
        [
            [inertial.ixx, inertial.ixy, inertial.ixz],
            [inertial.ixy, inertial.iyy, inertial.iyz],
            [inertial.ixz, inertial.iyz, inertial.izz],
        ]
    )
    moments, axes = np.linalg.eigh(tensor)
    # A flat body has I3 = I1 + I2, which rounding must not push over what MuJoCo accepts.
    flat = moments[0] + moments[1]
    if math.isclose(moments[2], flat, rel_tol=1e-9):
        moments[2] = flat
    axes[:, 2] *= np.linalg.det(axes)  # right-handed
    pose = frame @ inertial.pose @ Pose((0.0, 0.0, 0.0), quaternions.from_matrix(axes))
    turn = pose.orientation.normalized().to_wxyz()
    return tuple(pose.position), tuple(map(float, turn)), tuple(moments.tolist())
