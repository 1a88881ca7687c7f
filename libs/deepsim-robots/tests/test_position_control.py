# SPDX-License-Identifier: Apache-2.0
"""Robots whose files have motors only are held and moved by positions."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from robots_of_tests import joint, link, model

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import JointEffort, ModelControls, Part, Robot, RobotConfig, default_parts
from deepsim_spawn import GazeboXMLLoader, MjcfModel, WorldDescription
from deepsim_sync import World

GRAVITY = 9.81
MIXED = """<mujoco model="mixed"><worldbody>
<body name="beam"><joint name="beam" axis="0 1 0"/>
  <geom type="sphere" size=".05" pos=".5 0 0" mass="2"/></body>
<body name="lift" pos="0 1 0"><joint name="lift" type="slide" axis="0 0 1"/>
  <geom type="sphere" size=".05" mass="4"/>
  <body name="servo" pos="0 0 .2"><joint name="servo" axis="0 0 1" range="-50 50"/>
    <geom type="box" size=".1 .02 .02" mass=".1"/></body></body>
<body name="wheel" pos="0 2 0"><joint name="wheel" axis="0 1 0"/>
  <geom type="cylinder" size=".1 .02" zaxis="0 1 0" mass="1"/><site name="nozzle"/></body>
</worldbody><actuator>
<motor name="m" joint="beam" gear="2" ctrlrange="-20 20"/>
<motor name="up" joint="lift" ctrlrange="-100 100"/>
<position name="turn" joint="servo" kp="7" kv=".5"/>
<velocity name="roll" joint="wheel" kv="3" ctrlrange="-9 9"/>
<general name="jet" site="nozzle" gear="0 0 1" ctrlrange="0 5"/></actuator></mujoco>"""


def legs(size: float = 0.04) -> str:
    """A quadruped of 13 kg with 12 motors, which stands with bent knees in its keyframe."""
    trunk = '<geom type="box" size=".2 .1 .05" mass="9"/>'
    parts, motors = [], []
    for leg, (x, y) in {"fl": (1, 1), "fr": (1, -1), "rl": (-1, 1), "rr": (-1, -1)}.items():
        parts.append(
            f'<body name="{leg}_hip" pos="{0.18 * x} {0.12 * y} 0"><joint name="{leg}_hip" '
            'axis="1 0 0" range="-60 60"/><geom size=".04" mass=".4"/>'
            f'<body name="{leg}_thigh"><joint name="{leg}_thigh" axis="0 1 0" range="-90 170"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 -.2" size=".02" mass=".4"/>'
            f'<body name="{leg}_calf" pos="0 0 -.2"><joint name="{leg}_calf" axis="0 1 0" '
            'range="-150 -40"/><geom type="capsule" fromto="0 0 0 0 0 -.2" size=".015" mass=".2"/>'
            f'<geom type="sphere" pos="0 0 -.2" size="{size}"/></body></body></body>'
        )
        motors += [
            f'<motor name="{leg}_{joint}" joint="{leg}_{joint}" ctrlrange="-24 24"/>'
            for joint in ("hip", "thigh", "calf")
        ]
    bent = " ".join(["0 .9 -1.8"] * 4)
    return (
        '<mujoco model="dog"><worldbody><body name="trunk"><freejoint/>'
        f"{trunk}{''.join(parts)}</body></worldbody><actuator>{''.join(motors)}</actuator>"
        f'<keyframe><key name="home" qpos="0 0 1 1 0 0 0 {bent}"/></keyframe></mujoco>'
    )


def ground(plane: bool = True) -> WorldDescription:
    """A plane, or nothing, under gravity."""
    static = (
        '<model name="ground"><static>true</static><link name="link"><collision name="plane">'
        "<geometry><plane/></geometry></collision></link></model>"
    )
    return GazeboXMLLoader().load_world(
        f'<sdf version="1.7"><world name="w"><gravity>0 0 {-GRAVITY}</gravity>{static * plane}'
        "</world></sdf>"
    )


def mixed(worlds: int = 1) -> Robot:
    source = MjcfModel(MIXED)
    config = RobotConfig(source, parts=default_parts(source), controllers="position")
    return Robot(World(MujocoSimulator(ground(plane=False), worlds=worlds)), config, "mixed")


def run(robot: Robot, seconds: float) -> None:
    for _ in range(round(seconds / 0.001)):
        robot.world.tick()


def test_every_control_of_the_file_has_an_action() -> None:
    """Motors and position servos become positions; wheels and nozzles keep the file's controls."""
    robot = mixed()
    assert robot.parts["joints"].joints.names == ("beam", "lift", "servo")
    assert robot.parts["controls"].controls == ("roll", "jet")
    assert robot.action_size == 5
    np.testing.assert_allclose(robot.upper, [np.pi, np.pi, np.radians(50), 9.0, 5.0])
    rows = robot.joints.rows
    assert (rows.stiffness[0, 2], rows.damping[0, 2]) == (7.0, 0.5)  # those of the file
    assert rows.stiffness[0, 3] == 0.0


