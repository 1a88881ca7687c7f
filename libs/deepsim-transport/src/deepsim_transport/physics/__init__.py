# SPDX-License-Identifier: Apache-2.0
"""Serves a simulator to other processes, and implements the port on top of it."""

from __future__ import annotations

from .driver import WorldDriver
from .followed import FollowedSimulator
from .remote import RemoteSimulator
from .server import PhysicsServer
from .updates import WorldMirror

__all__ = ["FollowedSimulator", "PhysicsServer", "RemoteSimulator", "WorldDriver", "WorldMirror"]
