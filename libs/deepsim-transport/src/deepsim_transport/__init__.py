# SPDX-License-Identifier: Apache-2.0
"""Runs physics, sensors and viewers in separate processes that communicate over topics."""

from __future__ import annotations

from . import messages
from .errors import AccessError, MessageError, NoAnswerError, RemoteError, TransportError
from .physics import FollowedSimulator, PhysicsServer, RemoteSimulator, WorldDriver, WorldMirror
from .readings import Readings
from .sensing import SensorServer
from .session import (
    Access,
    Certificates,
    Credentials,
    Master,
    Publisher,
    Subscriber,
    Topic,
    Transport,
    get_master_uri,
)

__all__ = [
    "Access",
    "AccessError",
    "Certificates",
    "Credentials",
    "FollowedSimulator",
    "Master",
    "MessageError",
    "NoAnswerError",
    "PhysicsServer",
    "Publisher",
    "Readings",
    "RemoteError",
    "RemoteSimulator",
    "SensorServer",
    "Subscriber",
    "Topic",
    "Transport",
    "TransportError",
    "WorldDriver",
    "WorldMirror",
    "get_master_uri",
    "messages",
]
