# SPDX-License-Identifier: Apache-2.0
"""The task whose rooms a scenario furnishes. `make scenes` installs Scenic for it."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest

from deepsim_train import load_task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy


@pytest.fixture(autouse=True, scope="module")
def scenic() -> None:
    """Skips where Scenic is not installed, unless it must be."""
    if os.environ.get("DEEPSIM_SCENIC") != "required" and not importlib.util.find_spec("scenic"):
        pytest.skip("Scenic is not installed: make scenes")


def test_every_world_and_episode_has_another_room() -> None:
    """The room of a world is that of its seed, also where it is one of several."""
    task = load_task("clutter")
    rooms = []
    for worlds, seed in ((3, 4), (1, 6)):
        with task.environment(seed, worlds) as environment:
            furniture = environment.world.models.select(["table_6", "shelf_7", "crate_8"])
            for episode in range(2):
                environment.reset_worlds(seed if episode == 0 else None)
                rooms.append(furniture.pose)
    first, second, alone, next_alone = rooms
    assert len(np.unique(np.concatenate([first, second])[:, 0, 0])) == 6
    assert np.array_equal(first[2:], alone)
    assert np.array_equal(second[2:], next_alone)


def test_the_trained_policy_crosses_rooms_that_it_never_saw() -> None:
    """In at least 90 of 100."""
    task = load_task("clutter")
    with task.environment(seed=5000, worlds=100) as environment:
        act = slot_policy(task.policy("trained"), environment, 5000)
        episodes = run_episodes(environment, act, number=1, seed=5000)
        assert np.mean([episode.info["robot"]["success"] for episode in episodes]) >= 0.9
