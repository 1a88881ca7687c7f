# SPDX-License-Identifier: Apache-2.0
"""Measures distances along the rays of lidars."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.builder import COLLISION_GROUP
from deepsim_mujoco.spec.sensors import BuiltSensor
from deepsim_mujoco.state.compiled import Compiled
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_spawn import Lidar, Rays

_GROUP_0 = np.array([1, 0, 0, 0, 0, 0], np.uint8)


class Lidars:
    """All lidars; their rays meet the collisions of other models, and are cast world by world."""

    def __init__(self, states: WorldStates, single: SingleWorld) -> None:
        self._states, self._single = states, single

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model."""
        self._links = {one.name: [node.name for node in one.links] for one in compiled.built}
        self._groups: dict[str, NDArray[np.int32]] = {}
        self._directions: dict[Lidar, Floats] = {}

    def cast(self, sensor: BuiltSensor, lidar: Lidar) -> Floats:
        """Returns the ranges of a lidar, (W, rows, rays) [m]."""
        rays = self._directions.get(lidar)
        if rays is None:
            rays = self._directions[lidar] = _directions(lidar)
        groups = self._hidden_from(sensor.model)
        worlds, count = self._states.worlds, len(rays)
        ranges, geoms = np.empty((worlds, count)), np.empty(count, np.int32)
        site = self._states.model.site(sensor.site).id
        for world in range(worlds):
            model, data = self._single.load(world)
            mujoco.mj_kinematics(model, data)
            drawn = model.geom_group.copy()
            model.geom_group[:] = groups  # the only way to choose geoms
            try:
                turn = data.site_xmat[site].reshape(3, 3)
                vectors = (rays @ turn.T).reshape(-1)
                chosen = vectors, _GROUP_0, True, -1  # include static geoms; exclude no body
                mujoco.mj_multiRay(
                    model,
                    data,
                    data.site_xpos[site],
                    *chosen,
                    geoms,
                    ranges[world],
                    None,
                    count,
                    lidar.max_range,
                )
            finally:
                model.geom_group[:] = drawn
        far = (ranges < 0.0) | (ranges > lidar.max_range)
        ranges[ranges < lidar.min_range] = -np.inf
        ranges[far] = np.inf
        return ranges.reshape(worlds, lidar.vertical.count, lidar.horizontal.count)

    def _hidden_from(self, robot: str) -> NDArray[np.int32]:
        """Returns a group for each geom: 0 if lidars of the model see it, otherwise 1."""
        groups = self._groups.get(robot)
        if groups is None:
            model = self._states.model
            solid = (model.geom_group == COLLISION_GROUP) | (model.geom_contype > 0)
            solid |= model.geom_conaffinity > 0
            own = np.zeros(model.nbody, dtype=np.bool_)
            own[[model.body(name).id for name in self._links[robot]]] = True
            seen = solid & ~own[model.geom_bodyid]
            groups = self._groups[robot] = np.where(seen, 0, 1).astype(np.int32)
        return groups


def _directions(lidar: Lidar) -> Floats:
    """Returns the directions of the rays in the sensor's frame, (rows * rays, 3)."""
    up = _angles(lidar.vertical)[:, None]
    around = _angles(lidar.horizontal)[None]
    parts = np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0.0 * around
    return np.stack(parts, axis=-1).reshape(-1, 3)


def _angles(rays: Rays) -> Floats:
    return np.linspace(rays.min_angle, rays.max_angle, rays.count)
