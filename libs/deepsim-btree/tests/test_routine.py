# SPDX-License-Identifier: Apache-2.0
"""Leaves that pause: generator functions and async functions, driven by the ticks."""

from __future__ import annotations

import asyncio
import gc
from functools import partial

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, next_tick


@bt.action
def count(events, ticks):
    """Count ticks."""
    try:
        for tick in range(ticks):
            events.append(tick)
            yield
        events.append("end")
    finally:
        events.append("closed")


@bt.action
async def count_async(events, ticks):
    try:
        for tick in range(ticks):
            events.append(tick)
            await next_tick()
        events.append("end")
    finally:
        events.append("closed")


BOTH = pytest.mark.parametrize("leaf_class", [count, count_async])


@BOTH
def test_a_halt_closes_it(leaf_class):
    """The finally blocks run at once, and once."""
    events = []
    tree = bt.Tree(bt.Sequence([leaf_class(events, ticks=9)]))
    tree.tick()
    tree.halt()
    tree.halt()
    assert events == [0, "closed"]
    assert tree.status is Status.INVALID


@BOTH
def test_a_halt_before_the_function_began(leaf_class):
    """A run that never came to its first line leaves no coroutine behind to warn about."""
    node = leaf_class([], ticks=1)
    node.initialize()
    node.terminate(Status.INVALID)
    gc.collect()


def test_coroutines_can_wait_for_each_other():
    """Awaiting another async def goes through its pauses; the Status returned is the answer."""

    async def inner():
        await next_tick()
        return Status.FAILURE

    async def outer():
        await next_tick()
        return await inner()

    tree = bt.Tree(bt.Routine(outer))
    assert [tree.tick().name for _ in range(3)] == ["RUNNING", "RUNNING", "FAILURE"]


def test_keys_are_read_at_the_start():
    """An entry of the blackboard in place of an argument is looked up once per run."""
    events = []
    tree = bt.Tree(count(events, bt.key("ticks")), blackboard={"ticks": 1})
    tree.tick()
    tree.blackboard["ticks"] = 5
    assert tree.tick() is Status.SUCCESS


@BOTH
def test_exceptions_name_the_node(leaf_class):
    """They end the run like those of any leaf."""
    tree = bt.Tree(bt.Sequence([leaf_class(None, ticks=1)], "root"))
    with pytest.raises(bt.TickError, match=r"tick 1, node root/count\w*: AttributeError"):
        tree.tick()
    assert tree.status is Status.INVALID


def yields_a_value():
    yield 3


async def needs_a_loop():
    await asyncio.sleep(1)


async def awaits_a_future():
    loop = asyncio.new_event_loop()
    try:
        await loop.create_future()
    finally:
        loop.close()


def returns_text():
    yield
    return "done"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (yields_a_value, r"a routine pauses by a bare yield or await next_tick\(\), got 3"),
        (needs_a_loop, "no running event loop"),
        (awaits_a_future, r"a routine pauses by .* got <Future"),
        (returns_text, "update.. must return a Status, got 'done'"),
    ],
)
def test_wrong_pauses_and_answers(function, message):
    """What cannot be driven by ticks is refused, and closed."""
    tree = bt.Tree(bt.Routine(function))
    if function is returns_text:
        tree.tick()
    with pytest.raises(bt.TickError, match=message):
        tree.tick()
    assert tree.status is Status.INVALID


def test_ignoring_the_end_is_an_error():
    """A generator that goes on when it is closed is named."""

    def stubborn():
        while True:
            try:
                yield
            except GeneratorExit:
                yield

    tree = bt.Tree(bt.Sequence([bt.Routine(stubborn)]))
    tree.tick()
    with pytest.raises(bt.TickError, match="stubborn: RuntimeError: generator ignored"):
        tree.halt()


@BOTH
def test_copies(leaf_class, twin_of):
    """Between runs it is copied like any node; in the middle of one it is refused by name."""
    tree = bt.Tree(bt.Sequence([leaf_class([], ticks=1)], "root"))
    assert twin_of(tree).tick() is Status.RUNNING
    tree.tick()
    with pytest.raises(bt.BusyError, match=r"root/count\w* is RUNNING inside a generator or corou"):
        twin_of(tree)
    tree.tick()
    assert twin_of(tree).tick() is Status.RUNNING
    tree.halt()


async def async_generator():
    yield


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Action(yields_a_value), "generator function or async def: use Routine"),
        (lambda: bt.Action(partial(needs_a_loop)), "generator function or async def"),
        (lambda: bt.Check(needs_a_loop), "pauses, but a condition must answer at once"),
        (lambda: bt.condition(yields_a_value), "pauses, but a condition must answer at once"),
        (lambda: bt.Routine(len), "neither a generator function nor async: use Action"),
        (lambda: bt.Routine(3), "function must be callable, got 3"),
        (lambda: bt.action(async_generator), r"async def with yield: await next_tick\(\) instead"),
    ],
)
def test_the_wrong_kind_of_function(make, message):
    """The error says which kind of leaf it is."""
    with pytest.raises(TypeError, match=message):
        make()
