# SPDX-License-Identifier: Apache-2.0
"""Described worlds and the paper's example on Gazebo."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deepsim_conformance.models import BLOCK, BOX, HINGED, LAMP, OUTER, PAIR
from deepsim_gazebo import GazeboSimulator
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import KINDS, SpawnRequest, Tables, UnsupportedError, World
from deepsim_train.tasks.search import find_task

ROOT = Path(__file__).parents[2]
HIGH = Pose((1, 2, 30))


def test_a_described_world_is_the_same_on_both_engines(gazebo: GazeboSimulator) -> None:
    """The racetrack has the same entities, poses and lights on Gazebo and on MuJoCo."""
    folder = find_task("racetrack").folder
    world = GazeboXMLLoader([folder / "models"]).load_world(folder / "racetrack.world")
    gazebo.load(world)
    embedded = MujocoSimulator(world)
    assert gazebo.time == [0.0]
    assert gazebo.timestep == embedded.timestep
    for kind in KINDS:
        assert set(gazebo.entities.names(kind)) == set(embedded.entities.names(kind))
    theirs, ours = Tables(embedded.entities), Tables(gazebo.entities)
    embedded.read(theirs)
    gazebo.read(ours)
    for kind in ("models", "links"):
        rows = gazebo.entities.names(kind).rows(embedded.entities.names(kind))
        pose = ours.columns[kind, "pose"][0, rows]
        np.testing.assert_allclose(pose, theirs.columns[kind, "pose"][0], atol=1e-6)


@pytest.mark.parametrize("visual", ["visual", "top"])
def test_a_model_may_be_called_like_one_in_the_file_of_the_world(
    gazebo: GazeboSimulator, visual: str
) -> None:
    """It has its own poses and parts; gzserver's ground_plane, which is gone, had others."""
    shape = "<geometry><box><size>1 1 1</size></box></geometry>"
    model = f"""<sdf version="1.7"><model name="ground_plane"><static>true</static>
      <link name="link"><pose>0 0 0.5 0 0 0</pose>
      <collision name="collision"><pose>0 0 0.25 0 0 0</pose>{shape}</collision>
      <visual name="{visual}">{shape}</visual></link></model></sdf>"""
    ball = """<sdf version="1.7"><model name="ball"><link name="link"><collision name="part">
      <geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model></sdf>"""
    gazebo.spawn(
        [
            SpawnRequest(model, "ground_plane", Pose((1.0, 2.0, 0.0))),
            SpawnRequest(ball, "ball", Pose((1.0, 2.0, 1.36))),
        ]
    )
    gazebo.step(1000)
    tables = Tables(gazebo.entities)
    gazebo.read(tables)
    assert list(gazebo.entities.visuals) == [f"ground_plane::link::{visual}"]
    ground, rests = tables.columns["links", "pose"][0, :, :3]
    np.testing.assert_allclose(ground, [1.0, 2.0, 0.5], atol=1e-9)
    np.testing.assert_allclose(rests, [1.0, 2.0, 1.35], atol=2e-3)


def test_a_world_on_gazebo_has_no_snapshots(gazebo: GazeboSimulator) -> None:
    """Gazebo does not expose its whole state."""
    gazebo.spawn([SpawnRequest(BOX, "box", HIGH)])
    with World(gazebo) as world:
        assert gazebo.snapshots is None
        for call in (world.get_state, lambda: world.set_state(None)):
            with pytest.raises(UnsupportedError, match="cannot go back to an instant"):
                call()


@pytest.mark.parametrize("sdf", [BOX, BLOCK, HINGED, LAMP, OUTER, PAIR])
def test_a_description_spawns_as_its_text_does(gazebo: GazeboSimulator, sdf: str) -> None:
    """The output of deepsim-spawn gives the same rows as its input."""
    rows = []
    for description in (sdf, GazeboXMLLoader().load_model(sdf)):
        gazebo.spawn([SpawnRequest(description, "model", HIGH)])
        tables = Tables(gazebo.entities)
        gazebo.read(tables)
        rows.append((list(gazebo.entities.links), list(gazebo.entities.visuals), tables))
        gazebo.delete("model")
        gazebo.reset()
    assert rows[0][:2] == rows[1][:2]
    np.testing.assert_allclose(rows[0][2].links.pose, rows[1][2].links.pose, atol=1e-9)
    np.testing.assert_allclose(rows[0][2].visuals.diffuse, rows[1][2].visuals.diffuse, atol=1e-6)


def test_the_readme_of_the_library(
    gazebo: GazeboSimulator, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its first example prints the output that it shows."""
    readme = (ROOT / "libs" / "deepsim-gazebo" / "README.md").read_text(encoding="utf-8")
    code, output = re.findall(r"^```(?:python|text)\n(.*?)^```$", readme, re.M | re.S)[:2]
    exec(code, {"__name__": "readme"})
    assert capsys.readouterr().out == output


def test_appendix_a(gazebo: GazeboSimulator) -> None:
    """The paper's first listing, on Gazebo."""
    del gazebo  # which runs
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "appendix_a.py"), "gazebo"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("agent0 is at Point(1.0, 2.0, 3.0)\nagent1 is at Point(4.0, 5.0, 6.0)\n")
