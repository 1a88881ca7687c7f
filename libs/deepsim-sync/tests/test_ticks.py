# SPDX-License-Identifier: Apache-2.0
"""A tick: who runs, in what order, and with which times."""

from __future__ import annotations

from collections.abc import Callable
from typing import List, Tuple

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Twist
from deepsim_sync import (
    Behaviour,
    Priority,
    Tracker,
    Transform,
    World,
)
from deepsim_sync.testing import TableSimulator


class Recorder:
    """A user's tracker that notes its name and times, then does what it is told."""

    def __init__(
        self, notes: list[object], name: str, then: Callable[[], None] = lambda: None
    ) -> None:
        self.notes = notes
        self.name = name
        self.then = then

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self.notes.append(self.name)
        self.then()


class Times(List[Tuple[float, float]]):
    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self.append((delta_time, *sim_time.tolist()))


def test_priorities_then_registration(world: World) -> None:
    """HIGH before NORMAL before LOW; first come, first served within each."""
    notes: list[object] = []
    order = [("a", Priority.LOW), ("b", Priority.NORMAL), ("c", Priority.HIGH)]
    order += [("d", Priority.LOW), ("e", Priority.NORMAL), ("f", Priority.HIGH)]
    for name, priority in order:
        world.trackers.add(Recorder(notes, name), priority)
    world.tick()
    assert notes == ["c", "f", "b", "e", "a", "d"]


def test_behaviours_run_before_the_users_trackers_of_their_priority(world: World) -> None:
    """Their manager is the first NORMAL tracker; behaviours run in the order of their making."""
    notes: list[object] = []
    world.trackers.add(Recorder(notes, "tracker"))
    for name in ("robot", "ball"):
        Behaviour(name).on_fixed_update = lambda delta_time, sim_time, name=name: notes.append(name)
    world.tick()
    assert notes == ["robot", "ball", "tracker"]


def test_a_tick_is_as_many_steps_as_asked_for(simulator: TableSimulator) -> None:
    """delta_time is their time together."""
    world = World(simulator, steps_per_tick=5)
    times = Times()
    world.trackers.add(times)
    world.tick()
    world.tick()
    assert simulator.calls("step") == [5, 5]
    assert world.ticks == 2
    assert world.time == pytest.approx(0.1)
    assert times[1] == pytest.approx((0.05, 0.05))


def test_time_that_passes_between_ticks_shows_in_the_time(world: World) -> None:
    """delta_time stays that of a tick."""
    times = Times()
    world.trackers.add(times)
    world.tick()
    world.simulator.step(9)
    world.tick()
    assert times[1] == pytest.approx((0.01, 0.1))


def test_behaviours_see_the_state_before_the_step_and_act_on_it(world: World) -> None:
    """What a tick sets is in force during its own physics."""
    seen = []

    def push(delta_time: float, sim_time: float) -> None:
        seen.append(Transform(world, "ball").pose.position.x)
        Transform(world, "ball").twist = Twist((1, 0, 0))

    Behaviour("ball").on_fixed_update = push
    for _ in range(3):
        world.tick()
    assert seen == pytest.approx([0.0, 0.01, 0.02])


def test_a_tracker_added_during_a_tick_runs_from_the_next_on(world: World) -> None:
    """Whatever its priority."""
    notes: list[object] = []
    late = Recorder(notes, "late")
    world.trackers.add(Recorder(notes, "early", lambda: add_once(world, late)))
    world.tick()
    assert notes == ["early"]
    world.tick()
    assert notes == ["early", "early", "late"]


def add_once(world: World, tracker: Tracker) -> None:
    if tracker not in world.trackers:
        world.trackers.add(tracker, Priority.LOW)


def test_a_tracker_removed_during_a_tick_runs_no_more(world: World) -> None:
    """Even if its turn was to come."""
    notes: list[object] = []
    victim = Recorder(notes, "victim")
    world.trackers.add(Recorder(notes, "remover", lambda: world.trackers.remove(victim)))
    world.trackers.add(victim)
    world.tick()
    assert notes == ["remover"]
    assert victim not in world.trackers


def test_a_tracker_may_remove_itself(world: World) -> None:
    """Those after it run all the same."""
    notes: list[object] = []
    once = Recorder(notes, "once")
    once.then = lambda: world.trackers.remove(once)
    world.trackers.add(once)
    world.trackers.add(Recorder(notes, "always"))
    world.tick()
    world.tick()
    assert notes == ["once", "always", "always"]


def test_a_tracker_is_registered_once(world: World) -> None:
    """Adding it again, with any priority, is an error, and so is removing what is not there."""
    tracker = Recorder([], "only")
    world.trackers.add(tracker, Priority.HIGH)
    with pytest.raises(ValueError, match="registered already"):
        world.trackers.add(tracker, Priority.LOW)
    world.trackers.remove(tracker)
    with pytest.raises(ValueError, match="is not registered"):
        world.trackers.remove(tracker)


def test_equal_trackers_are_told_apart(world: World) -> None:
    """Two trackers that compare equal are two trackers."""
    first, second = Times(), Times()
    assert first == second
    world.trackers.add(first)
    world.trackers.add(second)
    world.trackers.remove(second)
    world.tick()
    assert (len(first), len(second)) == (1, 0)
