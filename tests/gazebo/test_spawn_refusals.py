# SPDX-License-Identifier: Apache-2.0
"""Descriptions that would end gzserver, or be misread by it, are refused."""

from __future__ import annotations

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


def test_mjcf_is_refused(gazebo: GazeboSimulator) -> None:
    with pytest.raises(TypeError, match=r"SDF or URDF text .*, got MjcfModel\('model'\)"):
        gazebo.spawn([SpawnRequest(MjcfModel("<mujoco/>"), "odd", Pose())])
