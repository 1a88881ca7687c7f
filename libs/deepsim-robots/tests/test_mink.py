# SPDX-License-Identifier: Apache-2.0
"""End effectors by mink, where it is installed: `make robots` installs it."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from robots_of_tests import SEVEN

from deepsim_math import Euler, Pose, poses, quaternions
from deepsim_robots import EndEffectorPose, EndEffectorPosition, Gains, Part, Robot, RobotConfig
from deepsim_sync import UnsupportedError

HOME = {"joint2": -0.5, "joint4": -2.0, "joint6": 1.6}
TIP = (0.0, 0.0, 0.1)
ROOT = Pose((1.0, 2.0, 0.0), Euler(0.0, 0.0, 0.7))
needs_mink = pytest.mark.skipif(find_spec("mink") is None, reason="mink is not installed")


def arm(world, controller):
    """An arm with one part."""
    gains = {".*": Gains(stiffness=2000.0, damping=200.0, effort_limit=1000.0)}
    robot = Robot(
        world, RobotConfig(SEVEN, {"arm": Part([".*"], controller)}, HOME, gains), "arm", ROOT
    )
    return robot, robot.parts["arm"]


def run(worlds, controller, make_world, offsets, turns):
    """The pose of the end effector of each world and its goal, in the root frame."""
    world = make_world(worlds)
    robot, drive = arm(world, controller)
    goal = poses.relative(robot.model.pose[:, 0], drive.pose())
    goal[:, :3] += offsets
    turn = quaternions.from_rotation_vector(turns)
    goal[:, 3:] = quaternions.multiply(turn, goal[:, 3:])
    rotation = quaternions.to_rotation_vector(goal[:, 3:])
    robot.set_action(np.concatenate([goal[:, :3], rotation], axis=1)[:, : controller.axes])
    for _ in range(300):
        world.tick()
    return poses.relative(robot.model.pose[:, 0], drive.pose()), goal, robot


@needs_mink
def test_mink_reaches_the_pose_that_least_squares_reaches(make_world):
    """In each world its own, on a base that is turned."""
    offsets, turns = [[0.05, 0.1, -0.05], [-0.05, 0.0, 0.1]], [[0.2, 0.1, 0.3], [0.0, 0.0, 0.0]]
    for solver in ("mink", "dls"):
        controller = EndEffectorPose(link="link7", point=TIP, normalized=False, solver=solver)
        reached, goal, _ = run(2, controller, make_world, offsets, turns)
        np.testing.assert_allclose(reached[:, :3], goal[:, :3], atol=1e-3)
        assert (quaternions.angle_to(reached[:, 3:], goal[:, 3:]) < 5e-3).all()


@needs_mink
def test_mink_reaches_a_position_and_keeps_limits(make_world):
    """Also one out of reach: it comes as near as it can, and no joint leaves its limits."""
    controller = EndEffectorPosition(link="link7", point=TIP, normalized=False, solver="mink")
    reached, goal, robot = run(
        2, controller, make_world, [[0.1, -0.1, 0.1], [5.0, 0, 0]], [0, 0, 0]
    )
    np.testing.assert_allclose(reached[0, :3], goal[0, :3], atol=1e-3)
    traits, position = robot.joints.traits, robot.joints.rows.position
    assert ((position >= traits.lower - 1e-3) & (position <= traits.upper + 1e-3)).all()
    assert reached[1, 0] > 0.7


@needs_mink
def test_mink_gives_a_world_what_it_gives_it_alone(make_world):
    """Bit for bit."""
    controller = EndEffectorPose(link="link7", point=TIP, normalized=False, solver="mink")
    together, _, _ = run(2, controller, make_world, [[0.05, 0, 0], [0, 0.1, 0]], [0, 0, 0])
    alone, _, _ = run(1, controller, make_world, [[0, 0.1, 0]], [0, 0, 0])
    np.testing.assert_array_equal(together[1:], alone)


def test_a_solver_that_is_not_there_is_refused(make_world):
    with pytest.raises(UnsupportedError, match=r"'minx'.*'dls'.*deepsim-mujoco\[mink\]"):
        arm(make_world(), EndEffectorPose(link="link7", solver="minx"))
