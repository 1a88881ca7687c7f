# SPDX-License-Identifier: Apache-2.0
"""Writes the poses of mission-only objects as YAML."""

from __future__ import annotations

import yaml

from deepsim_scenes.scene import Scene

_HEAD = """\
# Positions [m] and directions [rad] of what is not part of the world.
# heading: as Scenic has it, counterclockwise from +y.
# yaw: as ROS has it, counterclockwise from +x, for a robot whose forward axis is +x.
"""


def poses_text(scene: Scene) -> str:
    """Returns YAML text with the poses of a scene's mission-only objects, by model name."""
    places: dict[str, list[dict[str, float]]] = {}
    for each in scene.missions:
        x, y, z = map(float, each.pose.position)
        entry = {"heading": each.heading, "x": x, "y": y, "z": z, "yaw": each.forward_yaw}
        places.setdefault(each.model.name, []).append(entry)
    text: str = yaml.safe_dump(places, sort_keys=False)
    return _HEAD + text
