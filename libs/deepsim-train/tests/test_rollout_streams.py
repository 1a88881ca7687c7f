# SPDX-License-Identifier: Apache-2.0
"""Streams: fragments that go on with the episodes of the ones before."""

from __future__ import annotations

import multiprocessing
import os
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rollout_tasks import RINK, WEIGHTS, make_rink

from deepsim_envs import digest
from deepsim_train.rollout_pool import Fragment, FragmentError, RolloutPool, Spec
from deepsim_train.rollout_pool.streams import Streams

COUNTS = "rollout_tasks:Counts"
STREAMS = 3


def make_pool(workers: int = 1, policy: Spec | str = COUNTS, **options: Any) -> RolloutPool:
    """Returns a pool of fragments that are shorter than most episodes."""
    options = {"spec": RINK, "length": 7, "worlds": 2, "streams": STREAMS, "seed": 5, **options}
    return RolloutPool(options.pop("spec"), policy, workers, **options)


def collected(pool: RolloutPool) -> list[Fragment]:
    """Four fragments of each stream, by two sets of weights."""
    before = pool.collect(2 * STREAMS)
    pool.set_weights(WEIGHTS)
    return before + pool.collect(2 * STREAMS)


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """What one worker in this process collects."""
    with make_pool() as pool:
        return [digest(fragment) for fragment in collected(pool)]


def kill_workers() -> None:
    for process in multiprocessing.active_children():
        os.kill(process.pid or 0, signal.SIGKILL)


def require_continuity(before: Fragment, after: Fragment) -> None:
    """Requires that all episodes, finished or not, are as `before` says."""
    is_over = ~np.any(list(before.unfinished.values()), axis=0)
    assert np.array_equal(after.starts[0], is_over)
    assert np.array_equal(after.seeds[0] == before.seeds[-1], ~is_over)
    for name, goes_on in before.unfinished.items():
        last = before.next_observations[name][-1]
        assert digest(after.observations[name][0][goes_on]) == digest(last[goes_on])
        assert np.array_equal(after.live[name][0], goes_on | is_over)


def test_fragments_go_on_with_episodes() -> None:
    """Those of a stream, put together, are what an environment does."""
    with make_pool() as pool:
        fragments = collected(pool)
    assert not all(fragment.starts[0].any() for fragment in fragments)
    for stream in range(STREAMS):
        own = fragments[stream::STREAMS]
        for before, after in pairwise(own):
            require_continuity(before, after)
        for world in (0, 1):
            with make_rink() as environment:
                for fragment, row in ((each, row) for each in own for row in range(7)):
                    where = row, world
                    if fragment.starts[where]:
                        seen, _ = environment.reset(int(fragment.seeds[where]))
                    live = environment.live_agents
                    result = environment.step({n: fragment.actions[n][where] for n in live})
                    for n in live:
                        assert digest(fragment.observations[n][where]) == digest(seen[n])
                        assert fragment.rewards[n][where] == result.reward[n]
                    seen = result.observation


def test_unfinished_episodes_are_those_without_an_end() -> None:
    with make_pool() as pool:
        fragments = collected(pool)
    marks = [fragment.unfinished[name] for fragment in fragments for name in "ab"]
    assert np.any(marks)
    assert not np.all(marks)
    for fragment in fragments:
        for name, unfinished in fragment.unfinished.items():
            ended = (fragment.terminations[name] | fragment.truncations[name])[-1]
            assert np.array_equal(unfinished, fragment.live[name][-1] & ~ended)


def test_the_first_fragments_are_those_of_a_pool_without_streams() -> None:
    with make_pool() as pool, make_pool(streams=None) as other:
        assert digest(pool.collect(STREAMS)) == digest(other.collect(STREAMS))
        assert digest(pool.collect(1)) != digest(other.collect(1))


@pytest.mark.parametrize("worlds", [1, 5])
def test_a_task_on_arrays_gives_the_bytes_of_one_in_each_world(worlds: int) -> None:
    found = []
    for each in ("rollout_tasks:make_rinks", RINK):
        with make_pool(spec=each, worlds=worlds) as pool:
            found.append(digest(collected(pool)))
    assert found[0] == found[1]


@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers_collects_the_same_bytes(expected: list[str], workers: int) -> None:
    with make_pool(workers, backend="process") as pool:
        assert [digest(fragment) for fragment in collected(pool)] == expected
        assert pool.replaced == 0


def test_another_worker_goes_on_with_the_episodes_of_one_that_is_killed(
    expected: list[str], tmp_path: Path
) -> None:
    """In the middle of a fragment; its episodes are replayed, with the memory of the policy."""
    dies = {"marker": str(tmp_path / "died"), "nth": 50}
    with make_pool(2, Spec("rollout_tasks:DiesRemembering", dies), backend="process") as pool:
        assert [digest(fragment) for fragment in collected(pool)] == expected
        assert 1 <= pool.replaced <= 2


def test_workers_may_die_between_two_collections(expected: list[str]) -> None:
    with make_pool(2, backend="process") as pool:
        found = pool.collect(2 * STREAMS)
        pool.set_weights(WEIGHTS)
        kill_workers()
        found += pool.collect(2 * STREAMS)
        assert [digest(fragment) for fragment in found] == expected
        assert pool.replaced == 2


