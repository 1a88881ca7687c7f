# SPDX-License-Identifier: Apache-2.0
"""The paper's scenario: one robot scores a goal."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_btree import AGENT, Tree
from deepsim_btree.batch import Batch
from deepsim_soccer.mind import Limits, SoloMind, Steering

STATES = ["CHASE_BALL", "MOVE_BALL", "ROTATE_BALL", "KICK_BALL", "RESET", "HOME"]


def begin(pitch, worlds=1):
    """Puts ball and robot where the published scenario has them."""
    every = np.arange(worlds)
    pitch.put_robots(every, np.broadcast_to([[-8.42, 3.0]], (worlds, 1, 2)), np.zeros((worlds, 1)))
    pitch.put_ball(every, np.broadcast_to([-8.0, 5.0], (worlds, 2)))


def bar_gap(ball):
    """Returns the distance of the ball's surface from the bar's section."""
    x = np.maximum(np.maximum(8.875 - ball[0], ball[0] - 9.0), 0.0)
    z = np.maximum(np.maximum(1.0 - ball[2], ball[2] - 1.125), 0.0)
    return np.hypot(x, z) - 0.11


@pytest.mark.parametrize("dialect", ["paper", "legal"])
def test_the_scenario_of_the_paper(make_pitch, dialect):
    """It chases, dribbles to (4, -2), turns, lobs into the goal under the bar, and drives back."""
    pitch = make_pitch((1, 0), dialect)
    begin(pitch)
    mind = SoloMind(pitch)
    tree = Tree(mind.root(0))
    states, gaps, scored, shot = [], [], False, None
    for _ in range(round(20.0 / pitch.world.delta_time)):
        pitch.sense()
        tree.tick()
        if mind.state[0] not in states:
            states.append(str(mind.state[0]))
        pitch.drive()
        if pitch.kicked[0] == 0:
            shot = pitch.place[0, 0].copy()
        pitch.world.tick()
        pitch.sense()
        gaps.append(bar_gap(pitch.ball_place[0]))
        scored |= pitch.ball_place[0, 0] > 9.11 and abs(pitch.ball_place[0, 1]) < 1.0
    assert states == STATES
    assert scored
    assert min(gaps) > 0.0
    np.testing.assert_allclose(shot, [4.0, -2.0], atol=0.11)
    np.testing.assert_allclose(pitch.place[0, 0], [-4.0, -2.0], atol=0.11)
    assert 9.0 < pitch.ball_place[0, 0] < 9.5


def test_a_lost_ball_is_chased_again(make_pitch):
    """While it dribbles, the ball is taken away; it goes back to CHASE_BALL."""
    pitch = make_pitch((1, 0), "paper")
    begin(pitch)
    mind = SoloMind(pitch)
    tree = Tree(mind.root(0))
    states = []
    for _ in range(1500):
        pitch.sense()
        tree.tick()
        if not states or states[-1] != mind.state[0]:
            states.append(str(mind.state[0]))
            if len(states) == 2:
                pitch.put_ball([0], [[-3.0, -3.0]])
        pitch.drive()
        pitch.world.tick()
    assert states[:4] == ["CHASE_BALL", "MOVE_BALL", "CHASE_BALL", "MOVE_BALL"]


def test_a_batch_of_worlds_does_the_same(make_pitch):
    """Tree and Batch give the same bits."""

    def play(worlds, tick_of):
        pitch = make_pitch((1, 0), "paper", worlds=worlds, steps=2)
        begin(pitch, worlds)
        mind = SoloMind(pitch)
        tree = tick_of(mind)
        for _ in range(400):
            pitch.sense()
            tree.tick()
            pitch.drive()
            pitch.world.tick()
        return pitch.world.models.select([*pitch.names, "ball"]).pose, mind.state

    one, state = play(1, lambda mind: Tree(mind.root(0)))
    many, states = play(3, lambda mind: Batch(mind.root(AGENT), 3))
    assert state[0] == "MOVE_BALL"
    assert set(states) == {"MOVE_BALL"}
    for world in range(3):
        assert many[world].tobytes() == one[0].tobytes()


def test_a_robot_turns_within_its_limits(make_pitch):
    """As fast as it may, no faster; it neither stops short of the target nor swings past it."""
    pitch = make_pitch((1, 0), "paper")
    period = pitch.world.delta_time
    pitch.put_robots(np.arange(1), np.zeros((1, 1, 2)), np.zeros((1, 1)))
    limits = Limits(turn_speed=1.5, turn_acceleration=3.0, turn_floor=0.2)
    steering = Steering(pitch, limits)
    rates, left = [0.0], np.inf
    for _ in range(round(4.0 / period)):
        pitch.sense()
        left = steering.turn(0, [0.0, 2.0])
        rates.append(float(pitch.command[0, 0, 2]))
        pitch.drive()
        pitch.world.tick()
    assert max(rates) == pytest.approx(1.5, abs=1e-6)
    assert np.diff(rates).max() <= 3.0 * period + 1e-6 or rates[1] == pytest.approx(0.2)
    assert left < 0.02
    assert min(rates) > -0.21
