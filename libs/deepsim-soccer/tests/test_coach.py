# SPDX-License-Identifier: Apache-2.0
"""A coach's datagrams, and what they start."""

from __future__ import annotations

import json
import socket

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_soccer import Call, CoachBridge, CoachMessage, Field, Mode, Perception, Referee

bytes_ = st.integers(-128, 127)
points = st.tuples(*2 * [st.integers(-32768, 32767).map(lambda cm: cm / 100.0)])
messages = st.builds(
    CoachMessage,
    *2 * [st.sampled_from(Mode)],
    bytes_,
    *2 * [points],
    *2 * [st.integers(-32768, 32767)],
    *3 * [bytes_],
)


@pytest.fixture
def link():
    """A bridge, and a coach that talks to it."""
    with CoachBridge() as bridge, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as coach:
        coach.settimeout(10.0)
        coach.connect(bridge.address)
        yield bridge, coach


def deliver(bridge, coach, *datagrams):
    for each in datagrams:
        coach.send(each)
    return bridge.receive()


@given(messages)
def test_a_message_survives_the_way(message):
    assert CoachMessage.from_bytes(message.to_bytes()) == message
    short = CoachMessage.from_bytes(message.to_bytes(short=True))
    assert short == CoachMessage(message.mode, message.previous)


def test_the_layouts_are_the_published_structs():
    """Bytes written by hand: chars, a pad, shorts of little endian in cm, chars, a pad."""
    message = CoachMessage(
        Mode.TEST, Mode.STOP, 3, point_a=(1.0, -0.01), point_b=(2.58, 0.0), angle_a=90, angle_b=-1,
        robot_a=2, robot_b=4, force=7,
    )  # fmt: skip
    expected = "1b 00 03 00  64 00 ff ff  02 01 00 00  5a 00 ff ff  02 04 07 00"
    assert message.to_bytes() == bytes.fromhex(expected)
    assert CoachMessage(Mode.START, Mode.DROP_BALL).to_bytes(short=True) == b"\x00\x0f\x0d"


def test_both_teams_have_the_same_restarts():
    """A mode of the opponents calls for what the own one does, for the other team."""
    for ours, theirs in [
        (Mode.OUR_KICK_OFF, Mode.OPPONENT_KICK_OFF), (Mode.OUR_THROW_IN, Mode.OPPONENT_THROW_IN),
        (Mode.OUR_PENALTY, Mode.OPPONENT_PENALTY), (Mode.OUR_GOAL_KICK, Mode.OPPONENT_GOAL_KICK),
        (Mode.OUR_CORNER, Mode.OPPONENT_CORNER), (Mode.OUR_FREE_KICK, Mode.OPPONENT_FREE_KICK),
    ]:  # fmt: skip
        assert ours.call is theirs.call is Call[ours.name[4:]]
        assert [(ours.team(coach), theirs.team(coach)) for coach in (0, 1)] == [(0, 1), (1, 0)]
    assert Mode.DROP_BALL.call is Call.DROP_BALL
    assert Mode.STOP.call is Mode.START.call is Mode.PARKING.call is Mode.TEST.call is Call.NONE


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        CoachMessage(Mode.TEST, point_a=(400.0, 0.0)).to_bytes()


def test_the_bridge_takes_the_last_command_and_counts_the_rest(link):
    """Datagrams of other lengths and modes are dropped; without any there is no message."""
    bridge, coach = link
    assert bridge.receive() is None
    assert bridge.address[0] == "127.0.0.1"
    start = CoachMessage(Mode.START, Mode.OUR_CORNER)
    got = deliver(
        bridge, coach, CoachMessage(Mode.STOP).to_bytes(), b"", b"x" * 999, b"\0\x0e\0",
        start.to_bytes(short=True), b"\x63" * 20,
    )  # fmt: skip
    assert got == start
    assert bridge.dropped == 4
    assert bridge.receive() is None


def test_the_state_goes_back_to_the_coach(link, make_pitch):
    """Of the robots of a team, as they report it; nobody gets it before a coach spoke."""
    bridge, coach = link
    pitch = make_pitch(2)
    seen = Perception(pitch, scale=0.0).look()
    assert not bridge.send(seen, [0, 1])
    deliver(bridge, coach, CoachMessage(Mode.START).to_bytes())
    assert bridge.send(seen, [0, 1])
    state = json.loads(coach.recv(65536))
    assert sorted(state) == ["0", "1"]
    np.testing.assert_allclose(state["1"]["place"], pitch.place[0, 1])
    assert np.shape(state["1"]["obstacles"]) == (3, 2)


@pytest.mark.parametrize(
    ("call", "team", "spot"),
    [
        (Call.THROW_IN, 0, (2.0, -5.8)),
        (Call.PENALTY, 0, (6.0, 0.0)),
        (Call.PENALTY, 1, (-6.0, 0.0)),
        (Call.GOAL_KICK, 0, (-6.5, -1.5)),
        (Call.CORNER, 0, (8.8, -5.8)),
        (Call.CORNER, 1, (-8.8, -5.8)),
        (Call.FREE_KICK, 1, (2.0, -2.5)),
        (Call.DROP_BALL, 0, (2.0, -2.5)),
        (Call.KICK_OFF, 1, (0.0, 0.0)),
    ],
)
def test_a_called_restart(make_pitch, call, team, spot):
    """Only in the chosen world, where the other team waits except at a drop ball."""
    pitch = make_pitch(1, worlds=2)
    pitch.put_ball(np.arange(2), np.full((2, 2), (2.0, -2.5)))
    Referee(pitch).restart(np.array([1]), call, team)
    np.testing.assert_allclose(pitch.ball_place[:, :2], [(2.0, -2.5), spot], atol=1e-12)
    waits = [team == 1, team == 0] if call != Call.DROP_BALL else [False, False]
    assert (pitch.pause > 0.0).tolist() == [[False, False], waits]


def test_what_cannot_be_restarted(make_pitch):
    referee = Referee(make_pitch(1))
    for call, team in ((Call.NONE, 0), (Call.CORNER, 2)):
        with pytest.raises(ValueError, match="expected a call and team"):
            referee.restart(np.array([0]), call, team)


def test_ball_presets_are_the_published_places():
    places = {(x, y) for x in (-6.0, 0.0, 6.0) for y in (-3.0, 0.0, 3.0)}
    places |= {(x, y) for x in (-8.8, 8.8) for y in (-5.8, 5.8)}
    assert set(Field().ball_presets()) == places
    assert len(Field().ball_presets()) == 13
