# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import re
from dataclasses import replace

import numpy as np
import pytest
from robots_of_tests import ARM

from deepsim_math import Euler, Pose
from deepsim_robots import (
    EndEffectorPosition,
    Gains,
    JointPosition,
    JointVelocity,
    MountedSensor,
    Part,
    Robot,
    RobotConfig,
    read_ros_control,
)
from deepsim_spawn import (
    ForceTorque,
    Imu,
    Lidar,
    ModelFormatError,
    Rays,
    SensorDescription,
)
from deepsim_sync import Noise, UnknownEntityError


def test_a_configuration_is_read_from_yaml(tmp_path, make_world):
    """A file gives the same robot; a source is looked up beside it, an unknown key is an error."""
    (tmp_path / "arm.sdf").write_text(ARM)
    text = (
        "source: arm.sdf\n"
        "parts:\n"
        "  arm: {joints: [.*], controller: {type: pd_joint_pos, lower: -1, upper: 1}}\n"
        "home: {shoulder: 0.5}\n"
        "gains: {.*: {stiffness: 200, damping: 20}}\n"
    )
    file = tmp_path / "arm.yaml"
    file.write_text(text)
    robot = Robot(make_world(), RobotConfig.from_yaml(file), "arm")
    robot.set_action([1.0, 1.0])
    np.testing.assert_array_equal(robot.joints.rows.target_position, [[1.0, 1.0]])
    for wrong, right in (("gain:", "gains"), ("homes:", "home")):
        with pytest.raises(UnknownEntityError, match=f"did you mean '{right}'"):
            RobotConfig.from_yaml(f"{wrong} {{}}\n")
    with pytest.raises(UnknownEntityError, match="did you mean 'lower'"):
        RobotConfig.from_yaml(text.replace("lower: -1", "lowr: -1"))


BOMB = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'x'] * 10)}]\n" for n in range(9))
"""A kilobyte of YAML with a thousand million values."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"home: {a: \xff}", "is not a text in UTF-8"),
        (b"home: {a: " + b"1" * 400 + b"}", "must be a number up to 1e308"),
        (b"home: {a: " + b"1" * 9000 + b"}", "4300"),
        (b"home: {a: 2024-99-99}", "month must be in 1..12"),
        (b"home: " + b"[" * 100_000, "nested more than 100 levels deep"),
        (b"home: " + b"- " * 100_000, "nested more than 100 levels deep"),
        (BOMB.encode(), "more than 100000 values, counted at each alias"),
        (b"a: &a [*a]", "an alias stands for what contains it"),
        (b"home: {a: " + b"1" * 100_000 + b"x}", "must be a number"),
        (b"home: {a: high}", "must be a number, got 'high'"),
        (b"homes: {}", "did you mean 'home'"),
        (b"fixed_base: 3", "fixed_base"),
    ],
)
@pytest.mark.parametrize("read", [RobotConfig.from_yaml, read_ros_control])
def test_a_wrong_file_is_named(tmp_path, text, message, read):
    """Whatever is in it; it never takes long, or more memory than its size."""
    file = tmp_path / "robot.yaml"
    file.write_bytes(text)
    refused = (ValueError, TypeError, UnknownEntityError)
    of_robots = message.startswith(("must be", "did", "fixed"))
    if read is read_ros_control and of_robots:
        message = "no controllers"
    with pytest.raises(refused, match=rf"robot\.yaml.*{re.escape(message)}"):
        read(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_no_configuration(tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ValueError, match=r"pipe\.yaml is not a regular file"):
        RobotConfig.from_yaml(tmp_path / "pipe.yaml")


SENSORS = """
sensors:
  - {link: lower, name: imu, type: imu, update_rate: 200, angular_velocity: {stddev: 0.01}}
  - {link: lower, name: wrist, type: force_torque, force: [{mean: 1}, {mean: 2}, {mean: 3}]}
  - {link: lower, name: touch, type: contact, collisions: [c]}
  - {link: upper, name: encoder, type: joint_state, joints: [elbow], delay: 0.02}
  - link: upper
    name: scan
    type: lidar
    pose: [0.1, 0, 0.2, 0, 0, 1.5]
    horizontal: {count: 3, min_angle: -0.5, max_angle: 0.5}
    max_range: 5
    sees_own: true
  - {link: lower, name: eye, type: camera, width: 8, height: 6}
  - {link: lower, name: eyes, type: stereo, width: 8, height: 6, baseline: 0.1}
  - {link: lower, name: depth, type: rgbd, width: 8, height: 6, pose: [0, 0, 1]}
  - {link: lower, name: seg, type: segmentation, width: 8, height: 6}
