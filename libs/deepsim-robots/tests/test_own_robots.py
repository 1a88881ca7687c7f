# SPDX-License-Identifier: Apache-2.0
"""Our own robots do what their kind does: they stand, steer, drive and hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robots_of_tests import GROUND

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import ROBOTS, CatalogueEntry, Robot
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World

BOX = """<sdf version="1.7"><model name="box"><link name="link"><inertial><mass>0.2</mass>
<inertia><ixx>1e-4</ixx><iyy>1e-4</iyy><izz>1e-4</izz></inertia></inertial><collision name="c">
<geometry><box><size>0.04 0.04 0.04</size></box></geometry></collision></link></model></sdf>"""
pytestmark = pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning")
OWN = [name for name, entry in ROBOTS.items() if not entry.package]


@pytest.fixture
def make():
    """Makes a robot on the ground, in steps of 2 ms; its world is closed after the test."""
    worlds = []

    def make(robot: str | CatalogueEntry, count: int = 1) -> Robot:
        entry = ROBOTS[robot] if isinstance(robot, str) else robot
        worlds.append(World(MujocoSimulator(GROUND, worlds=count), steps_per_tick=2))
        return Robot(worlds[-1], entry.load(), entry.name)

    yield make
    for world in worlds:
        world.close()


def run(robot: Robot, seconds: float) -> np.ndarray:
    """Runs a robot; returns the largest distance of each joint from home (n,)."""
    largest = np.zeros(len(robot.joints))
    for _ in range(round(seconds / 0.002)):
        robot.world.tick()
        off = np.abs(robot.joints.rows.position - robot.joints.traits.home).max(axis=0)
        largest = np.maximum(largest, off)
    return largest


def test_there_are_five_of_our_own():
    """They need no package."""
    assert OWN == ["cartpole", "diffbot", "car", "arm", "quadruped"]
    assert all(ROBOTS[name].is_installed for name in OWN)


@pytest.mark.parametrize("name", OWN)
def test_each_is_at_home_within_its_limits(make, name):
    """Each joint has a finite effort and velocity limit, and its home lies inside its range."""
    traits = make(name).joints.traits
    assert (traits.lower <= traits.home).all()
    assert (traits.home <= traits.upper).all()
    assert np.isfinite(traits.effort_limit).all()
    assert np.isfinite(traits.velocity_limit).all()


@pytest.mark.parametrize("name", OWN)
def test_each_stands_at_home_for_two_seconds(make, name):
    """No joint drifts by 5 degrees (or 5 mm), nor does the base leave its place."""
    robot = make(name)
    before = robot.model.pose
    largest = run(robot, 2.0)
    allowed = np.where([joint in ("slide",) for joint in robot.joints.names], 0.005, 0.0873)
    assert (largest < allowed).all(), dict(zip(robot.joints.names, largest, strict=True))
    np.testing.assert_allclose(robot.model.pose, before, atol=0.02)


def test_the_quadruped_stands_on_its_feet_alone(make):
    """Contacts with the ground are those of four feet."""
    robot = make("quadruped")
    run(robot, 1.0)
    links = robot.world.entities.links
    pairs = robot.world.simulator.contacts.read(0).links
    touching = {links[row] for row in pairs.ravel()} - {"ground::link"}
    corners = ("front_left", "front_right", "rear_left", "rear_right")
    assert touching == {f"quadruped::{corner}_foot" for corner in corners}


@pytest.mark.parametrize("steer", [-0.3, 0.3])
def test_the_car_turns_to_the_side_it_steers_to(make, steer):
    """The radius of its rear axle is that of a bicycle of its wheelbase, within 3 %."""
    robot = make("car")
    robot.set_action([0.3, steer / 0.42])  # of 3 m/s and of the largest angle
    run(robot, 2.0)
    twist = robot.model.twist[0, 0]
    ahead = Pose.from_array(robot.model.pose[0, 0]).inverse_transform_vector(twist[:3])
    assert ahead[0] / twist[5] == pytest.approx(0.32 / np.tan(steer), rel=0.03)


def test_the_differential_robot_goes_ahead_and_turns(make):
    """Speed and yaw rate of the base are those of the action, of .6 m/s and 3 rad/s."""
    robot = make("diffbot", 2)
    robot.set_action([[0.5, 0.0], [0.0, 0.8]])
    run(robot, 2.0)
    ahead, turning = robot.model.twist[:, 0]
    np.testing.assert_allclose(ahead[0], 0.3, rtol=0.01)
    assert abs(ahead[5]) < 0.01
    np.testing.assert_allclose(turning[5], 2.4, rtol=0.01)
    assert np.abs(turning[:2]).max() < 0.01


def test_the_gripper_holds_a_box_for_ten_seconds(make):
    """A box of 200 g between the fingers slips by less than 1 mm after it is held."""
    entry = ROBOTS["arm"]
    robot = make(replace(entry, home={**entry.home, ".*_finger_joint": 0.0201}))
    world, traits = robot.world, robot.joints.traits
    world.tick()
    world.spawn(GazeboXMLLoader().load_model(BOX), "box", robot.link("tool").pose[:, 0])
    action = 2 * (traits.home - traits.lower) / (traits.upper - traits.lower) - 1
    robot.set_action([*action[:6], -1.0])  # closed
    run(robot, 0.5)
    before = world.models.select(["box"]).pose[0, 0, :3] - robot.link("tool").pose[0, 0, :3]
    run(robot, 10.0)
    after = world.models.select(["box"]).pose[0, 0, :3] - robot.link("tool").pose[0, 0, :3]
    assert np.linalg.norm(before) < 0.005
    np.testing.assert_allclose(after, before, atol=0.001)
