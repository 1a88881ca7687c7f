# SPDX-License-Identifier: Apache-2.0
"""A simulator as a process, and its port for other processes."""

from __future__ import annotations

from .followed import FollowedSimulator
from .mirror import WorldMirror
from .remote import RemoteSimulator
from .server import PhysicsServer

__all__ = ["FollowedSimulator", "PhysicsServer", "RemoteSimulator", "WorldMirror"]
