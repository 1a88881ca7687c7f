# SPDX-License-Identifier: Apache-2.0
"""The rays of lidars."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from deepsim_math import poses, quaternions
from deepsim_spawn import Lidar, ModelDescription, Rays
from deepsim_sync import SCOPE, World
from deepsim_viewer.scene.frame import Frame

from .mark import Mark


class LidarRays(Mark):
    """Lines from each lidar to the points that it measures, without noise."""

    label = "Lidar rays"

    def read(self, world: World, shown: int) -> dict[str, NDArray[np.float64]]:
        """Returns the ranges (w, rows, rays) of each lidar [m]."""
        sensors = world.simulator.sensors
        if sensors is None:
            return {}
        names = [name for name, info in sensors.infos.items() if info.kind == "lidar"]
        for name in names:
            sensors.watch(name)
        return {name: sensors.read(name)["ranges"][:shown] for name in names}

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
