# SPDX-License-Identifier: Apache-2.0
"""Models to be added, and the rules for their names and poses."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.errors import DuplicateEntityError, SpawnError

from .entities import SCOPE, Names
from .tables import column_of

WORLD_FRAMES = frozenset({"", "world", "map", "/map"})
"""Names of the world frame, as gazebo_msgs knows them."""


class SpawnRequest(NamedTuple):
    """A model to be added to every world.

    >>> world = World(TableSimulator())
    >>> world.spawn_many([SpawnRequest(TableModel(), f"ball{n}", Pose((n, 0, 1))) for n in (0, 1)])
    >>> list(world.entities.models)
    ['ball0', 'ball1']

    Attributes:
        description: What the backend builds models from (`deepsim_spawn.ModelDescription`).
        name: A name that no model has; not empty, and without ``::``, which joins names.
        pose: Pose of the model frame in the world frame: one for all worlds, (7,) or a `Pose`, or
            one for each, (W, 7). A simulator is given (W, 7), with unit quaternions.
    """

    description: Any
    name: str
    pose: ArrayLike


class Descriptions(NamedTuple):
    """The descriptions of a world's models and lights, for viewers.

    Models and lights from other sources of the engine are missing.

    Attributes:
        models: ``SpawnRequest.description`` of the whole models, by name.
        lights: Those of the lights that belong to no model (`deepsim_spawn.LightDescription`), by
            name.
        looks: The links and visuals (`deepsim_spawn.ModelDescription`) of models whose own
            description is in a format of the engine, by name.
    """

    models: Mapping[str, Any]
    lights: Mapping[str, Any]
    looks: Mapping[str, Any] = MappingProxyType({})


def checked_requests(
    requests: Iterable[SpawnRequest], worlds: int, taken: Names
) -> list[SpawnRequest]:
    """Returns spawn requests in the form that simulators take.

    Raises:
        DuplicateEntityError: A name is taken, or occurs twice.
        SpawnError: A name cannot be used.
        TypeError: A name is not a str.
        ValueError: A pose is not finite, or its quaternion is zero.
    """
    checked = []
    seen = set(taken)
    for request in requests:
        description, name, pose = SpawnRequest(*request)
        check_model_name(name)
        if name in seen:
            raise DuplicateEntityError("model", name)
        seen.add(name)
        checked.append(SpawnRequest(description, name, spawn_poses(name, pose, worlds)))
    return checked


def check_model_name(name: str) -> None:
    """Refuses a name that no model can have.

    Raises:
        SpawnError: It is empty, not printable, a name of the world frame, or has ``::`` in it.
        TypeError: It is not a str.
    """
    if not isinstance(name, str):
        raise TypeError(f"a model's name is a str, got {name!r}")
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
