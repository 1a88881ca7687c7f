# SPDX-License-Identifier: Apache-2.0
"""The smallest simulator that is one: bodies without extent, in memory.

For tests of everything above the port, and as the simplest example of a backend.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_sync.changes import Changes, Refusal
from deepsim_sync.entities import KINDS, SCOPE, Entities, Kind
from deepsim_sync.errors import (
    DuplicateEntityError,
    SimulationError,
    SpawnError,
    UnknownEntityError,
)
from deepsim_sync.tables import COLUMNS, Array, Tables


@dataclass(frozen=True)
class TableModel:
    """What a `TableSimulator` spawns: a rigid body without extent, made of names.

    Attributes:
        links: Names of the links. The first one is the model frame; the others are fixed to it.
        offsets: Poses of the other links in the model frame, by name; the identity where none is
            given.
        visuals: Names of the visuals that every link has.
        lights: Names of the lights that every link has.
        static: Whether it stays where it is put; otherwise it moves freely.
        gravity: Whether it falls, if it is not static.

    Raises:
        ValueError: An offset is for the first link, or for none.
    """

    links: tuple[str, ...] = ("link",)
    offsets: Mapping[str, Pose] = field(default_factory=dict)
    visuals: tuple[str, ...] = ("visual",)
    lights: tuple[str, ...] = ()
    static: bool = False
    gravity: bool = True

    def __post_init__(self) -> None:
        misplaced = [name for name in self.offsets if name not in self.links[1:]]
        if misplaced:
            raise ValueError(
                f"offsets are for links after the first, {self.links[1:]}, got {misplaced[0]!r}"
            )


class Call(NamedTuple):
    """One call that a `TableSimulator` carried out."""

    method: str
    argument: Any
    """The kinds of a read, the changes of a write, the n of a step, the name of a spawn or delete,
    the seed of a reset."""


class _Spawned(NamedTuple):
    model: TableModel
    pose: Pose


class TableSimulator:
    """Models that fly along their twists, or stand still if they are static; nothing collides.

    Args:
        timestep: Duration of one step [s].
        gravity: Acceleration of free models along -z [m/s^2].

    Attributes:
        timestep: Duration of one step [s].
        gravity: Acceleration of free models along -z [m/s^2].
        entities: The names of all entities.
        log: Every call that was carried out, oldest first.
    """

    def __init__(self, *, timestep: float = 0.01, gravity: float = 0.0) -> None:
        self.timestep = timestep
        self.gravity = gravity
        self.entities = Entities(0)
        self.log: list[Call] = []
        self._spawned: dict[str, _Spawned] = {}  # in the order of the model rows
        self._state = Tables.allocate(self.entities)
        self._steps = 0

    def calls(self, method: str) -> list[Any]:
        """The arguments of all calls of one method so far, such as ``"write"``."""
        return [call.argument for call in self.log if call.method == method]

    @property
    def time(self) -> float:
        """Simulated time [s] since the last reset."""
        return self._steps * self.timestep

    def step(self, n: int = 1) -> None:
        """Moves every free model n times along its twist.

        Raises:
            ValueError: n is less than 1.
            SimulationError: A position is no longer a finite number.
        """
        if n < 1:
            raise ValueError(f"a simulator advances by n >= 1 steps, got {n}")
        self.log.append(Call("step", n))
        pose, twist = self._state.models.pose[0], self._state.models.twist[0]
        models = [each.model for each in self._spawned.values()]
        falls = np.array([m.gravity and not m.static for m in models], dtype=np.bool_)
        for _ in range(n):
            twist[falls, 2] -= self.gravity * self.timestep
            with np.errstate(over="ignore"):  # reported below, by name
                pose[:, :3] += twist[:, :3] * self.timestep
            for row in np.flatnonzero(twist[:, 3:].any(axis=1)):
                rate = Vector3(*twist[row, 3:])
                turn = Quaternion.from_axis_angle(rate, rate.length * self.timestep)
                pose[row, 3:] = (turn * Quaternion(*pose[row, 3:])).normalized()
            self._steps += 1
        for name, finite in zip(self.entities.models, np.isfinite(pose).all(axis=1)):
            if not finite:
                raise SimulationError(f"model {name!r} left the range of numbers: reset the world")

    def reset(self, seed: int | None = None) -> None:
        """Puts every model at rest to its spawn pose, at time 0."""
        self.log.append(Call("reset", seed))
        self._steps = 0
        self._state.models.twist[:] = 0.0
        for row, each in enumerate(self._spawned.values()):
            self._state.models.pose[:, row] = each.pose

    def get_state(self) -> Any:
        """Steps, poses and twists."""
        models = self._state.models
        return self._steps, models.pose.copy(), models.twist.copy()

    def set_state(self, state: Any) -> None:
        """Goes back to an instant of a simulator with the same models.

        Raises:
            ValueError: It is one of another number of models.
        """
        steps, pose, twist = state
        models = self._state.models
        if pose.shape != models.pose.shape:
            raise ValueError(
                f"the state is of {pose.shape[1]} models, there are {models.pose.shape[1]}"
            )
        self._steps = steps
        models.pose[:], models.twist[:] = pose, twist

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Copies the named tables."""
        self._require_present(tables.entities.generation)
        self.log.append(Call("read", tuple(kinds)))
        if "links" in kinds:
            self._place_links()
        for kind in kinds:
            for column in COLUMNS[kind]:
                tables.column(kind, column)[:] = self._state.column(kind, column)

    def write(self, changes: Changes) -> list[Refusal]:
        """Applies a batch; refuses velocities of static models, and every link but the first."""
        self._require_present(changes.generation)
        self.log.append(Call("write", changes))
        refusals = []
        for kind in KINDS:
            for column in COLUMNS[kind]:
                if (kind, column) not in changes.cells:
                    continue
                for _, row, value in zip(*changes.cells[kind, column]):
                    reason = self._set(kind, column, int(row), value)
                    if reason is not None:
                        name = self.entities.names(kind)[row]
                        refusals.append(Refusal(kind, column, name, reason))
        return refusals

    def spawn(self, description: Any, name: str, pose: Pose) -> None:
        """Adds a model.

        Args:
            description: A `TableModel`.
            name: A name that no model has.
            pose: Of the model frame.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The name is empty or has ``::`` in it, or the description is not a
                `TableModel` with at least one link.
        """
        if name in self._spawned:
            raise DuplicateEntityError("model", name)
        if not name or SCOPE in name:
            raise SpawnError(name, f"a model's name is not empty and has no {SCOPE!r} in it")
        if not isinstance(description, TableModel) or not description.links:
            raise SpawnError(name, f"it takes a TableModel with a link, got {description!r}")
        self._become({**self._spawned, name: _Spawned(description, pose)})
        self._state.models.pose[:, self.entities.models.row(name)] = pose
        self.log.append(Call("spawn", name))

    def delete(self, name: str) -> None:
        """Removes a model.

        Raises:
            UnknownEntityError: There is no such model.
        """
        if name not in self._spawned:
            raise UnknownEntityError("model", name, self._spawned)
        self._become({other: each for other, each in self._spawned.items() if other != name})
        self.log.append(Call("delete", name))

    def close(self) -> None:
        """Frees nothing: memory is all it holds."""

    def _become(self, spawned: dict[str, _Spawned]) -> None:
        """Has these models from now on; the rows of those that it had already are kept."""
        links = [
            (name + SCOPE + link, each.model)
            for name, each in spawned.items()
            for link in each.model.links
        ]
        entities = Entities(
            self.entities.generation + 1,
            models=spawned,
            links=[link for link, _ in links],
            visuals=[link + SCOPE + visual for link, model in links for visual in model.visuals],
            lights=[link + SCOPE + light for link, model in links for light in model.lights],
        )
        state = Tables.allocate(entities)
        for kind in KINDS:
            before, after = self.entities.names(kind), entities.names(kind)
            stay = [name for name in before if name in after]
            for column in COLUMNS[kind]:
                kept = self._state.column(kind, column)[:, before.rows(stay)]
                state.column(kind, column)[:, after.rows(stay)] = kept
        self._spawned, self.entities, self._state = spawned, entities, state

    def _require_present(self, generation: int) -> None:
        if generation != self.entities.generation:
            raise ValueError(
                f"the rows are of generation {generation} of the entities, which are at "
                f"generation {self.entities.generation} now: look the rows up again"
            )

    def _links(self) -> list[tuple[int, TableModel, str]]:
        """Model row, model and own name of every link row."""
        return [
            (row, each.model, link)
            for row, each in enumerate(self._spawned.values())
            for link in each.model.links
        ]

    def _set(self, kind: Kind, column: str, row: int, value: Array) -> str | None:
        """Sets one cell, or says why not."""
        if kind == "links":
            model_row, model, link = self._links()[row]
            if link != model.links[0]:
                return f"it is fixed to link {model.links[0]!r}: move that one"
            return self._set("models", column, model_row, value)
        moves = (kind, column) == ("models", "twist") and np.any(value)
        if moves and self._spawned[self.entities.models[row]].model.static:
            return "a static model has no velocity: set its pose"
        self._state.column(kind, column)[:, row] = value
        return None

    def _place_links(self) -> None:
        models, links = self._state.models, self._state.links
        for row, (model_row, model, link) in enumerate(self._links()):
            links.pose[:, row] = models.pose[:, model_row]
            links.twist[:, row] = models.twist[:, model_row]
            if link in model.offsets:
                pose = Pose.from_array(models.pose[0, model_row])
                offset = model.offsets[link]
                arm = pose.transform_vector(offset.position)
                links.pose[:, row] = pose @ offset
                links.twist[:, row, :3] += np.cross(models.twist[:, model_row, 3:], arm)
