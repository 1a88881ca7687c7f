# SPDX-License-Identifier: Apache-2.0
"""A world whose physics diverges ends its own episode, and stops no other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box

from deepsim_envs import Agents, Environment
from deepsim_envs.pettingzoo import PettingZooEnv
from deepsim_sync import CallbackError, SimulationError

FAST = 1e300  # [m/s]
SPACE = Box(-np.inf, np.inf, (2,), np.float64)


def actions(*speeds: float) -> tuple[Any]:
    """Of two agents in each world, of which the first one has a speed along x."""
    given = np.zeros((len(speeds), 2, 2))
    given[:, 0, 0] = speeds
    return (given,)


@pytest.fixture
def unlimited(rink_area):
    """A rink with any speed."""

    class Unlimited(rink_area):
        agents = Agents(["a", "b"], Box(-1e9, 1e9, (2,)), SPACE)

    return Unlimited


@pytest.mark.parametrize("ticks", [1, 3])
def test_the_others_go_on(make_worlds_env, unlimited, ticks):
    env, fine = (make_worlds_env(unlimited, frame_skip=ticks) for _ in range(2))
    env.reset_worlds(0)
    fine.reset_worlds(0)
    before = env.step_worlds(actions(0.5, 0.5, 0.5)).observation[0]
    fine.step_worlds(actions(0.5, 0.5, 0.5))
    step, other = env.step_worlds(actions(0.5, FAST, 0.5)), fine.step_worlds(actions(0.5, 0.5, 0.5))
    assert env.diverged.tolist() == [False, True, False]
    for mine, theirs in zip((step[0][0], *step[1:]), (other[0][0], *other[1:]), strict=True):
        assert mine[[0, 2]].tobytes() == theirs[[0, 2]].tobytes()
    assert step.truncated.tolist() == [[False, False], [True, True], [False, False]]
    assert not step.terminated.any()
    assert step.reward[1].tolist() == [0.0, 0.0]
    assert step.observation[0][1].tobytes() == before[1].tobytes()
    assert env.live.all(axis=1).tolist() == [True, False, True]
    assert env.steps.tolist() == [2, 2, 2]
    env.set_state(env.get_state())
    assert not env.diverged.any()  # in no step since
    env.step_worlds(actions(0.5, 0.5, 0.5), [0, 2])
    assert not env.diverged.any()
    env.reset_worlds(worlds=[1])
    env.step_worlds(actions(0.5, 0.5, 0.5))


def test_one_world_alone_ends_the_same_way(make_worlds_env, unlimited):
    many, alone = make_worlds_env(unlimited), make_worlds_env(unlimited, 1)
    many.reset_worlds(0)
    alone.reset_worlds(1)
    for speed in (0.5, FAST):
        step, single = many.step_worlds(actions(0.5, speed, 0.5)), alone.step_worlds(actions(speed))
        for mine, theirs in zip((step[0][0], *step[1:]), (single[0][0], *single[1:]), strict=True):
            assert mine[1].tobytes() == theirs[0].tobytes()
    assert alone.diverged.all()
    assert not alone.live.any()
    first, again = many.reset_worlds(worlds=[1])[0][1], alone.reset_worlds()[0][0]
    assert first.tobytes() == again.tobytes()


def test_by_name_the_info_says_so(make_worlds_env, unlimited):
    env = make_worlds_env(unlimited)
    env.reset(0)
    result = env.step({slot: [FAST if slot == "b/2" else 0.1, 0.0] for slot in env.slots})
    ends = result.info["deepsim"]
    assert [slot for slot in env.slots if ends["diverged"][slot]] == ["a/2", "b/2"]
    assert [slot for slot in env.slots if ends["truncated"][slot]] == ["a/2", "b/2"]
    assert (result.reward["a/2"], result.reward["b/2"]) == (0.0, 0.0)
    assert env.live_agents == ("a/0", "b/0", "a/1", "b/1")
    result = env.step({slot: [0.1, 0.0] for slot in env.live_agents})
    assert not any(result.info["deepsim"]["diverged"].values())


def test_views_by_name_say_so(make_worlds_env, unlimited):
    view = PettingZooEnv(make_worlds_env(unlimited))
    view.reset(seed=0)
    *_, infos = view.step({slot: [FAST if slot == "b/2" else 0.1, 0.0] for slot in view.agents})
    assert [slot for slot in infos if infos[slot].get("diverged")] == ["a/2", "b/2"]


def test_hooks_compute_with_finite_numbers_and_without_the_world(make_worlds_env, unlimited):
    seen = []

    class Watching(unlimited):
        def diverged(self, worlds):
            seen.append(("diverged", worlds.tolist()))

        def update(self):
            assert np.isfinite(self.pucks.pose).all()
            seen.append(("update", self.stepping.tolist(), self.live[:, 0].tolist()))

    env = make_worlds_env(Watching, frame_skip=2)
    env.reset_worlds(0)
    env.step_worlds(actions(FAST, 0.0, 0.0))
    assert seen == [("diverged", [0]), ("update", [1, 2], [False, True, True])]
    seen.clear()
    env.reset_worlds(worlds=[0])
    env.step_worlds(actions(FAST, FAST, FAST))
    assert seen == [("diverged", [0, 1, 2])]


def test_agents_as_objects_end_truncated(rink, puck):
    """Their end hook is called, and what they earned in the step does not count."""
    ended = []

    class Hasty(puck):
        def on_action_received(self, action):
            super().on_action_received(action)
            self.add_reward(3.0)

        def on_episode_end(self):
            ended.append((self.name, self.truncated, self.transform.pose.position.x))

    area = rink(Hasty("a"), puck("b"))
    area.action_space = dict.fromkeys("ab", SPACE)
    env = Environment(area, frame_skip=2)
    seen, _ = env.reset(0)
    result = env.step({"a": [FAST, 0.0], "b": [0.5, 0.0]})
    assert result.done == {"a": True, "b": True}
    assert result.reward == {"a": 0.0, "b": 0.0}
    assert result.info["deepsim"]["diverged"] == {"a": True, "b": True}
    assert result.info["deepsim"]["terminated"] == {"a": False, "b": False}
    assert {name: each.tobytes() for name, each in result.observation.items()} == {
        name: each.tobytes() for name, each in seen.items()
    }
    assert not env.live_agents
    assert ended == [("a", True, 0.0)]
    assert env.world.behaviours.get("a").episode_reward == 0.0
    env.reset()
    assert env.step({"a": [0.5, 0.0], "b": [0.5, 0.0]}).done == {"a": False, "b": False}


def test_a_simulator_that_fails_otherwise_is_told(make_worlds_env, unlimited):
    env = make_worlds_env(unlimited)
    env.reset()

    def broken(n, worlds=None, changes=None):
        raise SimulationError("out of memory", [])

    env.world.simulator.step = broken
    with pytest.raises((SimulationError, CallbackError), match="out of memory"):
        env.step_worlds(actions(0.0, 0.0, 0.0))


@pytest.mark.parametrize("value", ["observation", "reward"])
def test_a_world_with_invalid_values_can_be_truncated(make_worlds_env, unlimited, value):
    """The other worlds give the bits that they give beside a sound one."""

    class Broken(unlimited):
        broken = False

        def observe(self):
            seen = np.array(super().observe(), dtype=np.float64)
            if self.broken and value == "observation":
                seen[1, 0, 0] = np.nan
            return seen

        def reward(self):
            reward = np.array(super().reward(), dtype=np.float64)
            if self.broken and value == "reward":
                reward[1, 1] = np.inf
            return reward

        def terminated(self):  # which does not count where the world is truncated
            return np.tile([[False], [self.broken], [False]], 2)

    env, fine = (make_worlds_env(Broken, on_invalid="truncate") for _ in range(2))
    env.reset_worlds(0)
    fine.reset_worlds(0)
    before = env.step_worlds(actions(0.5, 0.5, 0.5)).observation[0]
    fine.step_worlds(actions(0.5, 0.5, 0.5))
    env.area.broken = True
    what = rf"world 1 is truncated: {value} of agent '{'a' if value == 'observation' else 'b'}"
    with pytest.warns(UserWarning, match=what):
        step = env.step_worlds(actions(0.5, 0.5, 0.5))
    other = fine.step_worlds(actions(0.5, 0.5, 0.5))
    assert env.diverged.tolist() == [False, True, False]
    assert env.invalid_steps.tolist() == [0, 1, 0]
    assert step.truncated.tolist() == [[False, False], [True, True], [False, False]]
    assert not step.terminated.any()
    assert step.reward[1].tolist() == [0.0, 0.0]
    last = before if value == "observation" else other.observation[0]  # that is valid
    assert step.observation[0][1].tobytes() == last[1].tobytes()
    for mine, theirs in zip((step[0][0], *step[1:]), (other[0][0], *other[1:]), strict=True):
        assert mine[[0, 2]].tobytes() == theirs[[0, 2]].tobytes()
    env.area.broken = False
    env.reset_worlds(worlds=[1])
    assert not env.step_worlds(actions(0.5, 0.5, 0.5)).truncated.any()
    env.area.broken = True
    strict = make_worlds_env(Broken)
    strict.reset_worlds(0)
    strict.area.broken = True
    with pytest.raises((CallbackError, ValueError), match=r"must (not hold NaN|be finite)"):
        strict.step_worlds(actions(0.5, 0.5, 0.5))
