# SPDX-License-Identifier: Apache-2.0
"""Controller files of ros_control."""

from __future__ import annotations

import numpy as np
import pytest
from robots_of_tests import ARM, wheels

from deepsim_robots import (
    JointEffort,
    JointPid,
    JointPosition,
    JointVelocity,
    Robot,
    RobotConfig,
    TrajectoryDrive,
    read_ros_control,
)
from deepsim_sync import UnknownEntityError

FILE = """
rrbot:
  joint_state_controller:
    type: joint_state_controller/JointStateController
    publish_rate: 50
  shoulder_position_controller:
    type: effort_controllers/JointPositionController
    joint: shoulder
    pid: {p: 100.0, i: 0.5, d: 10.0, i_clamp: 2.0}
  elbow_effort_controller:
    type: effort_controllers/JointEffortController
    joint: elbow
  arm_controller:
    type: position_controllers/JointTrajectoryController
    joints: [shoulder, elbow]
gazebo_ros_control:
  pid_gains:
    shoulder: {p: 300.0, i: 0.0, d: 30.0}
    elbow: {p: 200.0, i: 0.0, d: 20.0}
"""
BASE = """
base_controller:
  type: diff_drive_controller/DiffDriveController
  left_wheel: left
  right_wheel: [right]
  wheel_separation: 0.4
  wheel_radius: 0.1
  linear: {x: {has_velocity_limits: true, max_velocity: 1.5, min_velocity: -0.5}}
  angular: {z: {max_velocity: 3.0}}
gazebo_ros_control/pid_gains:
  left: {p: 2.0, i: 0.0, d: 0.0}
  right: {p: 2.0, i: 0.0, d: 0.0}
"""


@pytest.mark.parametrize("family", ["effort", "velocity", "position"])
@pytest.mark.parametrize(
    ("name", "kind", "of"),
    [
        ("JointVelocityController", JointVelocity, "velocity"),
        ("JointGroupVelocityController", JointVelocity, "velocity"),
        ("JointEffortController", JointEffort, None),
        ("JointGroupEffortController", JointEffort, None),
        ("JointPositionController", JointPosition, "position"),
        ("JointGroupPositionController", JointPosition, "position"),
    ],
)
def test_types_are_of_the_quantity_that_they_name(family, name, kind, of):
    """With gains of its own a controller is a PID, but for efforts and rates of velocities."""
    for pid in ("", "\n  pid: {p: 10.0, i: 0.1, d: 1.0}"):
        text = f"one:\n  type: {family}_controllers/{name}\n  joints: [shoulder]{pid}\n"
        if (family, kind) == ("velocity", JointPosition) and pid:
            continue  # gains of position are rates there, see below
        controller = read_ros_control(text)["parts"]["one"].controller
        if pid and of:
            assert isinstance(controller, JointPid)
            assert controller.of == of
        else:
            assert type(controller) is kind


def test_single_joints(make_world):
    """A PID holds one joint with its own gains, and an effort goes to the other."""
    started = ["shoulder_position_controller", "elbow_effort_controller"]
    robot = Robot(make_world(), RobotConfig(ARM, **read_ros_control(FILE, started)), "arm")
    robot.set_action([0.1, 7.0])
    robot.world.tick()
    rows = robot.joints.rows
    np.testing.assert_array_equal(rows.stiffness, [[100.0, 0.0]])
    np.testing.assert_array_equal(rows.damping, [[10.0, 0.0]])
    assert rows.target_position[0, 0] == 0.1
    assert rows.effort[0, 1] == 7.0
    np.testing.assert_allclose(rows.feedforward[0, 0], 0.5 * 0.1 * 0.01)


def test_trajectories_and_gazebos_gains(make_world):
    """A trajectory controller has the gains of gazebo_ros_control."""
    config = RobotConfig(ARM, **read_ros_control(FILE, ["arm_controller"]))
    robot = Robot(make_world(), config, "arm")
    assert isinstance(robot.parts["arm_controller"], TrajectoryDrive)
    np.testing.assert_array_equal(robot.joints.rows.stiffness, [[300.0, 200.0]])
    np.testing.assert_array_equal(robot.joints.rows.damping, [[30.0, 20.0]])


def test_a_differential_drive(make_world, tmp_path):
    """Wheels, limits and sizes are those of the file."""
    file = tmp_path / "base.yaml"
    file.write_text(BASE)
    config = RobotConfig(wheels("left", "right"), **read_ros_control(file))
    robot = Robot(make_world(), config, "base")
    np.testing.assert_array_equal(robot.lower, [-0.5, -3.0])
    np.testing.assert_array_equal(robot.upper, [1.5, 3.0])
    robot.set_action([1.0, 1.0])
    np.testing.assert_allclose(robot.joints.rows.target_velocity, [[8.0, 12.0]])
    np.testing.assert_array_equal(robot.joints.rows.damping, [[2.0, 2.0]])


