# SPDX-License-Identifier: Apache-2.0
"""Examines this machine: rospy, the ROS master, and a Gazebo with the plugin."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Iterator, Literal, NamedTuple

from .errors import GazeboError
from .protocol.client import BatchStateClient

_START = "gzserver -s libgazebo_batch_state.so WORLD"


class Examined(NamedTuple):
    """The result of one examination."""

    name: str
    """The examined object."""
    outcome: Literal["ok", "missing"]
    """Whether it is there."""
    found: str
    """Its state."""
    remedy: str = ""
    """A command that installs or starts it, or an empty string."""


def examine(timeout: float) -> Iterator[Examined]:
    """Yields what is there of rospy, the ROS master and the plugin.

    Args:
        timeout: Longest wait for an answer [s].
    """
    if find_spec("rospy") is not None:
        yield Examined("rospy", "ok", "is installed")
    else:
        remedy = "apt install python3-rospy" if sys.platform == "linux" else ""
        state = "is not installed, and only nodes of your own need it"
        yield Examined("rospy", "missing", state, remedy)
    client = BatchStateClient(timeout=timeout)
    try:
        client.master.publishers("/deepsim_doctor")  # has no publishers, so only the master answers
    except GazeboError as error:
        remedy = "roscore, or export ROS_MASTER_URI=http://HOST:11311"
        yield Examined("ROS master", "missing", str(error), remedy)
        state = "cannot be asked for without a ROS master"
        yield Examined("Gazebo plugin", "missing", state, _START)
        return
    yield Examined("ROS master", "ok", f"answers at {client.master.uri}")
    try:
        models = len(client.names().entities.models)
    except GazeboError as error:
        yield Examined("Gazebo plugin", "missing", str(error), _START)
    else:
        yield Examined("Gazebo plugin", "ok", f"answers, in a world of {models} models")
    finally:
        client.close()
