# SPDX-License-Identifier: Apache-2.0
"""Models are inserted, deleted and saved from the browser."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Color, Pose, Vector3
from deepsim_spawn import Bounds, Box, GazeboXMLLoader
from deepsim_viewer.editing import SHAPES, shape_model, snapped

GREY = Color(0.5, 0.5, 0.5, 1.0)


@pytest.fixture
def edited(make_viewer, look):
    """A paused viewer's client, its world, and a function that ticks until a condition holds."""
    viewer = make_viewer(rate=1e6)
    client = look(viewer)
    return client, viewer.world


def pose(world, name):
    return world.models.pose[0, world.entities.models.row(name)]


def test_insert_on_the_ground_and_on_an_object(edited):
    """A box of 0.4 m stands at z = 0.2; the next one, snapped to objects, on top of it."""
    client, world = edited
    client.set("New", "box")
    client.set("Size [m]", (0.4, 0.4, 0.4))
    client.set("Where I look", False)
    client.set("Position [m]", (5.0, 5.0, 3.0))
    client.press("Insert")
    client.read(lambda it: "box_2" in world.entities.models, world)  # box_0 and box_1 are there
    assert pose(world, "box_2")[:3] == pytest.approx([5.0, 5.0, 0.2], abs=1e-3)
    client.set("Snap to", "object")
    client.press("Insert")
    client.read(lambda it: "box_3" in world.entities.models, world)
    assert pose(world, "box_3")[2] == pytest.approx(0.6, abs=2e-3)
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "box_3", world)
    client.press("Delete selected")
    client.read(lambda it: "box_3" not in world.entities.models, world)
    assert "box_2" in world.entities.models


def test_a_model_of_the_search_path(make_viewer, look, scenes, tmp_path, monkeypatch):
    """Models of the search path are offered by name."""
    folder = tmp_path / "crate"
    folder.mkdir()
    (folder / "model.config").write_text(
        "<model><name>crate</name><sdf version='1.7'>model.sdf</sdf></model>"
    )
    crate = scenes.model("crate", Box(Vector3(0.2, 0.2, 0.2)), Pose())
    (folder / "model.sdf").write_text(crate.to_sdf())
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tmp_path))
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    assert "crate" in client.gui[client.find("New")]["options"]
    client.set("New", "crate")
    client.set("Snap to", "grid")
    client.set("Where I look", False)
    client.set("Position [m]", (3.2, 3.3, 0.0))
    client.press("Insert")
    client.read(lambda it: "crate_0" in world.entities.models, world)
    assert pose(world, "crate_0")[:3] == pytest.approx([3.0, 3.5, 0.1], abs=1e-3)


def test_what_is_refused_changes_nothing(edited):
    """A model that is not on the search path is refused with a message."""
    client, world = edited
    client.set("New", "../../etc")
    client.press("Insert")
    client.read(lambda it: it.notes, world)
    assert "etc" in client.notes[0]
    client.press("Delete selected")
    client.read(lambda it: len(it.notes) == 2, world)
    assert len(world.entities.models) == 5


def test_the_world_is_saved_as_it_stands(edited):
    """The file that the browser gets is a world with all models where they are."""
    client, world = edited
    for _ in range(50):
        world.tick()
    client.press("Save as SDF")
    client.read(lambda it: it.files, world)
    ((_, data),) = client.files.items()
    saved = GazeboXMLLoader().load_world(data.decode())
    assert {model.name for model in saved.models} == set(world.entities.models)
    (ball,) = [model for model in saved.models if model.name == "ball"]
    assert 0.05 < ball.pose.position.z < 1.0


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_stand_where_they_are_put(shape):
    """Each shape has the given size, and its lowest point is on the ground."""
    size = Vector3(2.0, 2.0, 1.5) if shape != "ball" else Vector3(2.0, 2.0, 2.0)
    model = shape_model(shape, size, GREY)
    where = snapped(model, Vector3(1.0, 2.0, 9.0), 0.0, "ground", {})
    bounds = Bounds.of(model, where)
    assert bounds.lower.z == pytest.approx(0.0, abs=1e-9)
    assert bounds.upper.z == pytest.approx(size.z)
    assert np.array(bounds.lower) + bounds.upper == pytest.approx([2.0, 4.0, size.z])


def test_inertia_of_a_ball():
    """M = 300 pi/6 d^3, I = 2/5 m r^2."""
    (link,) = shape_model("ball", Vector3(0.2, 0.2, 0.2), GREY).links
    assert link.inertial.mass == pytest.approx(300 * 4 / 3 * np.pi * 0.1**3)
    assert link.inertial.ixx == pytest.approx(0.4 * link.inertial.mass * 0.1**2)


@pytest.mark.parametrize("size", [(0.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, float("nan"))])
def test_a_size_is_positive(size):
    """Others are refused by name."""
    with pytest.raises(ValueError, match="size"):
        shape_model("box", Vector3(*size), GREY)


def aim(client, eye, wxyz):
    """Turns the camera of a client."""
    client.send(
        "ViewerCameraMessage",
        wxyz=wxyz, position=eye, fov=1.0, near=0.01, far=100.0,
        image_height=100, image_width=100, look_at=(0, 0, 0), up_direction=(0, 0, 1),
    )  # fmt: skip


def test_a_model_is_inserted_where_the_camera_looks_but_not_into_others(edited):
    """Below a camera that looks straight down; a second box of 0.4 m stands beside the first."""
    client, world = edited
    client.set("Size [m]", (0.4, 0.4, 0.4))
    aim(client, (5.0, -3.0, 4.0), (0.0, 1.0, 0.0, 0.0))  # turned about x: along -z
    client.press("Insert")
    client.read(lambda it: "box_2" in world.entities.models, world)
    assert pose(world, "box_2")[:3] == pytest.approx([5.0, -3.0, 0.2], abs=1e-3)
    client.press("Insert")
    client.read(lambda it: "box_3" in world.entities.models, world)
    apart = np.abs(pose(world, "box_3")[:2] - pose(world, "box_2")[:2])
    assert 0.4 - 1e-3 <= apart.max() < 0.8


def test_a_model_is_selected_before_a_picture_contains_it(make_viewer, look, scenes):
    """A name that no picture has yet is selected with the first picture that has it."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    viewer.select("late")
    world.spawn(scenes.model("late", Box(Vector3(0.2, 0.2, 0.2)), Pose()), "late", Pose())
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "late", world)


def test_edits_are_undone_last_first(make_viewer, look):
    """Undo brings a deleted model back to its place, then removes the inserted one."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    client.press("Insert")
    client.read(lambda it: "box_2" in world.entities.models, world)
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "box_2", world)
    viewer.select("can")
    before = pose(world, "can")
    client.press("Delete selected")
    client.read(lambda it: "can" not in world.entities.models, world)
    client.press("Undo")
    client.read(lambda it: "can" in world.entities.models, world)
    assert pose(world, "can")[:2] == pytest.approx(before[:2], abs=0.05)
    client.press("Undo")
    client.read(lambda it: "box_2" not in world.entities.models, world)
    client.press("Undo")
    client.read(lambda it: it.notes, world)
    assert "no edit to undo" in client.notes[-1]
