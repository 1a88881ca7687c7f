# SPDX-License-Identifier: Apache-2.0
"""Masks of actions in observations: those who act at random obey them, and checks find bad ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete

from deepsim_envs import Agents, Area, Environment, GymnasiumEnv
from deepsim_envs.checks import random_actions
from deepsim_envs.spaces import allowed, has_action_mask, sample_allowed

CHECK = "action masks allow an action"


class Stairs(Area):
    """Agents step one stair up (1) or down (0), or stay (2), on stairs 0 .. 3.

    At the ends one way is forbidden; with ``stuck``, stair 1 forbids everything.
    """

    agents: Any = Agents(
        ["a", "b"],
        Dict({"observation": Box(0.0, 3.0, (1,)), "action_mask": MultiBinary(3)}),
        Discrete(3),
    )
    stuck = False

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.stair = np.zeros((len(world), 2), np.int64)

    def reset(self, worlds: Any) -> None:
        self.stair[worlds] = 0

    def act(self, actions: Any) -> None:
        forbidden = self.mask()[np.arange(len(self.world))[:, None], np.arange(2), actions] == 0
        self.wrong = forbidden & self.live
        self.rises = (actions == 1) & self.live
        self.stair += np.where(self.live, np.array([-1, 1, 0])[actions], 0)
        self.stair = np.clip(self.stair, 0, 3)

    def mask(self) -> Any:
        stays = ~((self.stair == 1) & self.stuck)
        ways = [self.stair > 0, self.stair < 3, stays]
        return np.stack([way & stays for way in ways], axis=-1).astype(np.int8)

    def observe(self) -> Any:
        return {"observation": self.stair[..., None].astype(np.float32), "action_mask": self.mask()}

    def reward(self) -> Any:
        return self.wrong * -1.0 + self.rises * 0.25


def make_stairs(
    make_worlds_env: Callable[..., Environment], worlds: int = 1, **changes: Any
) -> Any:
    return make_worlds_env(type("Stairs", (Stairs,), changes), worlds, max_episode_steps=25)


def test_random_actions_obey_masks(make_worlds_env):
    env, rng = make_stairs(make_worlds_env, 3), np.random.default_rng(0)
    seen, _ = env.reset(0)
    earned, blind = [], []
    for _ in range(20):
        result = env.step(random_actions(env, rng, seen))
        seen = result.observation
        earned += result.reward.values()
    env.reset(0)
    for _ in range(20):
        blind += env.step(random_actions(env, rng)).reward.values()
    assert min(earned) == 0.0
    assert min(blind) < 0.0


@pytest.mark.parametrize(
    ("space", "mask", "drawn"),
    [
        (Discrete(3, start=-1), [1, 0, 1], {-1, 1}),
        (MultiDiscrete([2, 2]), [0, 1, 1, 1], {(1, 0), (1, 1)}),
        (Discrete(2), None, {0, 1}),
    ],
)
def test_samples_are_what_a_mask_allows(space: Any, mask: Any, drawn: set[Any]) -> None:
    space.seed(0)
    seen = {} if mask is None else {"action_mask": np.array(mask, np.int8)}
    found = [np.asarray(sample_allowed(space, seen)).tolist() for _ in range(50)]
    assert {tuple(each) if isinstance(each, list) else each for each in found} == drawn


@pytest.mark.parametrize(
    ("space", "mask"), [(Discrete(2), [0, 0]), (MultiDiscrete([1, 2]), [1, 0, 0])]
)
def test_a_mask_that_forbids_a_whole_choice_is_refused(space: Any, mask: list[int]) -> None:
    with pytest.raises(ValueError, match=r"must allow a value of each choice, got \["):
        sample_allowed(space, {"action_mask": np.array(mask, np.int8)})


def test_a_mask_fits_its_actions():
    seen = Dict({"action_mask": MultiBinary(3)})
    assert has_action_mask(seen, Discrete(3))
    assert has_action_mask(Dict({"action_mask": Box(0, 1, (5,), np.int8)}), MultiDiscrete([3, 2]))
    assert not has_action_mask(seen, Box(0.0, 1.0, (3,)))
    assert not has_action_mask(MultiBinary(3), Discrete(3))
    with pytest.raises(ValueError, match="an integer for each of the 4 values of Discrete"):
        has_action_mask(seen, Discrete(4))
    with pytest.raises(ValueError, match="an integer for each of the 3 values"):
        has_action_mask(Dict({"action_mask": Box(0.0, 1.0, (3,))}), Discrete(3))
    with pytest.raises(TypeError, match="only choices have masks"):
        allowed({}, Box(0.0, 1.0, (3,)), 1)


def test_the_view_of_one_agent_tells_its_mask(make_worlds_env):
    env = make_stairs(make_worlds_env)
    view = GymnasiumEnv(env, agent="b", others=lambda env, rng: lambda name, seen: 2)
    assert view.action_masks().tolist() == [True, True, True]  # nobody has looked yet
    view.reset(seed=0)
    assert view.action_masks().tolist() == [False, True, True]
    for _ in range(3):
        seen, *_ = view.step(1)
    assert view.action_masks().tolist() == [True, False, True]
    assert seen["action_mask"].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("changes", "outcome", "reason"),
    [
        ({}, "passed", ""),
        ({"stuck": True}, "failed", r"cannot act: an action mask must allow .*, got [0, 0, 0]"),
        (
            {"agents": Agents(["a", "b"], Stairs.agents.observation_space, Discrete(2))},
            "failed",
            "the observation 'action_mask' must have an integer for each of the 2 values",
        ),
    ],
)
def test_checks_find_masks_that_forbid_everything(
    make_worlds_env: Any, checked: Any, changes: dict[str, Any], outcome: str, reason: str
) -> None:
    found = checked(lambda worlds=1: make_stairs(make_worlds_env, worlds, **changes), other=0)
    assert found[CHECK][0] == outcome
    assert all(part in found[CHECK][1] for part in reason.split(" .*"))
    if outcome == "passed":
        assert {each for each, _ in found.values()} <= {"passed", "skipped"}


def test_tasks_without_masks_have_no_such_check(make_rink, checked):
    assert CHECK not in checked(make_rink, steps=4)
