# SPDX-License-Identifier: Apache-2.0
"""Models may be deleted, and come back, under effects."""

from __future__ import annotations


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
