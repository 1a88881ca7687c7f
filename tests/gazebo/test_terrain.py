# SPDX-License-Identifier: Apache-2.0
"""Generated terrain has the same heights on the embedded engine and on Gazebo."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Geometry,
    Heightmap,
    HeightScan,
    Inertial,
    LinkDescription,
    ModelDescription,
    Sphere,
    Terrain,
)
from deepsim_spawn.terrain_kinds import (
    boxes,
    flat,
    gaps,
    rubble,
    slopes,
    stairs,
    stepping_stones,
    waves,
)
from deepsim_sync import Simulator, SpawnRequest, World

HALF = 0.1  # radius of balls, half a side of boxes [m]
KINDS = [
    flat,
    slopes,
    partial(stairs, platform=1.0),
    partial(stairs, down=True),
    boxes,
    rubble,
    waves,
    gaps,
    stepping_stones,
]


def solid(shape: Geometry) -> ModelDescription:
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("c", shape),),
        inertial=Inertial(mass=1.0, ixx=0.0067, iyy=0.0067, izz=0.0067),
    )
    return ModelDescription("solid", links=(link,))


def rest(
    simulator: Simulator, terrain: Terrain, shape: Geometry, places: NDArray[np.float64]
) -> tuple[World, NDArray[np.float64]]:
    """Returns the world, and where solids lie that are dropped a little above places (n, 3)."""
    world = World(simulator, steps_per_tick=1500)
    world.spawn(terrain.model(), "terrain", Pose())
    names = [f"solid{number}" for number in range(len(places))]
    world.spawn_many(
        SpawnRequest(solid(shape), name, Pose((x, y, z + HALF + 0.02)))
        for name, (x, y, z) in zip(names, places, strict=True)
    )
    world.tick()
    return world, world.models.select(names).pose[0]


@pytest.mark.parametrize("shape", [Sphere(HALF), Box((2 * HALF,) * 3)], ids=["ball", "box"])
def test_solids_rest_on_every_kind(gazebo: GazeboSimulator, shape: Geometry) -> None:
    """In the middle of patches, which is level, at its height on both engines."""
    terrain = Terrain.generate(
        KINDS, rows=2, patch=(4.0, 4.0), difficulty=(0.3, 1.0), border=1.0, seed=3
    )
    places = terrain.origins.reshape(-1, 3)
    _, theirs = rest(gazebo, terrain, shape, places)
    _, ours = rest(MujocoSimulator(), terrain, shape, places)
    np.testing.assert_allclose(theirs[:, 2] - HALF, places[:, 2], atol=5e-4)
    np.testing.assert_allclose(ours[:, 2], theirs[:, 2], atol=1e-3)
    np.testing.assert_allclose(theirs[:, :2], places[:, :2], atol=2e-2)


def test_balls_rest_on_squares_of_an_array(gazebo: GazeboSimulator) -> None:
    """At any place, with cells that are longer along x than along y."""
    steps = np.random.default_rng(5).uniform(-0.5, 0.5, (3, 4))
    heights = np.kron(steps, np.ones((4, 4)))  # 12 x 16 samples, 0.4 m and 0.25 m apart
    terrain = Terrain(Heightmap(heights, (6.0, 2.75), (0.5, -1.0, 2.0)))
    middles = [
        (0.5 - 3.0 + 0.4 * (4 * column + 1.5), -1.0 - 1.375 + 0.25 * (4 * row + 1.5), 2.0 + step)
        for (row, column), step in np.ndenumerate(steps)
    ]
    places = np.array(middles)
    _, theirs = rest(gazebo, terrain, Sphere(HALF), places)
    _, ours = rest(MujocoSimulator(), terrain, Sphere(HALF), places)
    np.testing.assert_allclose(theirs[:, 2] - HALF, places[:, 2], atol=5e-4)
    np.testing.assert_allclose(ours[:, 2] - HALF, places[:, 2], atol=1e-3)


def test_a_scan_finds_the_ground_below_a_solid_that_lies(gazebo: GazeboSimulator) -> None:
    terrain = Terrain.generate([stairs], rows=1, patch=(4.0, 4.0), difficulty=(1.0, 1.0))
    world, _ = rest(gazebo, terrain, Box((2 * HALF,) * 3), terrain.origins[0])
    scan = HeightScan(terrain, world.models.select(["solid0"]), size=(1.2, 0.0), resolution=0.6)
    assert scan.read()[0].tolist() == pytest.approx([HALF, HALF, HALF], abs=3e-3)
