# SPDX-License-Identifier: Apache-2.0
"""Our own robots of the catalogue move on Gazebo as on the embedded engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepsim_math import Pose, quaternions
from deepsim_robots import (
    ROBOTS,
    EndEffectorDrive,
    EndEffectorPose,
    MountedSensor,
    Part,
    Robot,
    find_robot,
)
from deepsim_spawn import GazeboXMLLoader, Imu, SensorDescription
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


def test_an_end_effector_reaches_a_pose(connect):
    """Without weight, which would keep it short of its goal."""
    world = World(connect(), steps_per_tick=20)
    goal = np.array([0.4, 0.2, 0.3, 0.8, 0.6, 0.0, 0.0])  # downward
    parts = {"arm": Part(["joint_.*"], EndEffectorPose(link="tool", normalized=False))}
    robot = Robot(world, replace(find_robot("arm").load(), parts=parts, balance="gravity"), "arm")
    robot.set_action(np.concatenate([goal[:3], quaternions.to_rotation_vector(goal[3:])]))
    for _ in range(150):
        world.tick()
    drive = robot.parts["arm"]
    assert isinstance(drive, EndEffectorDrive)
    reached = drive.pose()
    np.testing.assert_allclose(reached[0, :3], goal[:3], atol=2e-3)
    assert quaternions.angle_to(reached[:, 3:], goal[None, 3:])[0] < 0.01
    position = robot.joints.rows.position
    world.reset()
    assert drive.solve(goal).all()
    np.testing.assert_allclose(robot.joints.rows.position, position, atol=0.02)


def test_a_mounted_sensor_has_its_delay(connect):
    """SDF has no delays, so that the server does not know them."""
    world = World(connect(), steps_per_tick=10)
    imu = SensorDescription("imu", measurement=Imu(), update_rate=100.0, delay=0.02)
    Robot(world, replace(find_robot("arm").load(), sensors=(MountedSensor("tool", imu),)), "arm")
    sensor = world.sensors["arm::tool::imu"]
    assert sensor.info.delay == 0.02
    for _ in range(10):
        world.tick()
    np.testing.assert_allclose(sensor.time, world.time - 0.02)
