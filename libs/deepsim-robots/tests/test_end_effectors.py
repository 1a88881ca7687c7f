# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of an arm of seven joints; `make robots` installs mink."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from robots_of_tests import SEVEN

from deepsim_math import Euler, Pose, poses, quaternions
from deepsim_robots import (
    EndEffectorDrive,
    EndEffectorPose,
    EndEffectorPosition,
    Gains,
    Part,
    Robot,
    RobotConfig,
)
from deepsim_sync import UnknownEntityError, UnsupportedError

HOME = {"joint2": -0.5, "joint4": -2.0, "joint6": 1.6}
TIP = (0.0, 0.0, 0.1)
ROOT = Pose((1.0, 2.0, 0.0), Euler(0.0, 0.0, 0.7))
needs_mink = pytest.mark.skipif(find_spec("mink") is None, reason="mink is not installed")


def arm(world, controller, pose=None) -> tuple[Robot, EndEffectorDrive]:
    """An arm with one part."""
    gains = {".*": Gains(stiffness=2000.0, damping=200.0, effort_limit=1000.0)}
    robot = Robot(
        world, RobotConfig(SEVEN, {"arm": Part([".*"], controller)}, HOME, gains), "arm", pose
    )
    drive = robot.parts["arm"]
    assert isinstance(drive, EndEffectorDrive)
    return robot, drive


def test_most_reachable_poses_are_solved(make_world):
    """95 of 100 poses of random joints within the limits are found in 50 iterations."""
    world = make_world(100)
    robot, drive = arm(world, EndEffectorPose(link="link7", point=TIP))
    traits = robot.joints.traits
    spread = np.random.default_rng(1).uniform(0.1, 0.9, (100, 7))
    robot.joints.rows.position = traits.lower + spread * (traits.upper - traits.lower)
    goals = drive.pose()
    robot.joints.rows.position = (traits.lower + traits.upper) / 2.0
    solved = drive.solve(goals)
    assert solved.sum() >= 95
    error = np.linalg.norm(drive.pose()[solved, :3] - goals[solved, :3], axis=1)
    assert error.max() < 2e-3
    position = robot.joints.rows.position
    assert ((position >= traits.lower) & (position <= traits.upper)).all()


@pytest.mark.parametrize(
    ("goal", "problem"),
    [
        (np.zeros((2, 3)), r"a goal must be a pose \(7,\), or \(2, 7\), got \(2, 3\)"),
        ([0.5, 0.0, np.nan, 0.0, 0.0, 0.0, 1.0], "a goal must be finite"),
        (np.zeros(7), "quaternion that is not zero"),
    ],
)
def test_goals_that_are_not_poses_change_nothing(make_world, goal, problem):
    """The memory of the drive stays as it was, too."""
    robot, drive = arm(make_world(2), EndEffectorPose(link="link7", point=TIP))
    before, memory = robot.observe(), drive.get_state()
    with pytest.raises(ValueError, match=problem):
        drive.solve(goal)
    np.testing.assert_array_equal(robot.observe(), before)
    for name, array in drive.get_state().items():
        np.testing.assert_array_equal(array, memory[name])


def moved(world, controller, offsets, turns):
    """The pose of the end effector of each world and its goal, in the root frame."""
    robot, drive = arm(world, controller, ROOT)
    goal = poses.relative(robot.model.pose[:, 0], drive.pose())
    goal[:, :3] += offsets
    turn = quaternions.from_rotation_vector(turns)
    goal[:, 3:] = quaternions.multiply(turn, goal[:, 3:])
    rotation = quaternions.to_rotation_vector(goal[:, 3:])
    robot.set_action(np.concatenate([goal[:, :3], rotation], axis=1)[:, : controller.axes])
    for _ in range(300):
        world.tick()
    return poses.relative(robot.model.pose[:, 0], drive.pose()), goal, robot


