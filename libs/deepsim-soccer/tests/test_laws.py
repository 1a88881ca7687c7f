# SPDX-License-Identifier: Apache-2.0
"""Laws of matches: new ones are like first ones, worlds do not meet, and mirrors change nothing."""

from __future__ import annotations

import numpy as np

from deepsim_soccer import Fouls, Perception, Referee
from deepsim_soccer.mind import TeamMind


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
