# SPDX-License-Identifier: Apache-2.0
"""Names of DeepSim's entities as ROS 2 writes them: frames, topics and joints."""

from __future__ import annotations

import re
from collections import Counter

from deepsim_sync import SCOPE, Names

WORLD_FRAME = "world"
"""The fixed frame, in the namespace of its world."""


def namespace(world: int, worlds: int) -> str:
    """Returns the namespace of the topics and frames of one of some worlds; empty for a single one.

    >>> namespace(0, 1), namespace(2, 3)
    ('', 'world_2')
    """
    return f"world_{world}" if worlds > 1 else ""


def frame_id(name: str, space: str = "") -> str:
    """Returns the tf frame of a model, link or sensor in a namespace.

    >>> frame_id("car::arm::hand"), frame_id("car::base", "world_2")
    ('car/arm/hand', 'world_2/car/base')
    """
    path = name.replace(SCOPE, "/")
    return f"{space}/{path}" if space else path


def topic(name: str, *rest: str, space: str = "") -> str:
    """Returns the topic of an entity, with every character that ROS refuses as ``_``.

    >>> topic("car::base::front eye", "image_raw")
    '/car/base/front_eye/image_raw'
    >>> topic("", "joint_states", space="world_3")
    '/world_3/joint_states'
    """
    parts = [space, *name.split(SCOPE), *rest]
    return "".join("/" + _token(part) for part in parts if part)


def _token(text: str) -> str:
    token = re.sub(r"_{2,}", "_", re.sub(r"[^A-Za-z0-9_/]", "_", text))
    return f"_{token}" if token[:1].isdigit() else token


def joint_names(joints: Names) -> list[str]:
    """Returns the names of all joint rows in ``JointState`` messages.

    A joint has the name of its description, as drivers and robot_state_publisher expect it, unless
    another model has a joint of that name: then it is ``model/joint``.

    >>> joint_names(Names("joints", ["arm::lift", "arm::turn", "door::turn"]))
    ['lift', 'arm/turn', 'door/turn']
    """
    own = [name.partition(SCOPE)[2].replace(SCOPE, "/") for name in joints]
    times = Counter(own)
    return [
        short if times[short] == 1 else name.replace(SCOPE, "/")
        for short, name in zip(own, joints, strict=True)
    ]
