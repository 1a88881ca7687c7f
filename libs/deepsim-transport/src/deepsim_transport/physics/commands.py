# SPDX-License-Identifier: Apache-2.0
"""Commands in the messages of Gazebo 1.0: each is answered by whether it was done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import Cells, Changes, DeepSimError, Simulator, SpawnRequest, WriteRefusedError
from deepsim_sync.port.changes import checked_cells
from deepsim_sync.port.entities import Kind
from deepsim_sync.port.spawning import checked_requests
from deepsim_transport.messages import (
    Answer,
    EntityState,
    InsertEntity,
    JointState,
    Pose,
    decode,
    encode,
)

from .plain_text import plain_text


class Commands:
    """Changes a simulator as messages ask, in all of its worlds.

    Args:
        simulator: The one that is changed.
        loader: Reads the models that are inserted.
    """

    def __init__(self, simulator: Simulator, loader: GazeboXMLLoader) -> None:
        self._simulator, self._loader = simulator, loader
        self.topics: dict[str, Callable[[bytes], bytes]] = {
            "set_entity_state": lambda payload: self._do(EntityState, self._set_entity, payload),
            "set_joint_state": lambda payload: self._do(JointState, self._set_joint, payload),
            "insert_entity": lambda payload: self._do(InsertEntity, self._insert, payload),
        }

    def _do(self, kind: type[Any], act: Callable[[Any], None], payload: bytes) -> bytes:
        message = decode(kind, payload)
        try:
            act(message)
        except (DeepSimError, ValueError, TypeError) as error:
            return encode(Answer(False, str(error)))
        return encode(Answer(True))

    def _set_entity(self, state: EntityState) -> None:
        linear, angular = state.twist.linear_velocity, state.twist.euler_angle_velocity
        twist = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        self._put("models", state.entity_name, pose=_row(state.pose), twist=twist)

    def _set_joint(self, state: JointState) -> None:
        names = [state.joint_name]
        names += [f"{state.joint_name}::{axis}" for axis in range(2, len(state.angle) + 1)]
        if len(state.velocity) not in (0, len(state.angle)):
            raise ValueError(f"joint {state.joint_name!r} has as many velocities as angles")
        for index, name in enumerate(names[: len(state.angle)]):
            columns: dict[str, ArrayLike] = {"position": state.angle[index]}
            if state.velocity:
                columns["velocity"] = state.velocity[index]
            self._put("joints", name, **columns)

    def _insert(self, entity: InsertEntity) -> None:
        simulator, description = self._simulator, self._loader.load_model(plain_text(entity.sdf))
        request = SpawnRequest(description, entity.entity_name, _row(entity.pose))
        taken = simulator.entities.models
        simulator.spawn(checked_requests([request], simulator.worlds, taken))

    def _put(self, kind: Kind, name: str, **columns: ArrayLike) -> None:
        """Changes a row in all worlds.

        Raises:
            UnknownEntityError: There is none of that name.
            ValueError: A value is none of its column.
            WriteRefusedError: The simulator does not take it.
        """
        entities, worlds = self._simulator.entities, np.arange(self._simulator.worlds)
        names = entities.names(kind)
        row = names.rows([name])
        cells = {}
        for column, value in columns.items():
            cell = np.asarray(value, np.float64)
            checked = checked_cells(names, column, row, cell[None], len(worlds))
            values = np.broadcast_to(checked, (len(worlds), 1, *cell.shape))[:, 0]
            cells[kind, column] = Cells(worlds, np.repeat(row, len(worlds)), values.copy())
        refused = self._simulator.write(Changes(entities.generation, cells))
        if refused:
            raise WriteRefusedError(refused)


def _row(pose: Pose) -> list[float]:
    place, turn = pose.position, pose.orientation
    return [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.u]
