# SPDX-License-Identifier: Apache-2.0
"""World w of any number of worlds gives the bytes that it gives alone, at every hook."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deepsim_envs import digest

HOOKS = ["act", "fixed_update", "observe", "terminated", "truncated", "reward"]
STEPS = 40


def diary(area: type) -> type:
    """A class of areas that writes down the bytes of each hook, world by world."""

    def noting(hook: str) -> Callable[..., Any]:
        def call(self, *args):
            result = getattr(area, hook)(self, *args)
            moved = self.pucks.pose, self.pucks.twist, self.world.time, self.earned
            for world in self.stepping.tolist():
                shown = [each[world].tobytes() for each in moved]
                if isinstance(result, np.ndarray):
                    shown.append(result[world].tobytes())
                self.pages.setdefault(world, []).append((hook, *shown))
            return result

        return call

    return type("Diary", (area,), {"pages": {}, **{hook: noting(hook) for hook in HOOKS}})


@pytest.mark.parametrize("worlds", [3, 33])
def test_each_world_gives_the_bytes_it_gives_alone(make_worlds_env, rink_area, drive, worlds):
    options = {"frame_skip": 2, "max_episode_steps": 7}
    many = make_worlds_env(diary(rink_area), worlds, **options)
    record = drive(many, list(range(worlds)), STEPS)
    for number in (0, 1, worlds - 1):
        alone = make_worlds_env(diary(rink_area), 1, **options)
        assert drive(alone, [number], STEPS) == {number: record[number]}
        assert alone.area.pages[0] == many.area.pages[number]
        assert len(alone.area.pages[0]) > 6 * STEPS


def test_objects_give_the_bytes_of_arrays(make_worlds_env, make_own_env, drive):
    """The rink of objects and the one on arrays are the same task."""
    options = {"frame_skip": 2, "max_episode_steps": 7}
    assert drive(make_own_env(**options), [5]) == drive(make_worlds_env(worlds=1, **options), [5])


def test_by_name_and_on_arrays_is_the_same(make_worlds_env):
    one, other = (make_worlds_env(max_episode_steps=5) for _ in range(2))
    named, batch = one.reset(3)[0], other.reset_worlds(3)[0]
    actions = np.random.default_rng(0).uniform(-1, 1, (5, 3, 2, 2)).astype(np.float32)
    for action in actions:
        for place, slot in enumerate(one.slots):
            assert named[slot].tobytes() == batch[divmod(place, 2)].tobytes()
        result = one.step(dict(zip(one.slots, action.reshape(6, 2), strict=True)))
        step = other.step_worlds((action,))
        named, batch = result.observation, step.observation[0]
        assert list(result.reward.values()) == step.reward.ravel().tolist()
        ends = result.info["deepsim"]
        assert list(ends["terminated"].values()) == step.terminated.ravel().tolist()
        assert list(ends["truncated"].values()) == step.truncated.ravel().tolist()
    assert not one.live_agents


def test_a_snapshot_of_all_worlds_continues_bit_for_bit(make_worlds_env):
    one, other = make_worlds_env(max_episode_steps=9), make_worlds_env(max_episode_steps=9)
    one.reset_worlds(1)
    actions = (np.random.default_rng(0).uniform(-0.2, 0.2, (3, 2, 2)),)
    one.step_worlds(actions)
    one.reset_worlds(worlds=[1])
    for _ in range(4):
        one.step_worlds(actions)
    state = pickle.loads(pickle.dumps(one.get_state()))
    expected = [digest(tuple(one.step_worlds(actions))) for _ in range(4)]
    drawn = one.reset_worlds()[0].tobytes()
    other.set_state(state)
    assert other.steps.tolist() == [5, 4, 5]
    assert [digest(tuple(other.step_worlds(actions))) for _ in range(4)] == expected
    assert other.reset_worlds()[0].tobytes() == drawn


def test_the_seed_of_the_constructor_seeds_each_world(make_worlds_env):
    first = make_worlds_env(seed=4).reset_worlds()[0]
    assert first.tobytes() == make_worlds_env().reset_worlds([4, 5, 6])[0].tobytes()
    alone = make_worlds_env(worlds=1).reset_worlds(6)[0]
    assert alone.tobytes() == first[2].tobytes()
