# SPDX-License-Identifier: Apache-2.0
"""A car and a cone on the table simulator, ticking every 0.1 s."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from deepsim_fx import AbstractEffect
from deepsim_math import Color, Euler, Material, Pose
from deepsim_sync import (
    CameraMount,
    GetVisualTracker,
    Transform,
    UnknownEntityError,
    Visual,
    World,
)
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


class TunableSimulator(TableSimulator):
    """A table simulator with all optional capabilities that a randomizer asks for."""

    def __init__(self, **options) -> None:
        super().__init__(**options)
        self.factors = {}
        self.mounts = {}

    def physics_factors(self, name):
        return np.array([self.factors.get((name, link), 1.0) for link in self.entities.links])

    def scale_physics(self, name, links, factors):
        self.entities.links.rows(links)
        for link, factor in zip(links, factors, strict=True):
            self.factors[name, link] = factor

    def camera_mount(self, camera):
        return self.mounts.get(camera) or self.described_camera_mount(camera)

    def described_camera_mount(self, camera):
        if camera != "car::body::eye":
            raise UnknownEntityError("camera", camera, ["car::body::eye"])
        return CameraMount(Pose((1.0, 0.0, 0.5), Euler(0.0, 0.0, 0.5)), 1.2)

    def mount_camera(self, camera, mount):
        self.described_camera_mount(camera)
        self.mounts[camera] = mount.checked(camera)

    def reset(self, seed=None):
        super().reset(seed)
        self.factors.clear()
        self.mounts.clear()


@pytest.fixture
def garage() -> Callable[[int], World]:
    """Makes a world with a car, a lamp and all optional capabilities, from a seed."""

    def make(seed: int = 0) -> World:
        world = World(TunableSimulator(timestep=0.1), seed=seed)
        car = TableModel(links=("body", "wheel_l", "wheel_r"), visuals=("skin", "stripe"))
        world.spawn(car, "car", Pose())
        world.spawn(TableModel(lights=("bulb", "glow"), static=True), "lamp", Pose((0, 0, 3)))
        return world

    return make
