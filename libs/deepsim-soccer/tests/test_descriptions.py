# SPDX-License-Identifier: Apache-2.0
"""The field, the ball and the robot in a world."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_soccer import DIALECTS, Field, ball_sdf, find_dialect, robot_sdf, world_sdf
from deepsim_spawn import GazeboXMLLoader, ModelSpawner
from deepsim_sync import World


def open_world(dialect, field=None):
    simulator = MujocoSimulator(GazeboXMLLoader().load_world(world_sdf(dialect, field)))
    return World(simulator)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_describes_a_world_that_stands_still(name):
    """Ball and robot spawn, and neither moves nor sinks."""
    dialect = find_dialect(name)
    world = open_world(name)
    assert world.simulator.timestep == dialect.step
    ModelSpawner(ball_sdf(name)).spawn(world, "ball", Pose((1.0, 0.0, dialect.ball_radius)))
    ModelSpawner(robot_sdf(name)).spawn(world, "robot", Pose((-1.0, 0.0, 0.0)))
    rows = world.models.select(["ball", "robot"])
    before = rows.pose
    for _ in range(100):
        world.tick()
    np.testing.assert_allclose(rows.pose, before, atol=1e-3)
    world.close()


@pytest.mark.parametrize("name", DIALECTS)
def test_bodies_are_physical(name):
    """No moment of inertia exceeds the sum of the other two, as in every rigid body."""
    x, y, z = find_dialect(name).robot_inertia
    assert max(x, y, z) <= min(x + y, y + z, z + x)


def test_the_default_keeps_the_rules():
    """Sizes and masses of the default lie within those of the rules of 2015."""
    legal = find_dialect("legal")
    assert legal.robot_mass <= 40.0
    assert 2 * legal.robot_radius <= 0.52
    assert legal.robot_height <= 0.80
    assert 0.41 <= legal.ball_mass <= 0.45
    assert 0.68 <= 2 * math.pi * legal.ball_radius <= 0.70 + 1e-2


def test_the_paper_has_the_constants_of_its_tables():
    """Tables I and II."""
    paper = find_dialect("paper")
    table = (paper.robot_mass, paper.robot_inertia[2], paper.robot_friction)
    assert table == (31.0, 2.86, 0.1)
    assert (paper.step, paper.gravity) == (0.007, 9.8)


def test_lines_are_where_the_rules_put_them():
    """Outer edges of areas are 0.75 m and 2.25 m from the goal line and from the posts."""
    lines = list(Field().lines())
    half = 0.125 / 2
    ends = {(abs(round(each.x0, 4)), abs(round(each.y0, 4))) for each in lines}
    for x, y in ((8.25, 1.75), (6.75, 3.25)):
        assert (x + half, y - half) in ends
    reach = max(max(abs(each.x0), abs(each.x1)) for each in lines)
    assert reach == pytest.approx(9.0)
    radius = [math.hypot(each.x0, each.y0) for each in lines if math.hypot(each.x0, each.y0) < 2.0]
    assert max(radius) == pytest.approx(2.0 - half)


def test_marks_and_restart_spots_are_where_they_are_told():
    """Squares of their diameters; spots lie on both sides of both axes."""
    field = Field(penalty_distance=2.5, penalty_mark=0.2, centre_mark=0.3)
    squares = [
        each for each in field.lines() if abs(each.x1 - each.x0) == pytest.approx(each.width)
    ]
    middles = [((each.x0 + each.x1) / 2.0, each.y0, round(each.width, 9)) for each in squares]
    assert sorted(middles)[:: len(middles) - 1] == [(-6.5, 0.0, 0.2), (6.5, 0.0, 0.2)]
    assert (0.0, 0.0, 0.3) in middles
    spots = set(field.restart_spots())
    assert len(spots) == 6
    assert spots == {(-x, y) for x, y in spots} == {(x, -y) for x, y in spots}


def test_every_dimension_of_a_field_is_in_its_world():
    """A tenth more of one changes the world, each in another way."""
    field = Field()
    names = [each.name for each in fields(Field)]
    larger = [replace(field, **{name: 1.1 * getattr(field, name)}) for name in names]
    assert len({world_sdf("legal", each) for each in (field, *larger)}) == 1 + len(names)


@pytest.mark.parametrize("depth", [0.4, 0.8])
def test_a_goal_is_as_deep_as_its_net(depth):
    """A ball that is shot into it turns back where it touches the net."""
    world = open_world("legal", Field(goal_depth=depth))
    ModelSpawner(ball_sdf()).spawn(world, "ball", Pose((8.5, 0.0, 0.11)))
    ball = world.models.select(["ball"])
    ball.twist = [4.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    places = []
    for _ in range(100):
        world.tick()
        places.append(ball.pose[0, 0, 0])
    assert max(places) == pytest.approx(9.0 + depth - 0.11, abs=0.06)
    world.close()


def test_a_ball_shot_into_the_goal_stays_there():
    """The net stops a ball that enters the goal, and the bar one that meets it."""
    world = open_world("legal")
    ModelSpawner(ball_sdf()).spawn(world, "ball", Pose((8.0, 0.0, 0.11)))
    ball = world.models.select(["ball"])
    ball.twist = [8.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    for _ in range(200):
        world.tick()
    assert 8.0 < ball.pose[0, 0, 0] < 9.5
    ball.pose = [8.0, 0.0, 1.06, 0.0, 0.0, 0.0, 1.0]
    ball.twist = [8.0, 0.0, 0.5, 0.0, 0.0, 0.0]
    for _ in range(100):
        world.tick()
    assert ball.pose[0, 0, 0] < 8.8
    world.close()


def test_an_unknown_dialect_is_refused_by_name():
    """The message lists those that there are."""
    with pytest.raises(ValueError, match="paper, gazebo_visual, simatch, legal, got 'iso'"):
        world_sdf("iso")
