# SPDX-License-Identifier: Apache-2.0
"""Optional marks: frames, names, colliders, contacts and rays."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import poses, quaternions
from deepsim_spawn import Lidar, ModelDescription, Rays
from deepsim_sync import SCOPE

from .host import Host
from .scene.batches import Batches
from .scene.frame import Frame, Layout, collider_instances


class Mark(ABC):
    """A kind of mark that is drawn in addition to the models, and costs nothing while it is off.

    Attributes:
        label: Name in the panel.
    """

    label: str

    def __init__(self, host: Host) -> None:
        self._world, self._scene, self._offsets = host.world, host.server.scene, host.offsets
        self._handle: Any = None

    def read(self) -> Any:
        """Returns the data needed in addition to the frame, as new arrays.

        It is called in the world's thread.
        """
        return None

    @abstractmethod
    def show(self, frame: Frame, numbers: Any) -> None:
        """Draws the marks, from the result of `read` and the frame of the same instant."""

    def hide(self) -> None:
        """Removes the marks."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


class Axes(Mark):
    """Axes x, y, z in red, green and blue at the frames of all links."""

    label = "Frames"

    def show(self, frame: Frame, numbers: None) -> None:
        """Draws the axes."""
        positions = (frame.poses[..., :3] + self._offsets[:, None]).reshape(-1, 3)
        turns = frame.poses[..., [6, 3, 4, 5]].reshape(-1, 4)
        handle = self._handle
        if handle is not None and len(handle.batched_positions) == len(positions):
            handle.batched_positions = positions.astype(np.float32)
            handle.batched_wxyzs = turns.astype(np.float32)
            return
        self.hide()
        self._handle = self._scene.add_batched_axes(
            "/marks/axes", turns, positions, axes_length=0.2, axes_radius=0.006
        )


_MOST = 200


class Labels(Mark):
    """Labels with the names of models, at most 200 over all worlds."""

    label = "Names"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._layout: Layout | None = None
        self._handles: list[tuple[int, int, Any]] = []

    def show(self, frame: Frame, numbers: None) -> None:
        """Draws the names."""
        if frame.layout is not self._layout:
            self.hide()
            self._layout = frame.layout
            cells = [
                (world, row, name)
                for world in range(len(self._offsets))
                for row, name in enumerate(frame.entities.models)
                if SCOPE not in name
            ]
            self._handles = [
                (world, row, self._scene.add_label(f"/marks/labels/{world}/{row}", name))
                for world, row, name in cells[:_MOST]
            ]
        for world, row, handle in self._handles:
            handle.position = frame.models[world, row, :3] + self._offsets[world]

    def hide(self) -> None:
        """Removes the names."""
        for _, _, handle in self._handles:
            handle.remove()
        self._handles, self._layout = [], None


_COLOR = (1.0, 0.45, 0.1)
_OPACITY = 0.45


class Colliders(Mark):
    """The collision shapes of all links, drawn semi-transparent."""

    label = "Colliders"

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._layout: Layout | None = None
        self._batches: Batches | None = None
        self._colors = np.zeros((0, 0, 3))
        self._opacities = np.zeros((0, 0))

    def show(self, frame: Frame, numbers: None) -> None:
        """Draws the shapes."""
        if frame.layout is not self._layout:
            self.hide()
            self._layout = frame.layout
            instances = collider_instances(frame.layout.descriptions, frame.entities)
            cells = len(self._offsets), len(instances.surfaces)
            self._colors = np.broadcast_to(_COLOR, (*cells, 3))
            self._opacities = np.full(cells, _OPACITY)
            self._batches = Batches(
                self._scene,
                instances,
                self._painted(frame),
                self._offsets,
                lambda *_: None,
                name="/marks/colliders",
            )
        elif self._batches is not None:
            self._batches.update(self._painted(frame))

    def hide(self) -> None:
        """Removes the shapes."""
        if self._batches is not None:
            self._batches.remove()
        self._batches = self._layout = None

    def _painted(self, frame: Frame) -> Frame:
        return replace(frame, colors=self._colors, opacities=self._opacities)


_PER_NEWTON = 0.01  # [m/N]
_SHORTEST, _LONGEST = 0.05, 1.0  # [m]


class ContactArrows(Mark):
    """Arrows of the force on the second link at each contact: 1 cm per newton, 5 cm to 1 m long."""

    label = "Contacts"

    def read(self) -> list[tuple[NDArray[np.float64], ...]]:
        """Returns the contact points (k, 3) [m] and forces (k, 3) [N] of each shown world."""
        contacts = self._world.simulator.contacts
        if contacts is None:
            return []
        points = [contacts.read(number) for number in range(len(self._offsets))]
        return [(each.position, each.force) for each in points]

    def show(self, frame: Frame, numbers: list[tuple[NDArray[np.float64], ...]]) -> None:
        """Draws the arrows."""
        self.hide()
        arrows = [
            _arrows(position + offset, force)
            for (position, force), offset in zip(numbers, self._offsets, strict=False)
        ]
        points = np.concatenate(arrows) if arrows else np.zeros((0, 2, 3))
        if len(points):
            self._handle = self._scene.add_arrows(
                "/marks/contacts",
                points.astype(np.float32),
                (230, 30, 60),
                shaft_radius=0.008,
                head_radius=0.02,
                head_length=0.04,
            )


