# SPDX-License-Identifier: Apache-2.0
"""Models of several parts with joints, composed without a file."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Color, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import Bounds, GazeboXMLLoader
from deepsim_sync import SpawnRequest, World
from deepsim_viewer.editing import JOINTS, Part, composed_model

RED = Color(1.0, 0.0, 0.0, 1.0)


def post():
    """A post of 0.1 m x 0.1 m x 2 m that stands fixed in the world."""
    return Part("post", "box", Vector3(0.1, 0.1, 2.0), RED, Vector3(0.0, 0.0, 1.0), "world")


def door(**changes):
    """A door of 0.8 m that hangs beside the post, on a hinge at its edge."""
    given = {"parent": "post", "joint": "revolute", "lower": 0.0, "upper": 2.0}
    place, hinge = Vector3(0.5, 0.0, 1.0), Vector3(0.06, 0.0, 1.0)
    given = {"place": place, "pivot": hinge, **given, **changes}
    return Part("door", "box", Vector3(0.8, 0.04, 1.8), RED, **given)


def pose(world, link):
    return world.links.pose[0, world.entities.links.row(link)]


def test_a_door_turns_on_its_hinge():
    """At 90 degrees its middle is where it is turned to about the hinge, not about itself."""
    model = composed_model("gate", [post(), door()])
    with World(MujocoSimulator()) as world:
        world.simulator.spawn([SpawnRequest(model, "gate", np.array([2.0, 0, 0, 0, 0, 0, 1.0]))])
        world.tick()
        assert pose(world, "gate::door")[:3] == pytest.approx([2.5, 0.0, 1.0], abs=1e-6)
        world.joints.select(["gate::door_joint"]).put(position=math.pi / 2, velocity=0.0)
        world.flush()
        assert pose(world, "gate::door")[:3] == pytest.approx([2.06, 0.44, 1.0], abs=1e-6)
        assert pose(world, "gate::post")[:3] == pytest.approx([2.0, 0.0, 1.0], abs=1e-6)


@pytest.mark.parametrize("joint", JOINTS)
def test_a_composed_model_survives_its_file(joint):
    """As SDF it has the same joints and sizes."""
    model = composed_model("gate", [post(), door(joint=joint)])
    (again,) = (
        GazeboXMLLoader()
        .load_world(
            f"<sdf version='1.7'><world name='w'>{model.to_sdf().partition('>')[2]}".replace(
                "</sdf>", "</world></sdf>"
            )
        )
        .models
    )
    assert [each.type for each in again.joints] == ["fixed", joint]
    assert Bounds.of(again).upper == pytest.approx(Bounds.of(model).upper)


def test_a_mesh_weighs_as_the_box_around_it(tmp_path, monkeypatch):
    """Its file is found on the search path, and scaled by the size."""
    folder = tmp_path / "wedge"
    folder.mkdir()
    corners = ["0 0 0", "2 0 0", "0 1 0", "0 0 1"]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    facets = "".join(
        f"facet normal 0 0 0 outer loop {''.join(f'vertex {corners[n]} ' for n in face)}"
        "endloop endfacet\n"
        for face in faces
    )
    (folder / "wedge.stl").write_text(f"solid wedge\n{facets}endsolid wedge\n")
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tmp_path))
    part = Part("wedge", "model://wedge/wedge.stl", Vector3(0.1, 0.1, 0.1), RED, Vector3(0, 0, 0))
    (link,) = composed_model("wedge", [part]).links
    assert link.inertial.mass == pytest.approx(300.0 * 0.2 * 0.1 * 0.1)
    assert link.inertial.pose.position == pytest.approx([0.1, 0.05, 0.05])


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "needs a part"),
        ([post(), post()], "'post' already"),
        ([post(), door(parent=None)], "'door' must be held by one of post, world, got None"),
        ([door()], "'door' must be held by one of world, got 'post'"),
        ([post(), door(joint="ball")], "joint must be one of"),
        ([post(), door(axis="w")], "axis must be one of x, y, z"),
        ([post(), door(lower=3.0)], "lower"),
        ([Part("p", "cone", Vector3(1, 1, 1), RED, Vector3(0, 0, 0))], "a shape is one of"),
        ([Part("p", "/etc/passwd", Vector3(1, 1, 1), RED, Vector3(0, 0, 0))], "a shape is one of"),
        ([Part("p", "box", Vector3(1, 0, 1), RED, Vector3(0, 0, 0))], "size must be > 0"),
    ],
)
def test_what_cannot_be_composed_is_refused(parts, words):
    """The message says what is wrong with which part."""
    with pytest.raises(ValueError, match=words):
        composed_model("gate", parts)


def test_a_model_is_composed_in_the_panel(make_viewer, look):
    """Two parts and a hinge are added, inserted and moved by the slider of the joint."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    client.wait_for("Held by")
    client.press("Insert composed")
    client.read(lambda it: it.notes)
    assert "needs a part" in client.notes[0]
    client.set("Part size [m]", (0.1, 0.1, 2.0))
    client.set("Part at [m]", (0.0, 0.0, 1.0))
    client.set("Held by", "world")
    client.press("Add part")
    client.read(lambda it: it.gui[it.find("Held by")]["options"] == ["part_0", "world"])
    for label, value in {
        "Part size [m]": (0.8, 0.04, 1.8),
        "Part at [m]": (0.5, 0.0, 1.0),
        "Joint": "revolute",
        "Joint at [m]": (0.06, 0.0, 1.0),
        "Limits [deg or m]": (0.0, 100.0),
    }.items():
        client.set(label, value)
    client.press("Add part")
    client.read(lambda it: "part_1" in it.gui[it.find("Held by")]["options"])
    client.set("Where I look", False)
    client.set("Position [m]", (5.0, 5.0, 0.0))
    client.press("Insert composed")
    client.read(lambda it: "composed_0" in world.entities.models, world)
    client.wait_for("part_1_joint", world)
    assert client.gui[client.find("part_1_joint")]["max"] == pytest.approx(math.radians(100.0))
    client.set("part_1_joint", 1.5)
    client.read(lambda it: pose(world, "composed_0::part_1")[1] > 5.3, world)
    client.press("Remove last part")
    client.read(lambda it: "part_1" not in it.gui[it.find("Held by")]["options"])
