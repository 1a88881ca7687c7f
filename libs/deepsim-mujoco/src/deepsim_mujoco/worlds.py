# SPDX-License-Identifier: Apache-2.0
"""Many worlds of one compiled model, as one batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import COLUMNS, KINDS, Changes, Entities, Kind, Refusal, SimulationError, Tables

from .batch_motion import BatchMotion
from .builder import Built
from .engine import mujoco
from .motion import STATE_KINDS, Motion
from .stepping import INTEGRATION, Chosen, stepping


class MujocoWorlds:
    """The physics of many worlds alike; `MujocoSimulator.copies` makes them.

    Nothing is drawn here, and physics is as described. To see world i, hand its state to the
    simulator that it was copied from, whose cameras stay as they are mounted::

        steps, rows = worlds.get_state()
        simulator.set_state((int(steps[i]), rows[i]))
        simulator.render(view)

    Args:
        model: The compiled model.
        built: The models in it.
        looks: The tables of one world, whose visuals and lights every world begins with.
        worlds: How many there are.
        threads: As for `MujocoSimulator.copies`.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        built: Sequence[Built],
        looks: Tables,
        worlds: int,
        threads: int | None,
    ) -> None:
        data = mujoco.MjData(model)
        self._entities = looks.entities
        self._timestep = float(model.opt.timestep)
        self._stepping = stepping(model, worlds, threads)
        self._first = np.empty(self._stepping.state.shape[1])
        mujoco.mj_getState(model, data, self._first, INTEGRATION)
        motion = Motion(model, data, built)
        self._motion = BatchMotion(model, data, motion, self._stepping.state)
        self._looks = Tables.allocate(self._entities, worlds)
        for kind in KINDS:
            for column in COLUMNS[kind]:
                self._looks.column(kind, column)[:] = looks.column(kind, column)
        self._steps = np.zeros(worlds, dtype=np.int64)
        self.reset(np.arange(worlds))

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        return len(self._steps)

    @property
    def entities(self) -> Entities:
        """The names of all entities."""
        return self._entities

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of each world [s], (W,): steps times step size."""
        return np.multiply(self._steps, self._timestep, dtype=np.float64)

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._timestep

    def step(self, n: int, chosen: Chosen) -> None:
        """Advances some worlds by exactly n >= 1 physics steps, on all threads.

        Raises:
            SimulationError: The physics of some diverged; only a reset of these helps.
        """
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        self._stepping.step(n, chosen)
        self._steps[chosen] += n
        diverged = chosen[self._stepping.diverged[chosen]]
        if len(diverged):
            raise SimulationError(
                f"the physics of worlds {diverged.tolist()} diverged by "
                f"t = {self.time[diverged[0]]:.4g} s: "
                "reset, then try a smaller step size or smaller forces"
            )

    def reset(self, chosen: Chosen, seeds: Sequence[int | None] | None = None) -> None:
        """Puts some worlds back to time 0; their states are copied, and nothing is compiled.

        MuJoCo has no random numbers, so seeds change nothing.
        """
        self._stepping.state[chosen] = self._first
        self._stepping.diverged[chosen] = False
        self._steps[chosen] = 0

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables of all worlds."""
        for state in STATE_KINDS:
            if state in kinds:
                table = tables.models if state == "models" else tables.links
                self._motion.read(state, table.pose, table.twist)
        for kind in KINDS:
            if kind in kinds and kind not in STATE_KINDS:
                for column in COLUMNS[kind]:
                    tables.column(kind, column)[:] = self._looks.column(kind, column)

    def write(self, changes: Changes) -> list[Refusal]:
        """Applies a batch: models before links, poses before twists; returns refused rows."""
        if changes.generation != self._entities.generation:
            raise ValueError(
                f"changes are for generation {changes.generation} of entities, "
                f"but it is {self._entities.generation} here: their rows are others"
            )
        refusals: list[Refusal] = []
        cells = changes.cells
        for state in STATE_KINDS:
            pose, twist = cells.get((state, "pose")), cells.get((state, "twist"))
            refusals += self._motion.write(state, pose, twist)
        for (kind, column), value in cells.items():
            if kind not in STATE_KINDS:
                self._looks.column(kind, column)[value.worlds, value.rows] = value.values
        return refusals

    def get_state(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Steps since the reset (W,), and MuJoCo's own integration states (W, n)."""
        return self._steps.copy(), self._stepping.state.copy()

    def set_state(self, state: tuple[NDArray[np.int64], NDArray[np.float64]]) -> None:
        """Goes back to an instant of these worlds or of others alike.

        Raises:
            ValueError: The state is one of other models, or of another number of worlds.
        """
        steps, rows = state
        if rows.shape != self._stepping.state.shape or steps.shape != self._steps.shape:
            raise ValueError(
                f"the state has shape {rows.shape}, and these worlds have one of "
                f"{self._stepping.state.shape}: it is one of other models or another number"
            )
        self._stepping.state[:] = rows
        self._stepping.diverged[:] = False
        self._steps[:] = steps

    def close(self) -> None:
        """Frees nothing: memory is all it holds."""
