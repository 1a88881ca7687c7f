# SPDX-License-Identifier: Apache-2.0
"""A world as numeric tables: one row per entity, a leading axis for parallel worlds.

Every array has shape (W, N, ...): W worlds of the same entities (1 unless a simulator runs
many), N rows in the order of the table's names. Numbers are float64 in SI units, in the world
frame, which is right-handed with z up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .entities import Entities, Kind, Names

Array = NDArray[Any]


class Column(NamedTuple):
    """What one column of a table holds."""

    width: tuple[int, ...]
    """Shape of one cell."""
    default: tuple[float, ...] | float | bool
    """What a cell holds before it was read."""
    dtype: type = np.float64
    unit_range: bool = False
    """Whether every number must lie in 0..1."""


_COLOR = Column((4,), (0.0, 0.0, 0.0, 1.0), unit_range=True)
_STATE = {
    "pose": Column((7,), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)),
    "twist": Column((6,), (0.0,) * 6),
}
COLUMNS: dict[Kind, dict[str, Column]] = {
    "models": _STATE,
    "links": _STATE,
    "visuals": {
        "ambient": _COLOR,
        "diffuse": _COLOR,
        "specular": _COLOR,
        "emissive": _COLOR,
        "transparency": Column((), 0.0, unit_range=True),
        "visible": Column((), True, np.bool_),
    },
    "lights": {
        "diffuse": _COLOR,
        "specular": _COLOR,
        "attenuation": Column((3,), (1.0, 0.0, 0.0)),
    },
}
"""The columns of every table; allocation, checks and changes all follow this one list."""


@dataclass(frozen=True)
class StateTable:
    """Pose and twist of models or links.

    A model's pose is the pose of its own frame; a link's is that of the link frame, not of the
    centre of mass. A twist is the velocity of that frame's origin and the angular velocity.

    Attributes:
        names: The entity of each row.
        pose: (W, N, 7): x y z [m], unit quaternion qx qy qz qw.
        twist: (W, N, 6): linear [m/s], then angular [rad/s].
    """

    names: Names
    pose: NDArray[np.float64]
    twist: NDArray[np.float64]


@dataclass(frozen=True)
class VisualTable:
    """How visuals look.

    Attributes:
        names: The entity of each row.
        ambient: (W, N, 4) RGBA, 0..1; so are diffuse, specular and emissive.
        transparency: (W, N), 0 is opaque and 1 invisible.
        visible: (W, N) bool.
    """

    names: Names
    ambient: NDArray[np.float64]
    diffuse: NDArray[np.float64]
    specular: NDArray[np.float64]
    emissive: NDArray[np.float64]
    transparency: NDArray[np.float64]
    visible: NDArray[np.bool_]


@dataclass(frozen=True)
class LightTable:
    """The colour and reach of lights.

    Attributes:
        names: The entity of each row.
        diffuse: (W, N, 4) RGBA, 0..1; so is specular.
        attenuation: (W, N, 3): constant [1], linear [1/m] and quadratic [1/m^2] terms.
    """

    names: Names
    diffuse: NDArray[np.float64]
    specular: NDArray[np.float64]
    attenuation: NDArray[np.float64]


@dataclass(frozen=True)
class Tables:
    """The four tables of a world at one generation of its entities."""

    entities: Entities
    models: StateTable
    links: StateTable
    visuals: VisualTable
    lights: LightTable

    @classmethod
    def allocate(cls, entities: Entities, worlds: int = 1) -> Tables:
        """Tables of the right shape, every cell at its column's default."""

        def arrays(kind: Kind) -> list[Array]:
            rows = len(entities.names(kind))
            return [
                np.broadcast_to(column.default, (worlds, rows, *column.width)).astype(column.dtype)
                for column in COLUMNS[kind].values()
            ]

        return cls(
            entities,
            StateTable(entities.models, *arrays("models")),
            StateTable(entities.links, *arrays("links")),
            VisualTable(entities.visuals, *arrays("visuals")),
            LightTable(entities.lights, *arrays("lights")),
        )

    def column(self, kind: Kind, name: str) -> Array:
        """One column, (W, N, ...)."""
        array: Array = getattr(getattr(self, kind), name)
        return array

    def read_only(self) -> Tables:
        """The same memory, protected against assignment."""

        def protected(array: Array) -> Array:
            view = array.view()
            view.flags.writeable = False
            return view

        return self._views(self.entities, protected)

    def of_world(self, world: int, entities: Entities) -> Tables:
        """The same memory of one world alone, (1, N, ...).

        Args:
            world: Its number.
            entities: The same names, at that world's own generation.
        """
        return self._views(entities, lambda array: array[world : world + 1])

    def _views(self, entities: Entities, view: Callable[[Array], Array]) -> Tables:
        def arrays(kind: Kind) -> list[Array]:
            return [view(self.column(kind, name)) for name in COLUMNS[kind]]

        return Tables(
            entities,
            StateTable(entities.models, *arrays("models")),
            StateTable(entities.links, *arrays("links")),
            VisualTable(entities.visuals, *arrays("visuals")),
            LightTable(entities.lights, *arrays("lights")),
        )
