# SPDX-License-Identifier: Apache-2.0
"""Sensors as a process: they see a world by its topics alone."""

from __future__ import annotations

from .readings import Readings
from .server import SensorServer

__all__ = ["Readings", "SensorServer"]
