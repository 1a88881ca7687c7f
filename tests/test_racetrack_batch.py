# SPDX-License-Identifier: Apache-2.0
"""The racetrack in many worlds at once gives the bits of the racetrack in one."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from deepsim import Euler, Pose, Task, register_task
from deepsim_envs import (
    BatchVectorEnv,
    GymnasiumEnv,
    GymnasiumVectorEnv,
    digest,
    in_each_world,
)

WORLDS = 3


@pytest.fixture
def id(root: Path) -> Iterator[str]:
    """The racetrack's name in the registries."""
    name = register_task(root / "examples" / "racetrack")
    yield name
    for registry in (gymnasium.registry, pettingzoo.parallel_registry, pettingzoo.aec_registry):
        registry.pop(name, None)


def in_turn(task: Task, others: str, mode: str = "NextStep") -> GymnasiumVectorEnv:
    def make() -> GymnasiumEnv:
        return GymnasiumEnv(task.make(0, looks=False), agent="red_car", others=task.policy(others))

    return GymnasiumVectorEnv([make] * WORLDS, autoreset_mode=mode)


def batch(task: Task, others: str, mode: str = "NextStep", worlds: int = WORLDS) -> BatchVectorEnv:
    assert task.make_batch is not None
    policy = task.batch_policies.get(others) or in_each_world(task.policy(others))
    return BatchVectorEnv(
        task.make_batch(worlds), agent="red_car", others=policy, autoreset_mode=mode
    )


def canonical(infos: dict[str, Any]) -> Any:
    """Infos without the order of their keys, which says nothing."""
    return {
        key: canonical(value) if isinstance(value, dict) else
        [digest(each) for each in value] if value.dtype == object and key == "final_obs" else
        (str(value.dtype), repr(value.tolist()))
        for key, value in sorted(infos.items())
    }  # fmt: skip


def same(one: Any, other: Any) -> None:
    for mine, theirs in zip(one[:-1], other[:-1], strict=True):
        assert digest(mine) == digest(theirs)
    assert canonical(one[-1]) == canonical(other[-1])


def actions(rng: np.random.Generator, step: int, worlds: int = WORLDS) -> np.ndarray:
    """At first slowly around, so that episodes are long; then wildly, so that they are short."""
    low = [-0.4, 0.0] if step < 300 else [-1.0, -1.0]
    return rng.uniform(low, [0.45, 0.5] if step < 300 else 1.0, (worlds, 2)).astype(np.float32)


@pytest.mark.parametrize(
    ("mode", "others", "steps"),
    [("NextStep", "pursuit", 2000), ("SameStep", "random", 400), ("Disabled", "pursuit", 400)],
)
def test_it_gives_the_bits_of_worlds_stepped_in_turn(
    racetrack: Task, mode: str, others: str, steps: int
) -> None:
    """Observations, rewards, ends and infos, through many episodes."""
    one, other = in_turn(racetrack, others, mode), batch(racetrack, others, mode)
    same(one.reset(seed=11), other.reset(seed=11))
    rng, ends = np.random.default_rng(0), 0
    for step in range(steps):
        drawn = actions(rng, step)
        expected = one.step(drawn)
        same(expected, other.step(drawn))
        over = expected[2] | expected[3]
        ends += int(over.sum())
        if mode == "Disabled" and over.any():
            options = {"reset_mask": over}
            same(
                one.reset(seed=[step, None, 9], options=options),
                other.reset(seed=[step, None, 9], options=options),
            )
    assert ends >= 6
    one.close()
    other.close()


def test_a_world_does_not_depend_on_how_many_there_are(racetrack: Task) -> None:
    many, alone = batch(racetrack, "random", worlds=20), batch(racetrack, "random", worlds=1)
    seen, _ = many.reset(seed=3)
    first, _ = alone.reset(seed=[3 + 17])
    assert digest(seen[17]) == digest(first[0])
    rng = np.random.default_rng(1)
    for step in range(200):
        drawn = actions(rng, step + 200, 20)
        seen, rewards, terminated, truncated, _ = many.step(drawn)
        expected = alone.step(drawn[17:18])
        assert digest(seen[17]) == digest(expected[0][0])
        assert (rewards[17], terminated[17], truncated[17]) == tuple(e[0] for e in expected[1:4])


