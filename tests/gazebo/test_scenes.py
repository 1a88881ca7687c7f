# SPDX-License-Identifier: Apache-2.0
"""A scene of a scenario is the same on Gazebo and on the embedded engine, and stands on both."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_mujoco import MujocoSimulator
from deepsim_scenes import Scene, load_scenario, read_models, scene_world
from deepsim_sync import Simulator, Tables

sys.path.insert(0, str(Path(__file__).parents[2] / "libs" / "deepsim-scenes" / "tests"))

from kitchen import write_kitchen

MOVABLE = """
Crate at 3 @ 2, facing 30 deg
Barrel at 3 @ -1
DemoCube at -3 @ -2
"""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """The paper's figure 4, with three models that could move."""
    if os.environ.get("DEEPSIM_SCENIC") != "required" and not importlib.util.find_spec("scenic"):
        pytest.skip("the extra deepsim-scenes[scenic] is not installed: make scenes")
    scenario = write_kitchen(tmp_path) / "figure4.scenic"
    scenario.write_text(scenario.read_text() + MOVABLE)
    return load_scenario(scenario, read_models(tmp_path / "models.yaml")).sample(seed=3)


def test_a_scene_is_the_same_on_both_engines_and_stands(gazebo: GazeboSimulator, scene: Scene):
    """Poses are equal to 1e-9 at first; in a second nothing moves 1 cm, or turns 2 degrees."""
    world = scene_world(scene)
    gazebo.load(world)
    embedded = MujocoSimulator(world)
    names = [*gazebo.entities.names("models")]
    assert set(names) == set(embedded.entities.names("models"))
    assert len(names) >= len([each for each in scene.objects if each.model.description])
    first = poses(gazebo, names)
    np.testing.assert_allclose(first, poses(embedded, names), rtol=0, atol=1e-9)
    for engine in (gazebo, embedded):
        engine.step(round(1.0 / engine.timestep))
        later = poses(engine, names)
        assert np.linalg.norm(later[:, :3] - first[:, :3], axis=1).max() < 0.01
        turned = 2.0 * np.arccos(np.clip(np.abs((later[:, 3:] * first[:, 3:]).sum(1)), 0.0, 1.0))
        assert np.degrees(turned).max() < 2.0


def poses(engine: Simulator, names: list[str]) -> np.ndarray:
    """Returns the poses of models (n, 7)."""
    tables = Tables(engine.entities)
    engine.read(tables)
    rows = engine.entities.names("models").rows(names)
    return np.array(tables.columns["models", "pose"][0, rows])
