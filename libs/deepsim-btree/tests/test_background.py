# SPDX-License-Identifier: Apache-2.0
"""Leaves that wait for threads and asyncio tasks."""

from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

import deepsim_btree as bt
from deepsim_btree import Status


def submitted(future):
    """Return a leaf that waits for a future of the test."""
    return bt.Background(lambda: future, name="job")


def test_a_thread():
    """The leaf is RUNNING until the function returns, and answers what that returned."""
    with ThreadPoolExecutor(1) as pool:
        leaf = bt.Background(pool.submit, lambda status: status, Status.FAILURE)
        tree = bt.Tree(leaf)
        while tree.tick() is Status.RUNNING:
            pass
        assert tree.status is Status.FAILURE
        assert leaf.name == "submit"


def test_tasks_are_cancelled_by_a_halt():
    """A task of asyncio runs between the ticks, and sees the cancellation."""
    log = []

    async def work():
        try:
            log.append("begin")
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            log.append("cancelled")
            raise

    async def program():
        loop = asyncio.get_running_loop()
        tree = bt.Tree(bt.Background(lambda: loop.create_task(work())))
        assert tree.tick() is Status.RUNNING
        await asyncio.sleep(0)
        tree.halt()
        await asyncio.sleep(0)

    asyncio.run(program())
    assert log == ["begin", "cancelled"]


def test_results():
    """None is a success; exceptions are those of the node; other values are errors."""
    for result, answer in ((None, "SUCCESS"), (Status.FAILURE, "FAILURE")):
        future = Future()
        tree = bt.Tree(submitted(future))
        assert tree.tick() is Status.RUNNING
        future.set_result(result)
        assert tree.tick().name == answer
    failed, other = Future(), Future()
    failed.set_exception(OSError("no network"))
    other.set_result(3)
    with pytest.raises(bt.TickError, match="node job: OSError: no network"):
        bt.Tree(submitted(failed)).tick()
    with pytest.raises(bt.TickError, match="must return a Status, got 3"):
        bt.Tree(submitted(other)).tick()
    with pytest.raises(bt.TickError, match="must return a future or a task, got None"):
        bt.Tree(submitted(None)).tick()


def test_copies():
    """Between runs only: a future cannot be copied."""
    future = Future()
    tree = bt.Tree(bt.Background(Future))
    assert pickle.loads(pickle.dumps(tree)).tick() is Status.RUNNING
    tree.tick()
    with pytest.raises(bt.BusyError, match="Future is RUNNING and waits for a future"):
        copy.deepcopy(tree)
    tree.halt()
    assert copy.deepcopy(tree).tick() is Status.RUNNING
    assert not future.done()
