# SPDX-License-Identifier: Apache-2.0
"""Lidars: distances along rays from a link."""

from __future__ import annotations

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.rendering.ray_casting import cast_rays
from deepsim_mujoco.spec.builder import COLLISION_GROUP
from deepsim_mujoco.spec.sensors import BuiltSensor
from deepsim_mujoco.state.batches import CastsRays
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_spawn import Lidar, Rays
from deepsim_sync import Reading


class LidarScanner:
    """A lidar, whose rays meet collisions.

    Args:
        single: Loads the state of one world.
        sensor: The sensor.
        lidar: Its rays and range.
    """

    def __init__(self, single: SingleWorld, sensor: BuiltSensor, lidar: Lidar) -> None:
        self._single, self._lidar = single, lidar
        compiled = single.states.compiled
        self._site = compiled.model.site(sensor.site).id
        self._rays = _directions(lidar)
        model = compiled.model
        solid = (model.geom_group == COLLISION_GROUP) | (model.geom_contype > 0)
        solid |= model.geom_conaffinity > 0
        hidden = np.zeros(model.nbody, dtype=np.bool_)
        if lidar.sees_own:
            hidden[model.site_bodyid[self._site]] = True
        else:
            [mine] = (one for one in compiled.built if one.name == sensor.model)
            hidden[[compiled.layout.bodies[node.name] for node in mine.links]] = True
        self._shown = solid & ~hidden[model.geom_bodyid]

    def read(self) -> Reading:
        """Returns the ranges, (W, rows, rays) [m]."""
        lidar, batch = self._lidar, self._single.states.batch
        if isinstance(batch, CastsRays):
            ranges = batch.cast_rays(self._site, self._rays, self._shown)
        else:
            ranges = self._cast_in_turn()
        far = (ranges < 0.0) | (ranges > lidar.max_range)
        ranges[ranges < lidar.min_range] = -np.inf
        ranges[far] = np.inf
        return {"ranges": ranges.reshape(-1, lidar.vertical.count, lidar.horizontal.count)}

    def _cast_in_turn(self) -> Floats:
        """Returns the distances along all rays, world by world, (W, n) [m]; -1 without a hit."""
        site, farthest = self._site, self._lidar.max_range
        worlds, count = self._single.states.worlds, len(self._rays)
        ranges, geoms = np.empty((worlds, count)), np.empty(count, np.int32)
        for world in range(worlds):
            model, data = self._single.load(world)
            mujoco.mj_kinematics(model, data)
            vectors = (self._rays @ data.site_xmat[site].reshape(3, 3).T).reshape(-1)
            origin, into = data.site_xpos[site], (geoms, ranges[world])
            cast_rays(model, data, origin, vectors, self._shown, *into, farthest=farthest)
        return ranges


def _directions(lidar: Lidar) -> Floats:
    """Returns the directions of the rays in the sensor's frame, (rows * rays, 3)."""
    up = _angles(lidar.vertical)[:, None]
    around = _angles(lidar.horizontal)[None]
    parts = np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0.0 * around
    return np.stack(parts, axis=-1).reshape(-1, 3)


def _angles(rays: Rays) -> Floats:
    return np.linspace(rays.min_angle, rays.max_angle, rays.count)
