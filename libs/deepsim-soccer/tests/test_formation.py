# SPDX-License-Identifier: Apache-2.0
"""Where robots wait, whom they pass to, and how they lob."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_soccer import Foul, Fouls, Referee
from deepsim_soccer.mind import Role, TeamMind

ALL = np.array([0])


def play(pitch, mind, seconds, watch=lambda: False):
    """Lets the mind play until `watch` returns true."""
    for tick in range(round(seconds / pitch.world.delta_time)):
        if tick % 2 == 0:
            mind.tick()
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        if watch():
            return True
    return False


@pytest.mark.parametrize("robots", [3, 5, 8, 11])
def test_posts_are_apart_and_outside_the_areas(make_pitch, robots):
    """Wherever the ball is; teams in mirrored places have mirrored posts."""
    balls = [(x, y) for x in (-8.5, -4.0, 0.0, 4.0, 8.5) for y in (-5.0, -1.0, 2.0, 5.5)]
    worlds = np.arange(len(balls))
    pitch = make_pitch(robots, worlds=len(balls))
    pitch.put_ball(worlds, balls)
    mind = TeamMind(pitch)
    mind.tick()
    waits = (mind.role == Role.SUPPORTER) | (mind.role == Role.DEFENDER)
    assert waits.sum(axis=1).tolist() == [2 * (robots - 2)] * len(balls)
    supporters = {3: 1, 5: 1, 8: 2, 11: 3}[robots]
    assert ((mind.role == Role.SUPPORTER).sum(axis=1) == 2 * supporters).all()
    for world, team in [(world, team) for world in worlds for team in (0, 1)]:
        posts = mind.post[world, waits[world] & (pitch.team == team)]
        spots = mind._outside(mind._bounded(posts), pitch.field.penalty_area)
        gaps = np.linalg.norm(spots[:, None] - spots, axis=-1) + 9.0 * np.eye(len(spots))
        assert gaps.min() > 0.6
        inside = (np.abs(spots[:, 0]) > 6.75) & (np.abs(spots[:, 1]) < 3.25)
        assert not inside.any()


def test_eleven_a_side_spread_and_stay_out_of_the_areas(make_pitch):
    """In four matches of 20 s: no heaps, hardly a foul, and the ball changes hands."""
    pitch = make_pitch(11, worlds=4, steps=4, seed=2)
    mind, worlds = TeamMind(pitch, period=2.0 * pitch.world.delta_time), np.arange(4)
    referee = Referee(pitch, fouls=Fouls(pitch), stop=2.0, set_piece=4.0)
    referee.begin(worlds, worlds % 2)
    fouls, heaps, owners = 0, [], set()

    def watch():
        nonlocal fouls
        fouls += int((referee.judge(worlds).foul != Foul.NONE).sum())
        way = np.linalg.norm(pitch.place[:, :, None] - pitch.place[:, None], axis=-1)
        mates = (pitch.team[:, None] == pitch.team) & ~np.eye(22, dtype=np.bool_)
        heaps.append(((way < 0.8) & mates).any(axis=2).sum() / 4.0)
        owners.update(pitch.team[pitch.holder[pitch.holder >= 0]].tolist())
        return False

    play(pitch, mind, 20.0, watch)
    assert fouls <= 2
    assert np.mean(heaps[200:]) < 4.0
    assert owners == {0, 1}


def test_a_robot_lobs_over_defenders_that_block_the_goal(make_pitch):
    """Nobody is in the goal, but three stand in the way: the ball flies over them into it."""
    pitch = make_pitch(4, steps=4)
    places = [[-8.5, 0.0], [3.6, 0.0], [-5.0, 3.0], [-5.0, -3.0]]
    places += [[-8.0, 5.0], [5.4, 0.0], [5.4, 0.6], [5.4, -0.6]]
    pitch.put_robots(ALL, [places], [[0.0] * 4 + [math.pi] * 4])
    pitch.put_ball(ALL, [[4.0, 0.0]])
    mind = TeamMind(pitch, np.arange(4), period=2.0 * pitch.world.delta_time)
    highest = 0.0

    def scored():
        nonlocal highest
        highest = max(highest, pitch.ball_place[0, 2])
        return bool(pitch.ball.goal(pitch.ball_pose)[0] == 1)

    assert play(pitch, mind, 4.0, scored)
    assert highest > 0.9


def test_a_robot_passes_ahead_of_a_free_mate(make_pitch):
    """It has space in front of it, and gets the ball there."""
    pitch = make_pitch(3, steps=4)
    places = [[-8.5, 0.0], [-4.0, 0.0], [-1.0, 3.0], [8.5, 0.0], [-2.0, -0.5], [4.0, -4.0]]
    pitch.put_robots(ALL, [places], [[0.0] * 3 + [math.pi] * 3])
    pitch.put_ball(ALL, [[-3.6, 0.0]])
    mind = TeamMind(pitch, np.arange(3), period=2.0 * pitch.world.delta_time)
    pitch.dribbles[0, 3:] = False
    assert play(pitch, mind, 3.0, lambda: pitch.kicked[0] == 1)
    aim = mind.aim[1]
    assert aim[0] > pitch.place[0, 2, 0] + 1.0  # ahead of the mate
    assert play(pitch, mind, 4.0, lambda: pitch.holder[0] == 2)