def test_all_models_are_where_they_are_in_a_world_alone(racetrack: Task) -> None:
    """To the last bit, vans included, of which cars do not see where they point."""
    assert racetrack.make_batch is not None
    alone, many = racetrack.make(0, looks=False), racetrack.make_batch(2)
    alone.reset(5)
    many.reset(seeds=[6, 5])
    rng, lanes = np.random.default_rng(0), set()
    for _ in range(150):
        drawn = {name: 0.2 * actions(rng, 0, 2) for name in many.agents}
        alone.step({name: drawn[name][1] for name in alone.live_agents})
        many.step(drawn)
        lanes.add(tuple(van.lane for van in alone.area.vans))
        expected, found = alone.world.models, many.worlds.models
        assert digest(found.pose[1]) == digest(expected.pose[0])
        assert digest(found.twist[1]) == digest(expected.twist[0])
    assert len(lanes) > 1


def test_metres_stop_at_a_gate_that_was_left_out(racetrack: Task) -> None:
    """A car that is put far ahead earns as little in a batch as alone."""
    assert racetrack.make_batch is not None
    alone, many = racetrack.make(0, looks=False), racetrack.make_batch(2)
    alone.reset(5)
    many.reset(seeds=[6, 5])
    red, course = alone.agents["red_car"], alone.area.course
    ahead = red.start + 8.0
    pose = Pose((*course.point(ahead), 0.0), Euler(yaw=course.heading(ahead)))
    red.transform.pose = pose
    rows = many.worlds.entities.models.rows(["red_car"])
    many.worlds.put("models", {"pose": [pose]}, rows, np.array([1]))
    earned = []
    for _ in range(2):
        expected = alone.step({name: np.zeros(2) for name in alone.agents})
        result = many.step({name: np.zeros((2, 2), np.float32) for name in many.agents})
        for name in many.agents:
            assert digest(result.observation[name][1]) == digest(expected.observation[name])
            assert result.reward[name][1] == expected.reward[name]
        earned.append(expected.reward["red_car"])
    assert 0.0 < earned[0] < 3.1  # a gate stands every 3 m
    assert earned[1] == 0.0


def test_it_continues_from_a_snapshot(racetrack: Task) -> None:
    assert racetrack.make_batch is not None
    one, other = racetrack.make_batch(WORLDS), racetrack.make_batch(WORLDS)
    one.reset(seeds=[1, 2, 3])
    rng = np.random.default_rng(0)
    drawn = [{name: 0.2 * actions(rng, 0) for name in one.agents} for _ in range(120)]
    for each in drawn[:60]:
        one.step(each)
    state = pickle.loads(pickle.dumps(one.get_state()))
    expected = [digest(tuple(one.step(each))) for each in drawn[60:]]
    other.set_state(state)
    assert [digest(tuple(other.step(each))) for each in drawn[60:]] == expected
    one.set_state(state)
    assert [digest(tuple(one.step(each))) for each in drawn[60:]] == expected


@pytest.mark.parametrize("form", ["objects", "batch"])
def test_resets_leave_no_memory_behind(racetrack: Task, form: str) -> None:
    """Nothing is compiled or spawned: what is allocated after many resets is what was before."""
    assert racetrack.make_batch is not None
    environment = racetrack.make(0, looks=False) if form == "objects" else racetrack.make_batch(2)

    def reset(times: int) -> int:
        for _ in range(times):
            environment.reset()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        reset(20)
        before = reset(20)
        kept = reset(200) - before
    finally:
        tracemalloc.stop()
    assert kept < 20 * 200  # bytes: less than a small object each


def test_gymnasium_makes_a_batch_unless_pictures_are_asked_for(id: str) -> None:
    worlds = gymnasium.make_vec(id, num_envs=2, others="random")
    assert isinstance(worlds, BatchVectorEnv)
    seen, _ = worlds.reset(seed=4)
    filmed = gymnasium.make_vec(id, num_envs=2, others="random", render_mode="rgb_array")
    assert isinstance(filmed, GymnasiumVectorEnv)
    assert digest(filmed.reset(seed=4)[0]) == digest(seen)
    worlds.close()
    filmed.close()
