# SPDX-License-Identifier: Apache-2.0
"""Laws of matches: new ones are like first ones, worlds do not meet, and mirrors change nothing."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np

from deepsim_mujoco import MujocoSimulator
from deepsim_soccer import (
    Dialect,
    Fouls,
    Grip,
    Perception,
    Pitch,
    Referee,
    find_dialect,
    world_sdf,
)
from deepsim_soccer.description import CYAN, ball_sdf, robot_sdf
from deepsim_soccer.mind import TeamMind
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World

ALL = np.array([0])


class Match:
    """A match of two teams with all that has a state."""

    def __init__(self, pitch):
        self.pitch, self.mind, self.eyes = pitch, TeamMind(pitch), Perception(pitch)
        self.referee = Referee(pitch, fouls=Fouls(pitch, caution=1), stop=0.3, set_piece=1.0)

    def begin(self, seeds, worlds):
        """Begins new matches in some worlds, one after another."""
        on = np.array(worlds)
        self.pitch.world.reset(seeds, worlds=on)
        self.referee.begin(on, on % 1)
        self.mind.forget(on)
        self.eyes.forget(on)

    def play(self, ticks):
        """Plays on; returns what happens in each tick, (ticks, W, ...)."""
        pitch, referee, seen = self.pitch, self.referee, []
        every = np.arange(len(pitch.world))
        for _ in range(ticks):
            pitch.sense()
            self.mind.tick()
            looks = self.eyes.look()
            pitch.drive()
            pitch.world.tick()
            pitch.sense()
            decision = referee.judge(every)
            columns = [
                *(pitch.place, pitch.yaw, pitch.ball_pose, pitch.ball_velocity, pitch.pause),
                *(pitch.holder, pitch.touched, pitch.kicked, pitch.sent_off, pitch.distance),
                *(self.mind.role, self.mind.post, looks.ball, looks.stuck, *decision),
                *(referee.score, referee.phase, referee.fouls.stay, referee.fouls.committed),
            ]
            seen.append(np.concatenate([c.reshape(len(every), -1) for c in columns], axis=1))
        return np.array(seen)


def test_a_match_is_the_first_of_a_new_pitch(make_pitch):
    """To the bit, though players were sent off, stuck and stopped; the other world plays on."""
    match, alone, fresh = (Match(make_pitch(3, worlds=n, steps=5)) for n in (2, 1, 1))
    match.begin([3, 4], [0, 1])
    alone.begin([3], [0])
    begun = match.play(60), alone.play(60)
    robots = np.array([1])
    for robot in (4, 4, 1):
        match.referee.fouls.book(robots, np.array([robot]))
    match.pitch.send_off(np.arange(6) == [[9], [4]])
    match.eyes.slow[1] = 90
    match.referee.stop(robots)
    match.begin([8], [1])
    fresh.begin([8], [0])
    after, first, goes_on = match.play(90), fresh.play(90), alone.play(90)
    np.testing.assert_array_equal(after[:, 1], first[:, 0])
    np.testing.assert_array_equal(begun[0][:, 0], begun[1][:, 0])
    np.testing.assert_array_equal(after[:, 0], goes_on[:, 0])


def motion(dialect):
    """What robots and the ball do: one takes the ball, turns and kicks it, one drives and stops."""
    description = GazeboXMLLoader().load_world(world_sdf(dialect))
    pitch = Pitch(World(MujocoSimulator(description), steps_per_tick=4), (1, 1), dialect)
    pitch.put_robots(ALL, [[[-2.0, 0.0], [3.0, 2.0]]], [[0.0, math.pi]])
    pitch.put_ball(ALL, [[-2.0 + 0.495 * math.cos(0.2), 0.495 * math.sin(0.2)]])
    seen = []
    for tick in range(100):
        pitch.command[0] = [[0.0, 0.0, 1.0], [6.0 * (tick < 90), 0.0, 0.0]]
        pitch.kick[0, 0] = 30.0 * (tick == 20), 0.0
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        seen.append([pitch.place.tolist(), pitch.yaw.tolist(), pitch.ball_pose.tolist()])
    pitch.world.close()
    return seen


TOLD = {"name", "lob_modes", "pass_factor", "lob_factors", "lob_height", "lob_limit", "lob_speed"}
"""What minds and coaches use; `test_lobs` and `test_coach` see to these."""


def test_every_constant_of_a_dialect_acts():
    """Robots, the ball or the field are others, or move otherwise, when it is half as large."""
    base = replace(find_dialect("legal"), grip=None)
    texts = (world_sdf, ball_sdf, lambda dialect: robot_sdf(dialect, CYAN))
    plain = motion(base)
    for name in {each.name for each in fields(Dialect)} - TOLD:
        value = getattr(base, name)
        other = Grip() if name == "grip" else np.logical_not(value) if value is False else None
        other = tuple(0.5 * np.array(value)) if isinstance(value, tuple) else other
        changed = replace(base, **{name: 0.5 * value if other is None else other})
        if all(text(changed) == text(base) for text in texts):
            assert motion(changed) != plain, name


def test_a_match_in_the_mirror_is_the_mirrored_match(make_pitch):
    """Both teams do the same with left and right exchanged, as long as rounding lets them."""
    pitch, worlds = make_pitch(3, worlds=2, steps=5), np.arange(2)
    match = Match(pitch)
    match.begin([3, 3], [0, 1])
    place, yaw = pitch.place.copy(), pitch.yaw.copy()
    place[1], yaw[1] = place[0] * [1.0, -1.0], -yaw[0]
    pitch.put_robots(worlds, place, yaw)
    pitch.put_ball(worlds, [[1.5, 0.8], [1.5, -0.8]])
    match.referee.start(worlds)
    moved = np.zeros(2)
    for _ in range(50):
        match.play(1)
        here, there = pitch.place[0], pitch.place[1] * [1.0, -1.0]
        np.testing.assert_allclose(there, here, atol=1e-3)
        np.testing.assert_allclose(np.sin(-pitch.yaw[1]), np.sin(pitch.yaw[0]), atol=1e-3)
        np.testing.assert_allclose(
            pitch.ball_place[1] * [1.0, -1.0, 1.0], pitch.ball_place[0], atol=1e-3
        )
        assert (match.mind.role[0] == match.mind.role[1]).all()
        assert pitch.holder[0] == pitch.holder[1]
        moved = np.maximum(moved, np.abs(pitch.place[0] - place[0]).max(axis=0))
    assert (moved > 0.5).all()


def test_worlds_that_tick_in_turn_play_as_those_that_tick_together(make_pitch):
    """The kicks and commands of a world wait until it ticks, and its holder keeps the ball."""
    ends = []
    for turns in ([[0, 1]], [[0], [1]]):
        pitch = make_pitch(2, worlds=2, seed=4, steps=4)
        referee = Referee(pitch, fouls=Fouls(pitch), stop=0.2, set_piece=0.5)
        referee.begin(np.arange(2), np.zeros(2, np.int64))
        place = pitch.place[:, 1] + pitch.dialect.hold_gap * pitch.heading[:, 1]
        pitch.put_ball(np.arange(2), place)
        for tick in range(60):
            pitch.command[:] = [1.0, 0.2, 0.5]
            pitch.kick[:, 1] = [4.0 * (tick == 30), 0.0]
            for worlds in map(np.array, turns):
                pitch.drive(worlds)
                pitch.world.tick(worlds)
                pitch.sense()
                referee.judge(worlds)
        assert (pitch.touched == 1).all()
        assert (pitch.ball_velocity[:, 0] > 1.0).all()
        state = pitch.holder, pitch.touched, pitch.pause, pitch.got, referee.phase
        ends.append([pitch.place.copy(), pitch.ball_pose.copy(), *(each.copy() for each in state)])
    for together, apart in zip(*ends, strict=True):
        np.testing.assert_array_equal(together, apart)
