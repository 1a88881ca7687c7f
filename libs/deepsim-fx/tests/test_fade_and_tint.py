# SPDX-License-Identifier: Apache-2.0
"""Effects that mix with what is beneath them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_fx import AbstractEffect, FadeEffect, TintEffect
from deepsim_math import Color, Material, Pose
from deepsim_sync import CallbackError, GetVisualTracker, Transform, World
from deepsim_sync.testing import TableModel, TableSimulator


def opacities(world: World, transform: Transform, ticks: int) -> list[list[float]]:
    """The opacity of every visual, (ticks, visuals)."""
    seen = []
    for _ in range(ticks):
        world.tick()
        seen.append([1.0 - value for value in transform.transparency.values()])
    return seen


def test_a_fade_starts_from_the_opacity_of_each_visual(world, car):
    own = np.array([1.0 - value for value in car.transparency.values()])
    assert len(set(own.tolist())) == 4
    FadeEffect(car, alpha=0.2, duration=0.4).attach()
    seen = opacities(world, car, 6)
    shares = np.array([0.0, 0.25, 0.5, 0.75])[:, None]
    np.testing.assert_allclose(seen[:4], own + shares * (0.2 - own))
    assert seen[4] == seen[5] == own.tolist()


def test_a_fade_stays_when_it_has_arrived(world, car):
    own = car.transparency
    FadeEffect("car::body::skin", fade_time=0.2, duration=0.5).attach()
    seen = [row[0] for row in opacities(world, car, 6)]
    assert seen == pytest.approx([1.0, 0.5, 0.0, 0.0, 0.0, 1.0])
    assert car.transparency == own


def test_a_reverse_fade_ends_where_the_visuals_are(world, car):
    FadeEffect("car::body::skin", reverse=True, fade_time=0.2, duration=0.4).attach()
    assert [row[0] for row in opacities(world, car, 5)] == pytest.approx([0.0, 0.5, 1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -0.1}, r"alpha must lie in 0\.\.1, got -0\.1"),
        ({"alpha": math.nan}, r"alpha must lie in 0\.\.1, got nan"),
        ({"fade_time": 0.0}, r"fade_time must be > 0 s and finite, got 0\.0"),
        ({"fade_time": math.nan}, "fade_time must be > 0 s and finite, got nan"),
        ({"duration": math.inf}, "fade_time must be > 0 s and finite, got inf"),
        ({"duration": -1.0}, "duration must be > 0 s"),
    ],
)
def test_a_fade_that_makes_no_sense_is_refused(world, options, message):
    with pytest.raises(ValueError, match=message):
        FadeEffect("car", **options)


@pytest.mark.parametrize("color", [Color(0.0, 0.4, 1.0), (0.0, 0.4, 1.0), (0.0, 0.4, 1.0, 0.1)])
def test_a_tint_mixes_colours_and_keeps_the_alpha(world, car, looks, color):
    before = looks()
    TintEffect("car::body::skin", color, strength=0.25, duration=0.2).attach()
    world.tick()
    skin = looks()["car::body::skin"].material
    assert skin.ambient.isclose(Color(0.0, 0.25, 0.475))
    assert skin.diffuse.isclose(Color(0.75, 0.1, 0.25, 0.5))
    assert skin.specular == before["car::body::skin"].material.specular
    for _ in range(3):
        world.tick()
    assert looks() == before


@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_no_tint_and_nothing_but_tint_are_exact(car, strength):
    own = Color(0.1, 0.2, 0.3, 0.7)
    car.material = Material(own, diffuse=own)
    TintEffect("car", (0.3, 0.6, 0.9), strength=strength).attach()
    expected = Color(0.3, 0.6, 0.9, 0.7) if strength else own
    assert {each.diffuse for each in car.material.values()} == {expected}


@pytest.mark.parametrize(
    ("color", "strength", "message"),
    [
        ((0, 0, 0), 1.5, r"strength must lie in 0\.\.1, got 1\.5"),
        ((0, 0, 0), math.nan, r"strength must lie in 0\.\.1, got nan"),
        ((0, 0, 2), 0.5, r"\[0, 1\]"),
        ((0, 0), 0.5, "Color"),
    ],
)
def test_a_tint_that_makes_no_sense_is_refused(world, color, strength, message):
    with pytest.raises(ValueError, match=message):
        TintEffect("car", color, strength=strength)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"visible": False, "mix": 0.5}, "visible is true or false: its mix must be 1, got 0.5"),
        ({"transparency": 0.5, "mix": 1.5}, r"mix of transparency must lie in 0\.\.1, got 1\.5"),
        ({"transparency": 0.5, "mix": math.nan}, r"mix of transparency must lie in 0\.\.1"),
        ({"diffuse": (1, 0, 0, 1), "mix": (1, 1, 1)}, "mix of diffuse must be a number, or"),
    ],
)
def test_a_mix_is_checked_when_it_is_shown(paint, car, looks, columns, message):
    before = looks()
    with pytest.raises(CallbackError, match=message):
        paint(car, columns=columns).attach()
    assert looks() == before


unit = st.floats(0.0, 1.0)
colors = st.tuples(unit, unit, unit, unit)


class Mixed(AbstractEffect):
    def __init__(self, target, color, mix, world):
        super().__init__(target, world=world)
        self.color, self.mix = color, mix

    def on_update(self, delta_time, sim_time):
        self.show(diffuse=self.color, mix=self.mix)


@settings(max_examples=100, deadline=None)
@given(
    own=colors,
    layers=st.lists(st.tuples(colors, st.one_of(unit, colors)), max_size=4),
    order=st.randoms(use_true_random=False),
    gone=st.booleans(),
)
def test_any_mixture_is_a_colour_and_gives_back_what_was_there(own, layers, order, gone):
    """An independent sum gives the same colour; any order of ends restores to the last digit."""
    with World(TableSimulator()) as world:
        world.spawn(TableModel(), "car", Pose())
        world.put("visuals", {"diffuse": [own]})
        before = world.get(GetVisualTracker).get_visuals()
        effects = [Mixed("car", color, mix, world) for color, mix in layers]
        for effect in effects:
            effect.attach()
            world.tick()
        expected = np.array(own)
        for color, mix in layers:
            share = np.broadcast_to(mix, 4)
            expected = (1.0 - share) * expected + share * np.array(color)
        np.testing.assert_allclose(world.visuals.diffuse[0, 0], expected, atol=1e-5)
        order.shuffle(effects)
        if gone:
            world.delete("car")
        for effect in effects:
            effect.detach()
            world.tick()
        assert world.get(GetVisualTracker).get_visuals() == ({} if gone else before)
