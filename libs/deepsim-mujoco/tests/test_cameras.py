# SPDX-License-Identifier: Apache-2.0
"""Pictures of a chosen world, by its own colours, poses and mounts."""

from __future__ import annotations

import numpy as np
import pytest
from mujoco_scenes import BOX, FLOOR, bytes_of, request

from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_sync import CameraMount, CameraView, World

ABOVE = CameraView.from_above(0, 0, 2, size=(32, 24))
CAMERA = """<static>true</static><link name="l"><sensor name="eye" type="camera"><camera>
<horizontal_fov>1</horizontal_fov><image><width>32</width><height>24</height></image>
<clip><near>0.01</near><far>50</far></clip></camera></sensor></link>"""
DOWN = Euler(0.0, np.pi / 2, np.pi / 2)


def test_each_world_is_shown_as_it_is() -> None:
    world = World(MujocoSimulator(worlds=3))
    where = np.zeros((3, 7))
    where[:, 6], where[2, 0] = 1.0, 40.0
    world.spawn(*request(BOX, "box", where))
    world.put("visuals", {"diffuse": [1.0, 0.0, 0.0, 1.0]}, worlds=np.array([0]))
    world.put("visuals", {"diffuse": [0.0, 0.0, 1.0, 1.0]}, worlds=np.array([1]))
    world.flush()
    before = bytes_of(world.simulator)
    pictures = [world.render(ABOVE, number) for number in (0, 1, 2, 0)]
    red, _, blue = np.moveaxis([picture[12, 16] for picture in pictures], 1, 0).astype(int)
    assert red[0] > blue[0] + 50
    assert blue[1] > red[1] + 50
    assert abs(red[2] - blue[2]) < 50
    assert np.array_equal(pictures[3], pictures[0])
    assert bytes_of(world.simulator) == before
    world.close()


def test_the_size_of_a_world_is_that_of_what_is_spawned_in_it() -> None:
    """MuJoCo compiles all models at the origin; pictures need to know how far things are."""
    simulator = MujocoSimulator()
    simulator.spawn([request(BOX, "one"), request(BOX, "other", Pose((30, 0, 0)))])
    simulator.cameras.render(ABOVE)
    model, _ = simulator.cameras._single.load(0)
    assert model.stat.extent == pytest.approx(30 + np.linalg.norm([0.3, 0.2, 0.1]))
    simulator.close()


def test_cameras_are_mounted_and_reset_world_by_world() -> None:
    world = World(MujocoSimulator(worlds=2))
    world.spawn(*request(FLOOR, "floor"))
    world.spawn(*request(BOX, "box"))
    world.spawn(*request(CAMERA, "m", Pose((0, 0, 2), DOWN)))
    mounts, eye = world.simulator.camera_mounts, "m::l::eye"
    described = mounts.get(eye, 1)
    assert described == mounts.described(eye)
    same = [world.render(eye, number) for number in (0, 1)]
    assert np.array_equal(*same)
    moved = CameraMount(Pose((0.5, 0, 0)), 0.5)
    mounts.set(eye, moved, np.array([1]))
    assert (mounts.get(eye), mounts.get(eye, 1)) == (described, moved)
    assert np.array_equal(world.render(eye, 0), same[0])
    assert not np.array_equal(world.render(eye, 1), same[1])
    world.reset(worlds=np.array([0]))
    assert mounts.get(eye, 1) == moved
    world.reset(worlds=np.array([1]))
    assert np.array_equal(world.render(eye, 1), same[1])
    mounts.set(eye, moved)
    assert [mounts.get(eye, number) for number in (0, 1)] == [moved] * 2
    world.close()
