# SPDX-License-Identifier: Apache-2.0
"""Fouls, and the time that a restart takes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_soccer import Call, Foul, Fouls, Phase, Referee

ALL = np.array([0])
HOME = [[-8.5, 0.0], [-2.0, 1.0], [-2.0, -1.0], [8.5, 0.0], [2.0, 1.0], [2.0, -1.0]]
"""Three a side, nobody where he may not be; cyan 0 .. 2, magenta 3 .. 5."""


@pytest.fixture
def pitch(make_pitch):
    """Three a side and the ball far from everybody."""
    pitch = make_pitch(3, steps=5)
    pitch.put_robots(ALL, [HOME], [[0.0] * 6])
    pitch.put_ball(ALL, [[0.0, 4.0]])
    return pitch


@pytest.mark.parametrize(
    ("moved", "foul", "team"),
    [
        ({}, Foul.NONE, 0),
        ({1: (-8.6, 1.0)}, Foul.GOAL_AREA, 1),
        ({1: (8.6, 1.0)}, Foul.GOAL_AREA, 1),
        ({4: (8.6, 1.0)}, Foul.GOAL_AREA, 0),
        ({1: (-7.5, 2.0)}, Foul.NONE, 0),
        ({1: (-7.5, 2.0), 2: (-7.5, -2.0)}, Foul.PENALTY_AREA, 1),
        ({4: (-7.5, 2.0), 5: (-7.5, -2.0)}, Foul.PENALTY_AREA, 0),
        ({1: (-7.5, 2.0), 4: (-7.5, -2.0)}, Foul.NONE, 0),
        ({1: (-7.5, 3.4), 2: (-7.5, -2.0)}, Foul.NONE, 0),
        ({0: (-7.5, 2.0), 2: (-7.5, -2.0)}, Foul.NONE, 0),
    ],
)
def test_robots_leave_the_areas(pitch, step, moved, foul, team):
    """One field player of a team in each penalty area, none in a goal area, for a second."""
    places = [moved.get(number, place) for number, place in enumerate(HOME)]
    pitch.put_robots(ALL, [places], [[0.0] * 6])
    referee = Referee(pitch, fouls=Fouls(pitch))
    decision = step(pitch, referee, 0.9)
    assert decision.foul[0] == Foul.NONE
    decision = step(pitch, referee, 0.3, until=lambda decision: decision.foul[0] != Foul.NONE)
    assert decision.foul[0] == foul
    if foul:
        assert decision.call[0] == Call.FREE_KICK
        assert decision.team[0] == team


def test_who_leaves_an_area_in_time_may_come_back(pitch, step):
    """Only a stay at a stretch is a foul, not the sum of several."""
    referee = Referee(pitch, fouls=Fouls(pitch))
    for place, seconds in [((-8.6, 1.0), 0.8), (HOME[1], 0.1), ((-8.6, 1.0), 0.8)]:
        pitch.put_robots(ALL, [[HOME[0], place, *HOME[2:]]], [[0.0] * 6])
        assert step(pitch, referee, seconds).foul[0] == Foul.NONE
    assert step(pitch, referee, 0.4, until=lambda it: it.foul[0]).foul[0] == Foul.GOAL_AREA


def test_nobody_dribbles_farther_than_3_m(pitch, step):
    """Measured from where the robot got the ball; the others have a free kick there."""
    pitch.put_robots(ALL, [[HOME[0], (-2.0, 4.0), *HOME[2:]]], [[0.0] * 6])
    pitch.put_ball(ALL, [[-1.6, 4.0]])
    referee = Referee(pitch, fouls=Fouls(pitch))
    pitch.command[0, 1] = [1.5, 0.0, 0.0]
    decision = step(pitch, referee, 5.0, until=lambda decision: decision.call[0])
    assert decision.foul[0] == Foul.DRIBBLE
    assert (decision.call[0], decision.team[0]) == (Call.FREE_KICK, 1)
    assert pitch.ball_place[0, 0] == pytest.approx(-1.6 + 3.0, abs=0.06)
    assert pitch.holder[0] == -1


def test_a_pass_begins_the_distance_anew(pitch, step):
    """Who gets the ball again may take it 3 m from there."""
    pitch.put_robots(ALL, [[HOME[0], (-2.0, 4.0), *HOME[2:]]], [[0.0] * 6])
    pitch.put_ball(ALL, [[-1.6, 4.0]])
    referee = Referee(pitch, fouls=Fouls(pitch))
    pitch.command[0, 1] = [2.0, 0.0, 0.0]
    for _ in range(3):
        step(pitch, referee, 5.0, until=lambda _: pitch.ball_place[0, 0] - pitch.got[0, 0] > 2.0)
        pitch.kick[0, 1] = 2.5, 0.0
        step(pitch, referee, 5.0, until=lambda _: pitch.holder[0] == 1)
    assert pitch.ball_place[0, 0] > 4.0
    assert referee.phase[0] == Phase.PLAY


def test_without_fouls_none_is_called(pitch, step):
    pitch.put_robots(ALL, [[HOME[0], (-8.6, 1.0), *HOME[2:]]], [[0.0] * 6])
    assert step(pitch, Referee(pitch), 3.0).call[0] == Call.NONE


def test_a_free_kick_is_taken_outside_of_penalty_areas(pitch):
    """At the nearest of the six restart spots; elsewhere where the ball is."""
    referee = Referee(pitch)
    for place, spot in [((-8.0, 2.0), (-6.0, 3.0)), ((8.0, -1.0), (6.0, -3.0)), ((1.0, 2.0),) * 2]:
        pitch.put_ball(ALL, [place])
        referee.restart(ALL, Call.FREE_KICK, 0)
        np.testing.assert_allclose(pitch.ball_place[0, :2], spot)


def test_the_ball_is_not_put_into_a_robot(pitch, step):
    """A corner at which a robot stands is taken beside it, nearer to the centre."""
    places = [*HOME[:4], [8.75, 5.75], HOME[5]]
    pitch.put_robots(ALL, [places], [[0.0] * 6])
    referee = Referee(pitch, stop=2.0)
    referee.restart(ALL, Call.CORNER, 0)
    way = pitch.ball_place[0, :2] - places[4]
    assert 0.38 < np.linalg.norm(way) < 0.85
    assert np.abs(pitch.ball_place[0, :2] - [8.8, 5.8]).max() < 0.9
    assert step(pitch, referee, 2.5).call[0] == Call.NONE
    assert not pitch.ball.out(pitch.ball_pose)[0]


def test_a_restart_takes_its_time(pitch, step):
    """Everybody stands for 2 s; then one team may take the ball; after 4 s the other one too."""
    referee = Referee(pitch, stop=2.0, set_piece=4.0)
    near = [[-3.6, 4.0], [0.4, 4.0]]  # one of each team faces the ball
    places = [HOME[0], near[0], HOME[2], HOME[3], near[1], HOME[5]]
    pitch.put_robots(ALL, [places], [[0.0, 0.0, 0.0, 0.0, math.pi, 0.0]])
    referee.restart(ALL, Call.FREE_KICK, 1)
    pitch.command[:, 1:3] = [1.0, 0.0, 0.0]
    begin = pitch.world.time[0]
    seen = {}
    pitch.dribbles[0, 4] = False  # whose restart it is does not take it
    for _ in range(round(9.0 / pitch.world.delta_time)):
        step(pitch, referee, pitch.world.delta_time)
        time = pitch.world.time[0] - begin
        seen.setdefault(Phase(int(referee.phase[0])), time)
        if time < 2.0:
            assert pitch.holder[0] == -1
            np.testing.assert_allclose(pitch.place[0, 2], HOME[2], atol=1e-9)
        elif time < 5.9:
            assert pitch.holder[0] == -1
            assert pitch.place[0, 1, 0] < -2.95
    assert seen[Phase.SET_PIECE] == pytest.approx(2.0, abs=0.06)
    assert seen[Phase.PLAY] == pytest.approx(6.0, abs=0.06)
    assert pitch.place[0, 2, 0] > -1.0
    assert pitch.holder[0] == 1


def test_worlds_have_clocks_of_their_own(make_pitch):
    """A restart in one world stops nobody in the other."""
    pitch = make_pitch(1, worlds=2, steps=5)
    referee = Referee(pitch, stop=1.0)
    pitch.put_ball(np.array([0, 1]), [[0.0, 4.0]] * 2)
    referee.restart(np.array([1]), Call.THROW_IN, 0)
    assert referee.phase.tolist() == [Phase.PLAY, Phase.STOP]
    assert pitch.halted.tolist() == [False, True]
    for _ in range(round(1.1 / pitch.world.delta_time)):
        pitch.command[..., 0] = 1.0
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        referee.judge(np.array([0, 1]))
    assert referee.phase.tolist() == [Phase.PLAY, Phase.SET_PIECE]
    assert not pitch.halted.any()