"""


@pytest.mark.filterwarnings("ignore:robot .* nothing holds")
def test_sensors_are_read_from_yaml(make_world):
    """They are those that the same descriptions in code make."""
    config = RobotConfig.from_yaml(SENSORS)
    found = {each.sensor.name: each for each in config.sensors}
    assert found["imu"] == MountedSensor(
        "lower",
        SensorDescription("imu", measurement=Imu((Noise(stddev=0.01),)), update_rate=200),
    )
    assert found["wrist"].sensor.measurement == ForceTorque(
        tuple(Noise(mean=mean) for mean in (1, 2, 3))
    )
    assert found["scan"].sensor.measurement == Lidar(Rays(3, -0.5, 0.5), max_range=5, sees_own=True)
    assert found["scan"].sensor.pose == Pose((0.1, 0, 0.2), Euler(0, 0, 1.5))
    world = make_world(2)
    Robot(world, replace(config, source=ARM), "arm")
    kinds = {name.rpartition("::")[2]: world.sensors[name].info.kind for name in world.sensors}
    assert kinds == {
        "imu": "imu",
        "wrist": "force_torque",
        "touch": "contact",
        "encoder": "joint_state",
        "scan": "lidar",
        "eye": "camera",
        "eyes": "stereo",
        "depth": "rgbd",
        "seg": "segmentation",
    }
    assert world.sensors["arm::upper::scan"].ranges.shape == (2, 1, 3)
    assert world.sensors["arm::upper::encoder"].info.joints == ("arm::elbow",)


@pytest.mark.parametrize(
    ("sensor", "problem"),
    [
        ("{name: imu, type: imu}", "a sensor needs a link"),
        ("{link: lower, name: imu, type: imo}", "did you mean 'imu'"),
        ("{link: lower, name: imu, type: imu, rate: 5}", "setting of sensor 'imu'.*'rate'"),
        ("{link: l, name: i, type: imu, angular_velocity: {std: 5}}", "noise of sensor 'i'.*std"),
        ("{link: l, name: s, type: lidar, horizontal: {rays: 5}}", "rays of sensor 's'.*rays"),
        ("{link: l, name: s, type: lidar, max_range: -5}", "sensor 's': .*max_range"),
        ("{link: l, name: s, type: imu, pose: [1, 2]}", "sensor 's': pose must be x y z"),
        ("{link: l, name: s, type: imu, update_rate: fast}", "update_rate must be a number.*fast"),
        ("{link: l, name: s, type: imu, angular_velocity: [5]}", "a list of mappings, got .5"),
        ("{link: l, name: s, type: contact, collisions: [{a: 5}]}", "a list of names, got"),
        ("{link: l, name: s, type: lidar, sees_own: 1}", "sees_own must be true or false, got 1"),
        ("{link: l, name: s, type: camera, width: wide}", "width must be a number, got 'wide'"),
        ("{link: l, name: s, type: imu, angular_velocity: 0.1}", "angular_velocity must be a list"),
        ("{link: l, name: s, type: contact, collisions: c}", "collisions must be a list"),
        ("{link: l, name: s, type: lidar, horizontal: 5}", "horizontal must be a mapping"),
        ("{link: l, name: s, type: imu, pose: [a, 0, 0]}", "sensor 's': pose must be a number"),
        ("{link: l, name: s, type: imu, pose: 1}", "sensor 's': pose must be x y z"),
    ],
)
def test_errors_in_sensors_of_yaml_name_the_sensor(sensor, problem):
    with pytest.raises((ValueError, UnknownEntityError), match=problem):
        RobotConfig.from_yaml(f"sensors:\n  - {sensor}\n")


def test_numbers_in_yaml_are_checked():
    """YAML takes numbers such as 1e3 for texts."""
    config = RobotConfig.from_yaml("gains: {.*: {stiffness: 1e3, damping: 40}}\nhome: {a: 1e-1}\n")
    assert config.gains[".*"] == Gains(1000.0, 40.0)
    assert config.home["a"] == 0.1
    assert list(RobotConfig.from_yaml("home: {2e1_joint: 1}\n\n").home) == ["2e1_joint"]
    with pytest.raises(ValueError, match=r"gain of '.*': 'damping' must be a number, got 'much'"):
        RobotConfig.from_yaml("gains: {.*: {damping: much}}\nhome: {}\n")
    with pytest.raises(ValueError, match="'damping' must be a number, got True"):
        RobotConfig.from_yaml("gains: {.*: {damping: yes}}\nhome: {}\n")
    with pytest.raises(ValueError, match="home of 'a' must be a number, got None"):
        RobotConfig.from_yaml("home: {a: null}\n\n")
    with pytest.raises(TypeError, match="fixed_base must be True, False or None, got 'maybe'"):
        RobotConfig.from_yaml("fixed_base: maybe\nhome: {}\n")
    sensor = "sensors: [{link: a, name: s, type: imu, angular_velocity: {stddev: 1e-3}}]\n"
    (mounted,) = RobotConfig.from_yaml(sensor).sensors
    assert mounted.sensor.measurement == Imu((Noise(stddev=0.001),))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("parts:\n  arm: {}\n  arm: {}\n", r"arm.yaml:3:3: the key 'arm' occurs twice"),
        ("parts: {a: [}\n", r"arm.yaml:1:13: expected the node content"),
        ("<robot name='arm'/>\n", r"arm.yaml is XML, not YAML.*RobotConfig\(source\)"),
        ("parts: {arm: {controller: {lower: 1}}}\n", "a controller needs a type.*'lower': 1"),
        ("parts: {arm: {controller: 3}}\n", "a controller must be an object"),
        ("parts: {arm: {joints: [1]}}\n", r"joints of a part must be names or patterns, got \[1\]"),
    ],
)
def test_errors_in_yaml_say_where_and_what(tmp_path, text, problem):
    """The message has the file and the line, or the part that is wrong."""
    file = tmp_path / "arm.yaml"
    file.write_text(text)
    with pytest.raises((TypeError, ValueError), match=problem):
        RobotConfig.from_yaml(file)


def test_a_source_that_is_missing_is_looked_for_beside_the_file(tmp_path, make_world):
    """The error has the whole path."""
    (tmp_path / "arm.yaml").write_text("source: arm.sdf\n")
    with pytest.raises(ModelFormatError, match=f"{tmp_path}/arm.sdf"):
        Robot(make_world(), tmp_path / "arm.yaml", "arm")


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: RobotConfig(ARM, parts=[Part()]), "parts must be a mapping"),
        (lambda: RobotConfig(ARM, home={"a": "90"}), "home of 'a' must be a number, got '90'"),
        (lambda: RobotConfig("arm.yaml"), "source must be a model.*RobotConfig.from_yaml"),
        (lambda: Gains("stiff"), "stiffness must be a number, got 'stiff'"),
        (lambda: Gains(None), "stiffness must be a number, got None"),
        (lambda: EndEffectorPosition(point=(1, 2)), r"point must be x y z.*got \(1, 2\)"),
    ],
)
def test_wrong_settings_are_named(make, problem):
    with pytest.raises((TypeError, ValueError), match=problem):
        make()


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ("diffbot", r"Robot.load\(world, 'diffbot'\)"),
        (RobotConfig("diffbot"), r"Robot.load\(world, 'diffbot'\)"),
        (3, "config must be a RobotConfig or a YAML file, got 3"),
        (
            RobotConfig(ARM, {"arm": Part([".*"], JointPosition)}),
            r"object such as JointPosition\(\)",
        ),
        (
            RobotConfig(ARM, {"arm": Part([".*"], JointVelocity(normalized="no", damping=9))}),
            "normalized of part 'arm' must be True or False, got 'no'",
        ),
        (
            RobotConfig(
                ARM,
                {"arm": Part([".*"], EndEffectorPosition(link="lower", lower=[1, 2], stiffness=9))},
            ),
            r"lower of EndEffectorPosition must be a number, or 3 numbers, got \[1, 2\]",
        ),
    ],
)
def test_robots_that_cannot_be_made_say_what_to_do(make_world, config, problem):
    world = make_world()
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=problem):
        Robot(world, config, "arm")
    assert list(world.entities.models) == []
