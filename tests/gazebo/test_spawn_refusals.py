# SPDX-License-Identifier: Apache-2.0
"""Descriptions that would end gzserver, or be misread by it, are refused."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from deepsim_conformance.models import BOX
from deepsim_gazebo import BatchStateClient, GazeboSimulator, NewEntity
from deepsim_math import Pose
from deepsim_spawn import MjcfModel
from deepsim_sync import SpawnError, SpawnRequest

CAPSULE = "<capsule><radius>0.1</radius><length>0.3</length></capsule>"
ELLIPSOID = "<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>"


def having(part: str, shape: str) -> str:
    return (
        f'<model name="odd"><link name="link"><{part} name="part"><geometry>{shape}</geometry>'
        f"</{part}></link></model>"
    )


def nested(model: str) -> str:
    return f'<model name="outer"><link name="l"/>{model}</model>'


@pytest.mark.parametrize("version", ["1.6", "1.7", "1.8"])
@pytest.mark.parametrize("part", ["collision", "visual"])
@pytest.mark.parametrize(("tag", "shape"), [("capsule", CAPSULE), ("ellipsoid", ELLIPSOID)])
def test_a_shape_that_gazebo_does_not_have_is_named(
    gazebo: GazeboSimulator, version: str, part: str, tag: str, shape: str
) -> None:
    """Also in a nested model; gzserver continues, and the name is free."""
    model = having(part, shape)
    for text in (model, nested(model)):
        with pytest.raises(SpawnError, match=f"{part} 'part' has a <{tag}>"):
            gazebo.spawn([SpawnRequest(f'<sdf version="{version}">{text}</sdf>', "odd", Pose())])
    gazebo.spawn([SpawnRequest(BOX, "odd", Pose())])
    gazebo.step()
    assert list(gazebo.entities.models) == ["odd"]


def test_others_of_the_same_call_are_spawned(gazebo: GazeboSimulator) -> None:
    """A bad shape fails its row alone."""
    client = BatchStateClient()
    bad = f'<sdf version="1.7">{having("collision", CAPSULE)}</sdf>'
    texts = {"a": BOX, "bad": bad, "b": BOX}
    failures = client.spawn([NewEntity(name, xml, Pose()) for name, xml in texts.items()])
    assert [failure is None for failure in failures] == [True, False, True]
    assert list(client.names().entities.models) == ["a", "b"]
    client.close()


@pytest.mark.parametrize("shape", ["", "<empty/>"])
def test_a_collision_without_a_shape_is_named(gazebo: GazeboSimulator, shape: str) -> None:
    """It would end gzserver, which continues instead."""
    with pytest.raises(SpawnError, match="collision 'part' has no shape"):
        gazebo.spawn(
            [SpawnRequest(f'<sdf version="1.7">{having("collision", shape)}</sdf>', "odd", Pose())]
        )
    gazebo.spawn([SpawnRequest(BOX, "odd", Pose())])
    gazebo.step(5)
    assert list(gazebo.entities.models) == ["odd"]


@pytest.mark.parametrize("part", ["collision", "visual"])
def test_a_heightmap_whose_picture_is_missing_is_named(gazebo: GazeboSimulator, part: str) -> None:
    """It would end gzserver, which continues instead."""
    shape = "<heightmap><uri>file:///nowhere/hills.png</uri><size>8 8 1</size></heightmap>"
    text = f'<sdf version="1.7">{having(part, shape)}</sdf>'
    with pytest.raises(SpawnError, match=f"heightmap of {part} 'part' is not on the server"):
        gazebo.spawn([SpawnRequest(text, "odd", Pose())])
    gazebo.spawn([SpawnRequest(BOX, "odd", Pose())])
    gazebo.step()
    assert list(gazebo.entities.models) == ["odd"]


@pytest.mark.parametrize("before", [None, "neither SDF nor URDF"])
def test_an_empty_text_is_refused(gazebo: GazeboSimulator, before: str | None) -> None:
    """Also after another text that was refused."""
    if before is not None:
        with pytest.raises(SpawnError):
            gazebo.spawn([SpawnRequest(before, "junk", Pose())])
    with pytest.raises(SpawnError, match="no element"):
        gazebo.spawn([SpawnRequest("", "ghost", Pose())])
    assert list(gazebo.entities.models) == []


MESH = "<mesh><uri>{}</uri></mesh>"


def test_a_collision_whose_mesh_is_missing_is_named(
    gazebo: GazeboSimulator, tmp_path: Path
) -> None:
    """Gazebo would leave it out; so would it one of a kind that it does not read."""
    broken = tmp_path / "broken.blend"
    broken.write_text("no mesh", encoding="utf-8")
    places = {"file:///nowhere.dae": "is not on the server", f"file://{broken}": "cannot be loaded"}
    for uri, reason in places.items():
        text = f'<sdf version="1.7">{having("collision", MESH.format(uri))}</sdf>'
        with pytest.raises(SpawnError, match=f"mesh of collision 'part' {reason}: '{uri}'"):
            gazebo.spawn([SpawnRequest(text, "odd", Pose())])
    gazebo.spawn([SpawnRequest(BOX, "odd", Pose())])
    assert list(gazebo.entities.models) == ["odd"]


def test_what_gazebo_leaves_out_is_reported(
    gazebo: GazeboSimulator, caplog: pytest.LogCaptureFixture
) -> None:
    """Plugins and the meshes of visuals that it does not find: the model is there without them."""
    visual = having("visual", MESH.format("file:///nowhere.dae"))
    plugin = '<plugin name="drive" filename="libnowhere.so"><link>wheel</link></plugin>'
    text = f'<sdf version="1.7">{visual.replace("</model>", plugin + "</model>")}</sdf>'
    with caplog.at_level(logging.WARNING, "deepsim_gazebo"):
        gazebo.spawn([SpawnRequest(text, "odd", Pose()), SpawnRequest(BOX, "box", Pose((9, 0, 0)))])
    assert list(gazebo.entities.models) == ["odd", "box"]
    (line,) = [record.getMessage() for record in caplog.records]
    assert "'odd' is incomplete" in line
    assert "mesh of visual 'part' is not on the server: 'file:///nowhere.dae'" in line
    assert "plugin 'drive' cannot be loaded: libnowhere.so" in line


def test_mjcf_is_refused(gazebo: GazeboSimulator) -> None:
    with pytest.raises(TypeError, match=r"SDF or URDF text .*, got MjcfModel\('model'\)"):
        gazebo.spawn([SpawnRequest(MjcfModel("<mujoco/>"), "odd", Pose())])
