# SPDX-License-Identifier: Apache-2.0
"""Robots that drive, hold and kick in worlds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_soccer import DIALECTS


def test_a_robot_drives_in_its_own_frame(make_pitch, run):
    """Cyan and magenta face each other; both drive ahead and to their left."""
    pitch = make_pitch(1, "paper")
    pitch.put_ball([0], [[0.0, 5.0]])
    start = pitch.place
    pitch.command[:] = [0.5, 0.2, 0.0]
    run(pitch, 1.05)
    moved = pitch.place - start
    np.testing.assert_allclose(moved[0, 0], [0.525, 0.21], atol=1e-6)
    np.testing.assert_allclose(moved[0, 1], [-0.525, -0.21], atol=1e-6)
    np.testing.assert_allclose(pitch.velocity[0], [[0.5, 0.2, 0.0]] * 2, atol=1e-9)


def test_wheels_need_time(make_pitch, run):
    """A robot within the rules speeds up by sqrt(2) 2.5 m/s² along its axis, and brakes faster."""
    pitch = make_pitch(1)
    pitch.put_ball([0], [[0.0, 5.0]])
    pitch.command[..., 0] = 3.0
    run(pitch, 0.2)
    assert pitch.velocity[0, 0, 0] == pytest.approx(0.2 * 2.5 * math.sqrt(2.0), rel=1e-6)
    pitch.command[..., 0] = 0.0
    run(pitch, 0.11)
    assert abs(pitch.velocity[0, 0, 0]) < 1e-9


@pytest.mark.parametrize("name", DIALECTS)
def test_a_ball_that_is_held_goes_along(make_pitch, name):
    """It stays at the gap ahead of the kicker while the robot drives and turns."""
    pitch = make_pitch((1, 0), name)
    gap = pitch.dialect.hold_gap
    pitch.put_robots([0], [[[-2.0, 0.0]]], [[0.0]])
    pitch.put_ball([0], [[-2.0 + gap - 0.01, 0.0]])
    close = 1e-9 if pitch.dialect.grip is None else 0.05
    for _ in range(60):
        pitch.command[:] = [1.0, 0.5, 1.5]
        pitch.drive()
        way = pitch.place[0, 0] + gap * np.array(
            [math.cos(pitch.yaw[0, 0]), math.sin(pitch.yaw[0, 0])]
        )
        ball = pitch.world.models.select(["ball"]).pose[0, 0, :2]
        np.testing.assert_allclose(ball, way, atol=close)
        assert pitch.holder[0] == 0
        pitch.world.tick()


def test_a_pass_rolls_as_far_as_the_decay_lets_it(make_pitch, run):
    """v² / (2 mu g): 4.25 m at 5 m/s in the paper's dialect."""
    pitch = make_pitch((1, 0), "paper")
    pitch.put_robots([0], [[[-2.0, 0.0]]], [[0.0]])
    pitch.put_ball([0], [[-1.57, 0.0]])
    pitch.kick[0, 0] = 5.0, 0.0
    pitch.drive()
    assert pitch.kicked[0] == 0
    assert pitch.holder[0] == -1
    pitch.world.tick()
    start = pitch.ball_place[0, 0]
    run(pitch, 3.0)
    assert pitch.ball_place[0, 0] - start == pytest.approx(25.0 / (2 * 0.3 * 9.8), rel=0.03)
    assert np.abs(pitch.ball_velocity).max() < 0.01


def test_a_rolling_ball_bounces_as_one_that_falls_straight(make_pitch, run):
    """What slows it along the ground is not in the way of its height."""
    pitch = make_pitch((1, 0), worlds=2)
    pitch.put_ball([0, 1], [[2.0, 2.0]] * 2)
    ball = pitch.world.models.select(["ball"])
    ball.twist = [[[0.0, 0.0, 3.0, 0.0, 0.0, 0.0]], [[2.0, 0.0, 3.0, 0.0, 0.0, 0.0]]]
    for _ in range(round(1.5 / pitch.world.delta_time)):
        run(pitch, pitch.world.delta_time)
        straight, thrown = pitch.ball_place[:, 2]
        assert thrown == pytest.approx(straight, abs=1e-3)
    assert pitch.ball_velocity[1, 0] < 1.99


