# SPDX-License-Identifier: Apache-2.0
"""Leaves that wait for threads and asyncio tasks."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from concurrent.futures import Future

import pytest

import deepsim_btree as bt
from deepsim_btree import Status


def submitted(future):
    """Return a leaf that waits for a future of the test."""
    return bt.Background(lambda: future, name="job")


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
    with pytest.raises(bt.BusyError, match="Future waits for a future: halt it first"):
        copy.deepcopy(tree)
    tree.halt()
    assert copy.deepcopy(tree).tick() is Status.RUNNING
    assert not future.done()


def test_an_async_function_becomes_a_task():
    """It is called again in each run; without a loop the error says what to do."""

    async def fetch(number, *, log):
        await asyncio.sleep(0)
        log.append(number)
        return Status.FAILURE if len(log) == 2 else None

    log = []
    tree = bt.Tree(bt.Background(fetch, bt.key("number"), log=log), blackboard={"number": 3})

    async def program():
        statuses = []
        while len(statuses) < 2:
            status = tree.tick()
            if status is not Status.RUNNING:
                statuses.append(status.name)
            await asyncio.sleep(0)
        return statuses

    assert asyncio.run(program()) == ["SUCCESS", "FAILURE"]
    assert log == [3, 3]
    assert tree.root.name == "fetch"
    with pytest.raises(bt.TickError, match="needs the asyncio loop in which the tree is ticked"):
        tree.tick()
    assert tree.status is Status.INVALID
    with pytest.raises(TypeError, match="is a generator function: use Routine"):
        bt.Background(lambda: (yield))


def test_a_task_that_cleans_up_does_not_overlap_with_the_next():
    """After a halt the next run waits until the cancelled task has ended, over several ticks."""
    log = []

    async def work():
        log.append("begin")
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(3):
                await asyncio.sleep(0)
            log.append("end")

    async def program():
        tree = bt.Tree(bt.Background(work))
        tree.tick()
        await asyncio.sleep(0)
        tree.halt()
        with pytest.raises(bt.BusyError, match="let that end"):
            copy.deepcopy(tree)
        while log.count("begin") < 2:
            assert tree.tick() is Status.RUNNING
            await asyncio.sleep(0)
        tree.halt()
        while log.count("end") < 2:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        copy.deepcopy(tree)

    asyncio.run(program())
    assert log == ["begin", "end", "begin", "end"]


def test_a_thread_is_asked_to_stop():
    """A halt sets its signal; a run that is halted while it waits starts nothing."""
    began, may_end, log = threading.Semaphore(0), threading.Event(), []

    def work(stop, name, *, suffix):
        began.release()
        stop.wait()
        may_end.wait()
        log.append(name + suffix)

    tree = bt.Tree(bt.Background(bt.InThread(work), "job", suffix="!"))
    assert tree.root.name == "work"
    assert tree.tick() is Status.RUNNING
    began.acquire()
    for _ in range(2):
        tree.halt()
        assert tree.tick() is Status.RUNNING
    assert log == []
    may_end.set()
    while not began.acquire(blocking=False):
        assert tree.tick() is Status.RUNNING
    assert log == ["job!"]
    tree.halt()


def test_what_a_thread_answers():
    """Results and exceptions are those of the node."""

    def work(stop, result):
        if isinstance(result, Exception):
            raise result
        return result

    for result, answer in ((None, "SUCCESS"), (Status.FAILURE, "FAILURE")):
        tree = bt.Tree(bt.Background(bt.InThread(work), result))
        while tree.tick() is Status.RUNNING:
            pass
        assert tree.status.name == answer
    tree = bt.Tree(bt.Background(bt.InThread(work), OSError("no network")))

    def tick_to_the_end():
        while tree.tick() is Status.RUNNING:
            pass

    with pytest.raises(bt.TickError, match="node work: OSError: no network"):
        tick_to_the_end()


def test_threads_of_a_tree_that_was_pickled():
    """A function that can be imported comes along."""
    tree = pickle.loads(pickle.dumps(bt.Tree(bt.Background(bt.InThread(wait_for_stop)))))
    assert tree.tick() is Status.RUNNING
    tree.halt()


def wait_for_stop(stop):
    stop.wait()
