# SPDX-License-Identifier: Apache-2.0
"""Joint controllers against their formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robots_of_tests import ARM

from deepsim_robots import (
    Controller,
    Gains,
    JointDeltaPosition,
    JointEffort,
    JointPid,
    JointPosition,
    JointPositionVelocity,
    JointTrajectory,
    JointTrapezoid,
    JointVelocity,
    Mimic,
    Part,
    Passive,
    Robot,
    RobotConfig,
    TrajectoryDrive,
)
from deepsim_robots.controllers.position_velocity import profile_step
from deepsim_sync import UnknownEntityError

GAINS = {".*": Gains(stiffness=200.0, damping=20.0)}


def arm(world, controller: Controller | str, **options) -> Robot:
    """An arm with one part."""
    config = RobotConfig(ARM, {"arm": Part([".*"], controller)}, **{"gains": GAINS, **options})
    return Robot(world, config, "arm")


def test_positions_hold_and_settle(make_world):
    """The joints reach their targets."""
    world = make_world(2)
    robot = arm(world, JointPosition(normalized=False))
    robot.set_action([[0.1, -0.1], [0.05, 0.02]])
    for _ in range(400):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.position, [[0.1, -0.1], [0.05, 0.02]], atol=1e-6)


@pytest.mark.parametrize("of", ["measured", "target"])
def test_steps_change_targets(make_world, of):
    """A step begins at the measured position, or at the last target; limits are kept."""
    world = make_world(1)
    robot = arm(world, JointDeltaPosition(lower=-0.5, upper=0.5, of=of))
    rows = robot.joints.rows
    robot.set_action([1.0, -0.5])
    np.testing.assert_allclose(rows.target_position, [[0.5, -0.25]])
    world.tick()
    start = rows.position if of == "measured" else rows.target_position
    robot.set_action([1.0, -0.5])
    np.testing.assert_allclose(rows.target_position - start, [[0.5, -0.25]])
    for _ in range(20):
        robot.set_action([1.0, 0.0])
        for _ in range(60):
            world.tick()
    assert rows.target_position[0, 0] == 2.0


def test_velocities_are_followed_and_efforts_fed_forward(make_world):
    """Velocity control has no stiffness; effort control neither, and obeys the limit."""
    world = make_world(1)
    robot = arm(world, JointVelocity())
    rows = robot.joints.rows
    robot.set_action([0.5, -1.0])
    np.testing.assert_allclose(rows.target_velocity, [[1.5, -3.0]])
    assert (rows.stiffness == 0.0).all()
    for _ in range(20):
        world.tick()
    np.testing.assert_allclose(rows.velocity[0, 0], 1.5, atol=0.02)
    robot.delete()
    robot = arm(world, JointEffort())
    robot.set_action([0.5, -1.0])
    world.tick()
    np.testing.assert_allclose(robot.joints.rows.effort, [[25.0, -50.0]])


def test_positions_and_velocities_are_commanded_together(make_world):
    """The action has positions first, then velocities, each with its own bounds."""
    robot = arm(make_world(1), JointPositionVelocity(normalized=False))
    np.testing.assert_array_equal(robot.upper, [2.0, 2.0, 3.0, 3.0])
    robot.set_action([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(robot.joints.rows.target_position, [[0.1, 0.2]])
    np.testing.assert_array_equal(robot.joints.rows.target_velocity, [[0.3, 0.4]])


@pytest.mark.parametrize("steps", [1, 5, 10])
def test_one_speed_moves_all_joints_at_a_share_of_their_largest(make_world, steps):
    """However long a tick is: at a quarter of 2 rad/s, 0.1 rad in 0.2 s."""
    world = make_world(steps=steps)
    robot = arm(world, JointPositionVelocity(one_speed=True, velocity=2.0, normalized=False))
    robot.set_action([1.0, -0.05, 0.25])
    for _ in range(100 // steps):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.target_position, [[0.1, -0.05]], atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    goal=st.floats(-3.0, 3.0),
    speed=st.floats(0.2, 5.0),
    acceleration=st.floats(0.5, 30.0),
    dt=st.sampled_from([0.001, 0.01, 0.02]),
)
def test_a_trapezoid_ends_at_its_goal(goal, speed, acceleration, dt):
    """Speed and acceleration stay within bounds, no overshoot, and it takes the time of theory."""
    position, velocity = np.zeros((1, 1)), np.zeros((1, 1))
    steps = 0
    while (position != goal).any() or (velocity != 0.0).any():
        new, rate = profile_step(
            np.full((1, 1), goal),
            position,
            velocity,
            np.array([speed]),
            np.array([acceleration]),
            dt,
        )
        assert abs(rate[0, 0]) <= speed * (1 + 1e-9)
        assert abs(rate[0, 0] - velocity[0, 0]) <= acceleration * dt * (1 + 1e-6)
        assert 0.0 <= new[0, 0] * np.sign(goal) <= abs(goal) + 1e-12
        position, velocity, steps = new, rate, steps + 1
        assert steps < 20_000
    distance = abs(goal)
    ramp = speed * speed / acceleration
    theory = (
        2.0 * np.sqrt(distance / acceleration)
        if distance < ramp
        else distance / speed + speed / acceleration
    )
    assert theory - 2 * dt <= steps * dt <= theory * 1.02 + 5 * dt


def test_a_trapezoid_moves_the_joints(make_world):
    """Joints follow the profile."""
    world = make_world(2)
    robot = arm(world, JointTrapezoid(velocity=1.0, acceleration=4.0, normalized=False))
    robot.set_action([[1.0, 0.0], [-0.5, 0.3]])
    for _ in range(50):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.target_velocity[0], [1.0, 0.0], atol=1e-9)
    for _ in range(200):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.position, [[1.0, 0.0], [-0.5, 0.3]], atol=1e-3)


def test_one_action_moves_all_fingers(make_world):
    """-1 is closed and 1 open, for each joint between its own bounds."""
    robot = arm(make_world(1), Mimic(lower=[0.0, 0.1], upper=[0.04, 0.5], reversed=["elbow"]))
    assert robot.action_size == 1
    for action, targets in ((-1.0, [0.0, 0.5]), (1.0, [0.04, 0.1]), (0.0, [0.02, 0.3])):
        robot.set_action([action])
        np.testing.assert_allclose(robot.joints.rows.target_position[0], targets)


def test_a_reversed_joint_must_be_of_the_part(make_world):
    with pytest.raises(UnknownEntityError, match="did you mean 'elbow'"):
        arm(make_world(1), Mimic(lower=0.0, upper=0.5, reversed=["elbov"]))


def test_passive_joints_take_no_action(make_world):
    """Their part has no numbers, and nothing pulls them back."""
    world = make_world(1)
    robot = arm(world, Passive(damping=0.0))
    assert robot.action_size == 0
    robot.set_action(np.zeros(0))
    robot.joints.rows.velocity = [[0.3, 0.0]]
    world.tick()
    assert (robot.joints.rows.effort == 0.0).all()


def test_a_trajectory_passes_its_points(make_world):
    """Targets are at the points at their times, with the velocities given, and end at rest."""
    world = make_world(2)
    robot = arm(world, JointTrajectory(duration=0.5, normalized=False))
    drive = robot.parts["arm"]
    assert isinstance(drive, TrajectoryDrive)
    points = np.array([[0.2, 0.1], [0.6, -0.2], [0.5, 0.0]])
    slopes = np.array([[0.5, 0.1], [0.0, -0.3], [0.0, 0.0]])
    robot.set_action([0.4, 0.2], worlds=np.array([0]))
    drive.follow([0.1, 0.3, 0.6], points, slopes, worlds=np.array([1]))
    seen = []
    for tick in range(1, 80):
        world.tick()
        if tick in (10, 30, 60, 79):
            rows = robot.joints.rows
            seen.append((rows.target_position[1], rows.target_velocity[1]))
    np.testing.assert_allclose([p for p, _ in seen], [*points, points[-1]], atol=1e-9)
    np.testing.assert_allclose([v for _, v in seen], [*slopes, [0.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(robot.joints.rows.target_position[0], [0.4, 0.2])
    robot.set_action([0.3, 0.3])
    for _ in range(25):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.target_position[0], [0.35, 0.25], atol=1e-9)
    snapshot = world.get_state()
    for _ in range(25):
        world.tick()
    np.testing.assert_allclose(robot.joints.rows.target_position, 0.3, atol=1e-9)
    after = robot.observe()
    world.set_state(snapshot)
    for _ in range(25):
        world.tick()
    np.testing.assert_array_equal(robot.observe(), after)
    drive.follow([0.1, 0.3], points[:2])  # with mean slopes
    for _ in range(10):
        world.tick()
    slope = ((points[0] - 0.3) / 0.1 + (points[1] - points[0]) / 0.2) / 2.0
    np.testing.assert_allclose(robot.joints.rows.target_velocity, [slope] * 2, atol=1e-9)
    with pytest.raises(ValueError, match="ascending"):
        drive.follow([0.2, 0.1], points[:2])


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (JointPosition(lower=[0.0]), "one for each of its joints"),
        (JointPosition(lower=1.0, upper=0.0), "lower must be <= upper"),
        (JointPosition(stiffness=-1.0), "stiffness"),
        (JointVelocity(damping=0.0), "has no damping"),
        (JointTrapezoid(acceleration=0.0), "acceleration"),
        (JointPid(p=0.0, i=0.0), "p and i of 0"),
    ],
)
def test_settings_that_do_not_fit_are_refused(make_world, controller, message):
    """The error names the part or joint."""
    with pytest.raises(ValueError, match=message):
        arm(make_world(1), controller)
