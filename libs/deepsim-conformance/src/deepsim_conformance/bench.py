# SPDX-License-Identifier: Apache-2.0
"""A test bench, which reads and writes rows of a simulator by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.port.changes import Cells, Changes, Refusal
from deepsim_sync.port.column_type import Array
from deepsim_sync.port.entities import KINDS, SCOPE, Entities, Kind
from deepsim_sync.port.simulator import Simulator
from deepsim_sync.port.spawning import SpawnRequest, spawn_poses
from deepsim_sync.port.tables import ALL_COLUMNS, COLUMNS, Key, Tables

Rows = Mapping[Key, Mapping[str, ArrayLike]]
"""Values by (table, column) and then by name; a value is one cell or a cell for each world."""


class Bench:
    """Test bench that reads and writes rows of a simulator by name, with one call to the port each.

    Until a call names only some worlds, all worlds are `alike`: each read asserts that they have
    the same bits, and returns the values of the first.

    Attributes:
        precision: Largest error of a number [m, m/s, rad, rad/s]; see `Conformance`.
    """

    def __init__(
        self, simulator: Simulator, describe: Callable[[str], Any], precision: float = 1e-9
    ) -> None:
        self.simulator = simulator
        self.precision = precision
        self.worlds = simulator.worlds
        self.alike = True
        self._describe = describe

    @property
    def entities(self) -> Entities:
        return self.simulator.entities

    @property
    def acceleration_error(self) -> float:
        """Largest error of an acceleration, as the change of a velocity in a step [m/s²]."""
        return self.precision / float(self.simulator.timestep)

    @property
    def models(self) -> list[str]:
        return list(self.entities.models)

    @property
    def time(self) -> float:
        """Simulated time of the first world [s]."""
        times = self.simulator.time
        assert times.shape == (self.worlds,)
        assert not self.alike or (times == times[0]).all(), f"the worlds differ: {times}"
        return float(times[0])

    def request(self, sdf: str, name: str, pose: ArrayLike = (0.0, 0.0, 0.0)) -> SpawnRequest:
        """Returns a request; the pose is (3,) or (7,) for all worlds, or a row for each world."""
        given = np.asarray(pose, dtype=np.float64)
        self.alike &= given.ndim == 1
        if given.shape[-1] == 3:
            upright = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (*given.shape[:-1], 4))
            given = np.concatenate([given, upright], axis=-1)
        return SpawnRequest(self._describe(sdf), name, spawn_poses(name, given, self.worlds))

    def spawn(self, sdf: str, name: str, pose: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Adds a model to every world; see `request`."""
        self.simulator.spawn([self.request(sdf, name, pose)])

    def step(self, n: int = 1, worlds: Iterable[int] | None = None) -> None:
        """Advances some worlds by n steps."""
        self.simulator.step(n, self._numbers(worlds))

    def reset(self, worlds: Iterable[int] | None = None) -> None:
        """Resets some worlds."""
        self.simulator.reset(self._numbers(worlds))

    def run(self, seconds: float) -> float:
        """Advances by about `seconds` of simulated time; returns the exact duration [s]."""
        steps = round(seconds / self.simulator.timestep)
        self.simulator.step(steps)
        return steps * self.simulator.timestep

    def tables(self, columns: Collection[Key] = ALL_COLUMNS) -> Tables:
        """Returns new tables, in which the given columns are filled."""
        tables = Tables(self.simulator.entities, self.worlds)
        self.simulator.read(tables, columns)
        if self.alike and self.worlds > 1:
            for key in columns:
                first, *others = (cells.tobytes() for cells in tables.columns[key])
                unlike = [world for world, each in enumerate(others, 1) if each != first]
                assert not unlike, f"{key} of worlds {unlike} is not that of world 0"
        return tables

    def get(self, kind: Kind, column: str, name: str, world: int = 0) -> Array:
        """Returns one cell."""
        tables = self.tables([(kind, column)])
        cell: Array = tables.columns[kind, column][world, tables.entities.names(kind).row(name)]
        return cell

    def pose(self, model: str, world: int = 0) -> Array:
        """Returns the pose of a model, (7,)."""
        return self.get("models", "pose", model, world)

    def twist(self, model: str, world: int = 0) -> Array:
        """Returns the twist of a model, (6,)."""
        return self.get("models", "twist", model, world)

    def write(self, rows: Rows, worlds: Iterable[int] | None = None) -> tuple[Refusal, ...]:
        """Writes rows in some worlds; returns the refusals of the first, which all must share."""
        return self._first(self.simulator.write(self._batch(rows, worlds)), worlds)

    def tick(self, n: int, rows: Rows) -> tuple[Refusal, ...]:
        """Writes rows and steps n times in one call; returns the refusals of the first world."""
        return self._first(self.simulator.step(n, None, self._batch(rows)))

    def _batch(self, rows: Rows, worlds: Iterable[int] | None = None) -> Changes:
        chosen = self._numbers(worlds)
        numbers = np.arange(self.worlds) if chosen is None else chosen
        batch = {}
        for (kind, column), by_name in rows.items():
            spec = COLUMNS[kind][column]
            at = self.entities.names(kind).rows(by_name)
            values = np.empty((len(numbers), len(at), *spec.shape), spec.dtype)
            for place, value in enumerate(by_name.values()):
                self.alike &= np.ndim(value) == len(spec.shape)
                values[:, place] = value
            batch[kind, column] = Cells(
                np.repeat(numbers, len(at)),
                np.tile(at, len(numbers)),
                values.reshape(-1, *spec.shape),
            )
        return Changes(self.entities.generation, batch)

    def _first(
        self, refusals: Sequence[Refusal], worlds: Iterable[int] | None = None
    ) -> tuple[Refusal, ...]:
        numbers = range(self.worlds) if worlds is None else sorted(worlds)
        first, *others = ([r for r in refusals if r.world == world] for world in numbers)
        for other in others:
            assert [each[:4] for each in other] == [each[:4] for each in first]
        return tuple(first)

    def state(self, *models: str) -> bytes:
        """Returns the bits of all rows of some models and of everything within them."""
        return self.states(*models)[0]

    def states(self, *models: str) -> list[bytes]:
        """Returns the `state` of each world."""
        tables = self.tables()
        chosen = []
        for kind in KINDS:
            names = tables.entities.names(kind)
            rows = names.rows(name for name in names if name.split(SCOPE)[0] in models)
            chosen += [tables.columns[kind, column].take(rows, 1) for column in COLUMNS[kind]]
        return [b"".join(cells[w].tobytes() for cells in chosen) for w in range(self.worlds)]

    def close(self) -> None:
        """Closes the simulator, after asserting that worlds treated alike have stayed alike."""
        try:
            if self.worlds > 1:
                _ = self.time
                self.tables()
        finally:
            self.simulator.close()

    def _numbers(self, worlds: Iterable[int] | None) -> NDArray[np.intp] | None:
        if worlds is None:
            return None
        numbers = np.array(sorted(worlds), dtype=np.intp)
        self.alike &= len(numbers) in (0, self.worlds)
        return numbers


def assert_same_pose(pose: ArrayLike, expected: ArrayLike, atol: float = 1e-9) -> None:
    """Asserts that two poses are equal; a quaternion and its negative are the same rotation."""
    given, wanted = np.asarray(pose), np.asarray(expected, dtype=np.float64)
    sign = 1.0 if given[3:] @ wanted[3:] >= 0.0 else -1.0
    np.testing.assert_allclose(given * [1, 1, 1, *[sign] * 4], wanted, rtol=0, atol=atol)