def test_environments_of_gymnasium_are_replayed() -> None:
    random = "deepsim_train.rollout_pool:RandomPolicy"
    options: dict[str, Any] = {"policy": random, "spec": "CartPole-v1", "worlds": 3}
    with make_pool(**options) as local, make_pool(1, backend="process", **options) as pool:
        wanted = [digest(local.collect(STREAMS)) for _ in range(4)]
        found = [digest(pool.collect(STREAMS)) for _ in range(3)]
        kill_workers()
        assert [*found, digest(pool.collect(STREAMS))] == wanted


def test_an_error_leaves_the_episodes_as_they_were() -> None:
    """Those of all fragments of the collection, whichever raised."""
    stumbles = Spec("rollout_tasks:Stumbles", {"limit": 0.02})
    with make_pool(policy=stumbles, seed=1) as pool:
        found, errors = [], []
        while len(found) < 4 and not errors:
            try:
                found.append(digest(pool.collect(STREAMS)))
            except FragmentError as error:
                errors.append(error.fragment)
        assert errors
        assert found
        again = [pool.collect(1)[0] for _ in range(errors[0] - pool.collected)]
        assert again
    with make_pool(policy=stumbles, seed=1) as pool:
        assert [digest(pool.collect(STREAMS)) for _ in found] == found
        assert digest(again) == digest(pool.collect(len(again)))


def test_a_closed_iterator_goes_on_with_the_last_fragments_that_came() -> None:
    last: dict[int, Fragment] = {}
    with make_pool(2, backend="process") as pool:
        for fragment in pool.as_completed():
            stream = fragment.number % STREAMS
            if stream in last:
                require_continuity(last[stream], fragment)
            last[stream] = fragment
            if len(last) == STREAMS and fragment.number > 3 * STREAMS:
                break
        for fragment in pool.collect(STREAMS):
            require_continuity(last[fragment.number % STREAMS], fragment)


def test_the_memory_is_that_before_the_fragment() -> None:
    """It begins with the episode, and holds the steps that the policy has seen of it."""
    with make_pool() as pool:
        fragments = collected(pool)
    for stream in range(STREAMS):
        steps = np.zeros(2, np.int64)
        for fragment in fragments[stream::STREAMS]:
            steps[fragment.starts[0]] = 0
            for name in "ab":
                live = fragment.live[name][0]
                assert np.array_equal(fragment.memory[name]["steps"][live], steps[live])
            for row in fragment.starts:
                steps[row] = 0
                steps += 1


def test_a_policy_remembers_in_pools_without_streams_too() -> None:
    with make_pool(streams=None) as pool:
        for fragment in pool.collect(2):
            assert fragment.memory["a"]["steps"].tolist() == [0, 0]
            assert fragment.memory["b"]["last"].shape == (2, 2)


def test_a_memory_of_another_shape_is_refused() -> None:
    with (
        make_pool(policy="rollout_tasks:Forgets") as pool,
        pytest.raises(FragmentError, match="memory of agent 'a' must have a row for each of 2"),
    ):
        pool.collect(1)


def test_episodes_that_no_replay_brings_back_begin_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """They are marked as starts, and the log says so."""
    random = "deepsim_train.rollout_pool:RandomPolicy"
    options: dict[str, Any] = {"spec": "rollout_tasks:Fleeting", "streams": 1}
    with make_pool(1, random, backend="process", **options) as pool:
        (before,) = pool.collect(1)
        kill_workers()
        (after,) = pool.collect(1)
    assert before.unfinished["agent"].all()
    assert after.starts[0].all()
    assert "fragment 1 breaks off 2 unfinished episodes" in caplog.text


def test_too_long_episodes_begin_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("deepsim_train.rollout_pool.streams.LONGEST_REPLAY", 14)
    random = "deepsim_train.rollout_pool:RandomPolicy"
    options: dict[str, Any] = {"spec": Spec(RINK, {"max_episode_steps": 1000}), "streams": 1}
    with make_pool(1, random, backend="process", **options) as pool:
        pool.collect(2)
        kill_workers()
        assert not pool.collect(1)[0].starts[0].any()
        kill_workers()
        assert pool.collect(1)[0].starts[0].all()
    assert "fragment 3 breaks off 2 unfinished episodes" in caplog.text


def test_a_worker_that_comes_late_takes_over_streams() -> None:
    """As many as make it even, and no more."""
    streams = Streams(4)
    for number in range(4):
        assert streams.choose(number, [0]) == 0
        streams.assign(number, 0)
    assert streams.choose(4, [1]) == 1
    assert streams.assign(4, 1).held == (0,)
    assert streams.choose(5, [1]) == 1
    assert streams.assign(5, 1).held == (0, 1)
    assert streams.choose(6, [1]) is None
    assert streams.choose(6, [1, 0]) == 0
    streams.forget(0)
    assert streams.choose(6, [1]) == 1


def test_at_least_one_stream() -> None:
    with pytest.raises(ValueError, match="streams must be >= 1 or None, got 0"):
        make_pool(streams=0)
