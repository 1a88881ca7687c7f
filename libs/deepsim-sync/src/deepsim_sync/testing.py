# SPDX-License-Identifier: Apache-2.0
"""The smallest simulator: bodies without extent, in memory.

It serves tests of tasks and effects, and is the simplest example of a simulator.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, poses, quaternions, vectors

from .errors import SimulationError, SpawnError, UnknownEntityError
from .port.cameras import CameraMounts, Cameras, DepthCameras
from .port.capabilities import Contacts, Dynamics, Snapshots
from .port.changes import Cells, Changes, Refusal
from .port.entities import SCOPE, Entities, Kind
from .port.physics_properties import PhysicsProperties
from .port.sensors import Sensors
from .port.simulator import Seeds, WorldNumbers
from .port.spawning import Descriptions, SpawnRequest, checked_requests
from .port.tables import ALL_COLUMNS, Key, Tables

__all__ = ["Call", "TableModel", "TableSimulator"]

_FARTHEST = 1e100  # distance at which a model has diverged [m]


@dataclass(frozen=True)
class TableModel:
    """The description of a model of `TableSimulator`: a rigid body without extent.

    >>> TableModel(links=("base", "arm"), offsets={"arm": Pose((0, 0, 1))}).static
    False

    Attributes:
        links: Names of the links. The first one is the model frame; the others are fixed to it.
        offsets: Poses of the other links in the model frame, by name; the identity by default.
        visuals: Names of the visuals of every link.
        lights: Names of the lights of every link.
        static: Whether the model stays where it is put; otherwise it moves freely.
        gravity: Whether a model that is not static falls.

    Raises:
        ValueError: An offset is for the first link, or for an unknown one.
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
                f"offsets must be for links after the first, {self.links[1:]}, got {misplaced[0]!r}"
            )


class Call(NamedTuple):
    """One call that a `TableSimulator` carried out.

    >>> simulator = TableSimulator(timestep=0.01)
    >>> simulator.step(5)
    ()
    >>> [call.method for call in simulator.log]
    ['step']
    """

    method: str
    argument: Any = None
    """Columns of a read, changes of a write, n of a step, seeds of a reset, names of a spawn, or
    name of a delete."""
    worlds: tuple[int, ...] | None = None
    """Worlds of a step or reset; None for all."""


class _Link(NamedTuple):
    name: str  # without its model
    row: int  # of its model
    model: TableModel


