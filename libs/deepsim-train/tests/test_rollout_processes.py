# SPDX-License-Identifier: Apache-2.0
"""Workers in processes of their own: the same bytes, whatever happens to the processes."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rollout_tasks import LINEAR, RINK, WEIGHTS, bytes_of

from deepsim_envs import digest
from deepsim_train.rollout_pool import (
    FragmentError,
    NoWorkerError,
    RolloutPool,
    Spec,
    WorkerDiedError,
)

pytestmark = pytest.mark.slow

TESTS = str(Path(__file__).parent)


def make_pool(workers: int = 2, policy: Spec | str = LINEAR, **options: Any) -> RolloutPool:
    return RolloutPool(
        RINK, policy, workers, **{"backend": "process", "length": 150, "worlds": 2, **options}
    )


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """What one worker in this process does."""
    with make_pool(backend="local") as pool:
        return bytes_of(pool)


def children() -> set[int]:
    return {process.pid or 0 for process in multiprocessing.active_children()}


@pytest.mark.parametrize("workers", [1, 4])
def test_the_bytes_are_those_of_one_process(expected: list[str], workers: int) -> None:
    with make_pool(workers) as pool:
        assert len(children()) == workers
        assert bytes_of(pool) == expected
        assert pool.replaced == 0


def test_the_fragment_of_a_worker_that_is_killed_is_computed_again(
    expected: list[str], tmp_path: Path
) -> None:
    """In the middle of it, by SIGKILL."""
    policy = Spec("rollout_tasks:DiesOnce", {"marker": str(tmp_path / "died")})
    with make_pool(2, policy) as pool:
        assert bytes_of(pool) == expected
        # Both may have been on their way to it before the file was there.
        assert 1 <= pool.replaced <= 2


def test_idle_workers_that_are_killed_are_replaced(expected: list[str]) -> None:
    """And the new ones have the weights."""
    with make_pool(2) as pool:
        before = pool.collect(3)
        pool.set_weights(WEIGHTS)
        between = pool.collect(2)
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        fragments = before + between + pool.collect(2)
        assert [digest(fragment) for fragment in fragments] == expected
        assert pool.replaced == 2


def test_a_fragment_that_kills_every_worker_is_given_up() -> None:
    with make_pool(1, "rollout_tasks:DiesAlways") as pool:
        with pytest.raises(
            WorkerDiedError, match=r"fragment 0 was given up.* exit code -9"
        ) as told:
            pool.collect(2)
        assert told.value.fragment == 0
        assert pool.replaced == 3
        assert pool.collected == 0


@pytest.mark.parametrize(("backend", "workers"), [("local", 1), ("process", 1), ("process", 3)])
def test_the_first_error_comes_back_with_its_traceback(backend: str, workers: int) -> None:
    """The first by number, whichever worker is the quickest; then the pool is as it was."""
    policy = Spec("rollout_tasks:Stumbles", {"limit": 0.05})
    with make_pool(workers, policy, backend=backend, length=6, worlds=1, seed=16) as pool:
        with pytest.raises(FragmentError) as told:
            pool.collect(9)
        assert told.value.fragment == 2
        assert str(told.value) == "fragment 2 raised KeyError: 'the policy stumbled'"
        assert told.value.kind == "KeyError"
        assert 'rollout_tasks.py", line' in told.value.traceback
        assert 'raise KeyError("the policy stumbled")' in str(told.value.__cause__)
        assert pool.collected == 0
        assert [fragment.number for fragment in pool.collect(2)] == [0, 1]


@pytest.mark.parametrize(("backend", "workers"), [("local", 1), ("process", 2)])
def test_a_worker_has_its_weights_after_an_error(backend: str, workers: int) -> None:
    """Though it makes its policy anew."""
    policy = Spec("rollout_tasks:Stumbles", {"limit": 0.05})
    options: dict[str, Any] = {"length": 6, "worlds": 1, "seed": 16}
    with make_pool(1, policy, backend="local", **options) as pool:
        pool.set_weights(WEIGHTS)
        undisturbed = digest(pool.collect(2))
    with make_pool(workers, policy, backend=backend, **options) as pool:
        pool.set_weights(WEIGHTS)
        with pytest.raises(FragmentError):
            pool.collect(9)
        assert digest(pool.collect(2)) == undisturbed


def test_a_slow_worker_holds_up_no_other(tmp_path: Path) -> None:
    """The worker of fragment 0 waits for a file, which appears after all others have come."""
    policy = Spec("rollout_tasks:WaitsFor", {"file": str(tmp_path / "go")})
    with make_pool(2, policy, length=2) as pool:
        coming = pool.as_completed(5)
        assert [next(coming).number for _ in range(4)] == [1, 2, 3, 4]
        (tmp_path / "go").touch()
        assert [fragment.number for fragment in coming] == [0]


def test_new_weights_hold_for_what_is_begun_after_them() -> None:
    with make_pool(1) as pool:
        versions = []
        for fragment in pool.as_completed():
            versions.append(fragment.weights)
            if len(versions) == 3:
                break
            pool.set_weights(WEIGHTS)
        assert versions == [0, 1, 2]
        assert pool.collected == 3


def test_a_worker_that_hangs_is_given_up_in_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And killed; the next one computes its fragment."""
    policy = Spec("rollout_tasks:HangsOnce", {"file": str(tmp_path / "begun")})
    with make_pool(1, policy, length=2, timeout=8.0) as pool:
        assert [fragment.number for fragment in pool.collect(1)] == [0]
        assert pool.replaced == 1
    assert "worker 0 died during fragment 0 (no answer within 8 s)" in caplog.text


def test_a_stopped_worker_does_not_hang_the_pool(expected: list[str]) -> None:
    """Though more is sent to it than its pipe holds."""
    with make_pool(1, timeout=8.0) as pool:
        found = pool.collect(3)
        (pid,) = children()
        os.kill(pid, signal.SIGSTOP)
        pool.set_weights({**WEIGHTS, "more": np.zeros(2**20)})
        assert [digest(fragment) for fragment in found] == expected[:3]
        pool.collect(1)
        assert pool.replaced == 1


def test_workers_that_cannot_start_are_given_up() -> None:
    context = multiprocessing.get_context("spawn")
    context.set_executable("false")
    try:
        with make_pool(1) as pool, pytest.raises(NoWorkerError, match="3 died one after the other"):
            pool.collect(1)
    finally:
        context.set_executable(sys.executable)


def test_closing_ends_its_own_workers_and_nobody_else() -> None:
    with make_pool(1) as other:
        others = children()
        bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        pool = make_pool(2)
        pool.collect(1)
        assert len(children() - others) == 2
        pool.close()
        assert children() == others
        assert bystander.poll() is None
        bystander.communicate(b"\n")
        other.collect(1)
    assert children() == set()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open, to await strangers")
def test_workers_end_with_their_pool_process() -> None:
    """Even if that is killed."""
    script = (
        "import multiprocessing, os, sys\n"
        "from deepsim_train.rollout_pool import RolloutPool\n"
        "if __name__ == '__main__':\n"
        f"    pool = RolloutPool({RINK!r}, {LINEAR!r}, 2, backend='process')\n"
        "    pool.collect(2)\n"
        "    print(*(child.pid for child in multiprocessing.active_children()), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": TESTS},
    )
    assert parent.stdout is not None
    workers = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
    assert len(workers) == 2
    parent.kill()
    parent.communicate()
    for worker in workers:
        assert select.select([worker], [], [], 30.0)[0], "a worker outlived its pool"
        os.close(worker)
