# SPDX-License-Identifier: Apache-2.0
"""The current world, which get_instance() answers for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from deepsim_math import Pose
from deepsim_sync import (
    Behaviour,
    BehaviourManager,
    CallbackError,
    DuplicateEntityError,
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    NoCurrentWorldError,
    PerWorld,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
    SpawnRequest,
    TrackerManager,
    Transform,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator

SINGLES = [
    BehaviourManager,
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
    TrackerManager,
]


def new_world() -> World:
    simulator = TableSimulator()
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose())])
    return World(simulator)


@pytest.mark.parametrize("single", SINGLES)
def test_there_is_one_of_each_per_world(single: type[PerWorld]) -> None:
    """The same object at each call, another one in another world."""
    first, second = new_world(), new_world()
    with first:
        one = single.get_instance()
        assert single.get_instance() is one
        assert first.get(single) is one
        assert one.world is first
    with second:
        assert single.get_instance() is not one


def test_managers_have_a_short_way() -> None:
    world = new_world()
    assert world.trackers is world.get(TrackerManager)
    assert world.behaviours is world.get(BehaviourManager)


@pytest.mark.parametrize("single", SINGLES)
def test_outside_any_world_there_is_none(single: type[PerWorld]) -> None:
    """The message says how to make a world current."""
    with pytest.raises(NoCurrentWorldError, match="with world:"):
        single.get_instance()
    with pytest.raises(NoCurrentWorldError):
        World.current()
    with pytest.raises(NoCurrentWorldError):
        Behaviour("ball")


def test_the_innermost_world_is_current() -> None:
    """Leaving a world makes the one around it current again."""
    outer, inner = new_world(), new_world()
    with outer:
        with inner:
            assert World.current() is inner
            with outer:
                assert World.current() is outer
            assert World.current() is inner
        assert World.current() is outer
    with pytest.raises(NoCurrentWorldError):
        World.current()


def test_an_exception_leaves_the_world() -> None:
    with pytest.raises(KeyError), new_world():
        raise KeyError
    with pytest.raises(NoCurrentWorldError):
        World.current()


def test_make_current_lasts() -> None:
    """Until another world is made current, or this one is closed."""

    def session() -> None:
        first, second = new_world(), new_world()
        first.make_current()
        assert World.current() is first
        second.make_current()
        with first:
            assert World.current() is first
        assert World.current() is second
        second.close()
        with pytest.raises(NoCurrentWorldError):
            World.current()

    copy_context().run(session)


def test_make_current_within_a_world_ends_with_it() -> None:
    outer, inner, other = new_world(), new_world(), new_world()
    with outer:
        with inner:
            other.make_current()
            assert World.current() is other
        assert World.current() is outer


def test_worlds_may_be_left_in_any_order() -> None:
    """As by generators that take turns; each is current until another is entered or it is left."""
    outer = new_world()

    def visit(world: World) -> Iterator[World]:
        with world:
            yield World.current()
            yield World.current()

    with outer:
        first, second = new_world(), new_world()
        one, two = visit(first), visit(second)
        assert (next(one), next(two)) == (first, second)
        one.close()
        assert World.current() is second
        assert next(two) is second
        two.close()
        assert World.current() is outer
    with pytest.raises(NoCurrentWorldError):
        World.current()


def test_a_world_entered_twice_is_left_twice() -> None:
    """Whatever was entered in between, and whatever was made current there."""
    world, between, made = new_world(), new_world(), new_world()
    world.__enter__()
    between.__enter__()
    world.__enter__()
    made.make_current()
    world.__exit__(None, None, None)
    assert World.current() is between
    world.__exit__(None, None, None)
    assert World.current() is between
    between.__exit__(None, None, None)
    with pytest.raises(NoCurrentWorldError):
        World.current()


def test_a_world_closed_within_another() -> None:
    """Closing it does not make the outer one current before its block ends."""
    outer, inner = new_world(), new_world()
    with outer:
        with inner:
            inner.close()
            with pytest.raises(NoCurrentWorldError):
                World.current()
        assert World.current() is outer


def test_threads_have_worlds_of_their_own() -> None:
    """A thread does not see the world of the one that started it."""

    def work(index: int) -> bool:
        with pytest.raises(NoCurrentWorldError):
            World.current()
        with new_world() as world:
            Behaviour("ball")
            for _ in range(50):
                world.tick()
            return World.current() is world and len(BehaviourManager.get_instance()) == 1

    with new_world(), ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_two_threads_may_be_in_one_world() -> None:
    """Whichever leaves first."""
    world = new_world()
    with ThreadPoolExecutor(1) as pool:
        with world:
            pool.submit(world.__enter__).result()
        pool.submit(world.__exit__, None, None, None).result()
        with pytest.raises(NoCurrentWorldError):
            pool.submit(World.current).result()
    with pytest.raises(NoCurrentWorldError):
        World.current()


def test_asyncio_tasks_have_worlds_of_their_own() -> None:
    """Tasks that take turns each keep theirs."""

    async def work() -> bool:
        with new_world() as world:
            for _ in range(5):
                await asyncio.sleep(0)
                if World.current() is not world:
                    return False
        return True

    async def main() -> list[bool]:
        return await asyncio.gather(*(work() for _ in range(3)))

    assert all(asyncio.run(main()))


def test_a_tick_makes_its_world_current() -> None:
    """For every tracker; afterwards, and after an error, the one before is current again."""
    outer, inner = new_world(), new_world()
    seen = []

    class Witness:
        def update_tracker(self, delta_time: float, sim_time: float) -> None:
            seen.append(World.current())
            if inner.ticks:
                raise ValueError

    inner.trackers.add(Witness())
    with outer:
        inner.tick()
        assert World.current() is outer
        with pytest.raises(CallbackError):
            inner.tick()
        assert World.current() is outer
    assert seen == [inner, inner]


def test_hooks_run_in_the_world_of_their_behaviour() -> None:
    """Whoever calls them, and wherever."""
    world, seen = new_world(), []
    ball = Behaviour("ball", world=world)
    ball.on_update = ball.on_reset = lambda: seen.append(World.current())
    world.behaviours.update()
    with new_world():
        world.reset()
    assert seen == [world, world]


def test_two_worlds_never_see_each_other() -> None:
    """Same names, same seed, nothing shared."""
    first, second = new_world(), new_world()
    Behaviour("ball", world=first)
    Behaviour("ball", world=second)
    with pytest.raises(DuplicateEntityError):
        Behaviour("ball", world=first)
    Transform(first, "ball").pose = Pose((1, 2, 3))
    first.tick()
    assert Transform(second, "ball").pose == Pose()
    assert (first.ticks, second.ticks) == (1, 0)
    assert first.rng.random() == second.rng.random()
