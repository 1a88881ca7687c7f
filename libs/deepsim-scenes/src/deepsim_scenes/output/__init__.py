# SPDX-License-Identifier: Apache-2.0
"""Converts scenes to worlds, files and plots."""

from __future__ import annotations

from .files import write_scene
from .placing import place_scenes, spawn_scenes
from .plot import write_plot
from .world import scene_world

__all__ = ["place_scenes", "scene_world", "spawn_scenes", "write_plot", "write_scene"]
