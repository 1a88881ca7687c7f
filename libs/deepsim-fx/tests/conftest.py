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

    def on_update(self, delta_time: float, sim_time: np.ndarray) -> None:
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


class Factors:
    """The capability to scale physics, in memory."""

    def __init__(self, simulator: TableSimulator) -> None:
        self.simulator = simulator
        self.given: dict[tuple[int, str, str], float] = {}

    def factors(self, name):
        worlds, links = range(self.simulator.worlds), self.simulator.entities.links
        return np.array([[self.given.get((w, name, link), 1.0) for link in links] for w in worlds])

    def scale(self, name, links, factors, worlds=None):
        links = list(links)
        self.simulator.entities.links.rows(links)
        chosen = np.arange(self.simulator.worlds) if worlds is None else worlds
        cells = np.broadcast_to(factors, (len(chosen), len(links))).tolist()
        for world, row in zip(chosen.tolist(), cells, strict=True):
            for link, factor in zip(links, row, strict=True):
                self.given[world, name, link] = factor


class Mounts:
    """The capability to move cameras, in memory."""

    def __init__(self, simulator: TableSimulator) -> None:
        self.simulator = simulator
        self.given: dict[tuple[int, str], CameraMount] = {}

    def get(self, camera, world=0):
        return self.given.get((world, camera)) or self.described(camera)

    def described(self, camera):
        if camera != "car::body::eye":
            raise UnknownEntityError("camera", camera, ["car::body::eye"])
        return CameraMount(Pose((1.0, 0.0, 0.5), Euler(0.0, 0.0, 0.5)), 1.2)

    def set(self, camera, mount, worlds=None):
        self.described(camera)
        for world in range(self.simulator.worlds) if worlds is None else worlds.tolist():
            self.given[world, camera] = mount.checked(camera)


class TunableSimulator(TableSimulator):
    """A table simulator with all optional capabilities that a randomizer asks for."""

    def __init__(self, **options) -> None:
        super().__init__(**options)
        self.physics = Factors(self)
        self.camera_mounts = Mounts(self)

    def reset(self, worlds=None, seeds=None):
        super().reset(worlds, seeds)
        ended = set(range(self.worlds) if worlds is None else worlds.tolist())
        for given in (self.physics.given, self.camera_mounts.given):
            for key in [key for key in given if key[0] in ended]:
                del given[key]


@pytest.fixture
def garage() -> Callable[..., World]:
    """Makes worlds with a car, a lamp and all optional capabilities, from a seed."""

    def make(seed: int = 0, worlds: int = 1) -> World:
        world = World(TunableSimulator(worlds=worlds, timestep=0.1), seed=seed)
        car = TableModel(links=("body", "wheel_l", "wheel_r"), visuals=("skin", "stripe"))
        world.spawn(car, "car", Pose())
        world.spawn(TableModel(lights=("bulb", "glow"), static=True), "lamp", Pose((0, 0, 3)))
        return world

    return make
