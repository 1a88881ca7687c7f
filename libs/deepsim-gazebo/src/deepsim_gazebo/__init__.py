# SPDX-License-Identifier: Apache-2.0
"""DeepSim on Gazebo 11 over ROS 1: the simulator, a client of the plugin, and ROS messages.

ROS need not be installed: this library calls services over TCPROS itself.
"""

from .capabilities.cameras import GazeboCameras
from .errors import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    GazeboError,
    MalformedReplyError,
    UnreachableError,
)
from .protocol.client import BatchStateClient, Listing, NewEntity
from .protocol.exchange import ExchangeReply, ExchangeRequest, ExchangeStatus, Instant, RefusedCell
from .ros.messages import Value, from_ros, to_ros
from .servers.simulator import GazeboServers
from .shared_memory import SharedFile
from .simulator import GazeboSimulator

__all__ = [
    "BatchStateClient",
    "CallLostError",
    "CallRefusedError",
    "CallTimeoutError",
    "ExchangeReply",
    "ExchangeRequest",
    "ExchangeStatus",
    "GazeboCameras",
    "GazeboError",
    "GazeboServers",
    "GazeboSimulator",
    "Instant",
    "Listing",
    "MalformedReplyError",
    "NewEntity",
    "RefusedCell",
    "SharedFile",
    "UnreachableError",
    "Value",
    "from_ros",
    "to_ros",
]
