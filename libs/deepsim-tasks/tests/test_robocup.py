# SPDX-License-Identifier: Apache-2.0
"""The example robocup: rewards, ends, teams, and a striker that scores."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_train import TaskError, TrainedPolicy, load_task
from deepsim_train.episodes import run_episodes
from deepsim_train.policies.slot_policy import slot_policy


@pytest.fixture(scope="module")
def task():
    return load_task("robocup")


def test_a_goal_is_worth_one_and_ends_the_episode(task):
    """The ball is put behind the line: one team earns 1, the other loses 1."""
    for side in (1, -1):
        with task.make(opponents="agents") as environment:
            environment.reset_worlds()
            environment.area.pitch.put_ball(np.array([0]), [[side * 9.2, 0.3]])
            step = environment.step_worlds((np.zeros((1, 4, 5), np.float32),))
            np.testing.assert_array_equal(step.reward, [[side, side, -side, -side]])
            assert step.terminated.all()


def test_play_goes_on_after_a_goal_if_asked(task):
    """The score counts, and both teams line up."""
    with task.make(opponents="agents", until_goal=False) as environment:
        environment.reset_worlds()
        pitch = environment.area.pitch
        pitch.put_ball(np.array([0]), [[-9.2, 0.3]])
        step = environment.step_worlds((np.zeros((1, 4, 5), np.float32),))
        assert not step.terminated.any()
        np.testing.assert_array_equal(environment.area.referee.score, [[0, 1]])
        np.testing.assert_allclose(pitch.ball_place[0, :2], 0.0, atol=1e-9)


def test_both_teams_see_the_field_from_their_own_side(task):
    """Turned by half a turn about the centre, magenta observes as cyan does."""
    with task.make(opponents="agents", robots=2) as environment:
        environment.reset_worlds()
        pitch, every = environment.area.pitch, np.array([0])
        place, yaw = pitch.place.copy(), pitch.yaw.copy()
        place[:, 2:], yaw[:, 2:] = -place[:, :2], yaw[:, :2] + np.pi
        pitch.put_robots(every, place, yaw)
        pitch.put_ball(every, [[0.0, 0.0]])
        seen = environment.area.observe()
        np.testing.assert_allclose(seen[0, :2], seen[0, 2:], atol=1e-9)


def test_shaped_rewards_are_differences_of_a_potential(task):
    """Their sum over an episode without goals is the change of the potential."""
    rng = np.random.default_rng(3)
    with task.make(worlds=2, robots=1, opponents="static", shaped=True, drill=True) as environment:
        environment.reset_worlds()
        first, total = environment.area.worth.copy(), np.zeros((2, 1))
        for _ in range(30):
            actions = rng.uniform(-1.0, 1.0, (2, 1, 5)).astype(np.float32)
            total += environment.step_worlds((actions,)).reward
        if environment.area.referee.score.any():
            pytest.fail("choose a seed without a goal")
        np.testing.assert_allclose(total, environment.area.potential() - first, atol=1e-9)


def test_a_team_plays_against_a_trained_policy(task, tmp_path):
    """Its opponents do what it would do in their place: all drive ahead, towards each other."""
    file = tmp_path / "policy.npz"
    numbers, ahead = 20 + 2 * 3, np.array([0.5, 0.0, 0.0, -1.0, -1.0], np.float32)
    layers = ((np.zeros((5, numbers), np.float32), ahead),)
    scale = np.ones(numbers, np.float32)
    low, high = -np.ones(5, np.float32), np.ones(5, np.float32)
    TrainedPolicy(0.0 * scale, scale, 10.0, layers, low, high, (5,)).save(file)
    with task.make(worlds=2, opponents=str(file), seed=3) as environment:
        assert environment.groups[0].names == ("cyan_0", "cyan_1")
        environment.reset_worlds()
        environment.area.referee.start(np.arange(2))  # nobody keeps away from the ball
        pitch = environment.area.pitch
        before = pitch.place.copy()
        for _ in range(5):
            environment.step_worlds((np.tile(ahead, (2, 2, 1)),))
        moved = pitch.place - before
        assert (moved[:, :2, 0] > 0.2).all()
        np.testing.assert_allclose(moved[:, 2:, 0], -moved[:, :2, 0], atol=1e-3)


def test_opponents_that_stand_do_nothing(task):
    """They stay where they are, while the others drive."""
    with task.make(opponents="standing", seed=3) as environment:
        environment.reset_worlds()
        environment.area.referee.start(np.array([0]))  # nobody keeps away from the ball
        pitch = environment.area.pitch
        before = pitch.place.copy()
        for _ in range(5):
            environment.step_worlds((np.tile(np.float32([0.5, 0.0, 0.0, -1.0, -1.0]), (1, 2, 1)),))
        assert (pitch.place[:, :2, 0] - before[:, :2, 0] > 0.2).all()
        np.testing.assert_allclose(pitch.place[:, 2:], before[:, 2:], atol=1e-6)


def test_a_policy_that_is_not_there_is_named(task):
    with pytest.raises(TaskError, match=r"none\.npz is not a trained policy"):
        task.make(opponents="none.npz")


def test_a_striker_scores_against_the_static_keeper(task):
    """By what an agent sees alone; random actions score nothing."""
    rates = {}
    for policy in ("chase", "random"):
        options = {"robots": 1, "opponents": "static", "drill": True, "seconds": 15.0}
        with task.environment(seed=5000, worlds=50, **options) as environment:
            act = slot_policy(task.policy(policy), environment, 5000)
            episodes = run_episodes(environment, act, number=1, seed=5000)
            rates[policy] = np.mean([each.info["cyan_0"]["success"] for each in episodes])
    assert rates["chase"] >= 0.7
    assert rates["random"] < 0.2


def test_unknown_opponents_are_refused(task):
    """The message lists those that there are."""
    with pytest.raises(
        ValueError, match=r"agents, tree, static, standing or an \.npz file, got 'humans'"
    ):
        task.make(opponents="humans")
