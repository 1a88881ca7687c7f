# SPDX-License-Identifier: Apache-2.0
"""Depths, models and links in pictures from Gazebo, beside the rays of the embedded engine."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from numpy.typing import NDArray

from deepsim_gazebo import CallRefusedError, GazeboSimulator
from deepsim_math import Euler, Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    GazeboXMLLoader,
    Heightmap,
    LinkDescription,
    ModelDescription,
    VisualDescription,
)
from deepsim_sync import CameraView, DepthPicture, SpawnRequest

VIEW = CameraView(Pose((-3, 0.2, 1.5), Euler(0.1, 0.4, -0.1)), 1.1, 96, 64)


def drawn(name: str, shape: str, transparency: float = 0.0, pose: str = "0 0 0 0 0 0") -> str:
    """Returns a visual that nothing can touch."""
    return f"""<visual name="{name}"><pose>{pose}</pose><geometry>{shape}</geometry>
      <transparency>{transparency}</transparency></visual>"""


def model(inside: str) -> str:
    """Returns the text of a model that stands."""
    return f"""<sdf version="1.7"><model name="model"><static>true</static>{inside}</model></sdf>"""


BOX = "<box><size>0.6 0.4 1</size></box>"
BALL = "<sphere><radius>0.2</radius></sphere>"
POST = "<cylinder><radius>0.2</radius><length>2</length></cylinder>"
GLASS = "<box><size>0.1 3 3</size></box>"
SCENE = {
    "floor": model(f"""<link name="link">{drawn("v", "<box><size>6 6 0.1</size></box>")}</link>"""),
    "family": model(
        f"""<link name="body">{drawn("box", BOX)}</link>
        <link name="head"><pose>0 0 0.8 0 0 0</pose>{drawn("ball", BALL, 0.7)}</link>
        <model name="child"><pose>0 -0.9 0 0 0 0.5</pose>
        <link name="body">{drawn("box", BOX)}</link></model>"""
    ),
    "post": model(
        f"""<link name="link">{drawn("v", POST)}
        {drawn("glass", GLASS, 1.0, "-0.8 0 0 0 0 0")}</link>"""
    ),
}
PLACES = {"floor": Pose(), "family": Pose((0, 0.3, 0.5)), "post": Pose((1, 0.9, 1))}


def measured(simulator: GazeboSimulator | MujocoSimulator, view: CameraView) -> DepthPicture:
    """Measures at the present instant."""
    assert simulator.depth_cameras is not None
    return simulator.depth_cameras.measure(view)


def edges(picture: DepthPicture) -> NDArray[np.bool_]:
    """Returns the pixels with another link or a jump of depth beside them."""
    jump = np.zeros(picture.links.shape, dtype=np.bool_)
    for axis in (0, 1):
        for by in (-1, 1):
            jump |= np.roll(picture.links, by, axis) != picture.links
    return jump


def test_depths_and_rows_are_those_of_rays(gazebo: GazeboSimulator) -> None:
    """Of shapes, links and nested models; glass that is not drawn does not count."""
    rays = MujocoSimulator()
    for simulator in (gazebo, rays):
        simulator.spawn(
            [
                SpawnRequest(GazeboXMLLoader().load_model(text), name, PLACES[name])
                for name, text in SCENE.items()
            ]
        )
    ours, theirs = measured(gazebo, VIEW), measured(rays, VIEW)
    inside = ~edges(theirs)
    assert inside.mean() > 0.8
    np.testing.assert_array_equal(ours.links[inside], theirs.links[inside])
    np.testing.assert_array_equal(ours.models[inside], theirs.models[inside])
    seen = inside & (theirs.links >= 0)
    names = gazebo.entities.links
    assert {names[row] for row in np.unique(ours.links[seen])} == set(names)
    np.testing.assert_allclose(ours.depth[seen], theirs.depth[seen], rtol=0.01)
    flat = seen & (ours.links == names.row("floor::link"))
    np.testing.assert_allclose(ours.depth[flat], theirs.depth[flat], rtol=1e-5)
    assert np.isinf(ours.depth[inside & (theirs.links < 0)]).all()


def test_a_heightmap_has_depths_and_no_rows(gazebo: GazeboSimulator, tmp_path: Path) -> None:
    """Gazebo does not say whose it is, and draws it some time after it was spawned."""
    PIL.Image.fromarray(np.full((129, 129), 255, dtype=np.uint8)).save(tmp_path / "flat.png")
    visual = VisualDescription("v", Heightmap(tmp_path / "flat.png", (20, 20, 2)))
    link = LinkDescription("link", visuals=(visual,))
    gazebo.spawn(
        [SpawnRequest(ModelDescription("hill", links=(link,), static=True), "hill", Pose())]
    )
    view = CameraView.from_above(0, 0, 5, horizontal_fov=0.5, size=(8, 6))
    deadline = time.monotonic() + 60
    while np.isinf(measured(gazebo, view).depth).any() and time.monotonic() < deadline:
        pass
    picture = measured(gazebo, view)
    np.testing.assert_allclose(picture.depth, 3, atol=0.01)
    assert (picture.models == -1).all()


def test_a_picture_larger_than_an_answer_is_refused(gazebo: GazeboSimulator) -> None:
    """It says how large."""
    large = CameraView(Pose(), 1.0, 4096, 4096)
    with pytest.raises(CallRefusedError, match="would take 134217728 bytes, more than 64000000"):
        measured(gazebo, large)


def test_a_camera_that_moves_is_where_its_link_is(gazebo: GazeboSimulator) -> None:
    """Its view is that of the sensor on the link."""
    lens = "<camera><horizontal_fov>0.9</horizontal_fov></camera>"
    eye = f"""<link name="link"><sensor name="eye" type="rgbd_camera">
      <pose>0.1 0 0.2 0 0 {math.pi / 2}</pose>{lens}</sensor></link>"""
    gazebo.spawn([SpawnRequest(model(eye), "robot", Pose((1, 2, 3)))])
    assert gazebo.depth_cameras is not None
    view = gazebo.depth_cameras.view("robot::link::eye")
    assert view.pose.isclose(Pose((1.1, 2, 3.2), Euler(0, 0, math.pi / 2)), abs_tol=1e-9)
    assert (view.horizontal_fov, view.width, view.height) == (0.9, 320, 240)
