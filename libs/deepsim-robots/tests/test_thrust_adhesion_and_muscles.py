# SPDX-License-Identifier: Apache-2.0
"""Actions that are thrusts of rotors, adhesion of a body, and excitations of muscles."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import ModelControls, Part, Robot, RobotConfig
from deepsim_spawn import MjcfModel
from deepsim_sync import World

G = 9.8  # [m/s^2]
QUADROTOR = """<mujoco><worldbody><body name="body"><freejoint/>
  <geom type="box" size=".1 .1 .02" mass=".8" contype="0" conaffinity="0"/>
  <site name="a" pos=".1 .1 0"/><site name="b" pos="-.1 .1 0"/>
  <site name="c" pos="-.1 -.1 0"/><site name="d" pos=".1 -.1 0"/></body></worldbody>
<actuator><motor name="a" site="a" gear="0 0 1 0 0 -.02" ctrlrange="0 5"/>
  <motor name="b" site="b" gear="0 0 1 0 0 .02" ctrlrange="0 5"/>
  <motor name="c" site="c" gear="0 0 1 0 0 -.02" ctrlrange="0 5"/>
  <motor name="d" site="d" gear="0 0 1 0 0 .02" ctrlrange="0 5"/></actuator></mujoco>"""
GECKO = """<mujoco><worldbody><body name="gecko"><freejoint/>
  <geom type="box" size=".05 .05 .05" mass=".1" friction=".5"/></body></worldbody>
<actuator><adhesion name="stick" body="gecko" ctrlrange="0 1" gain="4"/></actuator></mujoco>"""
ARM = """<mujoco><compiler angle="radian"/><worldbody>
<site name="chest" pos=".05 0 .02"/><site name="back" pos="-.05 0 .02"/>
<body name="upper"><joint name="shoulder" axis="0 -1 0" range="-1.2 2" damping=".3"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03" mass="1.5"/>
  <site name="biceps from" pos=".04 0 -.08"/><site name="triceps from" pos="-.04 0 -.08"/>
  <site name="front" pos=".04 0 -.12"/><site name="rear" pos="-.04 0 -.12"/>
  <body name="lower" pos="0 0 -.3"><joint name="elbow" axis="0 -1 0" range="0.1 2.2" damping=".2"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.25" size=".02" mass=".8"/>
    <site name="biceps to" pos=".02 0 -.05"/><site name="triceps to" pos="-.03 0 .03"/>
  </body></body></worldbody>
<contact><exclude body1="upper" body2="lower"/></contact>
<tendon>
  <spatial name="flexor"><site site="chest"/><site site="front"/></spatial>
  <spatial name="extensor"><site site="back"/><site site="rear"/></spatial>
  <spatial name="biceps"><site site="biceps from"/><site site="biceps to"/></spatial>
  <spatial name="triceps"><site site="triceps from"/><site site="triceps to"/></spatial></tendon>
