# SPDX-License-Identifier: Apache-2.0
"""How episodes begin and end, for agents that finish at different times."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_envs import ResetNeededError
from deepsim_sync import CallbackError


def test_a_done_agent_drops_out_and_the_others_go_on(make_env):
    env = make_env(frame_skip=5)
    env.reset()
    fast, slow = [1.0, 0.0], [0.5, 0.0]
    assert env.step({"a": fast, "b": slow}).done == {"a": False, "b": False}
    last = env.step({"a": fast, "b": slow})
    assert last.done == {"a": True, "b": False}
    assert last.observation["a"][0] == pytest.approx(1.0)
    assert last.info["deepsim"]["terminated"] == {"a": True, "b": False}
    for values in env.step({"b": slow})[:4]:
        assert list(values) == ["b"]
    assert env.step({"b": slow}).done == {"b": True}


def test_an_action_for_a_done_agent_is_ignored(make_env):
    """The paper's loop submits actions for all agents at every step."""
    env = make_env(frame_skip=10)
    env.reset()
    env.step({"a": [1.0, 0.0], "b": [0.0, 0.0]})
    result = env.step({"a": [-1.0, 0.0], "b": [0.0, 0.0]})
    assert list(result.observation) == ["b"]
    assert env.world.behaviours.get("a").last_action.tolist() == [1.0, 0.0]


def test_when_all_agents_are_done_a_step_needs_a_reset(make_env, push):
    env = make_env(frame_skip=10)
    env.reset()
    env.step(push)
    with pytest.raises(ResetNeededError, match="all agents are done: call reset"):
        env.step(push)
    observation, _ = env.reset()
    assert list(observation) == ["a", "b"]
    assert env.step(push).done == {"a": True, "b": True}


def test_a_step_before_the_first_reset_says_so(make_env, push):
    env = make_env()
    with pytest.raises(ResetNeededError, match="no episode has begun: call reset"):
        env.step(push)


def test_the_time_limit_truncates_who_is_not_done(make_env, push):
    env = make_env(frame_skip=5, max_episode_steps=2)
    env.reset()
    push["b"][:] = 0.0
    env.step(push)
    result = env.step(push)
    assert result.done == {"a": True, "b": True}
    assert result.info["deepsim"]["terminated"] == {"a": True, "b": False}
    assert result.info["deepsim"]["truncated"] == {"a": False, "b": True}
    env.reset()
    assert env.steps == 0
    assert env.step(push).done == {"a": False, "b": False}


def test_an_episode_ends_once(make_env, puck):
    """Of two reasons to end within a step the first one counts."""

    class Quitter(puck):
        def on_update(self) -> None:
            self.end_episode(truncated=True)
            self.end_episode()

    env = make_env(Quitter("a"))
    env.reset()
    ends = env.step({"a": [0, 0]}).info["deepsim"]
    assert (ends["terminated"], ends["truncated"]) == ({"a": False}, {"a": True})


def test_an_agent_that_ended_between_two_steps_is_reported_by_the_next(make_env, push):
    env = make_env()
    env.reset()
    env.world.behaviours.get("b").end_episode()
    assert env.step(push).done == {"a": False, "b": True}


def test_the_end_hook_sees_the_whole_episode_and_comes_once(make_env, puck):
    rewards = []

    class Keeper(puck):
        def on_episode_end(self) -> None:
            rewards.append(self.episode_reward)

    env = make_env(Keeper("a"), puck("b"), frame_skip=5)
    env.reset()
    total = 0.0
    while not env.world.behaviours.get("a").done:
        total += env.step({"a": [1, 0], "b": [0, 0]}).reward["a"]
    env.step({"b": [0, 0]})
    assert rewards == [pytest.approx(total)]
    env.world.behaviours.get("a").add_reward(5.0)  # too late
    assert env.world.behaviours.get("a").episode_reward == rewards[0]


