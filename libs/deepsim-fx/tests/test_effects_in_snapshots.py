# SPDX-License-Identifier: Apache-2.0
"""A snapshot holds the effects: the world goes on from it byte for byte, here and elsewhere."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from deepsim_fx import (
    AbstractEffect,
    BlinkEffect,
    EffectManager,
    FadeEffect,
    InvisibleEffect,
    TintEffect,
)
from deepsim_math import Pose
from deepsim_sync import COLUMNS, CallbackError, World
from deepsim_sync.testing import TableModel, TableSimulator


def make(worlds: int = 1) -> World:
    world = World(TableSimulator(worlds=worlds, timestep=0.1))
    world.spawn(TableModel(visuals=("u", "v")), "car", Pose())
    return world


def looks(world: World) -> bytes:
    return b"".join(world.visuals.get(column).tobytes() for column in COLUMNS["visuals"])


def course(world: World, ticks: int = 15) -> list[bytes]:
    seen = []
    for _ in range(ticks):
        world.tick()
        seen.append(looks(world))
    return seen


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("worlds", [1, 3])
def test_an_effect_ends_after_a_snapshot_as_it_did(worlds, ended):
    """It does not become the visuals' own look, whether it has ended since or not."""
    world = make(worlds)
    before = looks(world)
    effects = [
        BlinkEffect("car", duration=0.7, world=world),
        InvisibleEffect("car::link::u", duration=0.5, world=world),
    ]
    for effect in effects:
        effect.attach()
    for _ in range(3):
        world.tick()
    state = world.get_state()
    expected = course(world, 15 if ended else 1)
    world.set_state(state)
    assert all(effect.attached_in.all() for effect in effects)
    assert course(world, len(expected)) == expected
    world.reset()
    assert looks(world) == before


@pytest.mark.parametrize("worlds", [1, 3])
@pytest.mark.parametrize("kept", [True, False])
def test_a_snapshot_goes_on_in_another_process(worlds, kept):
    """Effects that were constructed there are restored, and others constructed again."""

    def effects(world):
        return [
            FadeEffect("car", alpha=0.1, duration=0.9, world=world),
            TintEffect("car::link::v", (0.2, 0.4, 0.6), duration=0.7, world=world),
            BlinkEffect("car", duration=9, world=world),
        ]

    world, other = make(worlds), make(worlds)
    first, second, third = effects(world)
    there = effects(other) if kept else []
    first.attach()
    world.tick()
    second.attach([worlds - 1])
    world.tick()
    state = pickle.loads(pickle.dumps(world.get_state()))
    if kept:
        there[2].attach()
    other.set_state(state)
    attached = list(other.get(EffectManager))
    assert [type(effect) for effect in attached] == [FadeEffect, TintEffect]
    assert attached == (there[:2] if kept else attached)
    assert course(other) == course(world)
    assert not third.attached
    assert not len(other.get(EffectManager))


def test_what_others_set_under_an_effect_is_in_the_snapshot(world, car):
    fade = FadeEffect(car, duration=0.5)
    fade.attach()
    world.tick()
    world.tick()
    car.transparency = {"car::body::skin": 0.4}
    state = world.get_state()
    expected = course(world)
    world.set_state(state)
    assert course(world) == expected
    assert car.transparency["car::body::skin"] == 0.4


def test_an_effect_that_begins_after_the_snapshot_is_not_attached(world, car):
    """One that had begun by then goes on from there."""
    early, late = FadeEffect(car), InvisibleEffect(car, duration=np.inf)
    world.tick()
    early.attach()
    state, before = world.get_state(), looks(world)
    world.tick()
    late.attach()
    newest = InvisibleEffect(car)
    newest.attach()
    world.tick()
    world.set_state(state)
    assert list(world.get(EffectManager)) == [early]
    assert not late.attached
    assert not newest.attached
    assert looks(world) == before
    world.tick()
    assert looks(world) == before  # of the fade, nothing has elapsed
    world.tick()
    assert looks(world) != before
    newest.attach()  # it may be used again, and is in the next snapshot
    again = world.get_state()
    newest.detach()
    world.set_state(again)
    assert list(world.get(EffectManager)) == [early, newest]


def test_attributes_go_back_and_hooks_are_not_called(world, car):
    heard = []

    class Strobe(AbstractEffect):
        def __init__(self, *args):
            super().__init__(*args)
            self.flashes = 0

        def on_update(self, delta_time, sim_time):
            self.flashes += 1
            self.show(visible=bool(self.flashes % 2))

        def on_attach(self):
            heard.append("attach")

        def on_detach(self):
            heard.append("detach")

    strobe = Strobe(car)
    strobe.attach()
    world.tick()
    state = world.get_state()
    expected = course(world, 5)
    strobe.detach()
    world.set_state(state)
    assert strobe.flashes == 2
    assert course(world, 5) == expected
    assert heard == ["attach", "detach"]


class Chase(AbstractEffect):
    """An effect with an object."""

    def __init__(self, car):
        super().__init__(car)
        self.car = car

    def on_update(self, delta_time, sim_time):
        self.show(visible=self.car.pose.position.x == 0.0)


def test_an_effect_with_objects_must_exist(world, car):
    """They are not in the snapshot."""
    chase = Chase(car)
    chase.attach()
    state = world.get_state()
    chase.detach()
    world.set_state(state)
    assert chase.attached
    world.tick()
    chase.detach()
    del chase
    world.set_state(state)
    with pytest.raises(CallbackError, match=r"Chase\.on_update .* has no attribute 'car'"):
        world.tick()


def test_effects_of_no_more_use_are_forgotten(world, car):
    """A task may construct one at every event."""
    for _ in range(50):
        BlinkEffect(car, duration=0.1).attach()
        world.tick()
        world.tick()
    assert len(pickle.dumps(world.get(EffectManager).get_state())) < 5000


def test_the_layers_of_each_world_have_their_own_order(paint):
    """The effect attached last lies on top, in each world."""
    world = make(3)
    low, high = (paint("car", columns={"transparency": t}, world=world) for t in (0.2, 0.8))
    low.attach([0, 2])
    high.attach()
    low.attach([1])
    expected = [0.8, 0.2, 0.8]
    assert world.visuals.transparency[:, 0].tolist() == expected
    state = world.get_state()
    low.detach([1])
    high.detach([0])
    assert world.visuals.transparency[:, 0].tolist() == [0.2, 0.8, 0.8]
    world.set_state(state)
    world.tick()
    assert world.visuals.transparency[:, 0].tolist() == expected
    np.testing.assert_array_equal(world.visuals.transparency[:, 1], expected)
