# SPDX-License-Identifier: Apache-2.0
"""The programs beside the plugin that the series of others talk to."""

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

_PLACES = (cache.install() / "lib", cache.root() / "opt/ros/noetic/lib", cache.root() / "usr/lib")
_STAND_IN = cache.build() / "gazebo_batch_state/devel/lib/libneighbour_plugin.so"


def installed(library: str) -> bool:
    """Whether a plugin of others is installed in the Gazebo host; Debian has none of them."""
    return any((place / library).is_file() for place in _PLACES)


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