def test_the_end_of_one_agent_may_end_others(make_env, puck):
    """Each is reported as done, with its end hook called, in the same step."""
    ended = []

    class Team(puck):
        def on_episode_end(self) -> None:
            ended.append(self.name)
            for mate in self.world.behaviours:
                mate.end_episode()

    env = make_env(Team("a"), Team("b"), frame_skip=10)
    env.reset()
    assert env.step({"a": [0, 0], "b": [1, 0]}).done == {"a": True, "b": True}
    assert ended == ["b", "a"]


def test_an_episode_begins_in_order(make_env, puck):
    """World and behaviours are reset first, then the area, then agents begin and observe."""
    calls = []

    class Diary(puck):
        on_reset = lambda self: calls.append(f"{self.name} reset")  # noqa: E731 (a table of hooks)
        on_episode_begin = lambda self: calls.append(f"{self.name} begin")  # noqa: E731

        def get_next_state(self):
            calls.append(f"{self.name} observe")
            return super().get_next_state()

    env = make_env(Diary("a"), Diary("b"))
    area_reset = env.area.reset
    env.area.reset = lambda: calls.append("area") or area_reset()
    env.reset()
    assert calls == ["a reset", "b reset", "area", "a begin", "b begin", "a observe", "b observe"]


def test_an_episode_begins_without_traces_of_the_last(make_env, push, simulator):
    env = make_env(frame_skip=5)
    env.reset()
    env.step(push)
    env.step(push)
    _, info = env.reset()
    for agent in env.world.behaviours:
        assert (agent.step_reward, agent.episode_reward, agent.done) == (0.0, 0.0, False)
        assert agent.last_action is None
    assert simulator.time == 0.0
    assert info["deepsim"]["terminated"] == {"a": False, "b": False}


def test_a_reset_cuts_an_episode_short_without_its_end_hook(make_env, puck):
    class Loud(puck):
        def on_episode_end(self) -> None:
            raise RuntimeError("not over yet")

    env = make_env(Loud("a"))
    env.reset()
    env.step({"a": [0, 0]})
    env.reset()


@pytest.mark.parametrize("reward", [float("nan"), float("inf"), np.float32("-inf")])
def test_a_reward_is_finite(world, puck, reward):
    with pytest.raises(ValueError, match="reward of agent 'a' must be finite"):
        puck("a").add_reward(reward)


@pytest.mark.parametrize(
    "hook",
    [
        "on_action_received",
        "on_fixed_update",
        "on_update",
        "on_episode_begin",
        "on_episode_end",
        "get_next_state",
    ],
)
def test_an_error_in_a_hook_names_agent_hook_and_tick(make_env, puck, hook):
    """The world goes on working, and so does the environment after a reset."""

    def broken(self, *args):
        if armed:
            raise ZeroDivisionError("by nought")
        return getattr(puck, hook)(self, *args)

    broken.__name__ = hook

    env = make_env(type("Broken", (puck,), {hook: broken})("a"), frame_skip=10)
    act = {"a": [1, 0]}
    armed = False
    env.reset()
    armed = True
    message = rf"^a\.{hook} raised ZeroDivisionError in tick \d+: by nought"
    begins = hook == "on_episode_begin"
    with pytest.raises(CallbackError, match=message) as caught:
        env.reset() if begins else env.step(act)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.owner == "a"
    armed = False
    with pytest.raises(ResetNeededError, match="failed halfway: call reset"):
        env.step(act)
    env.world.tick()
    env.reset()
    assert env.step(act).done == {"a": True}


@pytest.mark.parametrize("callback", ["reset", "get_info"])
def test_an_error_in_the_area_names_it(make_env, callback):
    def broken():
        raise ZeroDivisionError

    broken.__name__ = callback
    env = make_env()
    setattr(env.area, callback, broken)
    message = rf"^Rink\.{callback} raised ZeroDivisionError in tick 0"
    with pytest.raises(CallbackError, match=message):
        env.reset()


def test_info_is_a_dict(make_env):
    env = make_env()
    env.area.info = None
    with pytest.raises(TypeError, match=r"Rink.get_info\(\) must return a dict, got None"):
        env.reset()
