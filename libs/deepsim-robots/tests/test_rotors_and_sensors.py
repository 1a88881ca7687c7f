# SPDX-License-Identifier: Apache-2.0
"""Rotors push their links, and sensors are added by the configuration."""

from __future__ import annotations

import numpy as np
import pytest
from robots_of_tests import ARM, link, model

from deepsim_robots import MountedSensor, Part, Robot, RobotConfig, RotorThrust
from deepsim_spawn import Imu, SensorDescription
from deepsim_sync import UnknownEntityError

QUAD = model(link("body", mass=0.8), name="quad")
POINTS = [[0.2, 0.2, 0.0], [-0.2, 0.2, 0.0], [-0.2, -0.2, 0.0], [0.2, -0.2, 0.0]]
CONTROLLER = RotorThrust(
    links=["body"] * 4, points=POINTS, directions=[1, -1, 1, -1], drag=0.02, upper=5.0,
    normalized=False,
)  # fmt: skip


def fly(world, thrust) -> Robot:
    """A quadrotor after 50 ms of thrust."""
    robot = Robot(world, RobotConfig(QUAD, {"rotors": Part([], CONTROLLER)}), "quad")
    robot.set_action(thrust)
    for _ in range(5):
        world.tick()
    return robot


def test_thrust_equal_to_the_weight_hovers(make_world):
    """A body of 0.8 kg stands in the air at 1.962 N of each rotor, and rises at twice of it."""
    robot = fly(make_world(2, gravity=True), [[1.962] * 4, [3.924] * 4])
    np.testing.assert_allclose(robot.model.twist[0, 0], 0.0, atol=1e-9)
    np.testing.assert_allclose(robot.model.twist[1, 0], [0, 0, 9.81 * 0.05, 0, 0, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("thrust", "torque"),
    [
        ([1, 1, 0, 0], [0.4, 0.0, 0.0]),  # on the left, y = 0.2 m
        ([0, 1, 1, 0], [0.0, 0.4, 0.0]),  # at the back, x = -0.2 m
        ([0, 1, 0, 1], [0.0, 0.0, 0.04]),  # those that turn clockwise
    ],
)
def test_rotors_turn_the_body(make_world, thrust, torque):
    """Torque is the sum of arm times thrust, and of drag against the rotors' direction."""
    robot = fly(make_world(1), np.asarray(thrust, dtype=float))
    expected = np.array(torque) * 0.05 / 0.01  # angular momentum over the inertia
    np.testing.assert_allclose(robot.model.twist[0, 0, 3:], expected, rtol=1e-2, atol=1e-3)


@pytest.mark.filterwarnings("ignore:robot .* nothing holds")
def test_sensors_are_added_to_links(make_world):
    """An IMU of the configuration measures as one of the file."""
    world = make_world(1, gravity=True)
    imu = SensorDescription("imu", measurement=Imu())
    robot = Robot(world, RobotConfig(ARM, sensors=[MountedSensor("lower", imu)]), "arm")
    world.tick()
    sensor = world.sensors["arm::lower::imu"]
    np.testing.assert_allclose(sensor.linear_acceleration, [[0, 0, 9.81]], atol=1e-6)
    assert robot.action_size == 0
    with pytest.raises(UnknownEntityError, match="did you mean 'lower'"):
        Robot(world, RobotConfig(ARM, sensors=[MountedSensor("lowr", imu)]), "other")
