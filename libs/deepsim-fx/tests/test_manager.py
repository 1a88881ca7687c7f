# SPDX-License-Identifier: Apache-2.0
"""The effects of a world."""

from __future__ import annotations

import pytest

from deepsim_fx import EffectManager
from deepsim_math import Pose
from deepsim_sync import Behaviour, CallbackError, GetVisualTracker, World
from deepsim_sync.testing import TableModel, TableSimulator


def test_each_world_has_its_own(paint, world):
    other = World(TableSimulator())
    other.spawn(TableModel(), "car", Pose())
    effect = paint("car", world=other)
    effect.attach()
    assert list(other.get(EffectManager)) == [effect]
    assert list(EffectManager.get_instance()) == []


def test_effects_run_in_the_order_in_which_they_were_attached(paint, world):
    order = []

    class Note(paint):
        def on_update(self, delta_time, sim_time):
            order.append(self.targets)

    for target in ("cone", "car", "car::wheel"):
        Note(target).attach()
    order.clear()
    world.tick()
    assert order == [("cone",), ("car",), ("car::wheel",)]


def test_an_effect_detached_by_another_in_the_same_tick_is_not_updated(paint, world):
    order = []

    class Rival(paint):
        def on_update(self, delta_time, sim_time):
            order.append(self.targets)
            if world.ticks:
                victim.detach()

    victim = Rival("cone")
    Rival("car").attach()
    victim.attach()
    world.tick()
    order.clear()
    world.tick()
    assert order == [("car",)]


def test_an_effect_attached_by_a_behaviour_shows_in_the_same_tick(paint, world, stored):
    class Hit(Behaviour):
        def on_fixed_update(self, delta_time, sim_time):
            if world.ticks == 2:
                effect.attach()

    effect = paint("car", columns={"visible": False})
    world.get(EffectManager)
    Hit("car")
    seen = []
    for _ in range(4):
        world.tick()
        seen.append(stored()["car::body::skin"].visible)
    assert seen == [True, True, False, False]


def test_an_error_at_an_end_ends_no_reset_halfway(paint, world, looks):
    """All effects end, behaviours are reset, and looks are sent; then the error is raised."""
    before, notes = looks(), []

    class Sticky(paint):
        def on_detach(self):
            raise RuntimeError(self.targets[0])

    Behaviour("car").on_reset = lambda: notes.append("car")
    effects = [
        kind(target, columns={"visible": False})
        for kind, target in [(paint, "car::body"), (Sticky, "car"), (Sticky, "cone")]
    ]
    for effect in effects:
        effect.attach()
    world.tick()
    with pytest.raises(CallbackError, match=r"^Sticky\.on_detach raised RuntimeError .*: cone"):
        world.reset()
    assert not any(effect.attached for effect in effects)
    assert notes == ["car"]
    assert World(world.simulator).get(GetVisualTracker).get_visuals() == before


@pytest.mark.parametrize("ticks", [(0, 0), (0, 1), (0, 4), (2, 2)])
def test_no_effect_outlives_a_reset_of_the_world(paint, world, looks, ticks):
    """Not even one that began at time 0, as the next one does."""
    before = looks()
    old = paint("car", columns={"visible": False})
    for _ in range(ticks[0]):
        world.tick()
    old.attach()
    for _ in range(ticks[1]):
        world.tick()
    world.reset()
    assert (old.attached, looks()) == (False, before)
    new = paint("cone", columns={"visible": False})
    new.attach()
    world.tick()
    assert (old.attached, new.attached) == (False, True)
    new.detach()
    assert looks() == before
