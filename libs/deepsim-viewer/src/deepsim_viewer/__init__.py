# SPDX-License-Identifier: Apache-2.0
"""A live view of a world in the browser, and its controls."""

from .environment_viewer import EnvironmentViewer, SlotPolicy
from .viewer import Viewer

__all__ = ["EnvironmentViewer", "SlotPolicy", "Viewer"]
