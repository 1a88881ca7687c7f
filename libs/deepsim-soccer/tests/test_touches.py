# SPDX-License-Identifier: Apache-2.0
"""The last touch of the ball, and the restarts that follow from it; balls are shot at bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_soccer import Call, Referee

ALL = np.array([0])
FAR = [[-8.5, 0.0], [-7.0, 5.0], [8.5, 0.0], [7.0, 5.0]]
"""Two a side, out of the way: cyan 0 and 1, magenta 2 and 3."""


def shoot(pitch, ball, velocity, worlds=ALL):
    """Puts the ball of some worlds somewhere, and lets it roll."""
    radius = pitch.dialect.ball_radius
    pitch.put_ball(worlds, [ball] * len(worlds))
    vx, vy, vz = velocity
    twist = [vx, vy, vz, -vy / radius, vx / radius, 0.0]
    pitch.world.models.select(["ball"]).put(worlds, twist=twist)


def play(pitch, referee, seconds, worlds=ALL):
    """Plays on; returns the first decision that restarts play, or the last one."""
    for _ in range(round(seconds / pitch.world.delta_time)):
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        decision = referee.judge(worlds)
        if decision.call.any():
            break
    return decision


def place(pitch, moved, yaws):
    """Puts the robots to `FAR`, but some elsewhere."""
    places = [moved.get(number, spot) for number, spot in enumerate(FAR)]
    pitch.put_robots(ALL, [places], [[yaws.get(n, 0.0) for n in range(4)]])


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("body", "yaw", "ball", "velocity", "call", "fouler"),
    [
        # A shot glances off a defender's back, over the goal line or the touch line.
        ((8.3, 3.0), 0.0, (6.5, 3.2), (9.0, 0.0, 0.0), Call.CORNER, "body"),
        ((2.0, 5.5), math.pi / 2, (2.2, 3.5), (0.0, 9.0, 0.0), Call.THROW_IN, "body"),
        # Nobody met it.
        ((0.0, -3.0), 0.0, (7.0, 3.2), (6.0, 0.0, 0.0), Call.DROP_BALL, None),
        ((0.0, -3.0), 0.0, (2.0, 4.0), (0.0, 6.0, 0.0), Call.DROP_BALL, None),
    ],
)
def test_the_last_touch_is_the_body_that_the_ball_met(
    make_pitch, body, yaw, ball, velocity, call, fouler, mirrored
):
    """Cyan in the mirrored world is magenta in the other one."""
    pitch = make_pitch(2, steps=4)
    pitch.dribbles[:] = False
    sign, robot = (-1.0, 0) if mirrored else (1.0, 2)
    turn = math.pi if mirrored else 0.0
    place(pitch, {robot: (sign * body[0], sign * body[1])}, {robot: yaw + turn})
    vx, vy, vz = velocity
    shoot(pitch, (sign * ball[0], sign * ball[1]), (sign * vx, sign * vy, vz))
    decision = play(pitch, Referee(pitch), 4.0)
    assert decision.call[0] == call
    assert decision.team[0] == (-1 if fouler is None else 1 - pitch.team[robot])
    assert pitch.touched[0] == -1  # since the restart
    if fouler is None:
        assert not pitch.pause.any()


def test_a_kick_that_meets_nobody_is_the_kickers(make_pitch):
    """Cyan kicks the ball over the touch line: magenta throws in."""
    pitch = make_pitch(2, steps=4)
    place(pitch, {0: (2.0, 3.0)}, {0: math.pi / 2})
    pitch.put_ball(ALL, [[2.0, 3.4]])
    pitch.kick[0, 0] = 6.0, 0.0
    decision = play(pitch, Referee(pitch), 3.0)
    assert (decision.call[0], decision.team[0]) == (Call.THROW_IN, 1)


def test_a_bounce_off_a_post_is_nobodys_touch(make_pitch):
    """A robot that leans on the same post did not touch the ball."""
    pitch = make_pitch(2, steps=4)
    pitch.dribbles[:] = False
    place(pitch, {2: (8.94, 1.40)}, {})
    pitch.command[0, 2, 1] = -0.3  # leans on the post
    play(pitch, Referee(pitch), 0.5)
    shoot(pitch, (7.0, 0.98), (8.0, 0.0, 0.0))
    referee = Referee(pitch)
    for _ in range(24):
        play(pitch, referee, pitch.world.delta_time)
        if pitch.ball_velocity[0, 0] < 1.0:
            break
    assert pitch.ball_velocity[0, 0] < 1.0
    assert pitch.touched[0] == -1


@pytest.mark.parametrize("seed", range(4))
def test_a_fast_ball_touches_within_a_tick(make_pitch, seed):
    """It meets and leaves the body between two looks, anywhere on the body."""
    rng = np.random.default_rng(seed)
    pitch = make_pitch(2, steps=4)
    pitch.dribbles[:] = False
    for _ in range(8):
        start, offset = rng.uniform(1.0, 2.0), rng.uniform(-0.33, 0.33)
        place(pitch, {1: (0.0, 0.0)}, {1: rng.uniform(-3.0, 3.0)})
        shoot(pitch, (start, offset), (-12.0, 0.0, 0.0))
        play(pitch, Referee(pitch), 0.3)
        assert pitch.touched[0] == 1
        shoot(pitch, (start, math.copysign(0.38, offset)), (-12.0, 0.0, 0.0))
        play(pitch, Referee(pitch), 0.3)
        assert pitch.touched[0] == -1


def test_a_near_miss_between_robots_that_lean_on_each_other(make_pitch):
    """Their bumpers feel each other; the ball rolls past at 4 cm."""
    pitch = make_pitch(2, steps=4)
    pitch.dribbles[:] = False
    place(pitch, {1: (0.0, 0.0), 3: (0.0, 0.5)}, {1: math.pi / 2, 3: -math.pi / 2})
    pitch.command[0, [1, 3], 0] = 0.2
    play(pitch, Referee(pitch), 0.3)
    shoot(pitch, (1.5, -0.40), (-5.0, 0.0, 0.0))
    play(pitch, Referee(pitch), 0.6)
    assert pitch.ball_place[0, 0] < -1.0
    assert pitch.touched[0] == -1


def test_touches_survive_neither_a_restart_nor_an_episode(make_pitch):
    """Nor does the touch of the very tick before it, which nobody looked at yet."""
    pitch = make_pitch(2, steps=4)
    pitch.dribbles[:] = False
    referee = Referee(pitch)
    for again in (
        lambda: referee.restart(ALL, Call.THROW_IN, 0),
        lambda: referee.line_up(ALL, np.array([0])),
        lambda: pitch.put_ball(ALL, [[0.8, 0.0]]),
    ):
        place(pitch, {1: (0.0, 0.0)}, {})
        shoot(pitch, (0.5, 0.0), (-6.0, 0.0, 0.0))
        pitch.drive()
        pitch.world.tick()
        pitch.drive()
        pitch.world.tick()
        again()
        pitch.sense()
        assert pitch.touched[0] == -1
        play(pitch, referee, 0.1)
        assert pitch.touched[0] == -1


def test_restarts_of_symmetric_play_differ_by_chance_only(make_pitch):
    """64 worlds in which both teams bump the ball with their bodies: a binomial test."""
    worlds = np.arange(64)
    pitch = make_pitch(2, steps=4, worlds=64, seed=9)
    pitch.dribbles[:] = False
    referee = Referee(pitch)
    referee.line_up(worlds, worlds % 2)
    got = np.zeros(2, np.int64)
    for tick in range(1200):
        if tick % 20 == 0:
            way = pitch.ball_place[:, None, :2] - pitch.place
            angle = np.arctan2(way[..., 1], way[..., 0]) - pitch.yaw
            pitch.command[..., 0], pitch.command[..., 1] = 2.5 * np.cos(angle), 2.5 * np.sin(angle)
            pitch.command[..., 2] = pitch.world.uniform(-1.0, 1.0, 4)
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        decision = referee.judge(worlds)
        called = (decision.call > 0) & (decision.goal == 0) & (decision.team >= 0)
        got += np.bincount(decision.team[called], minlength=2)
    assert got.sum() > 200
    assert abs(int(got[0] - got[1])) < 4.0 * math.sqrt(got.sum())
