# SPDX-License-Identifier: Apache-2.0
"""A model is selected, moved, pushed and bent from the browser."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_spawn import (
    Box,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MjcfModel,
    ModelDescription,
    VisualDescription,
    WorldDescription,
)
from deepsim_viewer.panel import selection_folder


@pytest.fixture
def floating():
    """A box and an arm with a hinge, without gravity."""
    part = (VisualDescription("visual", Box(Vector3(0.2, 0.2, 0.2))),)
    box = LinkDescription("link", inertial=Inertial(mass=2.0), visuals=part)
    base = LinkDescription("base", inertial=Inertial(), visuals=part)
    arm = LinkDescription("arm", Pose(Vector3(0, 0, 1)), inertial=Inertial(), visuals=part)
    hinge = JointDescription("hinge", "revolute", "base", "arm", axis=JointAxis(lower=-1, upper=2))
    fixed = JointDescription("fixed", "fixed", "world", "base")
    return WorldDescription(
        models=(
            ModelDescription("box", Pose(Vector3(2.0, 0.0, 0.0)), (box,)),
            ModelDescription("robot", Pose(), (base, arm), (fixed, hinge)),
        ),
        gravity=Vector3(0.0, 0.0, 0.0),
    )


@pytest.fixture
def selected(make_viewer, look, run, floating):
    """A viewer whose world runs, and a client that has selected a model of its second world."""

    def select(model):
        viewer = make_viewer(floating, worlds=2, spacing=10.0, rate=1e6)
        client = look(viewer)
        client.wait_for("Push")
        run(viewer, viewer.world.tick)
        client.set("World", 1)
        client.set("Selected", model)
        client.read(lambda it: any("velocity" in str(each) for each in it.gui.values()))
        return viewer, client

    return select


def poses(viewer, name):
    """(2, 7) of a model, as the simulator has it; the world runs in another thread."""
    row = viewer.world.entities.models.row(name)
    frame = viewer.latest
    return frame.models[:, row, :7]


def test_a_click_selects(make_viewer, look, floating):
    """A click on an instance of the second world selects its model there."""
    viewer = make_viewer(floating, worlds=2, spacing=10.0)
    client = look(viewer)
    ((name, batch),) = [each for each in client.props.items() if "batched_positions" in each[1]]
    at = batch["batched_positions"].reshape(-1, 3).round(3).tolist().index([7.0, 0.0, 0.0])
    client.send(
        "SceneNodeClickMessage",
        name=name, instance_index=at, ray_origin=(0, 0, 0), ray_direction=(1, 0, 0),
        screen_pos=(0.5, 0.5), modifier=None, owner="",
    )  # fmt: skip
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "box")
    assert client.gui[client.find("World")]["value"] == 1


def test_the_selected_model_is_framed(selected):
    """The box around it has all its links, in its world alone, and goes when it is deselected."""
    viewer, client = selected("robot")
    client.read(lambda it: "/selected" in it.props)
    points = client.props["/selected"]["points"].reshape(-1, 3) - viewer.scene.offsets[1]
    np.testing.assert_allclose(points.min(axis=0), [-0.1, -0.1, -0.1], atol=1e-3)
    np.testing.assert_allclose(points.max(axis=0), [0.1, 0.1, 1.1], atol=1e-3)
    assert len(np.unique(points.reshape(-1, 6).round(3), axis=0)) == 12
    client.set("Selected", "nothing")
    client.read(lambda it: "/selected" not in it.props)


def test_the_tree_of_entities_selects(make_viewer, look, scenes):
    """It has a folder for each model, with the names of its parts; deleted ones leave it."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    client.wait_for("Select can", world)
    assert any("links: link" in str(each.get("content")) for each in client.gui.values())
    client.press("Select can")
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "can", world)
    world.delete("can")
    world.spawn(scenes.model("crate", Box(Vector3(1, 1, 1)), Pose()), "crate", Pose())
    client.wait_for("Select crate", world)
    client.press("Select crate")
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "crate", world)


