# SPDX-License-Identifier: Apache-2.0
"""Trackers: what runs once per tick, and the paper's getters and setters of states."""

from .getters import GetLinkStateTracker, GetModelStateTracker, GetVisualTracker
from .manager import Priority, Tracker, TrackerManager
from .setters import SetLinkStateTracker, SetModelStateTracker, SetVisualTracker

__all__ = [
    "GetLinkStateTracker",
    "GetModelStateTracker",
    "GetVisualTracker",
    "Priority",
    "SetLinkStateTracker",
    "SetModelStateTracker",
    "SetVisualTracker",
    "Tracker",
    "TrackerManager",
]
