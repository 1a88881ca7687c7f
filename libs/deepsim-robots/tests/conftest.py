# SPDX-License-Identifier: Apache-2.0
"""Worlds and robots that several tests share."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_robots import Gains, Part, RobotConfig
from deepsim_sync import World

sys.path.insert(0, str(Path(__file__).parent))  # for robots_of_tests, which several tests share

from robots_of_tests import ARM, empty_world


@pytest.fixture
def make_world():
    """Makes worlds without gravity, in steps of 2 ms, which are closed after the test."""
    worlds = []

    def make(count: int = 1, steps: int = 5, gravity: bool = False, seed: int = 0) -> World:
        simulator = MujocoSimulator(empty_world(gravity), worlds=count)
        worlds.append(World(simulator, steps_per_tick=steps, seed=seed))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


@pytest.fixture
def arm_config() -> RobotConfig:
    return RobotConfig(
        ARM,
        parts={"arm": Part([".*"], "pd_joint_pos")},
        home={"shoulder": 0.5},
        gains={".*": Gains(stiffness=200.0, damping=20.0)},
    )


@pytest.fixture
def names_of_examples(names_of_examples):
    """Also `replace`, by which configurations are changed."""
    return {**names_of_examples, "replace": replace}
