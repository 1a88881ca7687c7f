# SPDX-License-Identifier: Apache-2.0
"""The worlds of the benchmark: boxes a metre apart, lying on the ground or floating above it."""

from __future__ import annotations

from pathlib import Path

_WORLD = """<?xml version="1.0"?>
<sdf version="1.6">
  <world name="boxes">
    <gravity>0 0 {gravity}</gravity>
    <physics type="ode">
      <max_step_size>0.001</max_step_size>
      <real_time_update_rate>0</real_time_update_rate>
    </physics>
    <model name="ground">
      <static>true</static>
      <link name="link">
        <collision name="collision">
          <geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
        </collision>
      </link>
    </model>
{models}
  </world>
</sdf>
"""

_BOX = """    <model name="{name}">
      <pose>{x} {y} {z} 0 0 0</pose>
      <link name="link">
        <inertial>
          <mass>1</mass>
          <inertia><ixx>0.0067</ixx><iyy>0.0067</iyy><izz>0.0067</izz></inertia>
        </inertial>
        <collision name="collision">
          <geometry><box><size>0.2 0.2 0.2</size></box></geometry>
        </collision>
      </link>
    </model>"""


def names(count: int) -> list[str]:
    """The names of the boxes."""
    return [f"box_{number}" for number in range(count)]


def write_world(path: Path, count: int, *, floating: bool = False) -> Path:
    """Writes the SDF of a ground and so many boxes.

    Args:
        path: The file.
        count: How many boxes.
        floating: Whether they hang above the ground without weight, rather than lie on it: the
            physics is then as cheap as it can be.
    """
    height, gravity = (5.0, 0.0) if floating else (0.1, -9.8)
    boxes = [
        _BOX.format(name=name, x=number % 32, y=number // 32, z=height)
        for number, name in enumerate(names(count))
    ]
    path.write_text(_WORLD.format(models="\n".join(boxes), gravity=gravity))
    return path
