# SPDX-License-Identifier: Apache-2.0
"""Runs sensors in a separate process, which gets the world's state from topics."""

from __future__ import annotations

from .readings import Readings
from .server import SensorServer

__all__ = ["Readings", "SensorServer"]
