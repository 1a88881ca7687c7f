# SPDX-License-Identifier: Apache-2.0
"""Pushes of robots on the embedded engine, by the laws of momentum."""

from __future__ import annotations

import numpy as np

from deepsim_envs import Push
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Robot
from deepsim_sync import World


def moving(worlds: int) -> tuple[World, Robot]:
    """A quadruped in the air whose joints move."""
    world = World(MujocoSimulator(worlds=worlds), seed=3)
    robot = Robot.load(world, "quadruped", pose=(0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0))
    world.reset(seed=3)
    rows = robot.joints.rows
    rows.velocity = np.random.default_rng(0).normal(0.0, 2.0, rows.velocity.shape)
    robot.model.twist = (0.3, 0.0, 0.1, 0.5, 0.2, -0.3)
    world.flush()
    return world, robot


def test_a_push_adds_its_velocity_to_every_link() -> None:
    """So the momentum changes by mass times velocity; joints and other worlds move as before."""
    world, robot = moving(3)
    push = Push(world, "quadruped", every=world.delta_time, linear=(1.0, 0.5, 0.0))
    push.reset(np.array([0, 2]))
    world.tick()
    before, joints = world.links.twist, robot.joints.rows.velocity.copy()
    model = robot.model.twist
    assert push.update().tolist() == [0, 2]
    world.flush()
    change = robot.model.twist - model
    assert (np.abs(change[[0, 2], 0, :2]) > 1e-3).all()
    assert not change[1].any()
    links = world.links.twist - before
    np.testing.assert_allclose(links, np.broadcast_to(change, links.shape), atol=1e-12)
    np.testing.assert_allclose(robot.joints.rows.velocity, joints, atol=1e-12)


def test_a_push_about_an_axis_turns_the_robot_as_a_rigid_body() -> None:
    """Each link's velocity changes by the cross product of the turn and its place."""
    world, robot = moving(2)
    push = Push(world, "quadruped", every=world.delta_time, angular=(0.0, 0.0, 2.0))
    push.reset(np.arange(2))
    world.tick()
    before, joints = world.links.twist, robot.joints.rows.velocity.copy()
    push.update()
    world.flush()
    change = world.links.twist - before
    turn = np.broadcast_to(change[:, :1, 3:], change[..., 3:].shape)
    assert (np.abs(turn[..., 2]) > 1e-3).all()
    np.testing.assert_allclose(change[..., 3:], turn, atol=1e-12)
    place = world.links.pose[..., :3] - robot.model.pose[..., :3]
    np.testing.assert_allclose(change[..., :3], np.cross(turn, place), atol=1e-12)
    np.testing.assert_allclose(robot.joints.rows.velocity, joints, atol=1e-12)
