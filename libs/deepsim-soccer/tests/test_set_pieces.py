# SPDX-License-Identifier: Apache-2.0
"""Distances at restarts, penalties, direct goals, cards, and rules without favour."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_soccer import Call, Card, Foul, Fouls, Phase, Referee

ALL = np.array([0])
HOME = [[-8.5, 0.0], [-2.0, 1.0], [-2.0, -1.0], [8.5, 0.0], [2.0, 1.0], [2.0, -1.0]]
"""Three a side, nobody where he may not be; cyan 0 .. 2, magenta 3 .. 5."""


def place(pitch, moved, ball=None):
    """Puts robots to `HOME`, but some elsewhere, in world 0; world 1 is its mirror image.

    There everything is turned by half a turn about the centre, and the teams are swapped.
    """
    spots = np.array([moved.get(number, spot) for number, spot in enumerate(HOME)])
    yaw = np.repeat([0.0, math.pi], 3)
    both = np.stack([spots, -spots[[3, 4, 5, 0, 1, 2]]])
    worlds = np.arange(len(pitch.world))
    pitch.put_robots(worlds, both[worlds % 2], np.tile(yaw, (len(worlds), 1)))
    if ball is not None:
        pitch.put_ball(worlds, np.array([ball, -np.array(ball)])[worlds % 2])


@pytest.mark.parametrize("call", [Call.FREE_KICK, Call.THROW_IN, Call.CORNER, Call.GOAL_KICK])
@pytest.mark.parametrize("stop", [0.0, 2.0])
def test_robots_keep_their_distance_until_the_ball_is_in_play(make_pitch, step, call, stop):
    """Opponents 3 m, mates of the taker 2 m, though all of them want to the ball."""
    pitch = make_pitch(3, steps=4)
    place(pitch, {}, (3.0, 5.9))
    pitch.dribbles[:] = False
    referee = Referee(pitch, stop=stop, set_piece=4.0)
    referee.restart(ALL, call, 0)
    ball = pitch.ball_place[0, :2].copy()
    inwards = math.atan2(-ball[1], -ball[0]) + np.linspace(-0.7, 0.7, 6)
    ring = ball + np.linspace(0.8, 2.3, 6)[:, None] * np.stack(
        [np.cos(inwards), np.sin(inwards)], 1
    )
    kept = pitch.distance.copy()
    pitch.put_robots(ALL, [ring[[5, 0, 1, 2, 3, 4]]], [[0.0] * 6])
    pitch.distance[:] = kept
    taker = np.flatnonzero(kept[0] == 0.0)
    assert len(taker) == 1
    assert taker[0] in (1, 2)

    def rush():
        way = pitch.ball_place[:, None, :2] - pitch.place
        angle = np.arctan2(way[..., 1], way[..., 0]) - pitch.yaw
        pitch.command[..., 0], pitch.command[..., 1] = 3.0 * np.cos(angle), 3.0 * np.sin(angle)
        pitch.command[0, taker] = 0.0

    for tick in range(round((stop + 3.9) / pitch.world.delta_time)):
        rush()
        step(pitch, referee, pitch.world.delta_time)
        gap = np.linalg.norm(pitch.place[0] - pitch.ball_place[0, :2], axis=1)
        if tick * pitch.world.delta_time > 3.0:
            assert (gap > kept[0] - 0.1).all()
    assert referee.phase[0] == Phase.SET_PIECE
    assert sorted(kept[0].round(1)) == [0.0, 2.0, 2.0, 3.0, 3.0, 3.0]


def test_opponents_may_come_as_soon_as_the_ball_moved_half_a_metre(make_pitch, step):
    pitch = make_pitch(3, steps=4)
    place(pitch, {1: (-0.4, 0.0)}, (0.0, 0.0))
    referee = Referee(pitch, set_piece=4.0)
    referee.restart(ALL, Call.FREE_KICK, 0)
    step(pitch, referee, 0.1)
    assert referee.phase[0] == Phase.SET_PIECE
    assert (pitch.pause[0, 3:] > 0.0).all()
    pitch.kick[0, 1] = 5.0, 0.0
    step(pitch, referee, 0.3)
    assert referee.phase[0] == Phase.PLAY
    assert not pitch.distance.any()
    assert not pitch.pause[0, 3:].any()


def test_a_drop_ball_keeps_everybody_away_until_it_is_in_play(make_pitch, step):
    pitch = make_pitch(3, steps=4)
    place(pitch, {1: (-0.6, 0.0), 4: (0.6, 0.0)}, (0.0, 0.0))
    referee = Referee(pitch, stop=2.0)
    referee.restart(ALL, Call.DROP_BALL, 0)
    step(pitch, referee, 1.9)
    gap = np.linalg.norm(pitch.place[0, [1, 4]] - pitch.ball_place[0, :2], axis=1)
    assert (gap > 1.7).all()
    step(pitch, referee, 0.2)
    assert referee.phase[0] == Phase.PLAY
    assert not pitch.pause.any()


@pytest.mark.parametrize("team", [0, 1])
def test_a_penalty_is_taken_alone(make_pitch, step, team):
    """The taker and the other keeper; all others are behind the middle and stay away."""
    pitch = make_pitch(4, steps=4)
    referee = Referee(pitch, stop=1.0, set_piece=4.0)
    referee.restart(ALL, Call.PENALTY, team)
    side = 1.0 - 2.0 * team
    np.testing.assert_allclose(pitch.ball_place[0, :2], [side * 6.0, 0.0], atol=1e-9)
    keeper = 4 * (1 - team)
    np.testing.assert_allclose(pitch.place[0, keeper], [side * 8.7, 0.0], atol=1e-9)
    ahead = side * pitch.place[0, :, 0]
    taker = np.flatnonzero(np.abs(ahead - 5.4) < 1e-9)
    assert pitch.team[taker].tolist() == [team]
    assert taker[0] % 4 != 0  # not the own keeper
    others = np.setdiff1d(np.arange(8), [keeper, taker[0]])
    assert (ahead[others] < -0.4).all()
    pitch.command[..., 0] = np.where(np.arange(8) == taker[0], 0.0, 3.0)
    gaps = np.linalg.norm(pitch.place[0, :, None] - pitch.place[0], axis=-1) + 9.0 * np.eye(8)
    assert gaps.min() > 0.55
    pitch.command[0, keeper] = 0.0
    step(pitch, referee, 3.0)
    assert (np.linalg.norm(pitch.place[0, others] - pitch.ball_place[0, :2], axis=1) > 5.5).all()


@pytest.mark.parametrize(("way", "goal"), [("direct", 0), ("dribbled", 1), ("touched", 1)])
def test_a_goal_directly_from_the_kick_off_does_not_count(make_pitch, step, way, goal):
    """It is a goal kick; if the kicker dribbles first, or another robot touches it, it counts."""
    pitch = make_pitch(2, steps=4)
    referee = Referee(pitch)
    referee.begin(ALL, np.array([0]))
    other = [4.0, -0.3] if way == "touched" else [4.0, 5.0]
    places = [[-8.5, 0.0], [-0.4, 0.0], [8.5, 3.0], other]
    pitch.put_robots(ALL, [places], [[0.0, 0.0, math.pi, 0.0]])
    pitch.dribbles[0, 2:] = False
    if way == "dribbled":
        pitch.command[0, 1] = [2.0, 0.0, 0.0]
        step(pitch, referee, 3.0, until=lambda _: pitch.ball_place[0, 0] > 1.0)
    pitch.kick[0, 1] = 9.0, 0.0
    if way == "touched":
        step(pitch, referee, 2.0, until=lambda _: pitch.touched[0] == 3)
        radius = pitch.dialect.ball_radius
        twist = [9.0, 0.0, 0.0, 0.0, 9.0 / radius, 0.0]
        row = pitch.world.models.select(["ball"])
        row.put(ALL, pose=(5.0, 0.0, radius, 0.0, 0.0, 0.0, 1.0), twist=twist)
    decision = step(pitch, referee, 4.0, until=lambda decision: decision.call[0])
    assert decision.goal[0] == goal
    assert referee.score[0, 0] == goal
    assert decision.call[0] == (Call.KICK_OFF if goal else Call.GOAL_KICK)
    assert decision.team[0] == 1


def test_fouls_at_once_are_decided_by_position(make_pitch, step):
    """In mirrored worlds the mirrored team is punished: that whose robot is nearer to the ball."""
    pitch = make_pitch(3, worlds=2, steps=4)
    for ball, team in (((-4.0, 4.0), 1), ((4.0, 4.0), 0)):
        place(pitch, {1: (-8.6, 1.2), 4: (8.6, 1.2)}, ball)
        referee = Referee(pitch, fouls=Fouls(pitch))
        decision = step(pitch, referee, 1.5, until=lambda decision: decision.foul.any())
        assert decision.foul.tolist() == [Foul.GOAL_AREA] * 2
        assert decision.team.tolist() == [team, 1 - team]
        assert decision.robot.tolist() == [4 - 3 * team, 1 + 3 * team]


def test_equal_fouls_are_decided_by_chance(make_pitch, step):
    """Both offenders are equally far from the ball, in 100 worlds."""
    pitch = make_pitch(3, worlds=100, seed=2, steps=4)
    place(pitch, {1: (-8.6, 1.2), 4: (8.6, -1.2)}, (0.0, 0.0))
    referee = Referee(pitch, fouls=Fouls(pitch))
    decision = step(pitch, referee, 1.5, until=lambda decision: decision.foul.any())
    assert (decision.foul == Foul.GOAL_AREA).all()
    assert abs(int(decision.team.sum()) - 50) < 4.0 * math.sqrt(25.0)


@pytest.mark.parametrize(
    ("robots", "moved", "foul"),
    [
        ((3, 3), {0: (8.5, 1.2)}, Foul.GOAL_AREA),  # the keeper in the other area
        ((3, 3), {0: (-8.6, 1.2)}, Foul.NONE),
        ((3, 3), {0: (7.5, 1.2), 1: (7.5, -1.2)}, Foul.PENALTY_AREA),
        ((1, 1), {0: (-8.6, 1.2)}, Foul.NONE),  # a team of one has a keeper
        ((1, 1), {0: (8.6, 1.2)}, Foul.GOAL_AREA),
    ],
)
def test_a_keeper_is_free_in_its_own_areas_only(make_pitch, step, robots, moved, foul):
    pitch = make_pitch(robots, steps=4)
    count = robots[0]
    spots = [*HOME[:count], *HOME[3 : 3 + count]]
    spots = [moved.get(number, spot) for number, spot in enumerate(spots)]
    pitch.put_robots(ALL, [spots], [[0.0] * 2 * count])
    pitch.put_ball(ALL, [[0.0, 4.0]])
    referee = Referee(pitch, fouls=Fouls(pitch))
    decision = step(pitch, referee, 1.5, until=lambda decision: decision.foul[0])
    assert decision.foul[0] == foul
    if foul:
        assert decision.team[0] == 1


def test_cards(make_pitch, step):
    """Every second foul is a yellow card here, and the second yellow card a red one."""
    pitch = make_pitch(3, worlds=2, steps=4)
    fouls = Fouls(pitch, caution=2)
    referee = Referee(pitch, fouls=fouls)
    referee.begin(np.arange(2), np.array([0, 0]))
    shown = []
    for _ in range(4):
        place(pitch, {1: (-8.6, 1.2)}, (0.0, 4.0))
        pitch.put_robots(np.array([1]), [HOME], [[0.0] * 6])  # nobody fouls in the other world
        referee.start(np.arange(2))
        decision = step(pitch, referee, 1.5, until=lambda decision: decision.foul.any())
        assert decision.robot.tolist() == [1, -1]
        shown.append(Card(decision.card[0]).name)
    assert shown == ["NONE", "YELLOW", "NONE", "RED"]
    assert pitch.sent_off.tolist() == [[False, True, *[False] * 4], [False] * 6]
    outside = pitch.place[0, 1]
    assert abs(outside[1]) > pitch.field.width / 2.0 + pitch.field.margin
    pitch.command[:] = [1.0, 0.0, 0.0]
    referee.line_up(ALL, np.array([0]))  # after a goal it stays out
    step(pitch, referee, 1.0)
    np.testing.assert_allclose(pitch.place[0, 1], outside, atol=1e-6)
    referee.begin(np.arange(2), np.array([0, 0]))
    assert not pitch.sent_off.any()
    assert not fouls.committed.any()
    assert (np.abs(pitch.place) < [9.0, 6.0]).all()


def test_the_next_robot_keeps_the_goal_if_the_keeper_is_sent_off(make_pitch):
    pitch = make_pitch(3, steps=4)
    sent_off = np.zeros((1, 6), np.bool_)
    sent_off[0, 3] = True
    pitch.send_off(sent_off)
    assert pitch.keeper[0].tolist() == [True, False, False, False, True, False]


def test_a_stopped_match_goes_on_with_its_restart(make_pitch, step):
    """Stop, a call, start: nobody moves before, and the set piece follows."""
    pitch = make_pitch(3, worlds=2, steps=4)
    place(pitch, {}, (1.0, 4.9))
    referee = Referee(pitch, stop=2.0, set_piece=4.0)
    on = np.array([1])
    referee.stop(on)
    pitch.command[..., 0] = 1.0
    before = pitch.place.copy()
    step(pitch, referee, 3.0)
    assert referee.phase.tolist() == [Phase.PLAY, Phase.STOP]
    np.testing.assert_allclose(pitch.place[1], before[1], atol=1e-6)
    assert (np.abs(pitch.place[0] - before[0]).max(axis=1) > 1.0).all()
    referee.restart(on, Call.THROW_IN, 0)
    step(pitch, referee, 3.0)
    assert referee.phase[1] == Phase.STOP  # until somebody starts it
    referee.start(on)
    assert referee.phase[1] == Phase.SET_PIECE
    assert (pitch.pause[1, 3:] > 0.0).all()
    referee.stop(on)
    referee.start(on)
    assert referee.phase[1] == Phase.SET_PIECE
    step(pitch, referee, 4.1)
    assert referee.phase[1] == Phase.PLAY


def test_parked_robots_stand_beside_the_field(make_pitch, step):
    pitch = make_pitch(11, steps=4)
    referee = Referee(pitch)
    referee.stop(ALL, park=True)
    step(pitch, referee, 0.5)
    assert (np.abs(pitch.place[0, :, 1]) > 6.0).all()
    assert (pitch.side * pitch.place[0, :, 0] < 0.0).all()
    gaps = np.linalg.norm(pitch.place[0, :, None] - pitch.place[0], axis=-1) + 9.0 * np.eye(22)
    assert gaps.min() > 0.6