def test_the_configuration_of_the_robot_makes_the_same_robot_again() -> None:
    """Its parts and gains are explicit, so that variants can be made of it."""
    robot = mixed()
    other = Robot(World(MujocoSimulator(ground(plane=False))), robot.config, "mixed")
    assert robot.config.controllers is None
    for one in (robot, other):
        one.set_action([0.3, 0.1, 0.2, 2.0, 1.0])
        run(one, 0.2)
    np.testing.assert_array_equal(robot.observe(), other.observe())


def test_settings_of_parts_are_kept_or_refused() -> None:
    """Scaled controls become scaled positions; limits of controls and names in use are errors."""
    source = MjcfModel(MIXED)
    scaled = {"all": Part([".*"], ModelControls(normalized=True))}
    config = RobotConfig(source, parts=scaled, controllers="position")
    robot = Robot(World(MujocoSimulator(ground(plane=False))), config, "mixed")
    assert robot.upper.tolist() == [1.0] * 5
    robot.set_action([0, 0, -1.0, 1.0, 0])
    rows = robot.joints.rows
    assert rows.target_position[0, 2] == pytest.approx(np.radians(-50))
    assert rows.target_velocity[0, 3] == 9.0
    narrow = {"all": Part([".*"], ModelControls(lower=-1.0))}
    named = {**scaled, "joints": Part(["servo"], "passive")}
    for parts, problem in (
        (narrow, "part 'all' .* has lower or upper"),
        (named, "'joints': rename"),
    ):
        with pytest.raises(ValueError, match=problem):
            Robot(World(MujocoSimulator()), replace(config, parts=parts), "mixed")


def test_loads_deflect_joints_by_the_share_of_the_largest_effort() -> None:
    """At full effort by 0.1 rad or 10 mm: the equilibrium of a spring and a weight."""
    robot = mixed()
    run(robot, 3.0)
    beam, lift = robot.joints.rows.position[0, :2]
    torque = 2.0 * GRAVITY * 0.5 * np.cos(beam)  # the motor exerts 40 N m at most
    assert beam == pytest.approx(0.1 * torque / 40.0, rel=1e-3)
    assert lift == pytest.approx(-0.01 * 4.1 * GRAVITY / 100.0, rel=1e-3)
    np.testing.assert_allclose(robot.joints.rows.effort[0, :2], [-torque, 4.1 * GRAVITY], rtol=1e-3)


def test_positions_are_reached_and_efforts_stay_within_those_of_the_motor() -> None:
    """Each world has its own; the effort of a far target is the limit, not more."""
    robot = mixed(worlds=2)
    robot.set_action([[-1.0, 0.2, 0.4, 0, 0], [0.5, -0.1, -0.3, 0, 0]])
    largest = np.zeros(2)
    for _ in range(3000):
        robot.world.tick()
        largest = np.maximum(largest, abs(robot.joints.rows.effort[:, :2]).max(axis=0))
    np.testing.assert_allclose(largest, [40.0, 100.0], rtol=1e-6)
    position = robot.joints.rows.position
    np.testing.assert_allclose(position[:, 2], [0.4, -0.3], atol=1e-3)
    weights = 0.1 * 2.0 * GRAVITY * 0.5 * np.cos(position[:, 0]) / 40.0
    np.testing.assert_allclose(position[:, 0] - weights, [-1.0, 0.5], atol=1e-3)


def test_a_quadruped_of_motors_stands_by_position_control() -> None:
    """Level for 10 s on its feet, which by its own controls it does not."""
    stood = []
    for controllers in ("position", None):
        source = MjcfModel(legs(), on_ground=True)
        config = RobotConfig(source, parts=default_parts(source), controllers=controllers)
        robot = Robot(World(MujocoSimulator(ground()), steps_per_tick=10), config, "dog", Pose())
        assert robot.action_size == 12
        start = robot.link("trunk").pose[0, 0]
        for _ in range(1000):
            robot.world.tick()
        end = robot.link("trunk").pose[0, 0]
        drop = float(start[2] - end[2])
        stood.append(drop < 0.02)
        if controllers:
            np.testing.assert_allclose(end[3:6], 0.0, atol=0.01)
            np.testing.assert_allclose(end[:2], start[:2], atol=0.02)
            off = robot.joints.rows.position[0] - robot.joints.traits.home
            np.testing.assert_allclose(off, 0.0, atol=0.06)
    assert stood == [True, False]


