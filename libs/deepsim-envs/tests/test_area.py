# SPDX-License-Identifier: Apache-2.0
"""An area on arrays: who takes part in a step, in which order, and what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict

from deepsim_envs import (
    ActionError,
    Agents,
    Area,
    Environment,
    ObservationError,
    ResetNeededError,
)
from deepsim_math import Pose
from deepsim_sync import CallbackError, UnsupportedError, World
from deepsim_sync.testing import TableModel, TableSimulator

AHEAD = np.tile([1.0, 0.0], (3, 2, 1))
STILL = np.zeros((3, 2, 2))
PARTS = Dict({"x": Box(-1, 1), "y": Box(-1, 1)})


@pytest.mark.parametrize("worlds", [1, 3])
def test_hooks_are_called_in_order(make_worlds_env, rink_area, worlds):
    calls: list[str] = []

    def noted(hook: str) -> Any:
        def call(self, *args):
            calls.append(hook)
            return getattr(rink_area, hook)(self, *args)

        return call

    hooks = ["reset", "act", "fixed_update", "update", "observe", "terminated", "truncated",
             "reward", "info", "close"]  # fmt: skip
    env = make_worlds_env(type("Diary", (rink_area,), {h: noted(h) for h in hooks}), worlds,
                          frame_skip=2)  # fmt: skip
    env.reset_worlds(0)
    assert calls == ["reset", "observe"]
    calls.clear()
    env.step_worlds((STILL[:worlds],))
    assert calls == ["act", "fixed_update", "fixed_update", "update", "observe", "terminated",
                     "truncated", "reward"]  # fmt: skip
    calls.clear()
    env.step(dict.fromkeys(env.slots, (0.0, 0.0)))
    assert calls[-2:] == ["reward", "info"]
    env.close()
    assert calls[-1] == "close"


def test_a_small_area_has_four_hooks(make_worlds_env):
    class Small(Area):
        agents = Agents("a", Box(-1, 1, (1,)), Box(-1, 1, (1,)))
        reset = act = lambda self, given: None
        observe = lambda self: np.zeros((3, 1, 1))  # noqa: E731
        reward = lambda self: np.ones((3, 1))  # noqa: E731

    env = make_worlds_env(Small, max_episode_steps=2)
    env.reset()
    for truncated in (False, True):
        step = env.step_worlds((np.zeros((3, 1, 1)),))
        assert step.reward.tolist() == [[1.0]] * 3
        assert not step.terminated.any()
        assert step.truncated.tolist() == [[truncated]] * 3
    assert env.info() == {}


def test_agents_end_at_different_times(make_worlds_env):
    env = make_worlds_env(frame_skip=2)
    env.reset_worlds([0, 1, 2])
    only_a = AHEAD * [[1.0], [0.0]]
    for _ in range(5):
        step = env.step_worlds((only_a,))
    assert step.terminated.tolist() == [[True, False]] * 3
    assert env.live.tolist() == [[False, True]] * 3
    assert env.live_agents == ("b/0", "b/1", "b/2")
    only_a[:, 0] = np.nan  # nobody looks at the action of an agent that is done
    only_a[:, 1] = 1.0
    step = env.step_worlds((only_a,))
    assert not step.terminated.any()
    assert (step.reward[:, 0] == 0.0).all()
    assert (step.reward[:, 1] > 0.0).all()


def test_actions_that_do_not_count_arrive_as_zeros(make_worlds_env, rink_area):
    seen = []

    class Witness(rink_area):
        def act(self, actions):
            seen.append((actions.copy(), self.live.copy(), self.stepping.tolist()))
            super().act(actions)

    env = make_worlds_env(Witness)
    env.reset()
    actions = AHEAD.copy()
    actions[[0, 2]] = np.inf
    env.step_worlds((actions,), [1])
    given, live, stepping = seen[-1]
    assert given.tolist() == (AHEAD * [[[0]], [[1]], [[0]]]).tolist()
    assert live.tolist() == [[False, False], [True, True], [False, False]]
    assert stepping == [1]
    assert given.dtype == np.float32


def test_only_some_worlds_step(make_worlds_env):
    env = make_worlds_env(frame_skip=2)
    env.reset_worlds([0, 1, 2])
    step = env.step_worlds((AHEAD,), [0, 2])
    assert step.observation[0][:, 0, 0] == pytest.approx([0.2, 0.0, 0.2])
    assert step.reward[:, 0] == pytest.approx([0.2, 0.0, 0.2])
    assert env.steps.tolist() == [1, 0, 1]


def test_only_some_worlds_are_reset(make_worlds_env):
    env = make_worlds_env(max_episode_steps=3)
    first = env.reset_worlds([0, 1, 2])[0]
    for _ in range(2):
        env.step_worlds((AHEAD,))
    seen = env.reset_worlds([1], worlds=[1])[0]
    assert seen[1].tolist() == first[1].tolist()
    assert seen[[0, 2], 0, 0] == pytest.approx([0.2, 0.2])
    assert env.steps.tolist() == [2, 0, 2]
    step = env.step_worlds((AHEAD,))
    assert step.truncated[:, 0].tolist() == [True, False, True]
    with pytest.raises(ResetNeededError, match=r"all agents of worlds \[0, 2\] are done"):
        env.step_worlds((AHEAD,))
    env.step_worlds((AHEAD,), [1])
    env.reset_worlds(worlds=np.array([0, 2]))
    env.step_worlds((AHEAD,))


@pytest.mark.parametrize(
    "worlds", [[], [3], [-1], [1, 0], [1, 1], [[0]], [0.0], np.array([True, False, False])]
)
def test_worlds_are_numbers_in_order(make_worlds_env, worlds):
    env = make_worlds_env()
    env.reset()
    for call in (lambda: env.reset_worlds(0, worlds), lambda: env.step_worlds((STILL,), worlds)):
        with pytest.raises((TypeError, ValueError), match="worlds must be"):
            call()
    env.step_worlds((STILL,))


def test_rules_come_after_the_physics_and_before_observations(make_worlds_env, rink_area):
    """What is put by `update` is in the simulator, and in the observation, when the step ends."""

    class Fence(rink_area):
        def update(self) -> None:
            pose = self.pucks.pose
            pose[..., 0] = np.minimum(pose[..., 0], 0.25)
            self.pucks.pose = pose

    env = make_worlds_env(Fence, frame_skip=5)
    env.reset()
    step = env.step_worlds((AHEAD,))
    assert (step.observation[0][..., 0] == 0.25).all()
    writes = len(env.world.simulator.calls("write"))
    env.world.flush()
    assert len(env.world.simulator.calls("write")) == writes


def test_an_agent_is_terminated_or_truncated(make_worlds_env, rink_area):
    class Cut(rink_area):
        def terminated(self):
            return [[True, False]] * 3

        def truncated(self):
            return [[True, True]] * 3

    env = make_worlds_env(Cut)
    env.reset()
    step = env.step_worlds((STILL,))
    assert step.terminated.tolist() == [[True, False]] * 3
    assert step.truncated.tolist() == [[False, True]] * 3


def test_ends_may_depend_on_each_other(make_worlds_env, rink_area):
    """One that arrives ends the episode of the other, and late worlds are told."""
    seen = []

    class Together(rink_area):
        def ends(self, late):
            seen.append(late.tolist())
            arrived = self.terminated()
            return arrived, arrived.any(axis=1, keepdims=True) & ~arrived

    env = make_worlds_env(Together, frame_skip=10, max_episode_steps=2)
    env.reset()
    step = env.step_worlds((AHEAD * [[[1.0], [0.0]], [[0.0], [0.0]], [[0.0], [1.0]]],))
    assert step.terminated.tolist() == [[True, False], [False, False], [False, True]]
    assert step.truncated.tolist() == [[False, True], [False, False], [True, False]]
    env.step_worlds((STILL,), [1])
    assert seen[0] == [False] * 3
    assert seen[1][1]
    assert not env.live.any()


def test_nothing_returned_is_used_again(make_worlds_env):
    env = make_worlds_env()
    arrays = [env.reset_worlds(0)[0]]
    for _ in range(3):
        observation, reward, terminated, truncated = env.step_worlds((STILL,))
        arrays += [observation[0], reward, terminated, truncated]
    arrays += [env.area.earned]
    for number, one in enumerate(arrays):
        assert one.flags.writeable
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :])


def test_the_arrays_of_an_area_are_not_for_writing(make_worlds_env):
    env = make_worlds_env()
    env.reset()
    for array in (env.live, env.area.live):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


INFO = {"wind": np.arange(3.0), "word": ["x", "y", "z"], "a": {"laps": np.arange(3)}}


def test_info_is_arrays_or_by_name(make_worlds_env, rink_area):
    class Told(rink_area):
        def info(self):
            return {
                key: {k: v[: len(self.world)] for k, v in value.items()}
                if isinstance(value, dict)
                else value[: len(self.world)]
                for key, value in INFO.items()
            }

    env = make_worlds_env(Told)
    named = env.reset()[1]
    info = env.info()
    assert info["wind"].tolist() == [0.0, 1.0, 2.0]
    assert info["word"].dtype == object
    assert info["a"]["laps"].tolist() == [0, 1, 2]
    nobody = dict.fromkeys(env.slots, False)
    assert named.pop("wind").tolist() == [0.0, 1.0, 2.0]
    assert named.pop("word").tolist() == ["x", "y", "z"]
    assert named == {
        "deepsim": {"terminated": nobody, "truncated": nobody, "diverged": nobody},
        **{f"a/{world}": {"laps": world} for world in range(3)},
    }
    one = make_worlds_env(Told, 1).reset()[1]
    assert {key: one[key] for key in INFO} == {"wind": 0.0, "word": "x", "a": {"laps": 0}}


def test_by_name_every_agent_of_every_world_is_a_slot(make_worlds_env):
    env = make_worlds_env(frame_skip=5)
    assert env.slots == ("a/0", "b/0", "a/1", "b/1", "a/2", "b/2")
    assert [env.world_of(slot) for slot in env.slots] == [0, 0, 1, 1, 2, 2]
    assert list(env.observation_space) == list(env.action_space) == list(env.slots)
    observation, _ = env.reset(3)
    assert list(observation) == list(env.slots)
    actions = {slot: [1.0 if slot in ("a/0", "b/0", "b/2") else 0.0, 0.0] for slot in env.slots}
    env.step(actions)
    result = env.step(actions)
    assert [slot for slot, done in result.done.items() if done] == ["a/0", "b/0", "b/2"]
    assert result.reward["a/0"] == pytest.approx(0.5)
    assert result.last_action["b/2"].tolist() == [1.0, 0.0]
    assert env.live_agents == ("a/1", "b/1", "a/2")
    result = env.step(actions)  # world 0 is over, and stays as it is
    assert list(result.observation) == list(result.info["deepsim"]["diverged"]) == [
        "a/1", "b/1", "a/2"]  # fmt: skip
    assert env.steps.tolist() == [2, 3, 3]
    with pytest.raises(ActionError, match="agent 'a/1' has no action"):
        env.step({})
    with pytest.raises(ActionError, match="no agent is named 'a': the agents are a/0, b/0"):
        env.step({"a": [0, 0]})


def test_a_bad_action_moves_no_world(make_worlds_env):
    env = make_worlds_env()
    env.reset()
    for bad, message in (
        (9.0, r"action of agent 'b' in world 1 must lie in Box\(-1"),
        (np.nan, "action of agent 'b' in world 1 must not hold NaN"),
    ):
        actions = STILL.copy()
        actions[1, 1, 0] = bad
        with pytest.raises(ActionError, match=message) as caught:
            env.step_worlds((actions,))
        assert caught.value.agent == "b/1"
    with pytest.raises(ActionError, match="action of agent a, b must be a float32 array of shape"):
        env.step_worlds((STILL[:2],))
    with pytest.raises(ActionError, match="action of agent 'a' in world 0 must be a float32 array"):
        env.step_worlds((np.zeros((3, 2, 5), np.float32),))
    with pytest.raises(ActionError, match="actions must be a tuple with a batch for each of 1 gr"):
        env.step_worlds(STILL)
    assert env.steps.tolist() == [0, 0, 0]
    assert env.world.ticks.tolist() == [0, 0, 0]
    env.step_worlds((STILL,))


@pytest.mark.parametrize(
    "hook",
    ["reset", "act", "fixed_update", "update", "observe", "terminated", "truncated", "reward",
     "info", "ends", "get_state", "set_state", "close"],
)  # fmt: skip
def test_an_error_in_a_hook_names_area_hook_and_tick(make_worlds_env, rink_area, hook):
    armed = False

    def broken(self, *args):
        if armed:
            raise ZeroDivisionError("by nought")
        return getattr(rink_area, hook)(self, *args)

    broken.__name__ = hook
    env = make_worlds_env(type("Broken", (rink_area,), {hook: broken}), frame_skip=2)
    env.reset()
    state = env.get_state()
    armed = True
    message = rf"^Broken\.{hook} raised ZeroDivisionError in tick \d: by nought"
    calls = {
        "reset": env.reset,
        "get_state": env.get_state,
        "set_state": lambda: env.set_state(state),
        "close": env.close,
    }
    call = calls.get(hook, lambda: env.step(dict.fromkeys(env.slots, (0, 0))))
    with pytest.raises(CallbackError, match=message):
        call()
    armed = False
    if hook in ("get_state", "close"):
        return
    for act in (lambda: env.step_worlds((STILL,)), lambda: env.reset_worlds(0, [1])):
        with pytest.raises(ResetNeededError, match="failed halfway: call reset"):
            act()
    env.reset_worlds()
    env.step_worlds((STILL,))


@pytest.mark.parametrize(
    ("hook", "returned", "error", "message"),
    [
        ("reward", 0.0, ValueError, r"reward of \w+ must have shape \(3, 2\), got 0"),
        ("reward", [[0.0], [0.0, 1.0]], ValueError, r"reward of \w+ must have shape \(3, 2\)"),
        ("reward", [[0.0, 0.0], [np.inf, 0.0], [0.0, 0.0]], ValueError,
         "reward of agent 'a/1' must be finite, got inf"),
        ("terminated", False, ValueError, r"terminated of \w+ must have shape \(3, 2\)"),
        ("truncated", [True], ValueError, r"truncated of \w+ must have shape \(3, 2\)"),
        ("observe", None, ObservationError, "observation of agent a, b must be a float32 array"),
        ("observe", np.full((3, 2, 2), np.nan), ObservationError,
         "observation of agent 'a' in world 0 must not hold NaN"),
        ("observe", np.zeros((3, 2, 3)), ObservationError,
         "observation of agent 'a' in world 0 must be a float32 array"),
        ("info", 3, TypeError, "the info of Odd must be a dict, got 3"),
        ("info", {"deepsim": 1}, ValueError, "must leave the key 'deepsim' to the environment"),
        ("info", {"x": [1]}, ValueError, r"info 'x' must have shape \(3, ...\), got \(1,\)"),
    ],
)  # fmt: skip
def test_unfit_results_are_refused(make_worlds_env, rink_area, hook, returned, error, message):
    odd = False

    def answer(self):
        return returned if odd else getattr(rink_area, hook)(self)

    env = make_worlds_env(type("Odd", (rink_area,), {hook: answer}))
    env.reset()
    odd = True
    with pytest.raises(error, match=message):
        env.step(dict.fromkeys(env.slots, (0, 0)))


def test_void_rewards_and_observations_may_be_anything(make_worlds_env, rink_area):
    class Careless(rink_area):
        def reward(self):
            return np.where(self.live, 1.0, np.nan)

        def observe(self):
            return np.where(self.live[..., None], super().observe(), np.nan)

    env = make_worlds_env(Careless)
    env.reset()
    step = env.step_worlds((STILL,), [1])
    assert step.reward.tolist() == [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]


def test_bounds_of_observations_are_checked_at_resets(make_worlds_env, rink_area):
    """A limit missed by a rounding error must not end a training of days."""
    far = np.zeros((3, 2, 2))

    class Far(rink_area):
        observe = lambda self: far  # noqa: E731 (shorter)

    env = make_worlds_env(Far)
    env.reset()
    far[2] = 11.0
    env.step_worlds((STILL,))
    env.reset_worlds(worlds=[0, 1])
    with pytest.raises(ObservationError, match="observation of agent 'a' in world 2 must lie in"):
        env.reset_worlds(worlds=[2])


def _agents(*names: str) -> Agents:
    return Agents(names, Box(-10, 10, (2,)), Box(-1, 1, (2,)))


@pytest.mark.parametrize(
    ("agents", "error", "message"),
    [
        (None, TypeError, r"Odd.agents must be Agents, or a sequence of them, got None"),
        (["a"], TypeError, r"Odd.agents must be Agents, or a sequence of them, got \['a'\]"),
        ([], ValueError, "Odd.agents lists no agents"),
        ([_agents("a"), _agents("b", "a")], ValueError, "agent 'a' is listed twice"),
        (Agents("a", None, Box(-1, 1)), TypeError, "observation space of agent 'a' of Odd must be"),
    ],
)
def test_faulty_groups_are_refused(make_worlds_env, rink_area, agents, error, message):
    with pytest.raises(error, match=message):
        make_worlds_env(type("Odd", (rink_area,), {"agents": agents}))


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ([], ValueError, "at least one name"),
        (["a", "a"], ValueError, "agent 'a' is listed twice"),
        ([1], TypeError, "must be a str, got 1"),
    ],
)
def test_a_group_has_names(names, error, message):
    with pytest.raises(error, match=message):
        Agents(names, Box(-1, 1), Box(-1, 1))


@pytest.mark.parametrize(
    ("seen", "privileged", "message"),
    [
        (PARTS, ["x", "z"], "got 'z' for 'a': the observation has 'x', 'y'"),
        (PARTS["x"], ["x"], r"privileged names keys of a Dict observation, got 'x' for 'a': Box"),
        (PARTS, ["y", "x"], "all keys of the observation of 'a' are privileged"),
    ],
)
def test_privileged_keys_are_some_of_the_observation(seen, privileged, message):
    with pytest.raises(ValueError, match=message):
        Agents("a", seen, Box(-1, 1), privileged=privileged)
    assert Agents("a", PARTS, Box(-1, 1), privileged="y").privileged == ("y",)


def test_an_area_says_what_it_lacks(make_worlds_env, rink_area):
    class Homeless(rink_area):
        def __init__(self, world):
            pass

    with pytest.raises(TypeError, match=r"Homeless.__init__ must call super\(\).__init__\(world\)"):
        make_worlds_env(Homeless)
    with pytest.raises(TypeError, match="abstract"):
        make_worlds_env(Area)


def test_objects_are_for_one_world(puck, rink):
    world = World(TableSimulator(worlds=2))
    world.spawn(TableModel(), "a", Pose())
    with pytest.raises(UnsupportedError, match="one world"):
        Environment(rink(puck("a", world=world)))


def test_an_attribute_cannot_take_the_place_of_a_hook(make_worlds_env, rink_area):
    class Mixed(rink_area):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.terminated = np.zeros(3)

    with pytest.raises(TypeError, match=r"Mixed\.terminated is a hook and must be a method, got"):
        make_worlds_env(Mixed)
