# SPDX-License-Identifier: Apache-2.0
"""Velocities that die away, as damping of the joints of free links."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deepsim_mujoco.engine import mujoco
from deepsim_spawn import VelocityDecay

from .tree import Node, RootKind

_MOST = 0.999  # of a velocity that a step takes: all of it would take an infinite damping
_NONE = VelocityDecay()


def decays(node: Node) -> bool:
    """Whether the velocity of a link dies away here: those that joints hold keep theirs."""
    if node.link.velocity_decay == _NONE or node.children or node.parent is not None:
        return False
    return node.root_kind is RootKind.FREE


def apply_decay(model: mujoco.MjModel, nodes: Iterable[Node]) -> None:
    """Damps free links so that each step takes a share of their velocity, as in Gazebo.

    A step of the implicit integrators divides a velocity by 1 + c dt / m. The damping lies along
    the axes of the body, so that it is exact for a centre of mass at the body's origin.

    Args:
        model: A compiled model.
        nodes: Its links; those that do not decay stay as they are.
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
