# SPDX-License-Identifier: Apache-2.0
"""The programs beside the plugin that the series of others talk to."""

from __future__ import annotations

import os
from pathlib import Path

from gazebo import cache
from gazebo.errors import GazeboHostError
from gazebo.process import Process
from gazebo.servers import PLUGIN

_GAZEBO_ROS = "libgazebo_ros_api_plugin.so"
_PLACES = (cache.install() / "lib", cache.root() / "opt/ros/noetic/lib", cache.root() / "usr/lib")
_STAND_IN = cache.build() / "gazebo_batch_state/devel/lib/libneighbour_plugin.so"


def has_gazebo_ros() -> bool:
    """Whether the plugin of gazebo_ros is installed in the Gazebo host; Debian does not have it."""
    return any((place / _GAZEBO_ROS).is_file() for place in _PLACES)


def plugins() -> tuple[str | Path, ...]:
    """The system plugins of gzserver: gazebo_ros, or what stands for it, and ours.

    Raises:
        GazeboHostError: The stand-in has not been built.
    """
    if has_gazebo_ros():
        return _GAZEBO_ROS, PLUGIN
    if not _STAND_IN.is_file():
        raise GazeboHostError(f"no {_STAND_IN.name}: python tools/gazebo test")
    return _STAND_IN, PLUGIN


def deepsim_services() -> Process:
    """The node that answers the services of DeepSim 0.1."""
    program = cache.install() / "lib/deepsim_services/deepsim_services"
    return Process(
        [str(program)], {name: os.environ[name] for name in ("ROS_MASTER_URI", "ROS_IP")}
    )
