# SPDX-License-Identifier: Apache-2.0
"""Code that a world or model asks its simulator to load."""

from __future__ import annotations

from dataclasses import dataclass, field

from .names import trimmed


@dataclass(frozen=True, slots=True)
class PluginDescription:
    """A plugin, kept as text: nothing here runs it.

    >>> plugin = PluginDescription("drive", "libgazebo_ros_diff_drive.so", "<plugin/>")
    >>> plugin.filename
    'libgazebo_ros_diff_drive.so'

    Attributes:
        name: As in the file.
        filename: The library that Gazebo would load.
        xml: The whole element as text, with the plugin's own settings.
    """

    name: str
    filename: str
    xml: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        trimmed("the name of a plugin", self.name)
        trimmed("the filename of a plugin", self.filename)
