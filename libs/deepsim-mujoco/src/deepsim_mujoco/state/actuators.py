# SPDX-License-Identifier: Apache-2.0
"""The actuators table: MuJoCo's own actuators of MJCF models, apart from the servos of axes."""

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
_FIELDS = {
    "lower": ("actuator_ctrlrange", 0),
    "upper": ("actuator_ctrlrange", 1),
    "lower_effort": ("actuator_forcerange", 0),
    "upper_effort": ("actuator_forcerange", 1),
}
"""The model field of each limit, and its place in a range there."""
_MEASURED = {"length": "actuator_length", "velocity": "actuator_velocity"}


class Actuators:
    """The commands and states of n actuators in all worlds."""

    def __init__(self, states: WorldStates, servos: Servos) -> None:
        self._states, self._servos = states, servos
        self._names: Names = Entities(0).actuators
        self._commands: dict[str, Floats] = {
            name: np.zeros((states.worlds, 0)) for name in COMMANDS
        }
        self._numbers: Rows = np.zeros(0, np.intp)
        self._effort: Floats = np.zeros((states.worlds, 0))

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model; new actuators get described commands."""
        states, model, old = self._states, compiled.model, self._names
        self._names, self._numbers = compiled.entities.actuators, compiled.actuators
        start, numbers = compiled.layout.start, compiled.actuators
        control = model.actuator_ctrladr[numbers]
        self._control_at = start[Part.mjSTATE_CTRL] + control
        has_state = model.actuator_actnum[numbers] > 0
        (self._stateful,) = has_state.nonzero()
        # The last number is the state that changes the force (MuJoCo, XML reference, `actdim`).
        last = model.actuator_actadr[numbers] + model.actuator_actnum[numbers] - 1
        self._state_at = start[Part.mjSTATE_ACT] + last[has_state]
        self._range_at = {"actuator_ctrlrange": control, "actuator_forcerange": numbers}
        self._described = {"target": states.initial[:, self._control_at]}
        for name, (field, place) in _FIELDS.items():
            values = getattr(model, field)[self._range_at[field], place]
            limit = np.where(np.abs(values) < UNLIMITED, values, np.copysign(np.inf, values))
            self._described[name] = np.tile(limit, (states.worlds, 1))
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
        self._servos.force[:, numbers[here]] = self._effort[:, there]
        for name in _FIELDS:
            self._apply(name, every)

    def settle(self) -> None:
        """Keeps the efforts of the latest step; call it before a new model is adopted."""
        if len(self._names):
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
            out[:, self._stateful] = self._states.state[:, self._state_at]
        else:
            out[...] = self._commands[column]

    def write(self, changed: Mapping[str, Cells]) -> None:
        """Sets cells, by column name."""
        state = self._states.state
        for column, (worlds, rows, values) in changed.items():
            if column == "activation":
                at = np.full(len(self._names), -1)
                at[self._stateful] = self._state_at
                has_state = at[rows] >= 0
                state[worlds[has_state], at[rows[has_state]]] = values[has_state]
                self._states.version += 1
                continue
            self._commands[column][worlds, rows] = values
            if column == "target":
                state[worlds, self._control_at[rows]] = values
            else:
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
                if name == "target":
                    self._states.state[worlds[:, None], self._control_at] = values
                else:
                    self._apply(name, worlds)

    def _apply(self, column: str, worlds: WorldNumbers) -> None:
        """Passes limits to MuJoCo, unless they are as compiled."""
        values = self._commands[column][worlds]
        if column not in self._own and (values == self._described[column][worlds]).all():
            return
        self._own.add(column)
        values = np.clip(values, -UNLIMITED, UNLIMITED)
        field, place = _FIELDS[column]
        self._states.batch.expand(field)[worlds[:, None], self._range_at[field], place] = values
