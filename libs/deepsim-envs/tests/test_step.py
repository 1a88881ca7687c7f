# SPDX-License-Identifier: Apache-2.0
"""What a step does and returns."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator


def test_the_loop_of_the_paper_runs(make_env):
    """Appendix B: reset, then steps with sampled actions, five values each."""
    env = make_env()
    env.reset()
    for _ in range(5):
        action_dict = {name: env.action_space[name].sample() for name in ("a", "b")}
        state, reward, done, action, info = env.step(action_dict=action_dict)
        assert list(state) == list(reward) == list(done) == list(action) == ["a", "b"]
        nobody = {"a": False, "b": False}
        assert info["deepsim"] == {"terminated": done, "truncated": nobody, "diverged": nobody}


@pytest.mark.parametrize("frame_skip", [1, 2, 4])
def test_a_step_is_a_fixed_number_of_physics_steps(make_env, simulator, push, frame_skip):
    env = make_env(frame_skip=frame_skip)
    env.reset()
    for step in (1, 2):
        observation = env.step(push).observation
        assert simulator.time == pytest.approx(0.1 * frame_skip * step)
        assert observation["a"][0] == pytest.approx(0.1 * frame_skip * step)


def test_a_step_may_be_a_few_ticks_of_several_physics_steps(make_env, puck, push):
    simulator = TableSimulator()
    world = World(simulator, steps_per_tick=2)
    for name in "ab":
        world.spawn(TableModel(), name, Pose())
    env = make_env(puck("a", world=world), puck("b", world=world), frame_skip=6)
    env.reset()
    env.step(push)
    assert world.ticks == 3
    assert simulator.calls("step") == [2, 2, 2]


def test_behaviours_are_updated_once_after_the_physics(make_env, puck, push):
    """What `on_update` puts is in the simulator, and in the observation, when the step returns."""

    class Painter(puck):
        updates = 0

        def on_update(self) -> None:
            self.updates += 1
            self.transform.pose = self.transform.pose.replace(position=(0.0, 5.0, 0.0))

    painter = Painter("a")
    env = make_env(painter, puck("b"), frame_skip=3)
    env.reset()
    result = env.step(push)
    assert painter.updates == 1
    assert result.observation["a"] == pytest.approx([0.0, 5.0])
    writes = len(env.world.simulator.calls("write"))
    env.world.flush()
    assert len(env.world.simulator.calls("write")) == writes


def test_the_world_is_current_in_every_callback(make_env, puck, rink, push):
    """Two environments in one thread never see each other's world."""
    seen = []

    class Witness(puck):
        def on_action_received(self, action) -> None:
            seen.append(World.current())

        on_episode_begin = on_update = lambda self: seen.append(World.current())

        def get_next_state(self):
            seen.append(World.current())
            return super().get_next_state()

    env = make_env(Witness("a"))
    other = World(TableSimulator())
    with other:
        env.reset()
        env.step({"a": push["a"]})
        assert World.current() is other
    assert seen == [env.world] * 5


def test_rewards_of_a_step_add_up_and_are_cleared(make_env, puck):
    class Earner(puck):
        def on_action_received(self, action) -> None:
            self.add_reward(0.25)

        def on_fixed_update(self, delta_time, sim_time) -> None:
            self.add_reward(1.0)

        def get_next_state(self):
            self.add_reward(0.5)
            return super().get_next_state()

    earner = Earner("a")
    env = make_env(earner, frame_skip=3)
    env.reset()
    assert (earner.step_reward, earner.episode_reward) == (0.0, 0.0)
    rewards = [env.step({"a": [0, 0]}).reward["a"] for _ in range(3)]
    assert rewards == [3.75, 3.75, 3.75]
    assert (earner.step_reward, earner.episode_reward) == (0.0, 11.25)


def test_a_reward_between_two_steps_belongs_to_the_next_one(make_env, puck):
    class Idle(puck):
        def on_fixed_update(self, delta_time, sim_time) -> None:
            pass

    agent = Idle("a")
    env = make_env(agent)
    env.reset()
    agent.add_reward(2.0)
    assert env.step({"a": [0, 0]}).reward == {"a": 2.0}
    assert env.step({"a": [0, 0]}).reward == {"a": 0.0}


def test_last_action_is_what_was_given_unless_the_agent_changed_it(make_env, puck):
    class Timid(puck):
        def on_action_received(self, action) -> None:
            self.last_action = action / 2

    env = make_env(Timid("a"), puck("b"))
    env.reset()
    last_action = env.step({"a": [1, 1], "b": [1, 1]}).last_action
    np.testing.assert_array_equal(last_action["a"], [0.5, 0.5])
    np.testing.assert_array_equal(last_action["b"], [1.0, 1.0])


def test_nothing_returned_shares_memory_with_a_later_step(make_env, push):
    env = make_env()
    env.area.info = {"map": np.zeros(3), "deep": {"list": [np.ones(2)], "pair": (1, [2])}}
    env.reset()
    results = [env.step(push), env.step(push)]
    for first, second in [results, results[::-1]]:
        for name in "ab":
            assert not np.shares_memory(first.observation[name], second.observation[name])
            assert not np.shares_memory(first.last_action[name], second.last_action[name])
        first.info["map"][:] = 7.0
        first.info["deep"]["list"][0][:] = 7.0
        first.info["deep"]["pair"][1].append(7)
        first.last_action["a"][:] = 7.0
    again = env.step(push)
    assert again.info["map"].tolist() == [0.0, 0.0, 0.0]
    assert again.info["deep"] == {"list": [pytest.approx([1.0, 1.0])], "pair": (1, [2])}


def test_an_agent_keeps_its_own_copy_of_an_action(make_env, push):
    """A policy may write its next action into the same array, or into the one returned."""
    env = make_env()
    env.reset()
    result = env.step(push)
    push["a"][:] = result.last_action["a"][:] = -1.0
    assert env.world.behaviours.get("a").last_action.tolist() == [1.0, 0.0]