def test_a_robot_without_the_ball_kicks_nothing(make_pitch):
    """The kick is forgotten, not kept."""
    pitch = make_pitch((1, 0))
    pitch.put_ball([0], [[3.0, 0.0]])
    pitch.kick[0, 0] = 5.0, 0.0
    pitch.drive()
    assert pitch.kicked[0] == -1
    assert not pitch.kick.any()


@pytest.mark.parametrize("name", ["paper", "legal"])
def test_a_duel_for_the_ball_is_fair(make_pitch, name):
    """A holder that an opponent challenges keeps the ball as often as not; the loser must wait."""
    pitch, worlds = make_pitch(1, name, worlds=200, seed=3, steps=4), np.arange(200)
    side = np.where(worlds % 2, 1.0, -1.0)  # cyan holds in one half, magenta in the other one
    place = np.zeros((200, 2, 2))
    place[:, 0, 0], place[:, 1, 0] = np.where(side < 0, -0.4, -0.9), np.where(side < 0, 0.9, 0.4)
    pitch.put_robots(worlds, place, np.tile([0.0, math.pi], (200, 1)))
    pitch.put_ball(worlds, np.zeros((200, 2)))
    pitch.drive()
    first = pitch.holder.copy()
    np.testing.assert_array_equal(first, np.where(side < 0, 0, 1))
    pitch.command[worlds, 1 - first, 0] = 0.5
    changes = np.zeros(200, np.int64)
    for _ in range(round(3.0 / pitch.world.delta_time)):
        before = pitch.holder.copy()
        pitch.drive()
        pitch.world.tick()
        changes += (pitch.holder >= 0) & (before >= 0) & (pitch.holder != before)
        pitch.command[pitch.holder != first] = 0.0
    assert (changes <= 1).mean() > 0.95
    kept = (pitch.holder == first).sum()
    assert abs(kept - 100) < 4.0 * math.sqrt(50.0)


def test_a_free_ball_between_two_robots_goes_by_lot(make_pitch):
    """Mirrored robots come to it at the same tick, in 200 worlds."""
    pitch, worlds = make_pitch(1, worlds=200, seed=1, steps=4), np.arange(200)
    distance = np.linspace(1.0, 2.0, 200)
    place = np.zeros((200, 2, 2))
    place[:, 0, 0], place[:, 1, 0] = -distance, distance
    pitch.put_robots(worlds, place, np.tile([0.0, math.pi], (200, 1)))
    pitch.put_ball(worlds, np.zeros((200, 2)))
    last = np.full(200, -1)
    for _ in range(160):
        pitch.command[:, :, 0] = (pitch.holder == -1)[:, None]
        pitch.drive()
        pitch.world.tick()
        last = np.where(pitch.holder >= 0, pitch.holder, last)
    assert (last >= 0).all()
    assert abs(int((last == 0).sum()) - 100) < 4.0 * math.sqrt(50.0)


@pytest.mark.parametrize("name", ["paper", "simatch", "legal"])
def test_robots_do_not_tilt_when_they_collide(make_pitch, name, run):
    """They run at full speed into each other, and into the boundary, where they stay."""
    pitch = make_pitch(1, name, steps=4)
    pitch.put_ball([0], [[0.0, 5.0]])
    rows, tilts = pitch.world.models.select(pitch.names), []
    for command, seconds in (([4.0, 0.0, 0.0], 2.0), ([0.0, 4.0, 0.0], 3.0)):
        pitch.command[:] = command
        for _ in range(round(seconds / pitch.world.delta_time)):
            run(pitch, pitch.world.delta_time)
            tilts.append(np.abs(rows.pose[..., 2:5]).max())
    assert max(tilts) < 3e-4
    reach = pitch.field.width / 2.0 + pitch.field.margin - pitch.dialect.robot_radius
    np.testing.assert_allclose(np.abs(pitch.place[0, :, 1]), reach, atol=0.05)


