# SPDX-License-Identifier: Apache-2.0
"""The joints table: the state and the command of every axis, with MuJoCo's servos.

A servo of MuJoCo executes each command: in each physics step it evaluates targets and gains, clamps
the effort, and limits the speed of the target that it follows. Each world has separate gains and
limits as soon as they are set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deepsim_math import quaternions
from deepsim_mujoco.spec.servos import speed_limit
from deepsim_mujoco.spec.wheels import carried_inertia, servo_inertia
from deepsim_sync import COLUMNS, Cells, Entities, Names, WorldNumbers

from .compiled import Compiled
from .layout import Floats, Part, Rows, block
from .servos import Servos
from .world_states import WorldStates

COMMANDS = tuple(name for name, column in COLUMNS["joints"].items() if not column.changes_in_time)
_INPUTS = {"target_position": 0, "target_velocity": 1, "feedforward": 2}
"""Places of the targets and the feedforward in the control of a servo."""
_ACTIVE = ("feedforward", "stiffness", "damping")
"""The columns that can move a joint; while all of them are 0, the joint is passive."""
_STEPS_OF_INERTIA = 2.0
"""Inertia of a servo of mimic joints, in steps of its damping; see `Joints._steady`."""
_FIELDS = {
    "stiffness": ("actuator_biasprm", 1),
    "damping": ("actuator_biasprm", 2),
    "effort_limit": ("actuator_forcerange", 0),
    "velocity_limit": ("actuator_dynprm", 1),
}
"""The model field of each gain and limit, and its place among a servo's numbers there."""


