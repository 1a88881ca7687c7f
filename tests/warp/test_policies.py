# SPDX-License-Identifier: Apache-2.0
"""Policies that were trained on MuJoCo succeed on MuJoCo Warp, without more training."""

from __future__ import annotations

import os

import numpy as np
import pytest

from deepsim import Backend, load_task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy

pytest.importorskip("deepsim_warp", reason="make warp installs it")

EPISODES = 100


@pytest.mark.skipif(os.environ.get("DEEPSIM_WARP") != "whole", reason="make warp runs it: minutes")
@pytest.mark.filterwarnings("ignore:there is no GPU:UserWarning")
@pytest.mark.parametrize("name", ["cartpole", "reach", "walk", "push"])
def test_the_policy_that_ships_with_a_task_succeeds(name):
    """In at least 95 of 100 episodes."""
    task = load_task(name)
    with Backend("warp"):
        environment = task.environment(0, EPISODES)
    with environment:
        act = slot_policy(task.policy("trained"), environment, 0)
        episodes = run_episodes(environment, act, 1, 0)
    infos = [each.info[agent] for each in episodes for agent in each.rewards]
    assert len(infos) == EPISODES
    assert np.sum([info["success"] for info in infos]) >= 95
