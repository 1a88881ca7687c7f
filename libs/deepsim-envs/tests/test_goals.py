# SPDX-License-Identifier: Apache-2.0
"""Tasks with goals, by the convention of Gymnasium-Robotics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict

from deepsim_envs import (
    Agents,
    Environment,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    JoinedEnvironment,
)
from deepsim_sync import CallbackError, UnsupportedError, World

CHECK = "goals earn rewards"


@pytest.fixture
def goal_area(rink_area: type) -> type:
    """The rink on arrays, whose puck "a" is to be 0.5 m ahead; it earns -1 farther than 0.2 m."""

    class Goals(rink_area):
        agents = Agents(
            ["a", "b"],
            Dict({key: Box(-10.0, 10.0, (2,)) for key in
                  ("observation", "achieved_goal", "desired_goal")}),
            Box(-1.0, 1.0, (2,)),
        )  # fmt: skip

        def observe(self) -> Any:
            here = self.pucks.pose[..., :2]
            goal = np.broadcast_to([0.5, 0.0], here.shape)
            return {"observation": here, "achieved_goal": here, "desired_goal": goal}

        def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
            away = np.asarray(achieved_goal) - desired_goal
            return -1.0 * (np.sqrt((away * away).sum(axis=-1)) > 0.2)

        def reward(self) -> Any:
            seen = self.observe()
            return self.compute_reward(seen["achieved_goal"], seen["desired_goal"], None)

    return Goals


def stay(environment: Environment, rng: np.random.Generator) -> Any:
    return lambda agent, seen: np.zeros(2, np.float32)


def test_every_view_says_what_other_goals_would_have_earned(make_worlds_env, goal_area):
    def make(worlds: int = 1) -> Environment:
        env: Environment = make_worlds_env(goal_area, worlds, max_episode_steps=7)
        return env

    achieved = np.array([[0.0, 0.0], [0.4, 0.0], [3.0, 3.0]])
    desired = np.array([[0.1, 0.0], [0.0, 0.0], [3.0, 3.1]])
    views = [
        make(3),
        JoinedEnvironment([make] * 2),
        GymnasiumEnv(make(), agent="a", others=stay),
        GymnasiumVectorEnv(make(2), agent="a", others=stay),
    ]
    for view in views:
        assert view.compute_reward(achieved, desired, [{}] * 3).tolist() == [0.0, -1.0, 0.0]
        assert view.compute_reward(achieved[1], desired[1], {}) == -1.0


def test_steps_earn_what_compute_reward_says(make_worlds_env, goal_area):
    env = GymnasiumEnv(make_worlds_env(goal_area, 1), agent="a", others=stay)
    env.reset(seed=4)
    earned = []
    for _ in range(5):
        seen, reward, *_, info = env.step([1.0, 0.0])
        assert env.compute_reward(seen["achieved_goal"], seen["desired_goal"], info) == reward
        earned.append(reward)
    assert env.observation_space.contains(seen)
    assert -1.0 in earned


def test_objects_have_goals_too(rink, puck, world: World):
    area = rink(puck("a"))
    area.compute_reward = lambda achieved_goal, desired_goal, info: achieved_goal - desired_goal
    assert Environment(area).compute_reward(3.0, 1.0, None) == 2.0


def test_a_task_without_goals_says_so(make_worlds_env, make_env, goal_area):
    for env in (make_worlds_env(), make_env()):
        with pytest.raises(UnsupportedError, match="has no goals: a task with goals has the hook"):
            env.compute_reward(0.0, 0.0, None)
    view = GymnasiumEnv(make_worlds_env(worlds=1), agent="a", others=stay)
    assert not hasattr(view, "compute_reward")  # trainers would look for goals
    broken = type("Broken", (goal_area,), {"compute_reward": lambda self, *_: {}["goal"]})
    with pytest.raises(CallbackError, match=r"Broken\..* raised KeyError"):
        make_worlds_env(broken).compute_reward(0.0, 0.0, None)


def test_checks_compare_rewards_with_those_of_goals(make_worlds_env, goal_area, checked):
    def make(worlds: int = 1, area: type = goal_area) -> Environment:
        env: Environment = make_worlds_env(area, worlds, max_episode_steps=7)
        return env

    outcomes = checked(make)
    assert outcomes[CHECK] == ("passed", "")
    assert {outcome for outcome, _ in outcomes.values()} <= {"passed", "skipped"}
    other = type("Other", (goal_area,), {"reward": lambda self: np.ones((len(self.world), 2))})
    outcome, reason = checked(lambda worlds=1: make(worlds, other))[CHECK]
    assert outcome == "failed"
    assert reason.startswith("agent 'a' earned 1.0 in step 0, but compute_reward of its goals")