class TableSimulator:
    """A simulator of models that follow their twists, or stand still if static; nothing collides.

    It offers snapshots, but no other capability.

    >>> simulator = TableSimulator(timestep=0.1)
    >>> simulator.spawn([SpawnRequest(TableModel(), "ball", Pose())])
    >>> simulator.step(5)
    ()
    >>> simulator.calls("step")
    [5]

    Attributes:
        gravity: Acceleration of free models along -z [m/s^2].
        log: Every successful call, oldest first.
        cameras, depth_cameras, camera_mounts, contacts, dynamics, sensors, physics: None; tests may
            assign an implementation.
    """

    cameras: Cameras | None = None
    depth_cameras: DepthCameras | None = None
    camera_mounts: CameraMounts | None = None
    contacts: Contacts | None = None
    dynamics: Dynamics | None = None
    sensors: Sensors | None = None
    physics: PhysicsProperties | None = None
    snapshots: Snapshots | None

    def __init__(self, *, worlds: int = 1, timestep: float = 0.01, gravity: float = 0.0) -> None:
        if worlds < 1:
            raise ValueError(f"worlds must be >= 1, got {worlds}")
        self.worlds = worlds
        self.timestep = timestep
        self.gravity = gravity
        self.entities = Entities(0)
        self.log: list[Call] = []
        self.snapshots = self
        self._spawned: list[SpawnRequest] = []  # in the order of the model rows
        self._links: list[_Link] = []  # in the order of the link rows
        self._state = Tables(self.entities, worlds)
        self._steps = np.zeros(worlds, dtype=np.intp)

    def calls(self, method: str) -> list[Any]:
        """Returns the arguments of all calls to a method such as ``"write"``, oldest first."""
        return [call.argument for call in self.log if call.method == method]

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the present models."""
        return Descriptions({each.name: each.description for each in self._spawned}, {})

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time since the last reset of each world, (W,) [s]; a new array."""
        time: NDArray[np.float64] = self._steps * np.float64(self.timestep)
        return time

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Moves every free model n times along its twist; beyond 1e100 m a model has diverged."""
        if n < 1:
            raise ValueError(f"n must be >= 1 steps, got {n}")
        refusals = () if changes is None else self.write(changes)
        if refusals:
            return refusals
        self._note("step", n, worlds)
        chosen = self._chosen(worlds)
        models = self._state.models
        pose, twist = models.pose[chosen], models.twist[chosen]
        described = [each.description for each in self._spawned]
        falls = [model.gravity and not model.static for model in described]
        for _ in range(n):
            twist[:, np.flatnonzero(falls), 2] -= self.gravity * self.timestep
            with np.errstate(over="ignore"):  # reported below
                pose[..., :3] += twist[..., :3] * self.timestep
            self._turn(pose, twist)
        models.pose[chosen], models.twist[chosen] = pose, twist
        self._steps[chosen] += n
        lost = ~np.asarray((np.abs(pose) < _FARTHEST).all(axis=-1))
        if lost.any():
            name = self.entities.models[int(np.argmax(lost.any(axis=0)))]
            diverged = chosen[lost.any(axis=1)].tolist()
            raise SimulationError(
                f"model {name!r} of world {diverged[0]} is out of range: reset it", diverged
            )
        return ()

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds to time 0, with every model at its spawn pose and at rest."""
        self._note("reset", None if seeds is None else tuple(seeds), worlds)
        chosen = self._chosen(worlds)
        self._steps[chosen] = 0
        self._state.models.twist[chosen] = 0.0
        for row, each in enumerate(self._spawned):
            self._state.models.pose[chosen, row] = np.asarray(each.pose)[chosen]

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Copies the named columns of all worlds."""
        self._require_present(tables.entities.generation)
        self._note("read", tuple(columns))
        if any(kind == "links" for kind, _ in columns):
            self._place_links()
        for kind, column in columns:
            tables.columns[kind, column][:] = self._state.columns[kind, column]

    def write(self, changes: Changes) -> list[Refusal]:
        """Applies changes, and returns those that it refuses.

        It refuses nonzero twists of static models, all changes to links other than the first one of
        a model, and all forces.
        """
        self._require_present(changes.generation)
        self._note("write", changes)
        keys = [key for key in ALL_COLUMNS if key in changes.cells]
        return [refusal for key in keys for refusal in self._set(*key, changes.cells[key])]

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models, described by `TableModel`, to every world, all or none."""
        checked = checked_requests(requests, self.worlds, self.entities.models)
        for model, name, _ in checked:
            if not isinstance(model, TableModel) or not model.links:
                raise SpawnError(name, f"expected a TableModel with a link, got {model!r}")
        if checked:
            self._become([*self._spawned, *checked])
            for _, name, pose in checked:
                self._state.models.pose[:, self.entities.models.row(name)] = pose
        self._note("spawn", tuple(name for _, name, _ in checked))

    def delete(self, name: str) -> None:
        """Removes a model from every world."""
        if name not in self.entities.models:
            raise UnknownEntityError("model", name, self.entities.models)
        self._become([each for each in self._spawned if each.name != name])
        self._note("delete", name)

    def close(self) -> None:
        """Logs the call; there is nothing to close."""
        self._note("close")

    def get_state(self) -> Any:
        """Returns the names of models, the steps, poses and twists."""
        models = self._state.models
        names = tuple(self.entities.models)
        return names, self._steps.copy(), models.pose.copy(), models.twist.copy()

    def set_state(self, state: Any) -> None:
        """Restores a state of a simulator with the same models and worlds."""
        names, steps, pose, twist = state
        if (names, len(steps)) != (tuple(self.entities.models), self.worlds):
            raise ValueError(
                f"the state is of {len(steps)} world(s) with {names}, "
                f"there are {self.worlds} with {tuple(self.entities.models)}"
            )
        self._steps[:] = steps
        self._state.models.pose[:], self._state.models.twist[:] = pose, twist

    def _note(self, method: str, argument: Any = None, worlds: WorldNumbers | None = None) -> None:
        numbers = None if worlds is None else tuple(map(int, worlds))
        self.log.append(Call(method, argument, numbers))

    def _chosen(self, worlds: WorldNumbers | None) -> WorldNumbers:
        return np.arange(self.worlds) if worlds is None else np.asarray(worlds, dtype=np.intp)

    def _require_present(self, generation: int) -> None:
        if generation != self.entities.generation:
            raise ValueError(
                f"the rows are of generation {generation} of the entities, but the present one is "
                f"{self.entities.generation}: look the rows up again"
            )

    def _become(self, spawned: list[SpawnRequest]) -> None:
        """Replaces the models; those that stay keep their rows' values."""
        links, visuals, lights = {}, [], []
        for row, (model, name, _) in enumerate(spawned):
            for own in model.links:
                link = name + SCOPE + own
                links[link] = _Link(own, row, model)
                visuals += [link + SCOPE + visual for visual in model.visuals]
                lights += [link + SCOPE + light for light in model.lights]
        names, number = [each.name for each in spawned], self.entities.generation + 1
        self.entities = Entities(number, models=names, links=links, visuals=visuals, lights=lights)
        state = Tables(self.entities, self.worlds)
        state.carry_over(self._state)
        self._spawned, self._links, self._state = spawned, list(links.values()), state

    def _turn(self, pose: NDArray[np.float64], twist: NDArray[np.float64]) -> None:
        """Turns models by their angular velocities for one step."""
        spinning = twist[..., 3:].any(axis=-1)
        if spinning.any():
            rate = twist[spinning][:, 3:]
            turn = quaternions.from_axis_angle(rate, vectors.length(rate) * self.timestep)
            turned = quaternions.multiply(turn, pose[spinning][:, 3:])
            pose[spinning, 3:] = quaternions.normalize(turned)

    def _set(self, kind: Kind, column: str, cells: Cells) -> list[Refusal]:
        """Sets the cells of a column, and returns the refused ones."""
        refusals = []
        for world, row, value in zip(*cells):
            into, at, reason = kind, int(row), None
            if column in ("force", "torque"):
                reason = "a TableSimulator has no forces"
            elif kind == "links":
                link = self._links[at]
                first = link.model.links[0]
                into, at = "models", link.row
                if link.name != first:
                    reason = f"it is fixed to link {first!r}: move that one"
            moves = (into, column) == ("models", "twist") and np.any(value)
            if moves and self._spawned[at].description.static:
                reason = "a static model has no velocity: set its pose"
            if reason is None:
                self._state.columns[into, column][world, at] = value
            else:
                name = self.entities.names(kind)[row]
                refusals.append(Refusal(kind, column, name, reason, int(world)))
        return refusals

    def _place_links(self) -> None:
        models, links = self._state.models, self._state.links
        for row, link in enumerate(self._links):
            pose, twist = models.pose[:, link.row], models.twist[:, link.row]
            links.pose[:, row], links.twist[:, row] = pose, twist
            links.center_of_mass[:, row] = pose[:, :3]
            offset = link.model.offsets.get(link.name)
            if offset is not None:
                arm = quaternions.rotate(pose[:, 3:], offset.position)
                links.pose[:, row] = poses.compose(pose, np.asarray(offset))
                links.twist[:, row, :3] += vectors.cross(twist[:, 3:], arm)
