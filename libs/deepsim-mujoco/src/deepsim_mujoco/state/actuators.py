# SPDX-License-Identifier: Apache-2.0
"""The actuators table, of MuJoCo's own actuators of MJCF models."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deepsim_mujoco.spec.mjcf_actuators import UNLIMITED
from deepsim_sync import COLUMNS, Cells, Entities, Names, WorldNumbers

from .compiled import Compiled
from .layout import Floats, Part, Rows
from .servos import Servos
from .world_states import WorldStates

COMMANDS = tuple(
    name for name, column in COLUMNS["actuators"].items() if not column.changes_in_time
)
_ENDS = {"lower_effort": 0, "upper_effort": 1}
"""The place of each limit of the effort in its range."""
_MEASURED = {"length": "actuator_length", "velocity": "actuator_velocity"}


class Actuators:
    """The commands and states of n actuators in all worlds."""

    def __init__(self, states: WorldStates, servos: Servos) -> None:
        self._states, self._servos = states, servos
        self._names: Names = Entities(0).actuators
        self._commands: dict[str, Floats] = {
            name: np.zeros((states.worlds, 0)) for name in COMMANDS
        }
        self._described = self._commands
        self._numbers: Rows = np.zeros(0, np.intp)
        self._effort: Floats = np.zeros((states.worlds, 0))

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model; new actuators get described commands."""
        states, model, old = self._states, compiled.model, self._names
        self._names, layout = compiled.entities.actuators, compiled.layout
        numbers = [layout.actuators[row.actuator] for row in compiled.actuators]
        self._numbers = np.array(numbers, dtype=np.intp)
        inputs = np.array([row.input for row in compiled.actuators], dtype=np.intp)
        control = layout.start[Part.mjSTATE_CTRL] + model.actuator_ctrladr[self._numbers]
        self._control_at = control + inputs
        count = model.actuator_actnum[self._numbers]
        (self._stateful,) = (count > 0).nonzero()
        # The last state is the one that the force follows from (MuJoCo, XML reference, actdim).
        last = model.actuator_actadr[self._numbers] + count - 1
        self._state_at = layout.start[Part.mjSTATE_ACT] + last
        described = {
            "target": states.initial[:, self._control_at],
            "lower": np.array([row.lower for row in compiled.actuators]),
            "upper": np.array([row.upper for row in compiled.actuators]),
        }
        for name, place in _ENDS.items():
            limit = model.actuator_forcerange[self._numbers, place]
            described[name] = np.where(np.abs(limit) < UNLIMITED, limit, np.copysign(np.inf, limit))
        shape = states.worlds, len(self._names)
        self._described = {k: np.broadcast_to(v, shape).copy() for k, v in described.items()}
        self._own: set[str] = set()  # the limits that differ from the compiled ones
        kept = [name for name in self._names if name in old]
        here, there = self._names.rows(kept), old.rows(kept)
        for name, values in self._commands.items():
            new = self._described[name].copy()
            new[:, here] = values[:, there]
            self._commands[name] = new
        if not len(self._names):
            return
        every = np.arange(states.worlds)
        states.actuate(every)
        self._servos.act()
        self._servos.force[:, self._numbers[here]] = self._effort[:, there]
        for name in _ENDS:
            self._apply(name, every)

    def settle(self) -> None:
        """Keeps the efforts of the latest step; call it before a new model is adopted."""
        self._effort = self._servos.force[:, self._numbers]

    def read(self, column: str, out: Floats) -> None:
        """Fills one column, (W, n)."""
        if not len(self._names):
            return
        if column in _MEASURED:
            found = self._states.derived(_MEASURED[column])
            self._states.derive(velocities=column == "velocity")
            out[...] = found[:, self._numbers]
        elif column == "effort":
            out[...] = self._servos.force[:, self._numbers]
        elif column == "activation":
            out[...] = 0.0
            out[:, self._stateful] = self._states.state[:, self._state_at[self._stateful]]
        else:
            out[...] = self._commands[column]

    def write(self, changed: Mapping[str, Cells]) -> None:
        """Sets cells, by column name."""
        state = self._states.state
        for column, (worlds, rows, values) in changed.items():
            if column == "activation":
                has_state = np.isin(rows, self._stateful)
                at = self._state_at[rows[has_state]]
                state[worlds[has_state], at] = values[has_state]
                self._states.version += 1
            else:
                self._commands[column][worlds, rows] = values
                self._apply(column, np.unique(worlds))

    def reset(self, worlds: WorldNumbers | None) -> None:
        """Restores the described commands of some worlds, whose states were reset before."""
        if len(self._names):
            self.set_state({}, np.arange(self._states.worlds) if worlds is None else worlds)

    def get_state(self) -> dict[str, Floats]:
        """Returns the efforts, and the commands that differ from the description, (W, n) each."""
        changed = {
            name: values.copy()
            for name, values in self._commands.items()
            if (values != self._described[name]).any()
        }
        return {"effort": self._servos.force[:, self._numbers], **changed}

    def set_state(self, state: Mapping[str, Floats], worlds: WorldNumbers) -> None:
        """Sets efforts and commands of some worlds; those not in the state become as described."""
        self._servos.force[worlds[:, None], self._numbers] = (
            state["effort"][worlds] if "effort" in state else 0.0
        )
        for name, now in self._commands.items():
            values = state.get(name, self._described[name])[worlds]
            if (now[worlds] != values).any():
                now[worlds] = values
                self._apply(name, worlds)

    def _apply(self, column: str, worlds: WorldNumbers) -> None:
        """Passes one column of the commands to MuJoCo, in some worlds."""
        commands, world = self._commands, worlds[:, None]
        if column not in _ENDS:
            lower, upper = commands["lower"][worlds], commands["upper"][worlds]
            control = np.clip(commands["target"][worlds], lower, upper)
            self._states.state[world, self._control_at] = control
            return
        values = commands[column][worlds]
        if column in self._own or (values != self._described[column][worlds]).any():
            self._own.add(column)
            ranges = self._states.batch.expand("actuator_forcerange")
            ranges[world, self._numbers, _ENDS[column]] = np.clip(values, -UNLIMITED, UNLIMITED)
