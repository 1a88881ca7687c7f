# SPDX-License-Identifier: Apache-2.0
"""The Unified Distributed Environment (UDE): serves an environment to other processes.

The wire format equals that of the package ``ude`` 0.1.5, except that this one never pickles.
Needs ``deepsim-envs[ude]``.
"""

try:
    import google.protobuf  # noqa: F401
    import grpc  # noqa: F401
except ImportError as error:
    raise ImportError(
        "deepsim_envs.ude needs grpcio and protobuf: "
        "pip install --find-links dist 'deepsim-envs[ude]'"
    ) from error

from .codec import Limits
from .environment import GameOver, ResetMode, UDEEnvironment
from .errors import (
    CallTimeoutError,
    ConnectionLostError,
    PayloadError,
    RefusedError,
    RemoteEnvironmentError,
    ServerError,
    ServerStartError,
    UDEError,
)
from .remote_environment import RemoteEnvironment
from .server import UDEServer, serve
from .side_channel import AbstractSideChannel, SideChannel, SideChannelObserver
from .steps import StepMode

__all__ = [
    "AbstractSideChannel",
    "CallTimeoutError",
    "ConnectionLostError",
    "GameOver",
    "Limits",
    "PayloadError",
    "RefusedError",
    "RemoteEnvironment",
    "RemoteEnvironmentError",
    "ResetMode",
    "ServerError",
    "ServerStartError",
    "SideChannel",
    "SideChannelObserver",
    "StepMode",
    "UDEEnvironment",
    "UDEError",
    "UDEServer",
    "serve",
]
