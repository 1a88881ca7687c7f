# SPDX-License-Identifier: Apache-2.0
"""Matches of teams that are behaviour trees, and their referee."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_soccer import Call, Foul, Fouls, Referee
from deepsim_soccer.mind import Role, TeamMind


def play(pitch, seconds, watch=lambda decision: None, **rules):
    """Plays a match; `watch` sees each decision of the referee."""
    mind = TeamMind(pitch, period=2.0 * pitch.world.delta_time)
    referee, every = Referee(pitch, **rules), np.arange(len(pitch.world))
    referee.line_up(every, np.zeros(len(every), np.int64))
    for tick in range(round(seconds / pitch.world.delta_time)):
        if tick % 2 == 0:
            mind.tick()
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        watch(referee.judge(every))
    return mind, referee


def test_a_match_has_passes_and_goals(make_pitch):
    """Three a side, eight worlds: passes that a mate takes, goals that count, few fouls."""
    pitch = make_pitch(3, worlds=8, steps=5)
    passes, fouls, goals = 0, 0, np.zeros((8, 2), np.int64)
    kicker = np.full(8, -1)

    def watch(decision):
        nonlocal passes, fouls, kicker
        kicker = np.where(pitch.kicked >= 0, pitch.kicked, kicker)
        got = (pitch.holder >= 0) & (kicker >= 0)
        passes += int((got & (pitch.holder != kicker) & (pitch.holder // 3 == kicker // 3)).sum())
        kicker = np.where(got, -1, kicker)
        fouls += int((decision.foul != Foul.NONE).sum())
        goals[:, 0] += decision.goal > 0
        goals[:, 1] += decision.goal < 0
        limit = np.array([9.0, 6.0]) + 1.5
        assert (np.abs(pitch.place) < limit).all()

    mind, referee = play(pitch, 60.0, watch, fouls=Fouls(pitch), stop=2.0, set_piece=4.0)
    assert fouls < 8  # one a minute and world
    assert passes >= 4
    assert goals.sum() >= 4
    np.testing.assert_array_equal(referee.score, goals)
    assert (mind.role[:, [0, 3]] == Role.KEEPER).all()
    for role in (Role.ATTACKER, Role.SUPPORTER):
        assert ((mind.role == role).reshape(8, 2, 3).sum(axis=-1) == 1).all()


@pytest.mark.parametrize("robots", [1, 2, 5, (3, 0), 11])
def test_any_number_of_robots_plays(make_pitch, robots):
    """Every team of two or more has one keeper, and each team one attacker."""
    pitch = make_pitch(robots, steps=5)
    mind, _ = play(pitch, 1.0)
    for team in (0, 1):
        count = (pitch.team == team).sum()
        roles = mind.role[0, pitch.team == team]
        assert (roles == Role.KEEPER).sum() == (count > 1)
        assert (roles == Role.ATTACKER).sum() == (count > 0)


@pytest.mark.parametrize(
    ("robot", "kicker", "call", "team", "spot"),
    [
        ((3.0, 4.5), 0, Call.THROW_IN, 1, (3.0, 5.8)),
        ((3.0, -4.5), 1, Call.THROW_IN, 0, (3.0, -5.8)),
        ((7.5, 4.0), 0, Call.GOAL_KICK, 1, (6.5, 1.5)),
        ((7.5, 4.0), 1, Call.CORNER, 0, (8.8, 5.8)),
        ((-7.5, -4.0), 1, Call.GOAL_KICK, 0, (-6.5, -1.5)),
        ((-7.5, -4.0), 0, Call.CORNER, 1, (-8.8, -5.8)),
        ((7.5, 0.0), 0, Call.KICK_OFF, 1, (0.0, 0.0)),
        ((-7.5, 0.0), 0, Call.KICK_OFF, 0, (0.0, 0.0)),
    ],
)
def test_the_referee_restarts_play(make_pitch, robot, kicker, call, team, spot):
    """Who kicks the ball over the nearest line loses it, but not a goal; the others wait."""
    pitch = make_pitch(1, steps=4)
    referee, ahead = Referee(pitch), np.sign(robot) * (np.abs(robot) > [7.0, 4.2])
    places = np.array([[[0.0, 2.0], [0.0, -2.0]]])
    places[0, kicker] = robot
    pitch.put_robots([0], places, [[np.arctan2(ahead[1], ahead[0])] * 2])
    pitch.put_ball([0], [robot + 0.4 * ahead])
    pitch.kick[0, kicker] = 6.0, 0.0
    for _ in range(60):
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        decision = referee.judge(np.array([0]))
        if decision.call[0]:
            break
    assert (decision.call[0], decision.team[0]) == (call, team)
    np.testing.assert_allclose(pitch.ball_place[0, :2], spot, atol=0.02)
    assert (pitch.pause[0] > 0.0).tolist() == [team == 1, team == 0]
    assert referee.score.sum() == (call == Call.KICK_OFF)
