# SPDX-License-Identifier: Apache-2.0
"""The life of an effect, and what it may be on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_fx import AbstractEffect, EffectManager
from deepsim_math import Color, Pose
from deepsim_sync import (
    CallbackError,
    Transform,
    UnknownEntityError,
    World,
)
from deepsim_sync.testing import TableModel, TableSimulator


def test_what_shows_is_sent_with_the_tick(paint, world, car, stored):
    effect = paint(car, columns={"visible": False})
    effect.attach()
    assert stored()["car::body::skin"].visible
    world.tick()
    assert not stored()["car::body::skin"].visible


def test_only_rows_that_change_are_sent(paint, world, car):
    """A constant effect costs one write when it begins, and one when it ends."""
    world.tick()
    writes = len(world.simulator.calls("write"))
    effect = paint(["car::wheel"], columns={"emissive": Color(1, 1, 0)})
    effect.attach()
    for _ in range(5):
        world.tick()
    changes = world.simulator.calls("write")[writes:]
    assert [list(change.cells) for change in changes] == [[("visuals", "emissive")]]
    assert changes[0].cells["visuals", "emissive"].rows.tolist() == [2, 3]
    effect.detach()
    world.tick()
    assert len(world.simulator.calls("write")) == writes + 2


@pytest.mark.parametrize(
    ("targets", "shown"),
    [
        ("car", ["car::body::skin", "car::body::stripe", "car::wheel::skin", "car::wheel::stripe"]),
        ("car::wheel", ["car::wheel::skin", "car::wheel::stripe"]),
        ("car::body::skin", ["car::body::skin"]),
        (["car::body::skin", "cone"], ["car::body::skin", "cone::link::visual"]),
        (["car::wheel", "car::wheel::skin"], ["car::wheel::skin", "car::wheel::stripe"]),
    ],
)
def test_a_target_is_a_model_a_link_or_a_visual(paint, world, looks, targets, shown):
    paint(targets, columns={"transparency": 0.9}).attach()
    assert [name for name, visual in looks().items() if visual.transparency == 0.9] == shown


def test_a_target_may_be_given_by_its_transform(paint, car, looks):
    paint([car.link("wheel"), Transform(car.world, "cone")], columns={"transparency": 0.9}).attach()
    shown = [name for name, visual in looks().items() if visual.transparency == 0.9]
    assert shown == ["car::wheel::skin", "car::wheel::stripe", "cone::link::visual"]


@pytest.mark.parametrize(
    ("targets", "error", "message"),
    [
        ([], ValueError, "at least one target"),
        ([3], TypeError, "a target is a name, a Transform or a LinkTransform, got 3"),
    ],
)
def test_unfit_targets_are_refused(paint, targets, error, message):
    with pytest.raises(error, match=message):
        paint(targets)


@pytest.mark.parametrize("duration", [0.0, -1.0, math.nan])
def test_a_duration_is_positive(paint, duration):
    with pytest.raises(ValueError, match="duration must be > 0 s, got"):
        paint("car", duration=duration)


def test_an_unknown_target_is_refused_when_the_effect_is_attached(paint):
    effect = paint("cart")
    with pytest.raises(UnknownEntityError, match="'cart'; did you mean 'car'"):
        effect.attach()
    assert not effect.attached


def test_an_effect_may_be_made_before_its_model(paint, world, looks):
    effect = paint("barrel", columns={"transparency": 0.9})
    world.spawn(TableModel(), "barrel", Pose())
    effect.attach()
    assert looks()["barrel::link::visual"].transparency == 0.9


def test_the_world_is_that_of_a_transform_or_given_or_the_current_one(paint, world, car):
    other = World(TableSimulator())
    assert paint(Transform(other, "car")).world is other
    assert paint("car", world=other).world is other
    assert paint("car").world is world
    with pytest.raises(ValueError, match="targets belong to several World objects"):
        paint([car, Transform(other, "car")])
    with pytest.raises(ValueError, match="targets belong to several World objects"):
        paint(car, world=other)


@pytest.mark.parametrize("duration", [0.1, 0.3, 0.7, 2.0])
@pytest.mark.parametrize("ticks_before", [0, 1, 3, 7])
def test_an_effect_ends_by_itself_in_simulated_time(paint, world, looks, duration, ticks_before):
    """Rounding of simulated time never costs a tick, whenever the effect begins."""
    before = looks()
    for _ in range(ticks_before):
        world.tick()
    effect = paint("car", duration=duration, columns={"visible": False})
    effect.attach()
    ticks = 0
    while effect.attached:
        world.tick()
        ticks += 1
    assert ticks == round(duration / 0.1) + 1  # the tick at the end of the duration ends it
    assert looks() == before


def test_an_effect_without_duration_stays(paint, world):
    effect = paint("car", columns={"visible": False})
    effect.attach()
    for _ in range(50):
        world.tick()
    assert effect.attached
    assert effect.elapsed == pytest.approx(5.0)


def test_an_effect_is_updated_at_first_and_then_once_per_tick(world):
    times = []

    class Clock(AbstractEffect):
        def on_update(self, delta_time, sim_time):
            times.append((delta_time, *np.round([*sim_time, *self.elapsed], 6).tolist()))

    world.tick()
    Clock("car").attach()
    world.tick()
    world.tick()
    assert times == [(0.0, 0.1, 0.0), (0.1, 0.1, 0.0), (0.1, 0.2, 0.1)]


def test_an_effect_may_begin_again_when_it_has_ended(paint, world, car):
    effect = paint("car", duration=0.2, columns={"visible": False})
    for _ in range(2):
        effect.attach()
        with pytest.raises(ValueError, match=r"<Paint on car> is already attached: detach it"):
            effect.attach()
        for _ in range(3):
            world.tick()
        assert not effect.attached
        effect.detach()  # does nothing
        assert car.visible["car::body::skin"]


def test_an_effect_shows_only_what_it_names_in_its_present_life(car):
    class Fickle(AbstractEffect):
        lives = 0

        def on_attach(self):
            self.lives += 1

        def on_update(self, delta_time, sim_time):
            self.show(**({"visible": False} if self.lives == 1 else {"transparency": 0.5}))

    effect = Fickle("car::body::skin")
    effect.attach()
    effect.detach()
    effect.attach()
    assert car.visible["car::body::skin"]
    assert car.transparency["car::body::skin"] == 0.5


class Listener:
    def __init__(self):
        self.heard = []

    def on_effect_attached(self, effect):
        self.heard.append(("attached", effect, effect.attached))

    def on_effect_detached(self, effect):
        self.heard.append(("detached", effect, effect.attached))


def test_observers_hear_of_beginning_and_end(paint, world):
    listener = Listener()
    effect = paint("car", duration=0.1)
    effect.add_observer(listener)
    effect.attach()
    world.tick()
    world.tick()
    assert listener.heard == [("attached", effect, True), ("detached", effect, False)]
    effect.remove_observer(listener)
    effect.attach()
    assert len(listener.heard) == 2


def test_a_stranger_cannot_be_removed_from_the_observers(paint):
    with pytest.raises(ValueError, match="not in list"):
        paint("car").remove_observer(Listener())


def test_an_observer_may_attach_the_next_effect(paint, world, car):
    """Effects chain without a gap: no tick shows the car as it is."""

    class Next(Listener):
        def on_effect_detached(self, effect):
            second.attach()

    first = paint("car", duration=0.2, columns={"transparency": 0.5})
    second = paint("car", duration=0.2, columns={"transparency": 0.75})
    first.add_observer(Next())
    first.attach()
    seen = []
    for _ in range(5):
        world.tick()
        seen.append(car.transparency["car::body::skin"])
    assert seen == [0.5, 0.5, 0.75, 0.75, 0.0]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"transparancy": 0.5}, "visuals have no 'transparancy': they have ambient, diffuse"),
        ({"transparency": 1.5}, r"transparency must lie in 0\.\.1, got 1\.5"),
        ({"transparency": math.nan}, r"transparency must lie in 0\.\.1, got nan"),
        ({"transparency": [0.5, 0.5]}, r"transparency must have shape \(\) or \(1,\), got \["),
        ({"diffuse": (1, 0, 0)}, r"diffuse must have shape \(4,\) or \(1, 4\), got \(1, 0, 0\)"),
        ({"diffuse": (1, 0, 0, 2)}, r"diffuse must lie in 0\.\.1"),
    ],
)
def test_a_look_is_checked_when_it_is_shown(paint, world, looks, columns, message):
    before = looks()
    effect = paint("car", columns=columns)
    with pytest.raises(
        CallbackError, match=f"^Paint.on_update raised ValueError in tick 0: {message}"
    ):
        effect.attach()
    assert not effect.attached
    assert looks() == before


@pytest.mark.parametrize("hook", ["on_attach", "on_update", "on_detach"])
def test_an_error_in_a_hook_names_effect_hook_and_tick(paint, world, looks, hook):
    """The effect that failed to begin is not attached; the one that failed to end has ended."""

    def broken(self, *args):
        raise ZeroDivisionError("by nought")

    broken.__name__ = hook
    before = looks()
    effect = type("Broken", (paint,), {hook: broken})("car", columns={"visible": False})
    message = rf"^Broken\.{hook} raised ZeroDivisionError in tick 1"
    world.tick()
    if hook == "on_detach":
        effect.attach()
    with pytest.raises(CallbackError, match=message) as caught:
        effect.detach() if effect.attached else effect.attach()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert not effect.attached
    assert looks() == before
    world.tick()


def test_an_error_during_a_tick_stops_it_and_the_user_goes_on(paint, world, car):
    class Late(paint):
        def on_update(self, delta_time, sim_time):
            super().on_update(delta_time, sim_time)
            if sim_time > 0.15:
                raise OSError("late")

    effect = Late("car", columns={"visible": False})
    effect.attach()
    world.tick()
    world.tick()
    with pytest.raises(CallbackError, match=r"^Late\.on_update raised OSError in tick 2: late"):
        world.tick()
    assert world.ticks == 2
    effect.detach()
    world.tick()
    assert car.visible["car::body::skin"]


def test_an_error_in_an_observer_names_it(paint, world):
    class Deaf(Listener):
        def on_effect_attached(self, effect):
            raise OSError("what?")

    effect = paint("car")
    effect.add_observer(Deaf())
    with pytest.raises(CallbackError, match=r"^Deaf\.on_effect_attached raised OSError"):
        effect.attach()
    assert effect in EffectManager.get_instance()
