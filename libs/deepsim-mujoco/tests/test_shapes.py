# SPDX-License-Identifier: Apache-2.0
"""Shapes that MuJoCo lacks: where a ball comes to rest on them tells how they collide."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    Cone,
    Geometry,
    LinkDescription,
    ModelDescription,
    Polyline,
    VisualDescription,
)
from deepsim_sync import CameraView, Transform, World

RADIUS = 0.1
SQUARE = ((-2, -2), (2, -2), (2, 2), (-2, 2))
HOLE = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def standing(geometry: Geometry) -> ModelDescription:
    """A static model of one shape, to touch and to see."""
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("collision", geometry),),
        visuals=(VisualDescription("visual", geometry),),
    )
    return ModelDescription("model", links=(link,), static=True)


@pytest.mark.parametrize(
    ("geometry", "place", "height"),
    [
        (Polyline((SQUARE,), 1.0), (0.0, 0.0), 1.0),
        (Polyline((SQUARE, HOLE), 1.0), (1.5, 0.3), 1.0),
        (Polyline((SQUARE, HOLE), 1.0), (0.0, -1.5), 1.0),
        (Polyline((SQUARE, HOLE), 1.0), (0.0, 0.0), 0.0),  # falls through to the ground
        (Cone(1.0, 2.0), (0.0, 0.0), 1.0),
    ],
)
def test_a_ball_rests_on_it(
    ground: ModelDescription,
    ball: ModelDescription,
    geometry: Geometry,
    place: tuple[float, float],
    height: float,
) -> None:
    world = World(MujocoSimulator())
    world.spawn(ground, "ground", Pose())
    world.spawn(standing(geometry), "shape", Pose())
    world.spawn(ball, "ball", Pose((*place, height + RADIUS + 0.01)))
    for _ in range(300):
        world.tick()
    assert Transform(world, "ball").pose.position.z == pytest.approx(height + RADIUS, abs=3e-3)


def test_a_hole_is_seen() -> None:
    """From above, the middle of a frame looks like what is around it."""
    world = World(MujocoSimulator())
    empty = world.render(CameraView.from_above(0, 0, 10, size=(64, 64)))
    world.spawn(standing(Polyline((SQUARE, HOLE), 1.0)), "frame", Pose())
    seen = world.render(CameraView.from_above(0, 0, 10, size=(64, 64)))
    changed = (seen != empty).any(axis=-1)
    assert not changed[30:34, 30:34].any()
    assert changed[30:34, 22:25].all()


def test_a_cone_is_as_large_as_its_bounds() -> None:
    model = standing(Cone(1.0, 2.0))
    bounds = Bounds.of(model)
    assert bounds is not None
    world = World(MujocoSimulator())
    empty = world.render(CameraView.from_above(0, 0, 6, size=(100, 100)))
    world.spawn(model, "cone", Pose())
    seen = world.render(CameraView.from_above(0, 0, 6, size=(100, 100)))
    rows, columns = np.nonzero((seen != empty).any(axis=-1))
    pixels = 100 * bounds.size.x / (2 * 7 * math.tan(1.0472 / 2))  # its rim is 7 m below
    assert np.ptp(rows) + 1 == pytest.approx(pixels, abs=2)
    assert np.ptp(columns) + 1 == pytest.approx(pixels, abs=2)
