# SPDX-License-Identifier: Apache-2.0
"""The dialect simatch, beside measurements of its plugin with the shipped configuration."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_soccer import DIALECTS, world_sdf
from deepsim_spawn import GazeboXMLLoader


@pytest.mark.parametrize(
    ("distance", "degrees", "holds"),
    [
        (0.35, 9.5, True),
        (0.35, -9.5, True),
        (0.35, 10.5, False),
        (0.35, -10.5, False),
        (0.35, 12.0, False),
        (0.38, 0.0, True),  # the distance of the ball's centre from the robot's origin counts
        (0.39, 0.0, False),
    ],
)
def test_a_ball_is_held_within_the_thresholds(make_pitch, distance, degrees, holds):
    """dribble_angle_thres 20.0 and dribble_distance_thres 0.4, for a ball that is held there."""
    pitch = make_pitch((1, 0), "simatch")
    angle = math.radians(degrees)
    pitch.put_robots([0], [[[0.0, 0.0]]], [[0.0]])
    pose = [distance * math.cos(angle), distance * math.sin(angle), 0.12, 0.0, 0.0, 0.0, 1.0]
    pitch.world.models.select(["ball"]).put(pose=pose)
    pitch.drive()
    assert (pitch.holder[0] == 0) == holds


@pytest.mark.parametrize("name", DIALECTS)
def test_a_pass_is_at_most_as_fast_as_the_limit(make_pitch, name):
    """Whoever sets the kick; a lob has limits of its own."""
    pitch = make_pitch((1, 0), name)
    chosen = pitch.dialect
    gap = min(chosen.hold_gap, chosen.hold_reach - 0.01)
    for kick, speed in [
        ((chosen.pass_limit + 2.0, 0.0), chosen.pass_limit),
        ((chosen.pass_limit - 2.0, 0.0), chosen.pass_limit - 2.0),
        ((chosen.pass_limit + 2.0, 1.0), chosen.pass_limit + 2.0),
    ]:
        pitch.put_robots([0], [[[-2.0, 0.0]]], [[0.0]])
        pitch.put_ball([0], [[-2.0 + gap, 0.0]])
        pitch.kick[0, 0] = kick
        pitch.drive()
        ball = pitch.world.models.select(["ball"]).twist[0, 0]
        np.testing.assert_allclose(ball[:3], [speed, 0.0, kick[1]], atol=1e-9)


@pytest.mark.parametrize("strength", [(5.0, 0.571), (8.0, 1.282)])
def test_a_lob_rises_as_in_the_plugin(make_pitch, run, strength):
    """Strength 5 and 8 are (4.0, 3.0) and (6.4, 4.8) m/s, and rise to 0.571 and 1.282 m."""
    strength, highest = strength
    pitch = make_pitch((1, 0), "simatch")
    ahead, up = pitch.dialect.lob_factors
    pitch.put_robots([0], [[[-2.0, 0.0]]], [[0.0]])
    pitch.put_ball([0], [[-1.65, 0.0]])
    pitch.kick[0, 0] = strength * ahead, strength * up
    top = 0.0
    for _ in range(200):
        run(pitch, pitch.world.delta_time)
        top = max(top, pitch.ball_place[0, 2])
    assert top == pytest.approx(highest, abs=2e-3)


@pytest.mark.parametrize(
    ("name", "rate"), [("paper", 150.0), ("gazebo_visual", 67.0), ("simatch", 200.0)]
)
def test_the_world_has_the_published_models_and_rate(name, rate):
    """Goals by name, of which the left one is turned by pi."""
    text = world_sdf(name)
    world = GazeboXMLLoader().load_world(text)
    models = {each.name: each for each in world.models}
    assert list(models) == ["ground_plane", "field", "left_goal", "right_goal"]
    half = DIALECTS[name].field_length / 2.0
    for side, yaw in ((-1.0, math.pi), (1.0, 0.0)):
        pose = models["left_goal" if side < 0 else "right_goal"].pose
        np.testing.assert_allclose(pose.position, [side * half, 0.0, 0.0])
        assert abs(pose.orientation.to_euler().yaw) == pytest.approx(yaw)
    assert f"<real_time_update_rate>{rate:g}" in text
