# SPDX-License-Identifier: Apache-2.0
"""Bounds computed by deepsim_spawn equal Gazebo's collision boxes within 1 mm.

ODE's boxes are exact for boxes and spheres. Those around cylinders and meshes that are turned have
room to spare, so that ours lie within them, and are the same where axes are along the world's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

from deepsim_gazebo import BatchStateClient, CallRefusedError, GazeboSimulator
from deepsim_math import Euler, Pose
from deepsim_spawn import (
    Bounds,
    GazeboXMLLoader,
    ModelDescription,
    ModelFormatError,
)
from deepsim_sync import SpawnRequest
from gazebo import cache

WITHIN = 1e-3
WORLDS = cache.root() / "usr/share/gazebo-11/worlds"
MOST = 20  # models of a world: one has a thousand of the same kind
SHAPES = {
    "box": "<box><size>0.4 1.2 2</size></box>",
    "sphere": "<sphere><radius>0.7</radius></sphere>",
    "cylinder": "<cylinder><radius>0.3</radius><length>1.1</length></cylinder>",
    "polyline": "<polyline><point>0 0</point><point>1 0</point><point>0 2</point>"
    "<height>0.5</height></polyline>",
    "mesh": "<mesh><uri>{mesh}</uri><scale>1 2 0.5</scale></mesh>",
}
STRAIGHT = Pose((3, -2, 40), Euler(yaw=math.pi / 2))
TURNED = Pose((-3, 2, 40), Euler(0.3, -0.9, 2.1))


@pytest.fixture
def client() -> Iterator[BatchStateClient]:
    client = BatchStateClient()
    yield client
    client.close()


@pytest.fixture
def wedge(tmp_path: Path) -> Path:
    """A mesh with an off-centre origin, in a file that the server can read."""
    path = tmp_path / "wedge.stl"
    corners = [(0, 0, 0), (1, 0, 0), (0, 1.5, 0), (0.2, 0.2, 2)]
    trimesh.convex.convex_hull(np.array(corners, dtype=float)).export(path)
    return path


def ours(model: ModelDescription, pose: Pose) -> NDArray[np.float64]:
    bounds = Bounds.of(model, pose)
    assert bounds is not None
    return np.array([bounds.lower, bounds.upper])


def bare(model: ModelDescription) -> ModelDescription:
    """Returns the model without anything but its collisions."""
    return replace(
        model,
        static=True,
        plugins=(),
        joints=(),
        links=tuple(replace(link, visuals=(), lights=(), sensors=()) for link in model.links),
        models=tuple(map(bare, model.models)),
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_bounds_of_one_shape(
    gazebo: GazeboSimulator, client: BatchStateClient, wedge: Path, shape: str
) -> None:
    """With an offset from its link, which has an offset from its model."""
    geometry = SHAPES[shape].format(mesh=wedge.as_uri())
    sdf = (
        "<sdf version='1.6'><model name='m'><static>true</static>"
        "<link name='link'><pose>0.3 0 0.1 0 0 0</pose><collision name='c'>"
        f"<pose>0 0.2 0 0 0 0</pose><geometry>{geometry}</geometry></collision>"
        "</link></model></sdf>"
    )
    model = GazeboXMLLoader([wedge.parent]).load_model(sdf)
    poses = {"straight": STRAIGHT, "turned": TURNED}
    gazebo.spawn([SpawnRequest(model, name, pose) for name, pose in poses.items()])
    theirs = dict(zip(poses, client.bounds(list(poses)), strict=True))
    np.testing.assert_allclose(theirs["straight"], ours(model, STRAIGHT), atol=WITHIN)
    exact = ours(model, TURNED)
    if shape in ("box", "sphere"):
        np.testing.assert_allclose(theirs["turned"], exact, atol=WITHIN)
    assert (theirs["turned"][0] <= exact[0] + WITHIN).all()
    assert (theirs["turned"][1] >= exact[1] - WITHIN).all()


@pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning")
@pytest.mark.filterwarnings("ignore::deepsim_spawn.ModelFormatWarning")
def test_bounds_of_the_models_of_gazebos_worlds(
    gazebo: GazeboSimulator, client: BatchStateClient
) -> None:
    """All models of Gazebo's own worlds, at their poses."""
    loader = GazeboXMLLoader([WORLDS.parent / "models"])
    models: dict[str, ModelDescription] = {}
    for path in sorted(WORLDS.glob("*.world")):
        try:
            world = loader.load_world(path)
        except ModelFormatError:
            continue  # it includes models that have to be downloaded, or is broken on purpose
        for model in world.models[:MOST]:
            if "<heightmap>" in model.to_sdf():
                continue  # the server crashes, as it does not see the picture in its sandbox
            bounds = Bounds.of(model, model.pose)
            if bounds is not None and np.isfinite([*bounds.lower, *bounds.upper]).all():
                models[f"{path.stem}_{model.name}"] = bare(model)
    assert len(models) > 100
    gazebo.spawn([SpawnRequest(model, name, model.pose) for name, model in models.items()])
    boxes = client.bounds(list(models))
    loose = set()
    for (name, model), theirs in zip(models.items(), boxes, strict=True):
        exact = ours(model, model.pose)
        assert (theirs[0] <= exact[0] + WITHIN).all(), name
        assert (theirs[1] >= exact[1] - WITHIN).all(), name
        if not np.allclose(theirs, exact, atol=WITHIN):
            loose.add(name)
    assert loose == {"tracked_vehicle_simple_simple_tracked"}  # by 29 mm: it has turned cylinders


def test_entities_without_bounds_are_named(
    gazebo: GazeboSimulator, client: BatchStateClient
) -> None:
    """By name."""
    with pytest.raises(CallRefusedError, match="no model or link 'nobody'"):
        client.bounds(["nobody"])
    gazebo.spawn(
        [
            SpawnRequest(
                "<sdf version='1.6'><model name='m'><link name='l'/></model></sdf>", "air", Pose()
            )
        ]
    )
    with pytest.raises(CallRefusedError, match="nothing of 'air' collides"):
        client.bounds(["air"])
