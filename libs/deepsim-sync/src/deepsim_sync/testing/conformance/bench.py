# SPDX-License-Identifier: Apache-2.0
"""A simulator on the test bench: its rows by name, one call of the port each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import Pose
from deepsim_sync.changes import Cells, Changes, Refusal
from deepsim_sync.entities import KINDS, SCOPE, Entities, Kind
from deepsim_sync.simulator import Simulator
from deepsim_sync.tables import COLUMNS, Array, Tables


class Bench:
    """Reads and writes rows of a simulator by name.

    Args:
        simulator: The one to be tested.
        describe: Turns SDF text into what the simulator's ``spawn`` takes.

    Attributes:
        simulator: The one to be tested.
    """

    def __init__(self, simulator: Simulator, describe: Callable[[str], Any]) -> None:
        self.simulator = simulator
        self._describe = describe

    @property
    def entities(self) -> Entities:
        """The names of all entities."""
        return self.simulator.entities

    def spawn(self, sdf: str, name: str, pose: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Adds a model at x y z, or at x y z qx qy qz qw."""
        numbers = [*np.asarray(pose, dtype=np.float64)]
        placed = Pose(numbers[:3], numbers[3:] or (0.0, 0.0, 0.0, 1.0))
        self.simulator.spawn(self._describe(sdf), name, placed)

    def run(self, seconds: float) -> int:
        """Steps through a stretch of simulated time; returns the number of steps."""
        steps = round(seconds / self.simulator.timestep)
        self.simulator.step(steps)
        return steps

    def tables(self, kinds: Collection[Kind] = KINDS) -> Tables:
        """New tables with the named kinds read."""
        tables = Tables.allocate(self.simulator.entities)
        self.simulator.read(tables, kinds)
        return tables

    def get(self, kind: Kind, column: str, name: str) -> Array:
        """One cell."""
        tables = self.tables([kind])
        cell: Array = tables.column(kind, column)[0, tables.entities.names(kind).row(name)]
        return cell

    def pose(self, model: str) -> Array:
        """Pose of a model, (7,)."""
        return self.get("models", "pose", model)

    def twist(self, model: str) -> Array:
        """Twist of a model, (6,)."""
        return self.get("models", "twist", model)

    def write(
        self, cells: Mapping[tuple[Kind, str], Mapping[str, ArrayLike]]
    ) -> tuple[Refusal, ...]:
        """Writes one batch, given by (table, column) and then by name."""
        entities = self.simulator.entities
        batch = {}
        for (kind, column), values in cells.items():
            rows = entities.names(kind).rows(values)
            batch[kind, column] = Cells(
                np.zeros(len(rows), dtype=np.intp), rows, np.array([*values.values()])
            )
        return tuple(self.simulator.write(Changes(entities.generation, batch)))

    def state(self, *models: str) -> bytes:
        """All that the tables say of some models and of what is below them, bit for bit."""
        tables = self.tables()
        parts = []
        for kind in KINDS:
            names = tables.entities.names(kind)
            rows = names.rows(name for name in names if name.split(SCOPE)[0] in models)
            parts += [tables.column(kind, column)[:, rows].tobytes() for column in COLUMNS[kind]]
        return b"".join(parts)


def assert_same_pose(pose: ArrayLike, expected: ArrayLike, atol: float = 1e-9) -> None:
    """Compares two rows of seven; a quaternion and its negative are the same rotation."""
    given, wanted = np.asarray(pose), np.asarray(expected, dtype=np.float64)
    sign = 1.0 if given[3:] @ wanted[3:] >= 0.0 else -1.0
    np.testing.assert_allclose(given * [1, 1, 1, *[sign] * 4], wanted, rtol=0, atol=atol)
