# SPDX-License-Identifier: Apache-2.0
"""A world belongs to one thread; others leave functions for it; a closed one is at its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from deepsim_math import Pose, Twist
from deepsim_sync import (
    Behaviour,
    CallbackError,
    ClosedWorldError,
    GetModelStateTracker,
    ModelState,
    SetModelStateTracker,
    Transform,
    World,
    WrongThreadError,
)
from deepsim_sync.testing import TableModel, TableSimulator

USES: dict[str, Callable[[World], object]] = {
    "tick": World.tick,
    "reset": World.reset,
    "flush": World.flush,
    "refresh": World.refresh,
    "put": lambda world: world.put("models", {"pose": Pose((1, 1, 1))}),
    "get": lambda world: world.models.pose,
    "set": lambda world: setattr(world.models, "twist", Twist((1, 0, 0))),
    "select": lambda world: world.models.select(["ball"]),
    "spawn": lambda world: world.spawn(TableModel(), "new", Pose()),
    "delete": lambda world: world.delete("ball"),
    "get_state": World.get_state,
    "transform": lambda world: Transform(world, "ball").pose,
    "move": lambda world: setattr(Transform(world, "ball"), "pose", Pose((1, 1, 1))),
    "getter": lambda world: world.get(GetModelStateTracker).get_model_states(),
    "setter": lambda world: world.get(SetModelStateTracker).set_model_state(ModelState("ball")),
    "paint": lambda world: setattr(Transform(world, "ball"), "transparency", 0.5),
}


@pytest.fixture
def other() -> Iterator[Callable[[Callable[[], Any]], Any]]:
    """Runs a function in another thread, and returns or raises what it does."""
    with ThreadPoolExecutor(1, thread_name_prefix="worker") as pool:
        yield lambda function: pool.submit(function).result(timeout=10)


@pytest.mark.parametrize("use", USES)
def test_another_thread_is_refused(world: World, other: Any, use: str) -> None:
    """By the names of both, and nothing happens; the owner goes on."""
    before, simulator = world.models.pose, world.simulator
    world.models.twist  # noqa: B018 (so that it is up to date)
    simulator.log.clear()
    with pytest.raises(WrongThreadError, match="belongs to thread 'MainThread', and 'worker_0'"):
        other(lambda: USES[use](world))
    assert simulator.log == []
    np.testing.assert_array_equal(world.models.pose, before)
    USES[use](world)


def test_a_handle_of_another_thread_is_refused_too(world: World, other: Any) -> None:
    """Wherever it was made."""
    ball, rows = Transform(world, "ball"), world.models.select(["ball"])
    for use in (
        lambda: ball.pose,
        lambda: setattr(ball, "twist", Twist((1, 0, 0))),
        lambda: rows.pose,
        lambda: rows.put(twist=Twist((1, 0, 0))),
        lambda: setattr(rows, "twist", Twist((1, 0, 0))),
    ):
        with pytest.raises(WrongThreadError, match="by `world"):
            other(use)
    assert not rows.twist.any()


def test_a_posted_function_runs_in_the_next_tick(world: World, other: Any) -> None:
    """In the world's thread, before the behaviours; what it puts is sent with that tick."""
    notes: list[object] = []
    ball = Transform(world, "ball")

    def move() -> None:
        notes.append(threading.current_thread() is threading.main_thread())
        notes.append(World.current() is world)
        ball.twist = Twist((1, 0, 0))

    Behaviour("ball").on_fixed_update = lambda delta_time, sim_time: notes.append("behaviour")
    other(lambda: world.post(move))
    assert notes == []
    world.tick()
    assert notes == [True, True, "behaviour"]
    assert ball.pose.position.x == pytest.approx(0.01)
    world.tick()
    assert notes == [True, True, "behaviour", "behaviour"]


def test_posted_functions_run_in_order_and_post_for_the_next_tick(world: World) -> None:
    notes: list[int] = []

    def again(number: int) -> None:
        notes.append(number)
        world.post(lambda: again(number + 10))

    for number in (1, 2):
        world.post(lambda number=number: again(number))
    world.tick()
    assert notes == [1, 2]
    world.tick()
    assert notes == [1, 2, 11, 12]


def test_a_posted_function_that_raises_ends_its_tick(world: World, simulator: Any) -> None:
    """The others wait for the next one, and the physics stands still."""
    notes: list[str] = []
    world.post(lambda: 1 / 0)
    world.post(lambda: notes.append("later"))
    with pytest.raises(CallbackError, match="raised ZeroDivisionError in tick 0"):
        world.tick()
    assert (notes, simulator.calls("step")) == ([], [])
    world.tick()
    assert (notes, simulator.calls("step")) == (["later"], [1])


def test_many_threads_may_post_at_once(world: World) -> None:
    """None is lost."""
    count = 0

    def add() -> None:
        nonlocal count
        count += 1

    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(world.post, add) for _ in range(400)]
        while not all(future.done() for future in futures):
            world.tick()
    world.tick()
    assert count == 400


def test_a_world_is_handed_over_by_a_claim(world: World, other: Any) -> None:
    """The former owner is refused from then on, until it claims the world again."""
    other(world.claim)
    assert other(lambda: world.models.pose.shape) == (1, 3, 7)
    other(world.tick)
    with pytest.raises(WrongThreadError, match="belongs to thread 'worker_0', and 'MainThread'"):
        world.tick()
    world.claim()
    world.tick()
    assert world.ticks == 2


def test_a_world_made_in_another_thread_belongs_to_it(other: Any) -> None:
    world = other(lambda: World(TableSimulator()))
    with pytest.raises(WrongThreadError):
        world.tick()
    world.claim()
    world.tick()


@pytest.mark.parametrize("use", USES)
def test_a_closed_world_is_at_its_end(simulator: TableSimulator, use: str) -> None:
    """Every use says so, in any thread."""
    world = World(simulator)
    world.models.pose  # noqa: B018 (so that it is up to date)
    world.close()
    simulator.log.clear()
    with pytest.raises(ClosedWorldError, match="closed"):
        USES[use](world)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ClosedWorldError):
        pool.submit(USES[use], world).result()
    assert simulator.log == []


def test_a_closed_world_cannot_be_claimed(simulator: TableSimulator) -> None:
    world = World(simulator)
    rows, ball = world.models, Transform(world, "ball")
    world.close()
    for use in (world.claim, lambda: rows.pose, lambda: ball.pose, world.tick):
        with pytest.raises(ClosedWorldError):
            use()


def test_closing_twice_does_no_harm(simulator: TableSimulator) -> None:
    world = World(simulator)
    world.close()
    world.close()
    assert simulator.calls("close")
