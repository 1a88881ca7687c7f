# SPDX-License-Identifier: Apache-2.0
"""Robots with massless frames between their links move on Gazebo as on the embedded engine."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ModelDescription,
    WorldDescription,
)
from deepsim_sync import World


def _link(name: str, x: float, mass: float = 0.0) -> LinkDescription:
    moment = 0.004 * mass
    rod = Inertial(mass, Pose((0.2, 0, 0)), ixx=moment, iyy=moment, izz=moment) if mass else None
    return LinkDescription(name, Pose((x, 0, 1)), inertial=rod)


def _fixed(parent: str, child: str) -> JointDescription:
    return JointDescription(f"{child}_fix", "fixed", parent, child)


def _hinge(name: str, parent: str, child: str) -> JointDescription:
    return JointDescription(name, "revolute", parent, child, axis=JointAxis((0, 1, 0)))


LINKS = (_link("base", 0, 5.0), _link("upper", 0, 2.0), _link("frame", 0.4), _link("fore", 0.4, 1))
SHOULDER = (_fixed("world", "base"), _hinge("shoulder", "base", "upper"))
JOINTS = {
    "hinge at a frame": (_fixed("upper", "frame"), _hinge("elbow", "frame", "fore")),
    "frame on a hinge": (_hinge("elbow", "upper", "frame"), _fixed("frame", "fore")),
    "frame between": (
        _fixed("upper", "frame"),
        _fixed("frame", "middle"),
        _hinge("elbow", "middle", "fore"),
    ),
}


@pytest.mark.parametrize(("stiffness", "damping"), [(200.0, 20.0), (20.0, 0.5)])
@pytest.mark.parametrize("kind", JOINTS)
def test_a_frame_carries_its_arm(
    gazebo: GazeboSimulator, kind: str, stiffness: float, damping: float
) -> None:
    """Servos move two links to a pose, within 2 mrad of the embedded engine on the way."""
    links = (*LINKS, _link("middle", 0.4, 0.5)) if "between" in kind else LINKS
    model = ModelDescription("arm", links=links, joints=(*SHOULDER, *JOINTS[kind]))
    ways = []
    for simulator in (MujocoSimulator(WorldDescription(gravity=(0, 0, -9.8))), gazebo):
        world = World(simulator, steps_per_tick=10)
        world.spawn(model, "arm", (0, 0, 0, 0, 0, 0, 1))
        joints = world.joints.select(["arm::shoulder", "arm::elbow"])
        joints.put(stiffness=stiffness, damping=damping, target_position=[[0.5, -0.4]])
        way = []
        for _ in range(100):
            world.tick()
            way.append(joints.position[0].copy())
        ways.append(np.array(way))
        assert "arm::frame" in simulator.entities.links
    np.testing.assert_allclose(ways[0], ways[1], atol=2e-3)
