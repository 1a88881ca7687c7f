# SPDX-License-Identifier: Apache-2.0
"""Models may be deleted, and come back, under effects."""

from __future__ import annotations

from deepsim_math import Pose
from deepsim_sync.testing import TableModel


def test_an_effect_ends_with_its_last_target(paint, world, looks):
    effect = paint(["car", "cone"], columns={"transparency": 0.5})
    effect.attach()
    world.tick()
    world.delete("car")
    world.tick()
    assert effect.attached
    assert looks()["cone::link::visual"].transparency == 0.5
    world.delete("cone")
    world.tick()
    assert not effect.attached
    assert looks() == {}


def test_an_effect_may_be_detached_after_its_model_was_deleted(paint, world, looks):
    before = looks()
    effect = paint(["car", "cone"], columns={"visible": False})
    effect.attach()
    world.delete("car")
    effect.detach()
    assert looks() == {"cone::link::visual": before["cone::link::visual"]}


def test_rows_that_move_keep_their_looks(paint, world, looks):
    """The cone's row changes when the car, which is before it, goes."""
    world.spawn(TableModel(), "barrel", Pose())
    before = looks()
    effect = paint("cone", columns={"transparency": 0.5})
    effect.attach()
    world.tick()
    world.delete("car")
    world.spawn(TableModel(links=("a", "b", "c")), "crate", Pose())
    world.tick()
    assert looks()["cone::link::visual"].transparency == 0.5
    effect.detach()
    world.tick()
    for name in ("cone::link::visual", "barrel::link::visual"):
        assert looks()[name] == before[name]


def test_a_model_that_comes_back_keeps_its_new_look(paint, world, car, looks):
    """What the old one looked like by itself is not given to the new one."""
    effect = paint("car", columns={"transparency": 0.5})
    effect.attach()
    world.tick()
    world.delete("car")
    world.spawn(TableModel(links=("body", "wheel"), visuals=("skin",)), "car", Pose())
    new = looks()
    world.tick()
    assert set(car.transparency.values()) == {0.5}
    effect.detach()
    assert looks() == new


def test_a_deletion_during_a_tick_is_harmless(paint, world):
    class Doomed(paint):
        def on_update(self, delta_time, sim_time):
            super().on_update(delta_time, sim_time)
            if world.ticks == 1:
                world.delete("car")

    effect = Doomed("car", columns={"visible": False})
    effect.attach()
    for _ in range(3):
        world.tick()
    assert not effect.attached
