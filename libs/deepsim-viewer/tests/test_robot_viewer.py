# SPDX-License-Identifier: Apache-2.0
"""A robot that is driven by hand in the browser."""

from __future__ import annotations

import time

import numpy as np
import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_sync import World
from deepsim_viewer import RobotViewer


class Ball:
    """A ball in the air; its action is its velocity along x [m/s], up to 2."""

    def __init__(self, world, lower=(-2.0,), upper=(2.0,)):
        self.name, self.world = "ball", world
        self.lower, self.upper = np.array(lower), np.array(upper)
        self.acted = []

    def set_action(self, actions):
        self.acted.append(actions.tolist())
        twist = np.zeros((len(self.world), 1, 6))
        twist[..., 0] = actions
        self.world.models.select(["ball"]).twist = twist

    def observe(self):
        return self.world.models.select(["ball"]).pose[:, 0]


@pytest.fixture
def world(scenes):
    world = World(MujocoSimulator(scenes.falling()), steps_per_tick=5)
    yield world
    world.close()


def test_a_robot_is_driven_from_the_start(world, look):
    """Its slider is there without a choice; it moves as the slider says, and stops on release."""
    robot = Ball(world)
    with RobotViewer(robot, port=0, speed=None) as viewer:
        viewer.run(3)
        assert robot.acted == [[[0.0]]] * 3
        client = look(viewer.viewer)
        client.wait_for("action 0")
        client.set("action 0", 1.5)
        end = time.monotonic() + 10.0
        while robot.acted[-1] != [[1.5]]:
            assert time.monotonic() < end
            viewer.step()
        before = world.models.select(["ball"]).pose[0, 0, 0]
        start = float(world.time[0])
        viewer.run(20)
        moved = world.models.select(["ball"]).pose[0, 0, 0] - before
        assert moved == pytest.approx(1.5 * (world.time[0] - start), rel=1e-3)
        client.press("Release")
        while robot.acted[-1] != [[0.0]]:
            assert time.monotonic() < end
            viewer.step()


def test_a_robot_rests_within_its_bounds(world):
    """Where 0 is no action, the nearest bound is."""
    robot = Ball(world, lower=(0.5,))
    with RobotViewer(robot, port=0, speed=None) as viewer:
        viewer.run(2)
    assert robot.acted == [[[0.5]]] * 2


def test_a_robot_without_parts_is_refused(world):
    """The message names the robot."""
    with pytest.raises(ValueError, match="robot 'ball' has no part that can be driven"):
        RobotViewer(Ball(world, (), ()), port=0)