def test_sense_finds_changes_by_others(make_pitch):
    """A ball that is moved by its row, and a robot that is turned by its own."""
    pitch = make_pitch((1, 0), worlds=2)
    models = pitch.world.models
    models.select(["ball"]).put(worlds=[1], pose=(1.0, 2.0, 0.11, 0.0, 0.0, 0.0, 1.0))
    models.select(["cyan_0"]).put(worlds=[1], pose=(0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.8))
    pitch.sense()
    np.testing.assert_allclose(pitch.ball_place, [[0.0, 0.0, 0.11], [1.0, 2.0, 0.11]])
    np.testing.assert_allclose(pitch.heading[:, 0], [[1.0, 0.0], [0.28, 0.96]], atol=1e-12)
    np.testing.assert_allclose(pitch.yaw[:, 0], [0.0, 2.0 * math.atan2(0.6, 0.8)])


def test_the_boundary_rule_of_gazebo_visual(make_pitch):
    """A ball that crosses a line is put 2 cm inside, at rest; one in the goal is not."""
    pitch = make_pitch((1, 0), "gazebo_visual", keeps_ball_in=True)
    pitch.put_ball([0], [[3.0, 6.1]])
    pitch.drive()
    ball = pitch.world.models.select(["ball"])
    np.testing.assert_allclose(ball.pose[0, 0, :2], [3.0, 5.98])
    assert not ball.twist.any()
    pitch.put_ball([0], [[9.2, 0.3]])
    pitch.drive()
    assert ball.pose[0, 0, 0] == 9.2


def test_goals_and_the_ball_outside(make_pitch):
    """The whole ball must be over the line, between the posts and below the bar."""
    pitch = make_pitch((1, 0))
    cases = {
        (9.2, 0.3, 0.2): (1, True),
        (-9.2, 0.3, 0.2): (-1, True),
        (9.05, 0.3, 0.2): (0, False),
        (9.2, 1.3, 0.2): (0, True),
        (9.2, 0.3, 1.3): (0, True),
        (1.0, 6.2, 0.1): (0, True),
    }
    pose = np.array([[*place, 0.0, 0.0, 0.0, 1.0] for place in cases])
    goals, outside = zip(*cases.values(), strict=True)
    np.testing.assert_array_equal(pitch.ball.goal(pose), goals)
    np.testing.assert_array_equal(pitch.ball.out(pose), outside)


@pytest.mark.parametrize("robots", [0, 12, (3, -1)])
def test_teams_have_up_to_eleven_robots(make_pitch, robots):
    """The message has the number that was given."""
    with pytest.raises(ValueError, match="robots must be 1 to 11 of a team"):
        make_pitch(robots)


def test_constants_change_while_the_world_runs(make_pitch, run):
    """A ball slows down more, and is held from farther away; the others are fixed."""
    pitch = make_pitch((1, 0), "paper")
    pitch.put_robots([0], [[[-2.0, 0.0]]], [[0.0]])
    pitch.put_ball([0], [[-1.45, 0.0]])
    pitch.drive()
    assert pitch.holder[0] == -1
    pitch.change(hold_distance=0.6)
    pitch.drive()
    assert pitch.holder[0] == 0
    pitch.dribbles[:] = False
    lost = []
    for decay in (0.1, 0.5):
        pitch.change(ball_decay=decay)
        pitch.put_ball([0], [[2.0, 0.0]])
        ball = pitch.world.models.select(["ball"])
        ball.put(twist=[3.0, 0.0, 0.0, 0.0, 3.0 / 0.11, 0.0])
        run(pitch, 0.35)
        lost.append(3.0 - pitch.ball_velocity[0, 0])
    np.testing.assert_allclose(lost, [0.1 * 9.8 * 0.35, 0.5 * 9.8 * 0.35], rtol=0.1)
    for name in ("robot_mass", "step", "mass"):
        with pytest.raises(
            ValueError, match=f"'{name}' cannot be changed; expected one of wheel_sp"
        ):
            pitch.change(**{name: 1.0})
    assert pitch.dialect.robot_mass == 31.0
