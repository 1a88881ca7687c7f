# SPDX-License-Identifier: Apache-2.0
"""How opaque a blinking model is, and when."""

from __future__ import annotations

import pytest

from deepsim_fx import BlinkEffect, InvisibleEffect
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator

V_SHAPE = [1.0, 0.86, 0.72, 0.58, 0.44, 0.3, 0.44, 0.58, 0.72, 0.86]


@pytest.mark.parametrize(
    ("options", "alphas"),
    [
        ({}, [*V_SHAPE, *V_SHAPE]),
        ({"min_alpha": 0.0, "interval": 0.4, "duration": 0.6}, [1.0, 0.5, 0.0, 0.5, 1.0, 0.5]),
        ({"max_alpha": 0.5, "min_alpha": 0.5, "duration": 0.3}, [0.5, 0.5, 0.5]),
        ({"min_alpha": 0.0, "interval": 0.25, "duration": 0.5}, [1.0, 0.2, 0.6, 0.6, 0.2]),
    ],
)
def test_opacity_goes_down_and_up_in_every_interval(world, car, options, alphas):
    """No interval inherits the rounding of the one before it; at last the car is as it was."""
    before = car.transparency
    world.tick()
    BlinkEffect(car, **options).attach()
    seen = []
    for _ in alphas:
        world.tick()
        seen.append({1.0 - value for value in car.transparency.values()})
    assert [value for (value,) in seen] == pytest.approx(alphas)
    world.tick()
    assert car.transparency == before


def test_blinking_is_the_same_however_finely_the_world_ticks():
    def faded(timestep: float, ticks: int) -> float:
        with World(TableSimulator(timestep=timestep)) as world:
            world.spawn(TableModel(), "car", Pose())
            BlinkEffect("car").attach()
            for _ in range(ticks + 1):
                world.tick()
            return float(world.visuals.transparency[0, 0])

    assert faded(0.1, 3) == pytest.approx(faded(0.001, 300))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_alpha": 0.8, "max_alpha": 0.2}, "0 <= min_alpha <= max_alpha <= 1, got 0.8 and 0.2"),
        ({"min_alpha": -0.1}, "got -0.1 and 1.0"),
        ({"max_alpha": 1.1}, "got 0.3 and 1.1"),
        ({"max_alpha": float("nan")}, "got 0.3 and nan"),
        ({"interval": 0.0}, "interval must be > 0 s, got 0.0"),
        ({"duration": 0.0}, "duration must be > 0 s, got 0.0"),
    ],
)
def test_a_blink_that_makes_no_sense_is_refused(world, options, message):
    with pytest.raises(ValueError, match=message):
        BlinkEffect("car", **options)


def test_invisible_hides_and_gives_back_what_was_hidden_before(world, car):
    before = car.visible
    assert set(before.values()) == {True, False}
    InvisibleEffect(car, duration=0.3).attach()
    seen = []
    for _ in range(5):
        world.tick()
        seen.append(any(car.visible.values()))
    assert seen == [False, False, False, True, True]
    assert car.visible == before
