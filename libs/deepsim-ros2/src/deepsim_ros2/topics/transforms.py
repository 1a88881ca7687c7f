# SPDX-License-Identifier: Apache-2.0
"""Transforms of all links, /tf and /tf_static; and the true pose of a robot's base as odometry."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import TransformStamped
from nav_msgs.msg import Odometry
from tf2_msgs.msg import TFMessage

from deepsim_math import poses, quaternions
from deepsim_ros2.geometry import (
    WORLD,
    Floats,
    pose_of,
    twist_of,
    write_pose,
    write_time,
    write_transform,
    write_twist,
)
from deepsim_ros2.simulation import ServedWorld
from deepsim_spawn import ModelDescription
from deepsim_sync import SCOPE

from .layout import OPTICAL, Layout, optical_frame, sensor_frame


class _Edge(NamedTuple):
    parent: int  # row of the link, -1 for the world
    child: int


class Transforms:
    """The tree of frames of a world, for one set of entities.

    The parent of a link is that of its joint; the first link of a model hangs on the world frame,
    at its true pose, and so does every link of a model in MJCF. Static models count as moving,
    because tasks and clients put them elsewhere.

    Args:
        served: The world.
        layout: The frames of the models.
    """

    def __init__(self, served: ServedWorld, layout: Layout) -> None:
        self._served, self._layout = served, layout
        moving, still, self._mounts = self._edges()
        self._moving, self._message = moving, self._messages(moving)
        self._still, self._static = still, self._messages(still)
        for parent, frame, pose in self._mounts:
            message = TransformStamped(child_frame_id=frame)
            message.header.frame_id = parent
            write_transform(message.transform, pose)
            self._static.transforms.append(message)

    def moving(self) -> TFMessage:
        """Returns the present transforms of links that move."""
        self._write(self._message, self._moving)
        return self._message

    def static(self) -> TFMessage:
        """Returns the transforms that do not change: fixed joints and sensors."""
        self._write(self._static, self._still)
        return self._static

    def _write(self, message: TFMessage, edges: list[_Edge]) -> None:
        if edges:
            placed = self._served.simulation.world.links.pose[self._served.number]
            parents, children = np.array(edges).T
            of_parent = np.where(parents[:, None] < 0, _IDENTITY, placed[parents])
            relative = poses.relative(of_parent, placed[children])
            for each, pose in zip(message.transforms, relative, strict=False):
                write_transform(each.transform, pose)
        for each in message.transforms:
            write_time(each.header.stamp, self._served.time)

    def _messages(self, edges: list[_Edge]) -> TFMessage:
        names = self._served.simulation.world.links.names
        message = TFMessage()
        for parent, child in edges:
            transform = TransformStamped(child_frame_id=self._layout.link_frame(names[child]))
            transform.header.frame_id = (
                WORLD if parent < 0 else self._layout.link_frame(names[parent])
            )
            message.transforms.append(transform)
        return message

    def _edges(self) -> tuple[list[_Edge], list[_Edge], list[tuple[str, str, Floats]]]:
        """Returns edges between links that move, edges that do not, and mounts of sensors."""
        world = self._served.simulation.world
        rows = {name: row for row, name in enumerate(world.links.names)}
        moving: list[_Edge] = []
        still: list[_Edge] = []
        mounts: list[tuple[str, str, Floats]] = []
        described: dict[str, ModelDescription] = {
            name: model
            for name, model in world.simulator.descriptions.models.items()
            if isinstance(model, ModelDescription)
        }
        parents: dict[str, tuple[str, bool]] = {}
        for name, model in described.items():
            for joint in model.all_joints():
                if joint.parent != WORLD:
                    child, parent = (name + SCOPE + each for each in (joint.child, joint.parent))
                    parents.setdefault(child, (parent, joint.type == "fixed"))
            for own, link, _ in model.all_links():
                frame = self._layout.link_frame(name + SCOPE + own)
                for sensor in link.sensors:
                    mounts += _mounts(frame, sensor)
        for child, row in rows.items():
            parent, fixed = parents.get(child, ("", False))
            (still if fixed else moving).append(_Edge(rows.get(parent, -1), row))
        return moving, still, mounts


_IDENTITY = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def _mounts(link: str, sensor: Any) -> list[tuple[str, str, Floats]]:
    """Returns the frames of a sensor: parent, name and pose."""
    frame = sensor_frame(link, sensor)
    found = []
    if frame != link:
        found.append((link, frame, np.array(sensor.pose)))
    if sensor.camera is not None:
        found.append((frame, optical_frame(link, sensor.name), OPTICAL))
    return found


class OdometryTopic:
    """Publishes where the first link of a robot truly is, and how it moves.

    Args:
        publisher: Publisher of ``nav_msgs/Odometry``.
        served: The world.
        base: The row of the link, ``model::link``.
        frame: Its frame.
    """

    def __init__(self, publisher: Any, served: ServedWorld, base: str, frame: str) -> None:
        self._publisher, self._served, self._frame = publisher, served, frame
        self._base = served.simulation.world.links.select([base])

    def publish(self, now: float) -> None:
        """Publishes the odometry of an instant [s], if anybody listens."""
        if not self._publisher.get_subscription_count():
            return
        message, number = Odometry(child_frame_id=self._frame), self._served.number
        pose, twist = self._base.pose[number, 0], self._base.twist[number, 0]
        message.header.frame_id = WORLD
        write_time(message.header.stamp, now)
        write_pose(message.pose.pose, pose)
        own = quaternions.inverse_rotate(pose[3:], twist.reshape(2, 3))
        write_twist(message.twist.twist, own.reshape(6))
        self._publisher.publish(message)


def read_odometry(message: Any) -> tuple[Floats, Floats]:
    """Returns pose (7,) and twist (6,) of the base, both along the axes of the message's frame."""
    pose = pose_of(message.pose.pose)
    twist = twist_of(message.twist.twist).reshape(2, 3)
    return pose, np.asarray(quaternions.rotate(pose[3:], twist).reshape(6))
