# SPDX-License-Identifier: Apache-2.0
"""A car and a cone on the table simulator, ticking every 0.1 s."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from deepsim_fx import AbstractEffect
from deepsim_math import Color, Material, Pose
from deepsim_sync import GetVisualTracker, Transform, Visual, World
from deepsim_sync.testing import TableModel, TableSimulator


class Paint(AbstractEffect):
    """Shows what a test tells it."""

    def __init__(self, *args, columns=None, **options) -> None:
        super().__init__(*args, **options)
        self.columns = columns or {}

    def on_update(self, delta_time: float, sim_time: float) -> None:
        self.show(**self.columns)


@pytest.fixture
def world() -> Iterator[World]:
    """A current world in which every visual of the car looks different."""
    world = World(TableSimulator(timestep=0.1))
    world.spawn(TableModel(links=("body", "wheel"), visuals=("skin", "stripe")), "car", Pose())
    world.spawn(TableModel(), "cone", Pose())
    car = Transform(world, "car")
    for number, name in enumerate(car.visual_names):
        car.material = {name: Material(Color(0.1 * number, 0.2, 0.3), diffuse=Color(1, 0, 0, 0.5))}
        car.transparency = {name: 0.05 * number}
        car.visible = {name: number != 1}
    world.flush()
    with world:
        yield world


@pytest.fixture
def car(world: World) -> Transform:
    return Transform(world, "car")


@pytest.fixture
def paint(world: World) -> type[Paint]:
    """The class of an effect that shows constant columns."""
    return Paint


@pytest.fixture
def looks(world: World) -> Callable[[], dict[str, Visual]]:
    """How all visuals look now, by name."""
    return world.get(GetVisualTracker).get_visuals


@pytest.fixture
def stored(world: World) -> Callable[[], dict[str, Visual]]:
    """How all visuals look in the simulator, where changes arrive when they are sent."""
    return lambda: World(world.simulator).get(GetVisualTracker).get_visuals()
