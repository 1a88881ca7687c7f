# SPDX-License-Identifier: Apache-2.0
"""Terrain: MuJoCo's own rays, and balls at rest, find the heights that it and a scan return."""

from __future__ import annotations

from functools import partial

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    CollisionDescription,
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
from deepsim_sync import CameraView, World

RADIUS = 0.1
KINDS = [
    flat,
    slopes,
    partial(slopes, down=True),
    stairs,
    partial(stairs, down=True),
    boxes,
    rubble,
    waves,
    gaps,
    stepping_stones,
]


def ball(gravity: bool = True) -> ModelDescription:
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("c", Sphere(RADIUS)),),
        inertial=Inertial(mass=1.0, ixx=0.004, iyy=0.004, izz=0.004),
        gravity=gravity,
    )
    return ModelDescription("ball", links=(link,))


@pytest.fixture(scope="module")
def terrain() -> Terrain:
    return Terrain.generate(KINDS, rows=2, patch=(4.0, 3.0), difficulty=(0.3, 1.0), seed=7)


class BareEngine:
    """A height field that is put together by hand, with MuJoCo's own rays."""

    def __init__(self, terrain: Terrain) -> None:
        heights = np.asarray(terrain.heightmap.heights)
        x, y, _ = terrain.heightmap.size
        self.low, span = heights.min(), np.ptp(heights)
        spec = mujoco.MjSpec()
        rows, columns = heights.shape
        field = spec.add_hfield(
            name="h", nrow=rows, ncol=columns, size=[x / 2, y / 2, span or 1.0, 1.0]
        )
        field.userdata = (heights - self.low).ravel()
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="h", pos=[0, 0, self.low]
        )
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)

    def heights(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns where rays straight down from 20 m meet the ground below points (n, 2)."""
        down, body = np.array([0.0, 0, -1]), np.zeros(1, np.int32)
        return np.array(
            [
                20.0
                - mujoco.mj_ray(
                    self.model, self.data, np.array([x, y, 20.0]), down, None, True, -1, body, None
                )
                for x, y in points
            ]
        )


def test_heights_are_those_that_rays_meet(terrain: Terrain) -> None:
    """On every patch of every kind."""
    engine, rng = BareEngine(terrain), np.random.default_rng(0)
    for row, column in np.ndindex(terrain.origins.shape[:2]):
        middle = terrain.origins[row, column, :2]
        points = middle + rng.uniform(-0.5, 0.5, (100, 2)) * terrain.patch
        np.testing.assert_allclose(terrain.height(points), engine.heights(points), atol=2e-6)


def worlds_on(terrain: Terrain, worlds: int) -> tuple[World, HeightScan]:
    """Returns balls that are turned and lie at random, the same for each number of worlds."""
    world = World(MujocoSimulator(worlds=worlds))
    world.spawn(terrain.model(), "terrain", Pose())
    world.spawn(ball(gravity=False), "ball", Pose())
    balls = world.models.select(["ball"])
    pose = balls.pose
    for number in range(worlds):
        rng = np.random.default_rng([3, number])
        pose[number, 0, :3] = rng.uniform((-18, -2, 3), (18, 2, 4))
        pose[number, 0, 3:] = Rotation.random(random_state=rng).as_quat()
    balls.pose = pose
    return world, HeightScan(terrain, balls, (1.6, 1.0), 0.2, offset=(0.3, -0.1))


def test_a_scan_finds_the_ground_that_rays_meet(terrain: Terrain) -> None:
    """Along the heading of the link, from its back right to its front left."""
    world, scan = worlds_on(terrain, 12)
    engine = BareEngine(terrain)
    found = scan.read().reshape(12, *scan.shape)
    assert scan.shape == (6, 9)
    for pose, rows in zip(world.models.select(["ball"]).pose[:, 0], found, strict=True):
        yaw = Rotation.from_quat(pose[3:]).as_euler("ZYX")[0]
        turn = Rotation.from_euler("z", yaw)
        for row, y in enumerate(np.linspace(-0.5, 0.5, 6) - 0.1):
            points = [[x, y, 0.0] for x in np.linspace(-0.8, 0.8, 9) + 0.3]
            below = pose[:2] + turn.apply(points)[:, :2]
            np.testing.assert_allclose(rows[row], pose[2] - engine.heights(below), atol=2e-6)


def test_the_scan_of_a_world_has_the_same_bits_among_many(terrain: Terrain) -> None:
    _, many = worlds_on(terrain, 33)
    _, few = worlds_on(terrain, 2)
    _, one = worlds_on(terrain, 1)
    assert many.read()[:2].tobytes() == few.read().tobytes()
    assert many.read()[:1].tobytes() == one.read().tobytes()


def test_the_ground_of_a_scan_lies_on_the_terrain(terrain: Terrain) -> None:
    world, scan = worlds_on(terrain, 3)
    ground = scan.ground()
    np.testing.assert_array_equal(terrain.height(ground), ground[..., 2])
    z = world.models.select(["ball"]).pose[:, 0, 2:3]
    np.testing.assert_array_equal(z - ground[..., 2], scan.read())


def test_balls_rest_on_every_patch(terrain: Terrain) -> None:
    """All worlds share one terrain; each has its own place."""
    places = terrain.origins.reshape(-1, 3)
    world = World(MujocoSimulator(worlds=len(places)), steps_per_tick=500)
    world.spawn(terrain.model(), "terrain", Pose())
    world.spawn(ball(), "ball", Pose())
    balls = world.models.select(["ball"])
    pose = balls.pose
    pose[:, 0, :3] = places + np.array([0.0, 0.0, RADIUS + 0.02])
    balls.pose = pose
    world.tick()
    rest = balls.pose[:, 0]
    np.testing.assert_allclose(rest[:, 2] - RADIUS, places[:, 2], atol=2e-3)
    np.testing.assert_allclose(rest[:, :2], places[:, :2], atol=1e-2)


def test_a_scan_is_of_one_link(terrain: Terrain) -> None:
    world, _ = worlds_on(terrain, 1)
    with pytest.raises(ValueError, match="a handle on one link, got 2 rows"):
        HeightScan(terrain, world.models)
    one = world.models.select(["ball"])
    with pytest.raises(ValueError, match=r"size must be multiples of the resolution"):
        HeightScan(terrain, one, (1.05, 1.0), 0.1)


def test_higher_ground_is_brighter_in_pictures() -> None:
    """Of level ground in four steps, seen from above: the picture's upper edge is at greatest y."""
    steps = np.array([[0.0, 1.0], [3.0, 2.0]])
    heights = np.kron(steps, np.ones((16, 16)))
    world = World(MujocoSimulator())
    world.spawn(Terrain(Heightmap(heights, (4.0, 4.0))).model(), "terrain", Pose())
    picture = world.render(CameraView.from_above(0.0, 0.0, 4.0, size=(80, 80))).mean(axis=2)
    seen = [picture[60, 20], picture[60, 60], picture[20, 60], picture[20, 20]]
    assert seen == sorted(seen)
    assert seen[3] > 1.4 * seen[0] > 0
