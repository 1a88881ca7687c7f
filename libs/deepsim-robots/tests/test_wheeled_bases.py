# SPDX-License-Identifier: Apache-2.0
"""Wheels against the kinematics of rigid bodies: a wheel rolls as its point of the base moves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robots_of_tests import link, model, wheels

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    Ackermann,
    DiffDrive,
    Gains,
    Mecanum,
    OmniWheels,
    Part,
    PlanarBase,
    Robot,
    RobotConfig,
)
from deepsim_spawn import ModelSpawner
from deepsim_sync import World

GAINS = {".*": Gains(stiffness=50.0, damping=5.0)}
numbers = st.floats(-1.0, 1.0)


def base(names, controller, steering=()) -> Robot:
    """A base in one world, whose wheels turn in the air."""
    config = RobotConfig(
        wheels(*names, steering=steering), {"base": Part([".*"], controller)}, gains=GAINS
    )
    return Robot(World(MujocoSimulator()), config, "base")


def at(velocity, x, y):
    """The velocity of a point of a body that moves in the plane."""
    vx, vy, w = velocity
    return np.array([vx - w * y, vy + w * x])


DIFF = base(
    ("left", "right"),
    DiffDrive(left=["left"], right=["right"], separation=0.4, radius=0.1, normalized=False),
)
FOUR = ("fl", "fr", "rl", "rr")
MECANUM = base(FOUR, Mecanum(wheels=FOUR, length=0.5, width=0.3, radius=0.05, normalized=False))
OMNI = base(FOUR, OmniWheels(wheels=FOUR, distance=0.25, radius=0.04, normalized=False))
CAR = base(
    FOUR,
    Ackermann(
        steering=("sl", "sr"), front=("fl", "fr"), rear=("rl", "rr"), wheelbase=0.6, track=0.4,
        radius=0.08, speed=(-2, 2), angle=0.6, normalized=False,
    ),
    ("sl", "sr"),
)  # fmt: skip


def rates(robot: Robot, action) -> dict[str, float]:
    """The velocities that the wheels are sent."""
    robot.set_action(action)
    return dict(zip(robot.joints.names, robot.joints.rows.target_velocity[0], strict=True))


@given(numbers, numbers)
@settings(max_examples=50, deadline=None)
def test_differential_drive(v, w):
    """Each wheel rolls at the forward speed of the point that it is mounted at."""
    sent = rates(DIFF, [v, w])
    assert sent["left"] * 0.1 == pytest.approx(at((v, 0.0, w), 0.0, 0.2)[0], abs=1e-12)
    assert sent["right"] * 0.1 == pytest.approx(at((v, 0.0, w), 0.0, -0.2)[0], abs=1e-12)


@given(numbers, numbers, numbers)
@settings(max_examples=50, deadline=None)
def test_mecanum(x, y, w):
    """Along the axis of the roller on the ground, wheel and base move at one speed."""
    sent = rates(MECANUM, [x, y, w])
    places = {"fl": (0.25, 0.15, -1), "fr": (0.25, -0.15, 1), "rl": (-0.25, 0.15, 1)}
    for name, (px, py, side) in {**places, "rr": (-0.25, -0.15, -1)}.items():
        axis = np.array([1.0, side]) / math.sqrt(2.0)
        rim = np.array([sent[name] * 0.05, 0.0])
        assert axis @ rim == pytest.approx(axis @ at((x, y, w), px, py), abs=1e-12)


@given(numbers, numbers, numbers)
@settings(max_examples=50, deadline=None)
def test_omni_wheels(x, y, w):
    """A wheel rolls at the speed of its point along the circle."""
    sent = rates(OMNI, [x, y, w])
    for n, name in enumerate(FOUR):
        angle = math.pi / 4 + n * math.pi / 2
        tangent = np.array([-math.sin(angle), math.cos(angle)])
        point = 0.25 * math.cos(angle), 0.25 * math.sin(angle)
        assert sent[name] * 0.04 == pytest.approx(tangent @ at((x, y, w), *point), abs=1e-12)


@given(st.floats(-2.0, 2.0), st.floats(-0.6, 0.6))
@settings(max_examples=50, deadline=None)
def test_ackermann(v, angle):
    """No wheel slips sideways, and each rolls as its point moves."""
    sent = rates(CAR, [v, angle])
    names, row = CAR.joints.names, CAR.joints.rows.target_position[0]
    turned = dict(zip(names, row, strict=True))
    velocity = v, 0.0, v * math.tan(angle) / 0.6
    for name, x, y, steer in (
        ("fl", 0.6, 0.2, turned["sl"]),
        ("fr", 0.6, -0.2, turned["sr"]),
        ("rl", 0.0, 0.2, 0.0),
        ("rr", 0.0, -0.2, 0.0),
    ):
        forward, side = math.cos(steer), math.sin(steer)
        vx, vy = at(velocity, x, y)
        assert sent[name] * 0.08 == pytest.approx(forward * vx + side * vy, abs=1e-9)
        assert forward * vy - side * vx == pytest.approx(0.0, abs=1e-9)


def test_velocities_are_ramped(make_world):
    """With an acceleration the wheels speed up tick by tick."""
    world = make_world(2)
    controller = DiffDrive(
        left=["left"], right=["right"], separation=0.4, radius=0.1,
        acceleration=[2.0, 4.0], normalized=False,
    )  # fmt: skip
    config = RobotConfig(wheels("left", "right"), {"base": Part([".*"], controller)}, gains=GAINS)
    robot = Robot(world, config, "base")
    robot.set_action([[1.0, 0.0], [0.05, 0.0]])
    for _ in range(5):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.target_velocity, [[1.0, 1.0], [0.5, 0.5]])


def test_a_base_without_joints_moves_in_its_own_frame(make_world):
    """The twist is that of the action, turned by the yaw of each world."""
    world = make_world(2)
    config = RobotConfig(model(link("base")), {"base": Part([], PlanarBase(normalized=False))})
    yaws = [0.0, math.pi / 2]
    poses = np.array([Pose((0.0, 0.0, 0.0), Euler(0.0, 0.0, yaw)) for yaw in yaws])
    robot = Robot(world, config, "base", poses)
    robot.set_action([1.0, 0.0, 0.0])
    for _ in range(100):
        world.tick()
    np.testing.assert_allclose(robot.model.pose[:, 0, :2], [[1.0, 0.0], [0.0, 1.0]], atol=1e-9)


def omni_base(rollers: int = 16, radius: float = 0.05, roller: float = 0.012) -> str:
    """A base on three wheels, 0.2 m from its centre, with rollers that turn along the rims."""
    inertia = '<inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/></inertial>'
    ball = f'<collision><geometry><sphere radius="{roller}"/></geometry></collision>'
    limit = '<limit effort="5" velocity="60"/></joint>'
    mass = '<link name="{}"><inertial><mass value="{}"/>'
    parts = [mass.format("base", 4) + inertia.format(0.05) + "</link>"]
    for wheel in range(3):
        angle = 2 * math.pi * wheel / 3
        parts.append(mass.format(f"wheel_{wheel}", 0.3) + inertia.format(5e-4) + "</link>")
        parts.append(
            f'<joint name="drive_{wheel}" type="continuous"><parent link="base"/>'
            f'<child link="wheel_{wheel}"/><axis xyz="-1 0 0"/><origin rpy="0 0 {angle}" '
            f'xyz="{0.2 * math.cos(angle)} {0.2 * math.sin(angle)} 0"/>{limit}'
        )
        for number in range(rollers):
            turn = 2 * math.pi * number / rollers
            y, z = math.cos(turn), math.sin(turn)
            name = f"roller_{wheel}_{number}"
            parts.append(mass.format(name, 0.01) + inertia.format(1e-6) + ball + "</link>")
            parts.append(
                f'<joint name="{name}_joint" type="continuous"><parent link="wheel_{wheel}"/>'
                f'<child link="{name}"/><axis xyz="0 {-z} {y}"/><origin '
                f'xyz="0 {(radius - roller) * y} {(radius - roller) * z}"/>{limit}'
            )
    return f'<robot name="omni">{"".join(parts)}</robot>'


def test_omni_wheels_with_rollers_move_a_base_on_the_ground(make_world):
    """Along x, along y and about z, within 5 % of the action."""
    world = make_world(3, gravity=True)
    floor = "<collision name='c'><geometry><plane/></geometry></collision>"
    ground = f"<model name='ground'><static>true</static><link name='l'>{floor}</link></model>"
    ModelSpawner(f"<sdf version='1.7'>{ground}</sdf>").spawn(world, "ground")
    wheels = [f"drive_{wheel}" for wheel in range(3)]
    angles = [2 * math.pi * wheel / 3 for wheel in range(3)]
    controller = OmniWheels(
        wheels=wheels, angles=angles, distance=0.2, radius=0.05, normalized=False
    )
    config = RobotConfig(
        omni_base(), {"base": Part(wheels, controller)}, gains={"drive_.": Gains(damping=2.0)}
    )
    robot = Robot(world, config, "omni", Pose((0.0, 0.0, 0.05)))
    robot.set_action(np.diag([0.3, 0.3, 0.5]))
    for _ in range(200):  # 2 s
        world.tick()
    x, y, _, *_, qz, qw = robot.model.pose[:, 0].T
    moved = np.column_stack([x, y, 2.0 * np.arctan2(qz, qw)])
    np.testing.assert_allclose(moved, np.diag([0.6, 0.6, 1.0]), atol=0.03)


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (DiffDrive(left=["left"], right=["right"], radius=0.1), "separation must be > 0 m"),
        (Mecanum(wheels=["left"], length=1, width=1, radius=1), "has 4 wheels"),
        (OmniWheels(wheels=["left"], distance=1, radius=1), "three omni wheels"),
        (
            DiffDrive(left=["left"], right=["right"], separation=1, radius=1, lower=(-1,)),
            "part 'base': lower and upper must be as many numbers",
        ),
        (DiffDrive(left=["lft"], right=["right"], separation=1, radius=1), "did you mean 'left'"),
        (
            DiffDrive(left=["left"], right=["right"], separation=1, radius=1, reversed=["c"]),
            "reversed must be wheels of the drive.*'c'",
        ),
    ],
)
def test_bases_that_do_not_fit_are_refused(make_world, controller, message):
    """The error names the setting or the joint."""
    config = RobotConfig(wheels("left", "right"), {"base": Part([".*"], controller)}, gains=GAINS)
    with pytest.raises((ValueError, KeyError), match=message):
        Robot(make_world(1), config, "base")


def test_parallel_wheels_are_no_omni_base(make_world):
    """Such wheels move the base in one direction only."""
    controller = OmniWheels(wheels=FOUR, angles=[0.0, math.pi, 0.0, math.pi], distance=1, radius=1)
    with pytest.raises(ValueError, match="all directions"):
        Robot(make_world(1), base(FOUR, controller), "base")