<actuator><muscle name="flexor" tendon="flexor" force="400"/>
  <muscle name="extensor" tendon="extensor" force="400"/>
  <muscle name="biceps" tendon="biceps" force="300"/>
  <muscle name="triceps" tendon="triceps" force="300"/></actuator></mujoco>"""


def make(text: str, worlds: int, *, joints: bool = False, pose: Pose | None = None) -> Robot:
    """A robot whose actions are the controls of its file, in steps of 1 ms and ticks of 5 ms."""
    parts = {"controls": Part([".*"] if joints else [], ModelControls())}
    world = World(MujocoSimulator(worlds=worlds), steps_per_tick=5)
    return Robot(world, RobotConfig(MjcfModel(text), parts=parts), "robot", pose)


def add(world: World, geom: str) -> None:
    """Adds a fixed geom."""
    world.spawn(MjcfModel(f"<mujoco><worldbody>{geom}</worldbody></mujoco>"), "fixed", Pose())


def test_rotors_lift_turn_and_tip_a_drone() -> None:
    """Thrusts are in newtons, at their sites, and drag turns the body."""
    robot = make(QUADROTOR, 4)
    weight = 0.8 * G / 4
    lift, turn, tip = np.ones(4), np.array([1, -1, 1, -1]), np.array([1, 1, -1, -1])
    thrusts = [weight * lift, 1.5 * weight * lift, weight * lift + turn, weight * lift + 0.1 * tip]
    robot.set_action(thrusts)
    for _ in range(10):
        robot.world.tick()
    twist = robot.model.twist[:, 0]
    inertia = 0.8 / 12 * (0.2**2 + np.array([0.04**2, 0.04**2, 0.2**2]))
    np.testing.assert_allclose(twist[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(twist[1], [0, 0, 0.05 * G / 2, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(twist[2, 5], -0.05 * 4 * 0.02 / inertia[2], rtol=1e-6)
    np.testing.assert_allclose(twist[3, 3], 0.05 * 0.4 * 0.1 / inertia[0], rtol=1e-3)


def test_adhesion_holds_a_body_below_a_ceiling_until_it_lets_go() -> None:
    """The body needs its weight, 0.98 N of 4 N; from the moment of letting go, it falls freely."""
    robot = make(GECKO, 2, pose=Pose((0.0, 0.0, 0.9501)))
    world = robot.world
    add(world, "<geom type='box' size='1 1 .1' pos='0 0 1.1'/>")  # the ceiling
    needed = 0.1 * G / 4
    robot.set_action([[0.9 * needed], [1.1 * needed]])
    for _ in range(100):
        world.tick()
    height = robot.model.pose[:, 0, 2].copy()
    assert height[0] < 0.5
    assert height[1] == pytest.approx(0.95, abs=1e-3)
    robot.set_action([0.0])
    for _ in range(60):
        world.tick()
    assert height[1] - robot.model.pose[1, 0, 2] == pytest.approx(G / 2 * 0.3**2, rel=0.01)


def test_adhesion_holds_a_body_on_a_wall_by_friction() -> None:
    """It slides down below a force of weight / friction, 1.96 N of 4 N, and stays above it."""
    robot = make(GECKO, 2, pose=Pose((0.9501, 0.0, 3.0)))
    world = robot.world
    add(world, "<geom type='box' size='.1 1 9' pos='1.1 0 0' friction='.5'/>")  # the wall
    needed = 0.1 * G / 0.5 / 4
    robot.set_action([[0.95 * needed], [1.05 * needed]])
    for _ in range(100):
        world.tick()
    fallen = 3.0 - robot.model.pose[:, 0, 2]
    assert fallen[0] > 0.1
    assert fallen[1] < 1e-3


def test_excitations_have_the_range_to_which_mujoco_clamps_them() -> None:
    """That is 0..1 where the file gives none; other controls of the file stay unlimited."""
    motors = '<motor name="push" joint="elbow" gear="2"/><motor name="pull" tendon="biceps"/>'
    robot = make(ARM.replace("<actuator>", "<actuator>" + motors), 1, joints=True)
    assert robot.lower.tolist() == [-np.inf, -np.inf, 0.0, 0.0, 0.0, 0.0]
    assert robot.upper.tolist() == [np.inf, np.inf, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("goal", [(0.6, 1.2), (-0.4, 0.5)])
def test_muscles_bring_an_arm_to_a_pose(goal: tuple[float, float]) -> None:
    """Excitations between 0 and 1 bring both joints within 10 mrad, where they stay for 2 s."""
    robot = make(ARM, 1, joints=True)
    rows, total = robot.joints.rows, np.zeros(2)
    for tick in range(1000):
        error = np.array(goal) - rows.position[0]
        total = np.clip(total + 0.005 * error, -0.5, 0.5)
        drive = 1.5 * error + 3.0 * total - 0.2 * rows.velocity[0]
        flex, extend = 0.05 + np.maximum(drive, 0.0), 0.05 + np.maximum(-drive, 0.0)
        robot.set_action(np.stack([flex, extend], axis=1).ravel())
        robot.world.tick()
        if tick >= 600:
            np.testing.assert_allclose(rows.position[0], goal, atol=0.01)
    activation = robot.world.actuators.activation[0]
    assert ((activation >= 0.0) & (activation <= 1.0)).all()
