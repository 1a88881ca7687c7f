# SPDX-License-Identifier: Apache-2.0
"""Marks beside the models: drawn when they are on, read from nothing when they are off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deepsim_math import Euler, Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import Box, CameraDescription, Lidar, Rays, SensorDescription
from deepsim_sync import World


def marks(client, name):
    return [
        each
        for key, each in client.props.items()
        if key.startswith(f"/marks/{name}") and each["type"] != "FrameMessage"
    ]


@pytest.fixture
def sensing(scenes):
    """A robot with a lidar and a camera 2 m in front of a wall, on the ground."""
    robot = scenes.model("robot", Box(Vector3(0.2, 0.2, 0.2)), Pose(Vector3(0.0, 0.0, 0.1)))
    (link,) = robot.links
    sensors = (
        SensorDescription("scan", measurement=Lidar(Rays(3, -0.1, 0.1), max_range=5.0)),
        SensorDescription("eye", camera=CameraDescription(width=32, height=24)),
    )
    robot = replace(robot, links=(replace(link, sensors=sensors),))
    wall = scenes.model(
        "wall", Box(Vector3(0.1, 4.0, 2.0)), Pose(Vector3(2.05, 0.0, 1.0)), static=True
    )
    return scenes.described(robot, wall)


def test_frames_and_names(make_viewer, look):
    """Axes at all links, a name at each model; they follow, and go when they are switched off."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    client.set("Frames", True)
    client.set("Names", True)
    client.read(lambda it: marks(it, "axes") and len(marks(it, "labels")) == 5, world)
    assert {each["text"] for each in marks(client, "labels")} == set(world.entities.models)
    turned = Pose(Vector3(0.0, 0.0, 9.0), Euler(0.3, -0.5, 2.0))
    world.models.select([world.entities.models[-1]]).pose = turned
    quaternion = np.asarray(turned)[[6, 3, 4, 5]]
    client.read(lambda it: np.abs(_turns(it) @ quaternion).max() > 0.999, world)
    first = marks(client, "axes")[0]["batched_positions"].copy()
    client.read(
        lambda it: not np.array_equal(marks(it, "axes")[0]["batched_positions"], first), world
    )
    client.set("Frames", False)
    client.set("Names", False)
    client.read(lambda it: not marks(it, ""), world)


def _turns(client):
    return marks(client, "axes")[0]["batched_wxyzs"].reshape(-1, 4)


def test_colliders(make_viewer, look):
    """Each collision is a half transparent shape at its link."""
    viewer = make_viewer(rate=1e6)
    client = look(viewer)
    before = client.positions()
    client.set("Colliders", True)
    client.read(lambda it: len(it.positions()) == 2 * len(before), viewer.world)
    assert {tuple(_opacities(each)) for each in marks(client, "colliders")} == {(0.45,)}


def _opacities(batch):
    return sorted({round(float(each), 2) for each in batch["batched_opacities"]})


def test_contacts_are_arrows(make_viewer, look, sensing):
    """They begin at the contacts of a box at rest, and point as the ground pushes its feet."""
    viewer = make_viewer(sensing, rate=1e6)
    client, world = look(viewer), viewer.world
    for _ in range(500):
        world.tick()
    client.set("Contacts", True)
    client.read(lambda it: marks(it, "contacts"), world)
    ends = marks(client, "contacts")[-1]["points"].reshape(-1, 2, 3)
    found = world.simulator.contacts.read(0)
    assert ends[:, 0] == pytest.approx(found.position, abs=1e-6)
    ways = ends[:, 1] - ends[:, 0]
    assert np.cross(ways, found.force) == pytest.approx(0.0, abs=1e-4)
    assert ((ways * found.force).sum(axis=1) > 0.0).all()
    lengths = np.clip(0.01 * np.linalg.norm(found.force, axis=1), 0.05, 1.0)
    assert np.linalg.norm(ways, axis=1) == pytest.approx(lengths, abs=1e-5)


def test_rays_end_where_the_lidar_sees(make_viewer, look, sensing):
    """The rays start at the robot and end at the wall, in each world where that is shown."""
    viewer = make_viewer(sensing, worlds=2, rate=1e6)
    client, world = look(viewer), viewer.world
    client.set("Lidar rays", True)
    client.read(lambda it: marks(it, "rays"), world)
    lines = marks(client, "rays")[-1]["points"].reshape(-1, 2, 3)
    assert len(lines) == 6
    offset = np.repeat(viewer.scene.offsets, 3, axis=0)
    assert np.ptp(offset, axis=0).any()
    assert lines[:, 0] - offset == pytest.approx(np.tile([0.0, 0.0, 0.1], (6, 1)), abs=1e-3)
    assert (lines[:, 1] - offset)[:, 0] == pytest.approx(2.0, abs=1e-3)


def test_pictures_of_a_camera(make_viewer, look, sensing):
    """The picture of the chosen camera is in the panel until none is chosen."""
    viewer = make_viewer(sensing, rate=1e6)
    client, world = look(viewer), viewer.world
    client.set("Camera", "robot::link::eye")
    client.read(
        lambda it: any(each["type"] == "GuiImageMessage" for each in it.gui.values()), world
    )


def test_what_is_off_is_not_read(make_viewer, look, sensing):
    """Contacts, lidars and cameras are not asked for anything."""
    viewer = make_viewer(sensing, rate=1e6)
    client, world = look(viewer), viewer.world
    simulator, reads = world.simulator, []
    for part in (simulator.contacts, simulator.sensors):
        part.read = lambda *a: reads.append(a)
    for _ in range(5):
        world.tick()
    assert not reads
    assert not marks(client, "")


def test_marks_change_no_bit(make_viewer, look, sensing):
    """A run with all marks is that without a viewer."""
    alone = World(MujocoSimulator(sensing))
    viewer = make_viewer(sensing, rate=1e6)
    client, world = look(viewer), viewer.world
    for label in ("Frames", "Names", "Colliders", "Contacts", "Lidar rays"):
        client.set(label, True)
    client.set("Camera", "robot::link::eye")
    client.read(lambda it: marks(it, "rays") and marks(it, "axes"), world)
    while alone.ticks[0] < world.ticks[0]:
        alone.tick()
    for _ in range(100):
        world.tick()
        alone.tick()
    assert world.links.pose.tobytes() == alone.links.pose.tobytes()
    alone.close()
