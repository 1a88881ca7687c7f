# SPDX-License-Identifier: Apache-2.0
"""The poses of a mission in YAML."""

from __future__ import annotations

import yaml

from deepsim_scenes.scene import Scene

_HEAD = """\
# Positions [m] and directions [rad] of what is not part of the world.
# heading: as Scenic has it, counterclockwise from +y.
# yaw: as ROS has it, counterclockwise from +x, for a robot whose forward axis is +x.
"""


def poses_text(scene: Scene) -> str:
    """Returns the YAML text of a scene's places, by the names of their models."""
    places: dict[str, list[dict[str, float]]] = {}
    for each in scene.missions:
        x, y, z = map(float, each.pose.position)
        entry = {"heading": each.heading, "x": x, "y": y, "z": z, "yaw": each.forward_yaw}
        places.setdefault(each.model.name, []).append(entry)
    text: str = yaml.safe_dump(places, sort_keys=False)
    return _HEAD + text
