# SPDX-License-Identifier: Apache-2.0
"""A free-running world, and ticks that follow its clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deepsim_conformance.models import BOX
from deepsim_gazebo import BatchStateClient, CallTimeoutError, GazeboSimulator
from deepsim_gazebo.ros.clock import SimulationClock
from deepsim_math import Pose
from deepsim_sync import SpawnRequest, Tables, World

Connect = Callable[..., GazeboSimulator]


@pytest.fixture
def free(gazebo: GazeboSimulator, connect: Connect) -> GazeboSimulator:
    """Runs freely, with a box high up."""
    gazebo.spawn([SpawnRequest(BOX, "box", Pose((0, 0, 1000)))])
    return connect(lock_step=False, timeout=3.0)


def test_steps_wait_for_the_clock(free: GazeboSimulator) -> None:
    """On average, each step takes its simulated time."""
    free.step(20)
    (start,) = free.time
    for _ in range(20):
        free.step(20)
    assert free.time[0] - start == pytest.approx(0.4, abs=0.1)


def test_late_ticks_are_counted(free: GazeboSimulator) -> None:
    """A tick that takes longer than its simulated time is counted."""
    free.step(10)
    before, late = free.time[0], free.late_ticks
    while free.time[0] < before + 0.5:
        pass
    free.step(10)
    assert free.late_ticks == late + 1


def test_a_paused_world_is_reported(free: GazeboSimulator) -> None:
    """A step cannot end until resume()."""
    free.step(10)
    free.pause()
    with pytest.raises(CallTimeoutError, match=r"/clock stood still .* is the world paused"):
        free.step(1000)
    free.resume()
    free.step(10)


def test_a_world_ticks_on_it(free: GazeboSimulator) -> None:
    """The box falls as time goes on; reads are of one instant."""
    world = World(free, steps_per_tick=20)
    tables = Tables(free.entities)
    heights = []
    for _ in range(20):
        world.tick()
        free.read(tables)
        assert tables.models.pose[0, 0, 2] == tables.links.pose[0, 0, 2]
        heights.append(tables.models.pose[0, 0, 2])
    assert heights == sorted(heights, reverse=True)
    assert heights[0] > heights[-1]


def test_a_reset_begins_anew(free: GazeboSimulator) -> None:
    """The clock goes back, and no tick is late."""
    free.step(100)
    free.reset()
    late = free.late_ticks
    free.step(10)
    assert free.time[0] < 1.0
    assert free.late_ticks == late


def test_a_late_subscriber_gets_the_time_of_a_world_that_stands_still(
    gazebo: GazeboSimulator,
) -> None:
    """When it connects, and then that of each call."""
    gazebo.step(7)
    client = BatchStateClient()
    clock = SimulationClock(client.master, client.caller, 3.0)
    assert clock.look() == 0.007
    gazebo.step(3)
    assert clock.wait_until(0.01) == 0.01
    clock.close()
    client.close()
