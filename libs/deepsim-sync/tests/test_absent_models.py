# SPDX-License-Identifier: Apache-2.0
"""Behaviours whose model is not in the world do not disturb it."""

from __future__ import annotations

from typing import Any

import pytest

from deepsim_math import Pose
from deepsim_sync import Behaviour, NeverSpawnedWarning, World
from deepsim_sync.testing import TableModel, TableSimulator


class Watcher(Behaviour):
    """Reads its own pose in every hook, and may delete somebody."""

    victim: Behaviour | None = None

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        assert self.transform.pose.position.x < 1e9
        self.seen = sim_time
        if self.victim is not None and self.victim.is_spawned:
            self.victim.delete()

    def on_update(self) -> None:
        assert self.transform.pose is not None

    def on_reset(self) -> None:
        assert self.transform.pose is not None


def test_a_behaviour_waits_for_its_model_and_stops_when_it_is_gone(spawner: Any) -> None:
    world = World(TableSimulator())
    early = Watcher("early", spawner=spawner(), world=world)
    with pytest.warns(NeverSpawnedWarning, match="'early' has a spawner and was never spawned"):
        world.tick()
    world.tick()  # it says so once
    world.behaviours.update()
    world.reset()
    assert not hasattr(early, "seen")
    early.spawn()
    world.tick()
    assert early.seen == 0.0
    early.delete()
    world.tick()
    assert early.seen == 0.0
    early.spawn()
    world.tick()
    assert early.seen > 0.0


def test_a_behaviour_that_was_there_once_needs_no_warning(spawner: Any) -> None:
    """Its model was spawned by it, or was in the world already."""
    world = World(TableSimulator())
    spawned = Watcher("spawned", spawner=spawner(), world=world)
    spawned.spawn()
    spawned.delete()
    world.spawn(TableModel(), "found", Pose())
    found = Watcher("found", spawner=spawner(), world=world)
    found.delete()
    world.tick()


def test_behaviours_may_delete_themselves_and_others_in_a_tick(spawner: Any) -> None:
    world = World(TableSimulator())
    killer, victim = (Watcher(name, spawner=spawner(), world=world) for name in ("a", "b"))
    for behaviour in (killer, victim):
        behaviour.spawn()
    killer.victim = victim
    world.tick()
    assert list(world.entities.models) == ["a"]
    killer.victim = killer
    for _ in range(3):
        world.tick()
    assert list(world.entities.models) == []
    assert world.ticks == 4
