# SPDX-License-Identifier: Apache-2.0
"""What a gzserver of the benchmark runs: a world of boxes a metre apart, and plugins of others."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from gazebo import cache
from gazebo.cache import GazeboHostError
from gazebo.process import Process
from gazebo.servers import PLUGIN

GAZEBO_ROS = "libgazebo_ros_api_plugin.so"
ORIGINAL = "libdeepsim_gazebo_plugin.so"
"""The plugin of DeepSim 0.1."""

_STAND_IN = cache.build() / "gazebo_batch_state/devel/lib/libneighbour_plugin.so"
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
    path.write_text(_WORLD.format(models="\n".join(boxes), gravity=gravity), encoding="utf-8")
    return path


def installed(library: str) -> bool:
    """Whether a plugin of others is installed in the Gazebo host; Debian has none of them."""
    return (cache.install() / "lib" / library).is_file()


def plugins() -> tuple[str | Path, ...]:
    """The system plugins of gzserver: gazebo_ros, or what stands for it, the original's, and ours.

    Raises:
        GazeboHostError: The stand-in has not been built.
    """
    if not installed(GAZEBO_ROS) and not _STAND_IN.is_file():
        raise GazeboHostError(f"no {_STAND_IN.name}: python tools/gazebo test")
    single = GAZEBO_ROS if installed(GAZEBO_ROS) else _STAND_IN
    return (single, *([ORIGINAL] if installed(ORIGINAL) else []), PLUGIN)


def deepsim_services() -> AbstractContextManager[object]:
    """The node that answers the services of DeepSim 0.1, unless the original's plugin does."""
    if installed(ORIGINAL):
        return nullcontext()
    program = cache.install() / "lib/deepsim_services/deepsim_services"
    return Process(
        [str(program)], {name: os.environ[name] for name in ("ROS_MASTER_URI", "ROS_IP")}
    )
