# SPDX-License-Identifier: Apache-2.0
"""The way from SDF to a simulated model stays short."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from types import FrameType

import pytest

from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import ModelSpawner
from deepsim_sync import World

BALL = """
<sdf version='1.7'>
  <model name='ball'>
    <link name='link'>
      <inertial><mass>1</mass></inertial>
      <collision name='collision'>
        <geometry><sphere><radius>0.1</radius></sphere></geometry>
      </collision>
      <visual name='visual'>
        <geometry><sphere><radius>0.1</radius></sphere></geometry>
      </visual>
    </link>
  </model>
</sdf>
"""


def _files_of_calls() -> list[str]:
    """Returns the file of every function of DeepSim that spawning into an empty world calls."""
    world = World(MujocoSimulator())
    files = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and any(part.startswith("deepsim_") for part in Path(file).parts):
            files.append(file)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ModelSpawner(BALL).spawn(world, "ball")
    finally:
        sys.setprofile(before)
    assert list(world.entities.models) == ["ball"]
    return files


@pytest.mark.skipif(sys.gettrace() is not None, reason="a tracer adds calls")
def test_spawning_a_model_takes_few_calls_in_few_files():
    """A link with a collision and a visual takes at most 900 calls of functions in 45 files."""
    walks = [_files_of_calls() for _ in range(3)]
    assert median(len(walk) for walk in walks) <= 900
    assert median(len({*walk}) for walk in walks) <= 45
