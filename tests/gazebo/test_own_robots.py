# SPDX-License-Identifier: Apache-2.0
"""Our own robots of the catalogue hold their homes on Gazebo, as on the embedded engine."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_robots import ROBOTS, Robot
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World

GROUND = GazeboXMLLoader().load_model(
    "<sdf version='1.6'><model name='ground'><static>true</static><link name='link'>"
    "<collision name='c'><geometry><plane/></geometry></collision></link></model></sdf>"
)
OWN = [name for name, entry in ROBOTS.items() if not entry.package]


@pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning")
@pytest.mark.parametrize("name", OWN)
def test_a_robot_holds_its_home(connect, name):
    """For 2 s no joint drifts by 5 degrees, and the base stays level."""
    world = World(connect(), steps_per_tick=2)
    world.spawn(GROUND, "ground", Pose())
    robot = Robot.load(world, name)
    worst = np.zeros(len(robot.joints))
    for _ in range(1000):
        world.tick()
        off = np.abs(robot.joints.rows.position[0] - robot.joints.traits.home)
        worst = np.maximum(worst, off)
    assert (worst < np.radians(5.0)).all(), dict(zip(robot.joints.names, worst, strict=True))
    assert 2 * np.linalg.norm(robot.model.pose[0, 0, 3:5]) < np.radians(5.0)