def test_a_gizmo_moves_the_model(selected, reach):
    """The model is put where the gizmo was dragged, in its own world only; Undo puts it back."""
    viewer, client = selected("box")
    before = poses(viewer, "box").copy()
    client.set("Move by gizmo", True)
    client.read(lambda it: "/gizmo" in it.props)
    client.send(
        "TransformControlsUpdateMessage",
        name="/gizmo", wxyz=(0.0, 0.0, 0.0, 1.0), position=(5.0, 1.0, 2.0), owner="",
    )  # fmt: skip
    reach(lambda: poses(viewer, "box")[1, 2] == 2.0)
    assert np.allclose(poses(viewer, "box")[1], [0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 0.0])
    assert np.allclose(poses(viewer, "box")[0], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    client.press("Undo")
    reach(lambda: np.allclose(poses(viewer, "box"), before))


def test_a_push_is_a_force_for_a_while(selected, reach):
    """20 N for 0.2 s make 2 kg 2 m/s fast, up to a step more or less."""
    viewer, client = selected("box")
    client.set("Force [N]", [0.0, 20.0, 0.0])
    client.press("Push")
    reach(lambda: poses(viewer, "box")[1, 1] > 3.0)
    viewer.control.pause()
    frame = viewer.latest
    assert frame.models[1, 0, 8] == pytest.approx(2.0, abs=0.011)
    assert frame.models[0, 0, 8] == 0.0


def test_a_slider_puts_a_joint(selected, reach):
    """A joint that nothing commands is put at the position of its slider, within its limits."""
    viewer, client = selected("robot")
    client.wait_for("hinge")
    slider = client.gui[client.find("hinge")]
    assert (slider["min"], slider["max"]) == (-1.0, 2.0)
    client.set("hinge", 1.5)
    reach(lambda: abs(viewer.latest.joints[1, 0] - 1.5) < 0.01)
    assert viewer.latest.joints[0, 0] == 0.0


HAND = MjcfModel(
    """<mujoco model="hand"><worldbody><body name="palm"><geom size=".1"/>
<body name="finger"><joint name="finger" type="slide" axis="0 1 0" damping="9"/>
  <geom size=".1" mass="1"/></body>
<body name="thumb" pos="0 0 1"><joint name="thumb" axis="1 0 0"/><geom size=".1" mass="1"/></body>
</body></worldbody><tendon><fixed name="pull"><joint joint="finger" coef="2"/></fixed></tendon>
<actuator><general name="close" tendon="pull" gainprm="100" biasprm="0 -100 -20" biastype="affine"
  ctrlrange="0 .5"/><motor name="free" tendon="pull"/><motor name="push" joint="finger"/>
<position name="bend" joint="thumb" kp="9" ctrlrange="-.2 .7"/></actuator>
</mujoco>"""
)


def test_sliders_set_actuators(make_viewer, look, run, floating, reach):
    """In one world: its tendon gets as long as the control; motors of joints are not among them."""
    viewer = make_viewer(floating, worlds=2, spacing=10.0, rate=1e6)
    viewer.world.spawn(HAND, "hand", Pose((0.0, 5.0, 0.0)))
    client = look(viewer)
    client.wait_for("Push")
    run(viewer, viewer.world.tick)
    client.read(lambda it: "hand" in it.gui[it.find("Selected")]["options"])
    client.set("World", 1)
    client.set("Selected", "hand")
    client.wait_for("close")
    close, free = (client.gui[client.find(name)] for name in ("close", "free"))
    assert (close["min"], close["max"], free["min"], free["max"]) == (0.0, 0.5, -1.0, 1.0)
    assert not client.has("push")
    thumb = client.gui[client.find("thumb")]
    assert (thumb["min"], thumb["max"]) == (-0.2, 0.7)
    client.set("close", 0.3)
    reach(lambda: abs(viewer.latest.actuators[1, 0, 2] - 0.3) < 0.001)
    assert viewer.latest.actuators[0, 0].tolist() == [0.0, 0.0, 0.0]
    client.read(lambda it: any("close: 0.3, effort" in str(each) for each in it.gui.values()))
    viewer.post(lambda: viewer.world.actuators.select(["hand::close"]).put(target=0.1))
    client.read(lambda it: abs(it.gui[it.find("close")]["value"] - 0.1) < 1e-9)


def test_a_slider_wins_over_what_is_shown(selected, monkeypatch, reach):
    """Where the page is written as often as can be, no move of a slider is lost."""
    monkeypatch.setattr(selection_folder, "_EVERY", 0.0)
    viewer, client = selected("robot")
    client.wait_for("hinge")
    for position in np.linspace(-0.9, 1.9, 30):
        client.set("hinge", float(position))
        reach(lambda position=position: abs(viewer.latest.joints[1, 0] - position) < 0.01)


def test_a_model_that_is_deleted_is_selected_no_more(selected):
    """Without its model, the selection is empty."""
    viewer, client = selected("box")
    viewer.post(lambda: viewer.world.delete("box"))
    client.read(lambda it: it.gui[it.find("Selected")]["value"] == "nothing")
