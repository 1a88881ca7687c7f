# SPDX-License-Identifier: Apache-2.0
"""DeepSim on Gazebo 11 over ROS 1: the simulator, a client of the plugin, and ROS messages.

Nothing of ROS need be installed: services are called over TCPROS by this library itself.
"""

from .camera_simulator import GazeboCameraSimulator
from .client import BatchStateClient, Listing, NewEntity, SharedFile
from .errors import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    GazeboError,
    MalformedReplyError,
    UnreachableError,
)
from .exchange import ExchangeReply, ExchangeRequest, Instant, RefusedCell, Status
from .messages import Value, from_ros, to_ros
from .simulator import GazeboSimulator

__all__ = [
    "BatchStateClient",
    "CallLostError",
    "CallRefusedError",
    "CallTimeoutError",
    "ExchangeReply",
    "ExchangeRequest",
    "GazeboCameraSimulator",
    "GazeboError",
    "GazeboSimulator",
    "Instant",
    "Listing",
    "MalformedReplyError",
    "NewEntity",
    "RefusedCell",
    "SharedFile",
    "Status",
    "UnreachableError",
    "Value",
    "from_ros",
    "to_ros",
]