class Joints:
    """The states and commands of all joint axes in all worlds."""

    def __init__(self, states: WorldStates, servos: Servos) -> None:
        self._states, self._servos = states, servos
        self._names: Names = Entities(0).joints
        self._commands: dict[str, Floats] = {
            name: np.zeros((states.worlds, 0)) for name in COMMANDS
        }
        self._passive = np.ones(states.worlds, dtype=np.bool_)  # worlds that had no command yet

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model; new axes get described commands, others keep theirs."""
        states, model, axes = self._states, compiled.model, compiled.axes
        old, self._names = self._names, compiled.entities.joints
        self._own: set[str] = set()  # the columns with separate numbers in each world
        self._described = {name: np.zeros(len(axes)) for name in COMMANDS}
        described = [
            (axis.target, *axis.gains, axis.description.effort, axis.description.velocity)
            for axis in axes
        ]
        columns = ("target_position", "stiffness", "damping", "effort_limit", "velocity_limit")
        self._described.update(zip(columns, np.reshape(described, (-1, 5)).T.copy(), strict=True))
        servos, start = compiled.layout.actuators, compiled.layout.start
        joint, dof = compiled.axis_joints, compiled.axis_dofs
        self._servo: Rows = np.array([servos[name] for name in self._names], dtype=np.intp)
        self._position = start[Part.mjSTATE_QPOS] + model.jnt_qposadr[joint]
        self._velocity = start[Part.mjSTATE_QVEL] + dof
        # (W, n) in the numbers of all worlds.
        self._numbers = states.state.reshape(-1)
        self._positions_at = states.starts[:, None] + self._position
        self._velocities_at = states.starts[:, None] + self._velocity
        first = np.flatnonzero([axis.ball != "" and axis.degree == 0 for axis in axes])
        self._balls = BallJoints(states, first, self._position[first]) if len(first) else None
        measured = {
            "position": (states.state, self._position),
            "velocity": (states.state, self._velocity),
        }
        if self._balls is not None:
            del measured["position"]
        blocks = {name: block(*where) for name, where in measured.items()}
        self._blocks = {name: each for name, each in blocks.items() if each is not None}
        self._followed = start[Part.mjSTATE_ACT] + model.actuator_actadr[self._servo]
        self._input = start[Part.mjSTATE_CTRL] + model.actuator_ctrladr[self._servo]
        following = [each for one in compiled.built for each in one.followers]
        self._followers = self._names.rows([each.name for each in following])
        self._leaders = self._names.rows([each.leader for each in following])
        self._coupled = np.unique(np.concatenate([self._leaders, self._followers]))
        self._coupled_dofs = dof[self._coupled]
        wheels = [wheel for one in compiled.built for wheel in one.wheels if wheel.joint]
        self._wheels = self._names.rows([wheel.joint for wheel in wheels])
        self._wheel_dofs = dof[self._wheels]
        self._carried = np.array([*carried_inertia(model, wheels)] if wheels else [])
        self._multiplier = np.array([each.multiplier for each in following])
        self._offset = np.array([each.offset for each in following])
        # By column, the cells that were written last, and their places.
        self._cells: dict[str, tuple[Rows, Rows, Rows, Rows]] = {}
        kept = [name for name in self._names if name in old]
        here, there = self._names.rows(kept), old.rows(kept)
        for name, values in self._commands.items():
            new = np.tile(self._described[name], (states.worlds, 1))
            new[:, here] = values[:, there]
            self._commands[name] = new
        self._servos.follow(self._commands, self._servo, dof, self._velocities_at, (there, here))
        if not self._passive.all():
            self._actuate(np.flatnonzero(~self._passive))
        for name in COMMANDS:
            if name not in _INPUTS:  # inputs are part of the kept states
                self._apply(name, np.arange(states.worlds))

    def read(self, column: str, out: Floats) -> None:
        """Fills one column, (W, n)."""
        adjacent = self._blocks.get(column)
        if adjacent is not None:
            out[...] = adjacent
        elif column == "position":
            self._numbers.take(self._positions_at, out=out, mode="clip")
            if self._balls is not None:
                self._balls.read(out)
        elif column == "velocity":
            self._numbers.take(self._velocities_at, out=out, mode="clip")
        elif column == "effort":
            out[...] = self._servos.effort
        else:
            out[...] = self._commands[column]

    def write(self, changed: Mapping[str, Cells]) -> None:
        """Sets cells, by column name."""
        state = self._states.state
        if not changed.keys() <= _INPUTS.keys():
            self._servos.settle()
        for column, (worlds, rows, values) in changed.items():
            if column == "position":
                # The servo starts from the new position to follow its target.
                state[worlds, self._followed[rows]] = values
                if self._balls is not None:
                    worlds, rows, values = self._balls.write(worlds, rows, values)
                state[worlds, self._position[rows]] = values
                self._let_follow(np.unique(worlds))
                self._states.version += 1
            elif column == "velocity":
                state[worlds, self._velocity[rows]] = values
                self._let_follow(np.unique(worlds))
                self._states.version += 1
            elif column in _INPUTS:
                self._write_input(column, worlds, rows, values)
            else:
                if column == "stiffness":  # an axis starts to follow from where it is
                    soft = (self._commands[column][worlds, rows] == 0.0).nonzero()
                    world, row = worlds[soft], rows[soft]
                    state[world, self._followed[row]] = self._positions(world, row)
                self._commands[column][worlds, rows] = values
                self._apply(column, np.unique(worlds))

    def measure(self, names: Sequence[str]) -> dict[str, Floats]:
        """Returns positions, velocities and efforts of some axes, (W, k) each."""
        rows, table = self._names.rows(names), np.empty((self._states.worlds, len(self._names)))
        found: dict[str, Floats] = {}
        for column in ("position", "velocity", "effort"):
            self.read(column, table)
            found[column] = table.take(rows, axis=1)
        return found

    def _positions(self, worlds: Rows, rows: Rows) -> Floats:
        """Returns the positions of cells, (k,)."""
        if self._balls is not None:
            table = np.empty((self._states.worlds, len(self._names)))
            self.read("position", table)
            return table[worlds, rows]
        found: Floats = self._states.state[worlds, self._position[rows]]
        return found

    def _write_input(self, column: str, worlds: Rows, rows: Rows, values: Floats) -> None:
        """Sets targets or feedforwards, which most tasks do in every tick."""
        last = self._cells.get(column)
        if last is None or worlds is not last[0] or rows is not last[1]:
            states = self._states
            in_state = states.starts[worlds] + self._input[rows] + _INPUTS[column]
            last = worlds, rows, worlds * len(self._names) + rows, in_state
            if not (worlds.flags.writeable or rows.flags.writeable):  # they cannot change
                self._cells[column] = last
        _, _, in_commands, in_state = last
        self._commands[column].reshape(-1)[in_commands] = values
        if column == "target_velocity":
            limit = self._commands["velocity_limit"].take(in_commands)
            values = np.clip(values, -limit, limit)
        self._numbers[in_state] = values
        if column == "feedforward" and self._passive.any():
            self._wake(np.unique(worlds[values != 0.0]))

    def _let_follow(self, worlds: WorldNumbers) -> None:
        """Sets the positions and velocities of mimicking axes to those that their leaders imply."""
        if len(self._followers):
            state, world = self._states.state, worlds[:, None]
            leading = state[world, self._position[self._leaders]]
            following = self._multiplier * leading + self._offset
            state[world, self._position[self._followers]] = following
            state[world, self._followed[self._followers]] = following
            leading = state[world, self._velocity[self._leaders]]
            state[world, self._velocity[self._followers]] = self._multiplier * leading

    def reset(self, worlds: WorldNumbers | None) -> None:
        """Restores the described commands of some worlds, whose states were reset before."""
        if len(self._names):
            self._servos.set(0.0, slice(None) if worlds is None else worlds)
            self.set_state({}, np.arange(self._states.worlds) if worlds is None else worlds)

    def get_state(self) -> dict[str, Floats]:
        """Returns the columns of commands that differ from the model description."""
        return {
            name: values.copy()
            for name, values in self._commands.items()
            if (values != self._described[name]).any()
        }

    def check_state(self, state: Mapping[str, Floats]) -> None:
        """Raises ValueError if the commands are for a different number of axes."""
        for name, values in state.items():
            if values.shape != self._commands[name].shape:
                raise ValueError(
                    f"the state has {name} of {values.shape[-1]} axes of joints, and these models "
                    f"have {len(self._names)}: it belongs to other models"
                )

    def set_state(self, state: Mapping[str, Floats], worlds: WorldNumbers) -> None:
        """Sets all commands of some worlds; columns not in the state get the described values."""
        for name, now in self._commands.items():
            values = state[name][worlds] if name in state else self._described[name]
            changed = worlds[(now[worlds] != values).any(axis=1)]
            if len(changed):
                now[worlds] = values
                self._apply(name, changed)

    def _wake(self, worlds: WorldNumbers) -> None:
        """Activates the servos in those worlds where they are passive."""
        acting = worlds[self._passive[worlds]]
        if len(acting):
            self._actuate(acting)
            self._passive[acting] = False

    def _actuate(self, worlds: WorldNumbers) -> None:
        self._states.actuate(worlds)
        self._servos.act()

    def _apply(self, column: str, worlds: WorldNumbers) -> None:
        """Passes one column of the commands to the servos of some worlds."""
        values = self._commands[column][worlds]
        if column in _ACTIVE:
            self._wake(worlds[values.any(axis=1)])
        if column in _INPUTS:
            if column == "target_velocity":
                limit = self._commands["velocity_limit"][worlds]
                values = np.clip(values, -limit, limit)
            self._states.state[worlds[:, None], self._input + _INPUTS[column]] = values
            return
        if column == "velocity_limit":
            self._apply("target_velocity", worlds)
        if column not in self._own and (values == self._described[column]).all():
            return  # as compiled
        self._own.add(column)
        self._servos.gains_changed()
        if column == "damping":
            self._steady(worlds)
        field, place = _FIELDS[column]
        numbers = self._states.batch.expand(field)[worlds[:, None], self._servo]
        if column == "effort_limit":
            numbers[..., 0], numbers[..., 1] = -values, values
        else:
            numbers[..., place] = speed_limit(values) if column == "velocity_limit" else -values
        self._states.batch.expand(field)[worlds[:, None], self._servo] = numbers

    def _steady(self, worlds: WorldNumbers) -> None:
        """Adds inertia to wheels and coupled axes, depending on the damping of their servos.

        MuJoCo integrates this damping implicitly, which slows an axis as if its inertia were larger
        by ``damping * timestep``. Constraints do not know this. Contacts push driven wheels too
        little; see `servo_inertia`. Mimic constraints let coupled axes that are much lighter run
        ahead by radians; with inertia of this size, both agree.
        """
        damping, timestep = self._commands["damping"][worlds], self._states.timestep
        if len(self._wheels):
            inertia = servo_inertia(damping[:, self._wheels], self._carried, timestep)
            self._states.set_armature(worlds, self._wheel_dofs, servo=inertia)
        if len(self._coupled):
            inertia = _STEPS_OF_INERTIA * timestep * damping[:, self._coupled]
            self._states.set_armature(worlds, self._coupled_dofs, servo=inertia)


class BallJoints:
    """A converter of ball joints' positions between quaternions and rotation vectors.

    The rotation vector [rad] turns the child link from its described to its present orientation;
    its components are along the axes of the child, and its length is at most pi.

    Args:
        states: The states.
        rows: First of the three rows of each ball joint, (b,).
        at: Start of each quaternion in the state of a world, (b,).
    """

    def __init__(self, states: WorldStates, rows: Rows, at: Rows) -> None:
        self._states = states
        self._rows = np.add.outer(rows, np.arange(3))  # (b, 3)
        self._at = np.add.outer(at, np.array([1, 2, 3, 0]))  # (b, 4), MuJoCo has w first

    def read(self, out: Floats) -> None:
        """Fills in the positions of ball joints among those of all axes, (W, n) [rad]."""
        turns = self._states.state.take(self._at, axis=1)
        out[:, self._rows] = quaternions.to_rotation_vector(turns)

    def write(self, worlds: Rows, rows: Rows, values: Floats) -> tuple[Rows, Rows, Floats]:
        """Sets the positions of cells (k,) [rad]; other components of a ball joint stay the same.

        Returns:
            Worlds, rows and values of the cells that belong to other joints.
        """
        others = np.ones(len(rows), dtype=np.bool_)
        state = self._states.state
        for ball, at in zip(self._rows, self._at, strict=True):
            (mine,) = np.isin(rows, ball).nonzero()
            if len(mine):
                vectors = quaternions.to_rotation_vector(state[:, at])
                vectors[worlds[mine], rows[mine] - ball[0]] = values[mine]
                state[worlds[mine, None], at] = quaternions.from_rotation_vector(
                    vectors[worlds[mine]]
                )
                others[mine] = False
        return worlds[others], rows[others], values[others]