def test_files_that_do_not_fit_are_refused(make_world):
    """Two controllers of one joint, an unknown name or type, and what is missing are named."""
    with pytest.raises(ValueError, match="'shoulder' is in two parts"):
        Robot(make_world(), RobotConfig(ARM, **read_ros_control(FILE)), "arm")
    with pytest.raises(UnknownEntityError, match="did you mean 'arm_controller'"):
        read_ros_control(FILE, ["arm_controler"])
    with pytest.raises(UnknownEntityError, match="did you mean"):
        read_ros_control(FILE.replace("JointEffortController", "JointEfortController"))
    with pytest.raises(ValueError, match="needs wheel_radius"):
        read_ros_control(BASE.replace("wheel_radius: 0.1", ""))
    with pytest.raises(ValueError, match="no controllers"):
        read_ros_control("joint_limits:\n  shoulder: {max_velocity: 1.0}\n")


VELOCITY = """
arm_controller:
  type: velocity_controllers/JointTrajectoryController
  joints: [shoulder, elbow]
  gains:
    shoulder: {p: 5.0, i: 0.0, d: 0.0}
    elbow: {p: 4.0, i: 0.0, d: 0.0}
"""
ACTUATORS = """
gazebo_ros_control/pid_gains:
  shoulder: {p: 30.0, i: 0.0, d: 0.0}
  elbow: {p: 20.0, i: 0.0, d: 0.0}
"""


def test_gains_of_velocity_controllers_are_rates(make_world):
    """A velocity of p times the error, which an actuator follows with a gain of its own."""
    config = RobotConfig(ARM, **read_ros_control(VELOCITY + ACTUATORS))
    robot = Robot(make_world(), config, "arm")
    np.testing.assert_array_equal(robot.joints.rows.stiffness, [[150.0, 80.0]])
    np.testing.assert_array_equal(robot.joints.rows.damping, [[30.0, 20.0]])
    assert read_ros_control(VELOCITY)["gains"] == {}  # the actuators' gains are unknown
    single = VELOCITY.replace("JointTrajectoryController", "JointGroupPositionController")
    part = read_ros_control(single + ACTUATORS)["parts"]["arm_controller"]
    assert isinstance(part.controller, JointPosition)


def test_gains_of_a_group_stand_below_its_joints(make_world):
    """As in effort_controllers/JointGroupPositionController."""
    file = """
group:
  type: effort_controllers/JointGroupPositionController
  joints: [shoulder, elbow]
  shoulder: {pid: {p: 100.0, d: 10.0}}
  elbow: {pid: {p: 50.0, d: 5.0}}
"""
    robot = Robot(make_world(), RobotConfig(ARM, **read_ros_control(file)), "arm")
    np.testing.assert_array_equal(robot.joints.rows.stiffness, [[100.0, 50.0]])
    np.testing.assert_array_equal(robot.joints.rows.damping, [[10.0, 5.0]])


def test_an_integral_without_effect_is_warned_of():
    file = FILE.replace("elbow: {p: 200.0, i: 0.0", "elbow: {p: 200.0, i: 3.0")
    with pytest.warns(UserWarning, match="integral gain of joint 'elbow'.*'arm_controller'"):
        read_ros_control(file, ["arm_controller"])


def test_a_type_is_refused_before_its_settings():
    file = "hand:\n  type: franka_control/FrankaStateController\n"
    with pytest.raises(UnknownEntityError, match="no type of controller is named 'franka_control"):
        read_ros_control(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{p: 300.0, i: 0.0, d: 30.0}", "300", "gains must be a mapping with p, got 300"),
        ("pid: {p: 100.0, i: 0.5, d: 10.0, i_clamp: 2.0}", "gains: [1]", "gains must be a mapping"),
        ("joints: [shoulder, elbow]", "joints: 3", "names of joints must be a list, got 3"),
        ("elbow: {p: 200.0", "elbow: {p: high", "p must be a number, got 'high'"),
        ("i_clamp: 2.0", "i_clamp: " + "9" * 400, "i_clamp must be a number up to 1e308"),
    ],
)
def test_settings_of_another_kind_are_named(old, new, message):
    assert old in FILE
    with pytest.raises(ValueError, match=message):
        read_ros_control(FILE.replace(old, new))
