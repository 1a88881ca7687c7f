# SPDX-License-Identifier: Apache-2.0
"""Frames and topics of a recording: those under which `Ros2Server` publishes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from deepsim_sync import SCOPE, Entities

WORLD_FRAME = "world"
"""The fixed frame, in the namespace of its world."""
_PICTURES = ("camera", "rgbd", "stereo", "segmentation")


def namespace(world: int, worlds: int) -> str:
    """Returns the namespace of the topics and frames of one of some worlds; empty for a single one.

    >>> namespace(0, 1), namespace(2, 3)
    ('', 'world_2')
    """
    return f"world_{world}" if worlds > 1 else ""


class Naming:
    """The names for one set of entities.

    A robot is a model with joints or sensors. The only robot has its topics at the root and its
    links as frames; each of several has its name before them, as have the frames of other models.

    >>> one = Naming(Entities(0, models=["bot", "box"], joints=["bot::turn"]), {"bot::b::s": "imu"})
    >>> one.frame("bot::base"), one.frame("box::link", "world_2")
    ('base', 'world_2/box/link')
    >>> one.topic("bot", "joint_states"), one.sensor_topic("bot::b::s", "imu")
    ('/joint_states', '/imu')

    Args:
        entities: The entities.
        sensors: The kind of each sensor, by name.
    """

    def __init__(self, entities: Entities, sensors: Mapping[str, str]) -> None:
        self.robots = [
            model
            for model in entities.models
            if SCOPE not in model and _any_within(model, (*entities.joints, *sensors))
        ]
        self._sensors = dict(sensors)
        self._kinds = Counter((name.partition(SCOPE)[0], kind) for name, kind in sensors.items())
        self._own = Counter((name.partition(SCOPE)[0], _last(name)) for name in sensors)

    def frame(self, row: str, space: str = "") -> str:
        """Returns the frame of a link or sensor, ``model::link``, in the namespace of a world."""
        model, _, own = row.partition(SCOPE)
        prefix = "" if self.robots == [model] else model
        return "/".join(part for part in (space, prefix, own.replace(SCOPE, "/")) if part)

    def topic(self, model: str, *rest: str, space: str = "") -> str:
        """Returns a topic of a robot in the namespace of a world."""
        prefix = () if self.robots == [model] else model.split("/")
        return "".join("/" + ros_name(part) for part in (space, *prefix, *rest) if part)

    def sensor_topic(self, sensor: str, ending: str, space: str = "") -> str:
        """Returns a topic of a sensor.

        Cameras, and sensors of which the robot has several of a kind, have their name before the
        ending, and if that is not unique the link's as well.
        """
        model, _, path = sensor.partition(SCOPE)
        kind = self._sensors[sensor]
        if self._kinds[model, kind] == 1 and kind not in _PICTURES:
            return self.topic(model, ending, space=space)
        alone = self._own[model, _last(sensor)] == 1
        own = [_last(sensor)] if alone else path.split(SCOPE)
        return self.topic(model, *own, *ending.split("/"), space=space)


def _any_within(model: str, names: Iterable[str]) -> bool:
    return any(name.startswith(model + SCOPE) for name in names)


def _last(name: str) -> str:
    return name.rpartition(SCOPE)[2]


def ros_name(text: str) -> str:
    """Returns a text with every character that ROS refuses in names as ``_``.

    >>> ros_name("left wheel"), ros_name("2nd")
    ('left_wheel', '_2nd')
    """
    token = re.sub(r"[^A-Za-z0-9_]+", "_", text)
    return token if token and not token[0].isdigit() else f"_{token}"
