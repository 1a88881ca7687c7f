# SPDX-License-Identifier: Apache-2.0
"""The paper's scenario of soccer on real Gazebo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from examples.robocup.solo import play

from deepsim_gazebo import GazeboSimulator
from deepsim_soccer import world_sdf
from deepsim_spawn import GazeboXMLLoader


@pytest.mark.parametrize("dialect", ["paper", "legal"])
def test_one_robot_scores(connect: Callable[..., GazeboSimulator], dialect: str) -> None:
    """It chases, dribbles to (4, -2), turns, lobs into the goal under the bar, and drives back."""
    simulator = connect()
    simulator.load(GazeboXMLLoader().load_world(world_sdf(dialect)))
    solo = play(simulator, dialect)
    assert solo.states == [
        "CHASE_BALL", "MOVE_BALL", "ROTATE_BALL", "KICK_BALL", "RESET", "HOME",
    ]  # fmt: skip
    assert solo.scored
    assert solo.bar_gap > 0.0
    np.testing.assert_allclose(solo.shot, [4.0, -2.0], atol=0.11)
    np.testing.assert_allclose(solo.end, [-4.0, -2.0], atol=0.11)
