# SPDX-License-Identifier: Apache-2.0
"""A dribbler of limited force, which no obstacle lets through."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from deepsim_soccer import Grip, find_dialect


@pytest.fixture
def make_holding(make_pitch):
    """Makes pitches on which the only robot of the first team has the ball at its gap."""

    def make(robots=(1, 0), dialect="legal", grip=Grip(), **options):  # noqa: B008 (immutable)
        chosen = replace(find_dialect(dialect), grip=grip)
        pitch = make_pitch(robots, chosen, steps=options.pop("steps", 5), **options)
        worlds = np.arange(len(pitch.world))
        place, yaw = pitch.place, pitch.yaw
        place[:, 0], yaw[:, 0] = [-2.0, 0.0], 0.0
        pitch.put_robots(worlds, place, yaw)
        pitch.put_ball(worlds, np.tile([-2.0 + pitch.dialect.hold_gap, 0.0], (len(worlds), 1)))
        return pitch

    return make


@pytest.mark.parametrize("steps", [1, 5])
def test_the_ball_goes_along(make_holding, steps, run):
    """It stays within 5 cm of its place, though nothing puts it there."""
    pitch = make_holding(steps=steps)
    for _ in range(round(2.0 / pitch.world.delta_time)):
        pitch.command[:] = [1.5, 0.5, 1.0]
        run(pitch, pitch.world.delta_time)
        ahead = np.array([math.cos(pitch.yaw[0, 0]), math.sin(pitch.yaw[0, 0])])
        spot = pitch.place[0, 0] + pitch.dialect.hold_gap * ahead
        assert np.linalg.norm(pitch.ball_place[0, :2] - spot) < 0.05
        assert pitch.holder[0] == 0
    assert np.linalg.norm(pitch.place[0, 0] - [-2.0, 0.0]) > 1.0


def test_a_weak_dribbler_loses_the_ball(make_holding, run):
    """A robot that drives off backwards keeps it with 30 N, and not with 0.2 N."""
    for force, holder in [(30.0, 0), (0.2, -1)]:
        pitch = make_holding(grip=Grip(force=force))
        pitch.command[:] = [-2.0, 0.0, 0.0]
        run(pitch, 1.0)
        assert pitch.holder[0] == holder


@pytest.mark.parametrize("kick", [(3.0, 0.0), (8.0, 0.0), (6.0, 4.0)])
def test_a_kick_gives_its_speed(make_holding, kick, run):
    """As with poses that are set: ahead and up, rolling if it stays on the ground."""
    pitch = make_holding()
    pitch.kick[0, 0] = kick
    run(pitch, pitch.world.delta_time)
    assert pitch.kicked[0] == 0
    velocity = pitch.ball_velocity[0]
    fallen = pitch.dialect.gravity * pitch.world.delta_time if kick[1] else 0.0
    np.testing.assert_allclose(velocity, [kick[0], 0.0, kick[1] - fallen], atol=0.15)
    spin = pitch.world.links.select(["ball::ball"]).twist[0, 0, 3:]
    rolling = 0.0 if kick[1] else kick[0] / pitch.dialect.ball_radius
    np.testing.assert_allclose(spin, [0.0, rolling, 0.0], atol=0.06 * max(rolling, 5.0))


def test_a_ball_rests_in_the_grip_after_two_periods():
    """A strong dribbler lets it neither ring nor creep: one to its place, one to stop."""
    offset, velocity, period = np.array([0.02, -0.01]), np.array([0.3, 0.5]), 0.025
    for _ in range(2):  # the place rests
        velocity = velocity + Grip(1e9).pull(offset, -velocity, 0.4, period)
        offset = offset - velocity * period
    np.testing.assert_allclose([offset, velocity], 0.0, atol=1e-12)


@pytest.mark.parametrize("way", [0.0, math.pi / 2, math.pi / 4])
def test_the_boundary_stops_a_held_ball(make_pitch, run, way):
    """Into a wall, and into the corner: robot and ball stay inside, and the ball stays low."""
    pitch = make_pitch((1, 0), steps=4)
    ahead = np.array([math.cos(way), math.sin(way)])
    corner = np.array([9.0, 6.0]) + 1.5
    start = (corner - 1.5) * (np.abs(ahead) > 0.1) + np.array([0.0, 4.0]) * (way == 0.0)
    pitch.put_robots([0], [[start]], [[way]])
    pitch.put_ball([0], [start + 0.4 * ahead])
    highest = 0.0
    for _ in range(round(3.0 / pitch.world.delta_time)):
        pitch.command[0, 0] = [2.0, 0.0, 0.0]
        run(pitch, pitch.world.delta_time)
        highest = max(highest, pitch.ball_place[0, 2])
        assert (np.abs(pitch.ball_place[0, :2]) < corner - 0.08).all()
    assert highest < 0.13


@pytest.mark.parametrize("aside", [1.0, 1.03, 1.06])
def test_a_post_stops_a_held_ball(make_pitch, run, aside):
    """A robot dribbles into a post: its ball is never inside of it."""
    pitch = make_pitch((1, 0), steps=4)
    pitch.put_robots([0], [[[8.0, aside]]], [[0.0]])
    pitch.put_ball([0], [[8.4, aside]])
    for _ in range(round(3.0 / pitch.world.delta_time)):
        pitch.command[0, 0] = [1.5, 0.0, 0.0]
        run(pitch, pitch.world.delta_time)
        ball = pitch.ball_place[0, :2]
        nearest = np.clip(ball, [8.875, 1.0], [9.0, 1.125])
        assert np.linalg.norm(ball - nearest) > 0.08


def test_a_body_stops_a_held_ball(make_pitch, run):
    """An opponent backs into the ball, and shoves it rather than driving over it."""
    pitch = make_pitch(1, steps=4)
    pitch.put_robots([0], [[[0.0, 0.0], [1.2, 0.0]]], [[0.0, 0.0]])
    pitch.put_ball([0], [[0.4, 0.0]])
    for _ in range(round(3.0 / pitch.world.delta_time)):
        pitch.command[0, 1] = [-1.0, 0.0, 0.0]
        run(pitch, pitch.world.delta_time)
        gap = np.linalg.norm(pitch.ball_place[0, :2] - pitch.place[0], axis=1)
        assert gap.min() > 0.33


def test_an_opponent_tears_the_ball_away(make_holding, run):
    """A robot pulls the ball off one whose dribbler is off, and backs away with it."""
    pitch = make_holding((1, 1))
    pitch.put_robots(np.array([0]), [[[-2.0, 0.0], [-0.9, 0.0]]], [[0.0, math.pi]])
    pitch.put_ball(np.array([0]), [[-1.6, 0.0]])
    pitch.dribbles[0, 0] = False
    pitch.command[0, 1] = [0.5, 0.0, 0.0]
    run(pitch, 1.0)
    assert pitch.holder[0] == 1
    pitch.command[0, 1] = [-1.0, 0.0, 0.0]
    run(pitch, 1.0)
    assert pitch.holder[0] == 1
    assert pitch.ball_place[0, 0] > -1.2


def test_world_w_of_w_has_the_bits_of_one_world(make_holding, run):
    def play(worlds, seed):
        pitch = make_holding(worlds=worlds, seed=seed)
        for _ in range(40):
            pitch.command[:] = pitch.world.uniform(-1.0, 2.0, (1, 3))
            run(pitch, pitch.world.delta_time)
        return pitch.world.models.select([*pitch.names, "ball"]).pose

    many = play(3, 5)
    for world in range(3):
        assert many[world].tobytes() == play(1, 5 + world)[0].tobytes()
