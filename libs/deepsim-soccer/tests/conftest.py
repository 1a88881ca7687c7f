# SPDX-License-Identifier: Apache-2.0
"""Pitches that several tests share."""

from __future__ import annotations

import numpy as np
import pytest

import deepsim_btree
from deepsim_btree.batch import Batch
from deepsim_mujoco import MujocoSimulator
from deepsim_soccer import Pitch, mind, world_sdf
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World


@pytest.fixture
def make_pitch():
    """Makes pitches on the embedded engine, which are closed after the test."""
    opened = []

    def make(robots=1, dialect="legal", worlds=1, steps=1, seed=0, **options) -> Pitch:
        description = GazeboXMLLoader().load_world(world_sdf(dialect))
        world = World(MujocoSimulator(description, worlds=worlds), seed=seed, steps_per_tick=steps)
        opened.append(world)
        return Pitch(world, robots, dialect, **options)

    yield make
    for world in opened:
        world.close()


@pytest.fixture
def run():
    """Advances the worlds of a pitch by some time [s], and reads the new state."""

    def run(pitch, seconds):
        for _ in range(round(seconds / pitch.world.delta_time)):
            pitch.drive()
            pitch.world.tick()
        pitch.sense()

    return run


@pytest.fixture
def step():
    """Plays on in all worlds for some time [s], or until a decision; returns the latest one."""

    def step(pitch, referee, seconds, until=lambda decision: False):
        worlds = np.arange(len(pitch.world))
        for _ in range(round(seconds / pitch.world.delta_time)):
            pitch.drive()
            pitch.world.tick()
            pitch.sense()
            decision = referee.judge(worlds)
            if until(decision):
                break
        return decision

    return step


@pytest.fixture
def names_of_examples(names_of_examples, make_pitch):
    """Also behaviour trees, and `pitch`, which has one robot of each team."""
    names = {**vars(deepsim_btree), **names_of_examples, **vars(mind)}
    return {**names, "Batch": Batch, "pitch": make_pitch()}
