# SPDX-License-Identifier: Apache-2.0
"""Plays the bags of ROS 2 on a robot."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, poses
from deepsim_spawn import GazeboXMLLoader, ModelDescription, ModelFormatError, WorldDescription
from deepsim_spawn.backends import open_simulator
from deepsim_sync import SCOPE, DeepSimError, World
from deepsim_viewer.scene.frame import Frame, FrameReader

_DESCRIPTION = "std_msgs/msg/String"
_STATES = "sensor_msgs/msg/JointState"
_LARGEST = 640  # side of a shown picture [pixels]
_MOST = 2**30  # memory of the pictures of one bag [bytes]


class BagReplay:
    """The frames of a bag of ROS 2, for `ReplayViewer`.

    Links are at their frames of tf, alone or below the namespace of the robot; the others follow
    from the joint states, on the robot's first link or the world's origin.

    Args:
        bag: The bag, a `deepsim_ros2.Bag`.
        robot: The robot; None for those of the ``robot_description`` topics.

    Raises:
        BagError: The bag is damaged.
        DeepSimError: The bag has no description, or one that cannot be shown.
    """

    def __init__(self, bag: Any, robot: ModelDescription | None = None) -> None:
        self.path = bag.path
        self.metadata: Mapping[str, str] = {}
        self._robots = {"": robot} if robot is not None else _described(bag)
        self._tree = bag.transforms()
        self._states = [bag.joint_states(topic) for topic in bag.of_type(_STATES)]
        self._pictures = {
            topic: found for topic in bag.images() if (found := _pictures(bag, topic))[0]
        }
        self.times: NDArray[np.float64] = np.unique(
            np.concatenate([self._tree.times, *(each.times for each in self._states)])
        )
        if not len(self.times):
            raise DeepSimError(f"{bag.path} has no transforms and no joint states to play")
        names = {space: model.name for space, model in self._robots.items()}
        twice = len({*names.values()}) < len(names)
        self._names = {
            space: f"{space.replace('/', '_')}_{name}" if twice and space else name
            for space, name in names.items()
        }
        described = [
            replace(model, name=self._names[space], pose=Pose(), static=True)
            for space, model in self._robots.items()
        ]
        world = World(open_simulator(WorldDescription(models=tuple(described))))
        try:
            self._rest = FrameReader(world, 1).read()
        finally:
            world.close()

    def frame(self, time: float) -> Frame:
        """Returns the robots at a time [s]."""
        rows = self._rest.poses.copy()
        links = self._rest.entities.links
        positions: dict[str, float] = {}
        for states in self._states:
            row = bisect_right(states.times.tolist(), time) - 1
            if row >= 0:
                values = zip(states.names, states.position[row].tolist(), strict=True)
                positions.update((name, value) for name, value in values if np.isfinite(value))
        for space, model in self._robots.items():
            known = {*model.joint_limits().names}
            own = {name: value for name, value in positions.items() if name in known}
            placed = model.poses(own).links
            first = next(iter(placed))
            root = self._found(space, first, time)
            base = poses.compose(root, poses.inverse(placed[first])) if root is not None else None
            for name, pose in placed.items():
                found = self._found(space, name, time)
                if found is None:
                    found = pose if base is None else poses.compose(base, pose)
                rows[0, links.row(self._names[space] + SCOPE + name)] = found
        return replace(self._rest, time=np.array([time]), poses=rows)

    def _found(self, space: str, link: str, time: float) -> NDArray[np.float64] | None:
        """Returns the pose of a link in the root of its tree, if tf has it."""
        own = link.replace(SCOPE, "/")
        for frame in (f"{space}/{own}".lstrip("/"), own):
            if frame in self._tree.frames:
                pose: NDArray[np.float64] = self._tree.pose(frame, time)[1]
                return pose
        return None

    def pictures(self, time: float) -> Mapping[str, NDArray[np.uint8]]:
        """Returns the latest picture of each topic at a time [s], or its first one."""
        return {
            topic: images[max(bisect_right(times, time) - 1, 0)]
            for topic, (times, images) in self._pictures.items()
        }


def _described(bag: Any) -> dict[str, ModelDescription]:
    """Returns the models of a bag's descriptions, by the namespaces of their topics."""
    found: dict[str, ModelDescription] = {}
    for topic in bag.of_type(_DESCRIPTION):
        space, _, last = topic.strip("/").rpartition("/")
        if last != "robot_description":
            continue
        for _, _, message in bag.messages(topic):
            try:
                found[space] = GazeboXMLLoader(skip_missing_collisions=True).load_model(
                    message.data
                )
            except ModelFormatError as error:
                raise DeepSimError(f"{bag.path}: {topic} cannot be read: {error}") from error
    if not found:
        raise DeepSimError(f"{bag.path} has no robot_description: name a robot with --robot")
    return found


def _pictures(bag: Any, topic: str) -> tuple[list[float], list[NDArray[np.uint8]]]:
    """Returns the times and pictures of a topic, as small as they are shown."""
    times: list[float] = []
    images: list[NDArray[np.uint8]] = []
    size = 0
    for time, pixels in bag.pictures(topic):
        step = max(1, -(-max(pixels.shape[:2]) // _LARGEST))
        image = _colors(pixels[::step, ::step])
        size += image.nbytes
        if size > _MOST:
            break
        times.append(time)
        images.append(image)
    return times, images


def _colors(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Returns any picture as colours; depths are from white, near, to black."""
    if pixels.ndim == 3:
        return np.ascontiguousarray(pixels, dtype=np.uint8)
    if pixels.dtype != np.uint8:
        values = pixels.astype(np.float64)
        finite = np.isfinite(values)
        top = float(values[finite].max()) if finite.any() else 1.0
        scaled = 1.0 - np.where(finite, values, top) / (top or 1.0)
        pixels = (np.clip(scaled, 0.0, 1.0) * 255).astype(np.uint8)
    return np.repeat(pixels[..., None], 3, axis=-1)
