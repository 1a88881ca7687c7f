# SPDX-License-Identifier: Apache-2.0
"""The racetrack in many worlds: each gives the bits that it gives alone."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from deepsim_envs import Environment, digest
from deepsim_train import Task, register_task

SEED = 40


@pytest.fixture
def id() -> Iterator[str]:
    """The racetrack's name in the registries."""
    name = register_task("racetrack")
    yield name
    for registry in (gymnasium.registry, pettingzoo.parallel_registry, pettingzoo.aec_registry):
        registry.pop(name, None)


def actions(rng: np.random.Generator, worlds: int = 1) -> np.ndarray:
    """Fast and wild, so that cars touch each other and leave the road."""
    return rng.uniform([-0.6, 0.0], [0.6, 1.0], (worlds, 2, 2)).astype(np.float32)


def seen(environment: Environment, world: int) -> tuple[Any, ...]:
    """All that a world shows."""
    info, tables = environment.info(), environment.world
    shown = [tables.models.pose, tables.models.twist]
    shown += [tables.visuals.diffuse, tables.visuals.transparency, tables.lights.diffuse]
    own = {
        name: {key: column[world] for key, column in info[name].items()}
        for name in environment.agents
    }
    return (repr(own), *(digest(np.ascontiguousarray(column[world])) for column in shown))


def drive(task: Task, worlds: int, world: int) -> list[Any]:
    """All that one world shows, episode after episode; each world ends and begins its own."""
    shown: list[Any] = []
    seed = SEED - world
    with task.make(worlds, seed) as environment:
        rngs = [np.random.default_rng(seed + number) for number in range(worlds)]
        (observation,) = environment.reset_worlds(seed=seed)
        for _ in range(100):
            shown.append((digest(observation[world]), *seen(environment, world)))
            over = ~environment.live.any(axis=1)
            drawn = np.concatenate([actions(rng) for rng in rngs])
            if over.any():
                (observation,) = environment.reset_worlds(worlds=np.flatnonzero(over))
            if not over.all():
                step = environment.step_worlds((drawn,), np.flatnonzero(~over))
                (observation,) = step.observation
                if not over[world]:
                    ends = step.reward[world], step.terminated[world], step.truncated[world]
                    shown.append(repr([column.tolist() for column in ends]))
    return shown


def test_a_world_gives_the_bits_that_it_gives_alone(racetrack: Task) -> None:
    """Through several episodes: poses, twists, looks, observations, rewards, ends and infos."""
    alone = drive(racetrack, 1, 0)
    assert sum("driving" not in repr(each) for each in alone) > 0
    for worlds, world in ((3, 2), (33, 20)):
        assert drive(racetrack, worlds, world) == alone


def test_worlds_that_do_not_step_stay_as_they_are(racetrack: Task) -> None:
    with racetrack.make(3) as environment:
        environment.reset_worlds(seed=SEED)
        rng = np.random.default_rng(0)
        before = seen(environment, 1)
        for _ in range(20):
            environment.step_worlds((actions(rng, 3),), [0, 2])
        assert seen(environment, 1) == before
        assert environment.world.time.tolist() == pytest.approx([1.0, 0.0, 1.0])


def test_it_continues_from_a_snapshot(racetrack: Task) -> None:
    with racetrack.make(3) as one, racetrack.make(3) as other:
        one.reset_worlds(seed=1)
        rng = np.random.default_rng(0)
        drawn = [0.2 * actions(rng, 3) for _ in range(120)]
        for each in drawn[:60]:
            one.step_worlds((each,))
        state = pickle.loads(pickle.dumps(one.get_state()))
        expected = [digest(tuple(one.step_worlds((each,)))) for each in drawn[60:]]
        for environment in (other, one):
            environment.set_state(state)
            again = [digest(tuple(environment.step_worlds((each,)))) for each in drawn[60:]]
            assert again == expected


@pytest.mark.parametrize("worlds", [1, 2])
def test_resets_leave_no_memory_behind(racetrack: Task, worlds: int) -> None:
    """Nothing is compiled or spawned: as much is allocated after many resets as before."""
    environment = racetrack.make(worlds, looks=False)

    def reset(times: int) -> int:
        for _ in range(times):
            environment.reset_worlds()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        reset(20)
        before = reset(20)
        kept = reset(400) - before
    finally:
        tracemalloc.stop()
    assert kept < 20 * 400  # bytes: less than a small object each, and room for what others cache


def test_gymnasium_steps_the_worlds_together(id: str) -> None:
    """Each as `gymnasium.make` has it alone, also with pictures."""
    worlds = gymnasium.make_vec(id, num_envs=3, others="pursuit")
    alone = gymnasium.make(id, agent="red_car", others="pursuit")
    first, _ = worlds.reset(seed=4)
    assert digest(first[2]) == digest(alone.reset(seed=6)[0])
    rng = np.random.default_rng(0)
    for _ in range(60):
        drawn = 0.3 * actions(rng, 3)[:, 0]
        many, one = worlds.step(drawn), alone.step(drawn[2])
        assert digest(many[0][2]) == digest(one[0])
        assert [column[2] for column in many[1:4]] == list(one[1:4])
    worlds.close()
    alone.close()