def _arrows(position: NDArray[np.float64], force: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns starts and ends (k, 2, 3) [m] of the arrows of non-zero forces."""
    sizes = np.linalg.norm(force, axis=-1)
    acts = sizes > 1e-9
    lengths = np.clip(_PER_NEWTON * sizes[acts], _SHORTEST, _LONGEST)
    way = force[acts] / sizes[acts, None] * lengths[:, None]
    return np.stack([position[acts], position[acts] + way], axis=1)


class LidarRays(Mark):
    """Lines from each lidar to the points that it measures, without noise."""

    label = "Lidar rays"

    def read(self) -> dict[str, NDArray[np.float64]]:
        """Returns the ranges (w, rows, rays) of each lidar [m]."""
        sensors = self._world.simulator.sensors
        if sensors is None:
            return {}
        names = [name for name, info in sensors.infos.items() if info.kind == "lidar"]
        for name in names:
            sensors.watch(name)
        return {name: sensors.read(name)["ranges"][: len(self._offsets)] for name in names}

    def show(self, frame: Frame, numbers: Mapping[str, NDArray[np.float64]]) -> None:
        """Draws the lines."""
        self.hide()
        lines = [self._lines(frame, name, ranges) for name, ranges in numbers.items()]
        points = np.concatenate(lines) if lines else np.zeros((0, 2, 3))
        if len(points):
            self._handle = self._scene.add_line_segments(
                "/marks/rays", points.astype(np.float32), (40, 120, 255), thickness=0.004
            )

    def _lines(self, frame: Frame, name: str, ranges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns starts and ends (k, 2, 3) [m] of the rays that hit a surface."""
        link_name, sensor_name = name.rsplit(SCOPE, 1)
        model, within = link_name.split(SCOPE, 1)
        described = frame.layout.descriptions.models[model]
        if not isinstance(described, ModelDescription):
            return np.zeros((0, 2, 3))
        link = next(link for scoped, link, _ in described.all_links() if scoped == within)
        sensor = next(each for each in link.sensors if each.name == sensor_name)
        if not isinstance(sensor.measurement, Lidar):
            return np.zeros((0, 2, 3))
        place = np.asarray(sensor.pose, dtype=np.float64)
        placed = poses.compose(frame.poses[:, frame.entities.links.row(link_name)], place)
        ways = quaternions.rotate(placed[:, None, 3:], _directions(sensor.measurement)[None])
        starts = np.broadcast_to((placed[:, :3] + self._offsets)[:, None], ways.shape)
        lengths = ranges.reshape(len(placed), -1)
        ends = np.isfinite(lengths)
        stops = starts[ends] + ways[ends] * lengths[ends][:, None]
        return np.stack([starts[ends], stops], axis=1)


def _directions(lidar: Lidar) -> NDArray[np.float64]:
    """Returns unit vectors (rows * rays, 3) in the frame of the sensor."""
    up, around = _angles(lidar.vertical)[:, None], _angles(lidar.horizontal)[None]
    parts = np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0.0 * around
    return np.stack(parts, axis=-1).reshape(-1, 3)


def _angles(rays: Rays) -> NDArray[np.float64]:
    return np.linspace(rays.min_angle, rays.max_angle, rays.count)


_NO_CAMERA = "none"
_EVERY = 0.2  # [s] of wall time between pictures
_PICTURES = frozenset({"camera", "rgbd", "stereo"})


class ShowFolder:
    """A checkbox for each kind of mark, and a list of cameras."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._next = 0.0
        simulator = host.world.simulator
        kinds: list[type[Mark]] = [Axes, Labels, Colliders]
        if simulator.contacts is not None:
            kinds.append(ContactArrows)
        if simulator.sensors is not None:
            kinds.append(LidarRays)
        self._marks = {kind.label: kind(host) for kind in kinds}
        gui = host.server.gui
        self._folder = gui.add_folder("Show", expand_by_default=False)
        with self._folder:
            self._boxes = {label: gui.add_checkbox(label, False) for label in self._marks}
            self._camera: Any = gui.add_dropdown("Camera", self._cameras())
            self._camera.visible = simulator.cameras is not None
        self._picture: Any = None
        for box in self._boxes.values():
            box.on_update(lambda _: host.refresh())
        self._camera.on_update(lambda _: host.refresh())

    def read(self) -> dict[str, Any]:
        """Returns the data of all active marks; called in the world's thread."""
        numbers = {
            label: self._marks[label].read() for label, box in self._boxes.items() if box.value
        }
        now = time.monotonic()
        camera = self._camera.value
        if camera != _NO_CAMERA and now >= self._next and camera in self._cameras():
            self._next = now + _EVERY
            numbers["picture"] = self._host.world.render(camera)
        return numbers

    def show(self, frame: Frame, numbers: Mapping[str, Any]) -> None:
        """Draws the active marks and removes the others."""
        for label, mark in self._marks.items():
            if label in numbers:
                mark.show(frame, numbers[label])
            else:
                mark.hide()
        self._show_picture(numbers.get("picture"))

    def _cameras(self) -> tuple[str, ...]:
        """Returns the names of the camera sensors; called in the world's thread."""
        sensors = self._host.world.simulator.sensors
        infos = sensors.infos if sensors is not None else {}
        return (_NO_CAMERA, *(name for name, info in infos.items() if info.kind in _PICTURES))

    def _show_picture(self, picture: NDArray[np.uint8] | None) -> None:
        if self._camera.value == _NO_CAMERA:
            if self._picture is not None:
                self._picture.remove()
                self._picture = None
        elif picture is not None:
            if self._picture is None:
                with self._folder:
                    self._picture = self._host.server.gui.add_image(picture, format="jpeg")
            else:
                self._picture.image = picture
