# SPDX-License-Identifier: Apache-2.0
"""Reports of the omnidirectional camera: frames, noise, validity, stuck robots."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from deepsim_soccer import Perception
from deepsim_soccer.perception import noisy


def test_noise_comes_at_the_rate_that_was_asked_for():
    """Of 10^5 numbers, within three standard deviations; so is the deviation of the noise."""
    count, rate = 100_000, 0.01
    added = noisy(np.zeros((1, count)), [np.random.default_rng(4)], 0.1, rate)
    hit = added != 0.0
    assert abs(hit.sum() - rate * count) < 3.0 * math.sqrt(count * rate * (1.0 - rate))
    assert added[hit].std() == pytest.approx(0.1, rel=3.0 / math.sqrt(2.0 * hit.sum()))
    assert abs(added[hit].mean()) < 3.0 * 0.1 / math.sqrt(hit.sum())


def test_each_team_sees_the_field_from_its_own_side(make_pitch):
    """Magenta's report is the state turned by pi about z, by a rotation as the oracle."""
    pitch = make_pitch(1)
    place, yaw = np.array([[[-3.0, 1.0], [4.0, -2.0]]]), np.array([[0.4, 2.5]])
    pitch.put_robots([0], place, yaw)
    pitch.put_ball([0], [[1.0, 3.0]])
    seen = Perception(pitch, rate=0.0).look()
    for robot, turn in ((0, 0.0), (1, math.pi)):
        rotation = Rotation.from_euler("z", turn).as_matrix()[:2, :2]
        np.testing.assert_allclose(seen.ball[0, robot], rotation @ [1.0, 3.0], atol=1e-9)
        np.testing.assert_allclose(seen.place[0, robot], rotation @ place[0, robot], atol=1e-9)
        other = rotation @ place[0, 1 - robot]
        np.testing.assert_allclose(seen.obstacles[0, robot, 0], other, atol=1e-9)
        heading = rotation @ [math.cos(yaw[0, robot]), math.sin(yaw[0, robot])]
        assert seen.yaw[0, robot] == pytest.approx(math.atan2(heading[1], heading[0]))


def test_the_ball_is_seen_along_the_ground(make_pitch):
    """A ball dead ahead at 2 m is at angle 0 and radius 2 m, whatever its height."""
    pitch = make_pitch(1)
    pitch.put_robots([0], [[[0.0, 0.0], [5.0, 0.0]]], [[0.7, math.pi]])
    pitch.put_ball([0], [[2.0 * math.cos(0.7), 2.0 * math.sin(0.7)]])
    seen = Perception(pitch, rate=0.0).look()
    assert seen.ball_angle[0, 0] == pytest.approx(0.0, abs=1e-9)
    assert seen.ball_radius[0, 0] == pytest.approx(2.0)


def test_velocities_are_those_of_the_team_frame(make_pitch):
    """They drive to their own left at 0.5 m/s; where they look turns what their teams see."""
    pitch = make_pitch(1, "paper")
    pitch.put_robots([0], pitch.place, [[0.5, math.pi - 0.8]])
    pitch.put_ball([0], [[0.0, 5.0]])
    pitch.command[:] = [0.0, 0.5, 0.0]
    pitch.drive()
    pitch.sense()
    seen = Perception(pitch, rate=0.0).look()
    left = [[-math.sin(0.5), math.cos(0.5)], [math.sin(0.8), math.cos(0.8)]]
    np.testing.assert_allclose(seen.velocity[0], 0.5 * np.array(left), atol=1e-9)


def test_a_robot_outside_is_not_valid_and_one_that_is_blocked_is_stuck(make_pitch):
    """Each robot for itself: only the blocked one is stuck, after more than 40 ticks."""
    pitch = make_pitch(1)
    pitch.put_robots([0], [[[10.2, 0.0], [-3.0, 0.0]]], [[0.0, 0.0]])
    pitch.put_ball([0], [[0.0, 5.0]])
    perception = Perception(pitch, rate=0.0)
    assert perception.look().valid.tolist() == [[False, True]]
    pitch.command[..., 0] = 0.3
    stuck = []
    for _ in range(400):
        pitch.drive()
        pitch.world.tick()
        pitch.sense()
        stuck.append(perception.look().stuck[0].tolist())
    assert stuck[-1] == [True, False]
    assert stuck[30] == [False, False]


def test_noise_of_a_world_does_not_depend_on_the_others(make_pitch):
    """World w of three has the bits of one world with its seed."""
    many = Perception(make_pitch(2, worlds=3, seed=5), rate=0.5).look()
    for world in range(3):
        alone = Perception(make_pitch(2, seed=5 + world), rate=0.5).look()
        for ours, theirs in zip(many, alone, strict=True):
            assert ours[world].tobytes() == theirs[0].tobytes()
    assert many.ball[0].tobytes() != many.ball[1].tobytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": -0.1}, "scale must be >= 0, got -0.1"),
        ({"rate": 1.5}, "rate must lie in 0 .. 1, got 1.5"),
    ],
)
def test_impossible_noise_is_refused(make_pitch, options, message):
    """The message names the argument."""
    with pytest.raises(ValueError, match=message):
        Perception(make_pitch(1), **options)
