# SPDX-License-Identifier: Apache-2.0
"""Requests to spawn models, and validation of their names and poses."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.errors import DuplicateEntityError, SpawnError

from .entities import SCOPE, Kind, Names
from .tables import column_of

WORLD_FRAMES = frozenset({"", "world", "map", "/map"})
"""Names of the world frame in gazebo_msgs."""


class SpawnRequest(NamedTuple):
    """A request to add a model to every world.

    >>> world = World(TableSimulator())
    >>> world.spawn_many([SpawnRequest(TableModel(), f"ball{n}", Pose((n, 0, 1))) for n in (0, 1)])
    >>> list(world.entities.models)
    ['ball0', 'ball1']

    Attributes:
        description: Description that the simulator accepts, such as
            `deepsim_spawn.ModelDescription`.
        name: Unused name of the model; printable, not empty, and without ``::``.
        pose: Pose of the model frame in the world frame: a `Pose` or (7,) for all worlds, or
            (W, 7). A simulator receives (W, 7) with unit quaternions.
    """

    description: Any
    name: str
    pose: ArrayLike


class Control(NamedTuple):
    """A control of a model's own file, and the cell of a table that executes it.

    To apply the control u, put ``scale * u + offset`` into the cell.
    """

    name: str
    """Name in the file."""
    kind: Kind
    """The table, ``joints`` or ``actuators``."""
    row: str
    """Name of the row."""
    column: str
    """The column."""
    scale: float
    """Factor from the units of the file to those of the column."""
    offset: float
    """Value of the column for the control 0."""
    lower: float
    """Lowest control in the units of the file; -inf without a limit."""
    upper: float
    """Highest control; inf without a limit."""


class Descriptions(NamedTuple):
    """The descriptions of a world's models and lights, and its gravity, for viewers.

    Models and lights that did not come from descriptions are missing.

    >>> simulator = TableSimulator()
    >>> simulator.spawn([SpawnRequest(TableModel(static=True), "wall", Pose())])
    >>> simulator.descriptions.models["wall"].static
    True

    Attributes:
        models: ``SpawnRequest.description`` of each top-level model, by name.
        lights: `deepsim_spawn.LightDescription` of each light outside models, by name.
        looks: `deepsim_spawn.ModelDescription` with the links and visuals of each model whose
            description is in the engine's own format, by name.
        controls: The controls of each model whose file has some, in the order of the file, by name.
        gravity: Gravity (x, y, z) [m/s^2]; None if the engine does not tell it.
    """

    models: Mapping[str, Any]
    lights: Mapping[str, Any]
    looks: Mapping[str, Any] = MappingProxyType({})
    controls: Mapping[str, Sequence[Control]] = MappingProxyType({})
    gravity: tuple[float, ...] | None = None


def checked_requests(
    requests: Iterable[SpawnRequest], worlds: int, taken: Names
) -> list[SpawnRequest]:
    """Validates spawn requests, and returns them with poses (W, 7).

    Raises:
        DuplicateEntityError: A name is in use, or occurs twice.
        SpawnError: A name is invalid.
        TypeError: A name is not a str.
        ValueError: A pose is not finite, or its quaternion is zero.
    """
    checked = []
    seen = set(taken)
    for request in requests:
        description, name, pose = SpawnRequest(*request)
        _check_model_name(name)
        if name in seen:
            raise DuplicateEntityError("model", name)
        seen.add(name)
        checked.append(SpawnRequest(description, name, spawn_poses(name, pose, worlds)))
    return checked


def _check_model_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a model's name must be a str, got {name!r}")
    if not name or not name.isprintable() or SCOPE in name:
        raise SpawnError(name, f"a model's name is printable, not empty, and has no {SCOPE!r}")
    if name in WORLD_FRAMES:
        raise SpawnError(name, "that is a name of the world frame")


def spawn_poses(name: str, pose: ArrayLike, worlds: int) -> NDArray[np.float64]:
    """Returns the pose of one model in every world, (W, 7), with unit quaternions."""
    given = np.asarray(pose, dtype=np.float64)
    cells = given[:, None] if given.ndim == 2 else given
    one: Sequence[str] = [name]
    pose_of = column_of("models", "pose")
    values = pose_of.checked(Names("models", one), np.zeros(1, np.intp), cells, worlds)
    return np.broadcast_to(values, (worlds, 1, 7))[:, 0].copy()