@pytest.mark.parametrize("solver", ["dls", pytest.param("mink", marks=needs_mink)])
def test_a_pose_is_reached_while_time_passes(make_world, solver):
    """Absolute actions are poses in the root frame; a rotation vector turns the end effector."""
    controller = EndEffectorPose(link="link7", point=TIP, normalized=False, solver=solver)
    offsets, turns = [[0.05, 0.1, -0.05], [-0.05, 0.0, 0.1]], [[0.2, 0.1, 0.3], [0.0, 0.0, 0.0]]
    reached, goal, _ = moved(make_world(2), controller, offsets, turns)
    np.testing.assert_allclose(reached[:, :3], goal[:, :3], atol=1e-3)
    assert (quaternions.angle_to(reached[:, 3:], goal[:, 3:]) < 5e-3).all()


@needs_mink
def test_mink_reaches_a_position_and_keeps_limits(make_world):
    """Also one out of reach: it comes as near as it can, and no joint leaves its limits."""
    controller = EndEffectorPosition(link="link7", point=TIP, normalized=False, solver="mink")
    offsets = [[0.1, -0.1, 0.1], [5.0, 0, 0]]
    reached, goal, robot = moved(make_world(2), controller, offsets, [0, 0, 0])
    np.testing.assert_allclose(reached[0, :3], goal[0, :3], atol=1e-3)
    traits, position = robot.joints.traits, robot.joints.rows.position
    assert ((position >= traits.lower - 1e-3) & (position <= traits.upper + 1e-3)).all()
    assert reached[1, 0] > 0.7


@needs_mink
def test_mink_gives_a_world_what_it_gives_it_alone(make_world):
    """Bit for bit."""
    controller = EndEffectorPose(link="link7", point=TIP, normalized=False, solver="mink")
    together, _, _ = moved(make_world(2), controller, [[0.05, 0, 0], [0, 0.1, 0]], [0, 0, 0])
    alone, _, _ = moved(make_world(1), controller, [[0, 0.1, 0]], [0, 0, 0])
    np.testing.assert_array_equal(together[1:], alone)


@pytest.mark.parametrize("frame", ["root", "tool", "world"])
def test_steps_go_along_the_axes_of_their_frame(make_world, frame):
    """A step of 5 cm along x of the frame moves the end effector so, and does not turn it."""
    world = make_world(1)
    controller = EndEffectorPose(link="link7", delta=True, frame=frame, normalized=False)
    root = Pose((0.0, 0.0, 0.0), Euler(0.0, 0.0, 1.2))
    robot, drive = arm(world, controller, root)
    start = drive.pose()
    axes = {"root": robot.model.pose[0, 0, 3:], "tool": start[0, 3:], "world": [0, 0, 0, 1]}
    robot.set_action([0.05, 0.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(300):
        world.tick()
    way = drive.pose()[0, :3] - start[0, :3]
    np.testing.assert_allclose(way, quaternions.rotate(axes[frame], [0.05, 0, 0]), atol=1e-3)
    assert quaternions.angle_to(drive.pose()[0, 3:], start[0, 3:]) < 5e-3


def test_steps_of_the_target_add_up(make_world):
    """Ten steps of 1 cm are 10 cm, even if the arm has not followed yet."""
    world = make_world(1)
    controller = EndEffectorPosition(link="link7", delta=True, normalized=False)
    robot, drive = arm(world, controller)
    start = drive.pose()
    for _ in range(10):
        robot.set_action([0.0, 0.01, 0.0])
        world.tick()
    for _ in range(400):
        world.tick()
    np.testing.assert_allclose(drive.pose()[0, :3] - start[0, :3], [0, 0.1, 0], atol=1e-3)


def test_an_unknown_link_is_an_error(make_world):
    """The error suggests a link of the robot."""
    with pytest.raises(UnknownEntityError, match="did you mean 'link7'"):
        arm(make_world(1), EndEffectorPose(link="lnk7"))
    with pytest.raises(ValueError, match="tool frame is for steps"):
        EndEffectorPose(link="link7", frame="tool")


def test_a_solver_that_is_not_there_is_refused(make_world):
    with pytest.raises(UnsupportedError, match=r"'minx'.*'dls'.*deepsim-mujoco\[mink\]"):
        arm(make_world(), EndEffectorPose(link="link7", solver="minx"))
