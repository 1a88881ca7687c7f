# SPDX-License-Identifier: Apache-2.0
"""Gazebo 11 reads image geometries and builds nothing, see docs/embedded-and-gazebo.md."""

from __future__ import annotations

from pathlib import Path

import PIL.Image
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_spawn import (
    CollisionDescription,
    GazeboXMLLoader,
    Image,
    LinkDescription,
    ModelDescription,
)
from deepsim_sync import Transform, World

BALL = """<sdf version="1.6"><model name="ball"><link name="link">
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model></sdf>"""


def test_a_ball_falls_through_an_image(gazebo: GazeboSimulator, tmp_path: Path) -> None:
    path = tmp_path / "black.png"
    PIL.Image.new("L", (4, 4), 0).save(path)
    wall = CollisionDescription("c", Image(path))
    walls = ModelDescription(
        "walls", links=(LinkDescription("l", collisions=(wall,)),), static=True
    )
    world = World(gazebo, steps_per_tick=400)
    world.spawn(walls, "walls", Pose())
    world.spawn(GazeboXMLLoader().load_model(BALL), "ball", Pose((2, 2, 2)))
    world.tick()
    fallen = 9.8 * 0.4**2 / 2
    assert Transform(world, "ball").pose.position.z == pytest.approx(2 - fallen, abs=0.01)
