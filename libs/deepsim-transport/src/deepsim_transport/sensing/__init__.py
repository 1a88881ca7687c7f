# SPDX-License-Identifier: Apache-2.0
"""Sensors as a process that sees a world through its topics."""

from __future__ import annotations

from .readings import Readings
from .server import SensorServer

__all__ = ["Readings", "SensorServer"]
