# SPDX-License-Identifier: Apache-2.0
"""Heightmaps have the same heights on the embedded engine and on Gazebo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from deepsim_gazebo import BatchStateClient, GazeboSimulator
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    GazeboXMLLoader,
    Heightmap,
    LinkDescription,
    ModelDescription,
)
from deepsim_sync import Simulator, SpawnRequest, Transform, World

RADIUS = 0.1
BALL = f"""<sdf version="1.6"><model name="ball"><link name="link">
<inertial><mass>1</mass><inertia><ixx>0.004</ixx><iyy>0.004</iyy><izz>0.004</izz></inertia></inertial>
<collision name="c"><geometry><sphere><radius>{RADIUS}</radius></sphere></geometry></collision>
</link></model></sdf>"""
STEPS = np.array([[50, 100, 150, 200], [10, 20, 240, 230], [30, 25, 60, 90], [75, 125, 175, 225]])
"""Grey of level squares, 2 m by 4 m; the upper row lies at the greatest y."""
SIZE, LOWEST = (8.0, 16.0, 2.0), 0.25


@pytest.fixture
def stairs(tmp_path: Path) -> ModelDescription:
    """Level squares with a ramp along their edges."""
    picture = np.pad(np.kron(STEPS, np.ones((4, 4))), ((0, 1), (0, 1)), mode="edge")
    PIL.Image.fromarray(picture.astype(np.uint8)).save(tmp_path / "stairs.png")
    heightmap = Heightmap(tmp_path / "stairs.png", SIZE, (0, 0, LOWEST))
    link = LinkDescription("link", collisions=(CollisionDescription("c", heightmap),))
    return ModelDescription("stairs", links=(link,), static=True)


def rest(simulator: Simulator, stairs: ModelDescription) -> list[float]:
    """Returns the heights at which balls come to rest on the squares, row by row [m]."""
    ball = GazeboXMLLoader().load_model(BALL)
    world = World(simulator, steps_per_tick=1500)
    world.spawn(stairs, "stairs", Pose())
    requests = []
    for (row, column), grey in np.ndenumerate(STEPS):
        x = (column - 1.5) * 2 - 0.25
        y = (1.5 - row) * 4 + 0.5
        z = LOWEST + grey / STEPS.max() * SIZE[2] + RADIUS + 0.05
        requests.append(SpawnRequest(ball, f"ball {row} {column}", Pose((x, y, z))))
    world.spawn_many(requests)
    world.tick()
    return [Transform(world, request.name).pose.position.z for request in requests]


def test_balls_rest_at_the_same_heights(gazebo: GazeboSimulator, stairs: ModelDescription) -> None:
    expected = LOWEST + STEPS.ravel() / STEPS.max() * SIZE[2] + RADIUS
    embedded, theirs = rest(MujocoSimulator(), stairs), rest(gazebo, stairs)
    assert theirs == pytest.approx(expected, abs=5e-3)
    assert embedded == pytest.approx(theirs, abs=5e-3)


def test_gazebo_puts_it_at_the_origin(gazebo: GazeboSimulator, stairs: ModelDescription) -> None:
    """Whatever the poses of model and heightmap; the embedded engine uses both."""
    collision = stairs.links[0].collisions[0]
    aside = replace(collision, geometry=replace(collision.geometry, position=(1, 2, 0.25)))
    there = replace(stairs, links=(replace(stairs.links[0], collisions=(aside,)),))
    gazebo.spawn([SpawnRequest(there, "stairs", Pose((3, 4, 5)))])
    client = BatchStateClient()
    (theirs,) = client.bounds(["stairs"])
    client.close()
    origin, ours = Bounds.of(stairs), Bounds.of(there, Pose((3, 4, 5)))
    assert origin is not None
    assert ours is not None
    lowest = STEPS.min() / STEPS.max() * SIZE[2] - 1.0  # a metre of ground, in both engines
    np.testing.assert_allclose(theirs, [origin.lower, origin.upper], atol=1e-3)
    assert tuple(ours.lower) == pytest.approx((0, -2, 5.25 + lowest))