def test_a_motor_without_a_limit_needs_gains() -> None:
    """The error names the joint and leaves the world as it was; with gains it works."""
    source = MjcfModel(MIXED.replace('ctrlrange="-20 20"', ""))
    world = World(MujocoSimulator())
    config = RobotConfig(source, parts=default_parts(source), controllers="position")
    with pytest.raises(ValueError, match="no gains for joint beam of robot 'mixed'"):
        Robot(world, config, "mixed")
    assert not list(world.entities.models)
    given = RobotConfig.from_yaml(
        "controllers: position\nparts: {all: {joints: .*, controller: model_controls}}\n"
        "gains: {beam: {stiffness: 50, damping: 2}}\n"
    )
    assert given.controllers == "position"
    world.spawn(source, "mixed", Pose())
    assert Robot(world, given, "mixed").joints.traits.stiffness[0] == 50.0
    with pytest.raises(ValueError, match="controllers must be 'position' or None, got 'effort'"):
        RobotConfig(source, controllers="effort")  # type: ignore[arg-type]


ARM = model(
    link("base"),
    link("upper", at="0 0 1 0 0 0", center=".2 0 0"),
    link("lower", at=".4 0 1 0 0 0", center=".2 0 0"),
    joint("mount", "world", "base", kind="fixed"),
    joint("shoulder", "base", "upper", axis="0 1 0"),
    joint("elbow", "upper", "lower", axis="0 1 0"),
)


@pytest.mark.parametrize(
    "parts", [{}, {"arm": Part([".*"], JointEffort())}], ids=["none", "effort"]
)
def test_joints_of_sdf_and_urdf_are_held_too(parts: dict[str, Part]) -> None:
    """By their effort limits of 50 N m: statics of two links of 1 kg gives the deflections."""
    config = RobotConfig(ARM, parts=parts, controllers="position")
    robot = Robot(World(MujocoSimulator(ground(plane=False))), config, "arm")
    run(robot, 3.0)
    shoulder, elbow = robot.joints.rows.position[0]
    forearm = GRAVITY * 0.2 * np.cos(shoulder + elbow)
    arm = forearm + GRAVITY * (0.2 + 0.4) * np.cos(shoulder)
    assert [shoulder, elbow] == pytest.approx([arm / 500.0, forearm / 500.0], rel=1e-3)


def test_joints_that_nothing_holds_are_named_before_the_first_step() -> None:
    """One warning; none for joints with gains, a part or friction, and wheels."""
    world = World(MujocoSimulator())
    with pytest.warns(UserWarning, match="nothing holds joint shoulder, elbow, which"):
        Robot(world, RobotConfig(ARM), "arm")
    stiff = ARM.replace("<axis>", "<axis><dynamics><friction>3</friction></dynamics>")
    rolling = ARM.replace("<lower>-2</lower><upper>2</upper>", "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Robot(world, RobotConfig(ARM, controllers="position"), "held")
        Robot(world, RobotConfig(ARM, parts={"arm": Part([".*"], "passive")}), "free")
        Robot(world, RobotConfig(stiff), "stiff")
        Robot(world, RobotConfig(rolling), "rolling")


FINGERS = """<robot name="hand"><link name="world"/><link name="left">{body}</link>
<link name="right">{body}</link>
<joint name="left" type="prismatic"><parent link="world"/><child link="left"/><axis xyz="1 0 0"/>
<limit lower="0" upper=".05" effort="30" velocity="1"/></joint>
<joint name="right" type="prismatic"><parent link="world"/><child link="right"/><axis xyz="-1 0 0"/>
<limit lower="0" upper=".05" effort="30" velocity="1"/><mimic joint="left"/></joint></robot>"""
BODY = (
    '<inertial><mass value=".2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" '
    'iyz="0"/></inertial>'
)


@pytest.mark.parametrize("controller", [None, JointEffort(normalized=False), JointEffort()])
def test_joints_that_follow_others_get_no_servo(controller: JointEffort | None) -> None:
    """One action moves both fingers, in metres where the efforts had units."""
    parts = {} if controller is None else {"hand": Part([".*"], controller)}
    config = RobotConfig(FINGERS.format(body=BODY), parts=parts, controllers="position")
    robot = Robot(World(MujocoSimulator(ground(plane=False))), config, "hand")
    scaled = controller is not None and controller.normalized
    np.testing.assert_allclose(robot.upper, [1.0 if scaled else 0.05])
    robot.set_action([-0.2 if scaled else 0.02])
    run(robot, 1.0)
    np.testing.assert_allclose(robot.joints.rows.position[0], [0.02, 0.02], atol=1e-4)
    assert robot.joints.rows.stiffness[0].tolist() == [3000.0, 0.0]
