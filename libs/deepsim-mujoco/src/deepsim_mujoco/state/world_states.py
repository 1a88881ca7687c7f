# SPDX-License-Identifier: Apache-2.0
"""The states of W worlds with the same compiled model, which MuJoCo steps as a batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_math.poses import compose
from deepsim_mujoco.imports import Batch as MujocoBatch
from deepsim_mujoco.imports import BatchError, mujoco
from deepsim_mujoco.spec.builder import Built
from deepsim_mujoco.spec.mjcf_actuators import actuator_name
from deepsim_sync import SimulationError, WorldNumbers

from .batches import Batch, Engine
from .bodies import Bodies
from .compiled import Compiled
from .layout import Floats, Part, Rows, kept_numbers

_BAD_POSITION = int(mujoco.mjtWarning.mjWARN_BADQPOS)
_BAD_CONTROL = int(mujoco.mjtWarning.mjWARN_BADCTRL)
_BAD = slice(_BAD_POSITION, _BAD_CONTROL + 1)
"""The warnings after which a world must be reset; their numbers are adjacent."""
_NO_SERVOS = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
_NO_CONSTRAINTS = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
_ONLY_LIMITS = int(
    mujoco.mjtDisableBit.mjDSBL_CONTACT
    | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
)
_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
_SEEING = (
    mujoco.mjtSensor.mjSENS_RANGEFINDER,
    mujoco.mjtSensor.mjSENS_GEOMDIST,
    mujoco.mjtSensor.mjSENS_GEOMNORMAL,
    mujoco.mjtSensor.mjSENS_GEOMFROMTO,
)
"""The sensors of MuJoCo that measure visuals, too."""
_GEOM = int(mujoco.mjtObj.mjOBJ_GEOM)
_AROUND_GEOM = int(mujoco.mjtWrap.mjWRAP_SPHERE)  # and mjWRAP_CYLINDER
_POSITIONS, _VELOCITIES = int(mujoco.mjtStage.mjSTAGE_POS), int(mujoco.mjtStage.mjSTAGE_VEL)
_IDENTITY = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])


class WorldStates:
    """The present and initial state of each world; `MujocoSimulator.step` advances them.

    Args:
        worlds: Number of worlds, W.
        engine: Makes the batches that step them.

    Attributes:
        compiled: The compiled model and its rows.
        model: MuJoCo's model, ``compiled.model``.
        batch: The batch that steps them.
        state: Integration state of each world, (W, n), from which the next step starts.
        starts: Start of each world's state in the flattened array, (W,).
        initial: States after a reset, (W, n).
        steps: Physics steps since the last reset, (W,); a new array after each change. These are
            floats, which are exact and need no conversion for the time.
        timestep: Duration of one step [s].
        mass_updates: Number of times that constants were derived from changed masses.
        version: Number that increases with each change; code that writes to `state` increments it.
        measure: Function that steps in place of the batch while sensors are watched; None
            otherwise.
        pushed: Whether forces may act on bodies in the next step.
        warnings: Place and count of MuJoCo's warnings in each world, (W, kinds, 2).
        known_warnings: The warnings that were examined last, as bytes.
    """

    compiled: Compiled
    model: mujoco.MjModel
    batch: Batch
    state: Floats
    starts: Rows
    initial: Floats

    def __init__(self, worlds: int, engine: Engine) -> None:
        self.worlds = worlds
        self._engine = engine
        self.steps: NDArray[np.float64] = np.zeros(worlds)
        self._timed: tuple[Any, NDArray[np.float64]] = (None, np.zeros(worlds))
        self.version = self.mass_updates = 0
        self.pushed = False
        self._derived = (-1, _POSITIONS)  # the version and stage of the derived fields
        self._stage = _POSITIONS  # the stage to derive
        self._derives_sensors = self._derives_limits = False
        self.measure: Callable[[int, WorldNumbers | None], None] | None = None

    def adopt(
        self,
        compiled: Compiled,
        added: Sequence[Built],
        poses: Floats,
    ) -> None:
        """Adopts a newly compiled model; common parts keep their state, bit for bit.

        Args:
            compiled: The compiled model and its rows.
            added: The new models.
            poses: Initial poses of the new models, (models, W, 7).
        """
        model, layout = compiled.model, compiled.layout
        actuators, start = layout.actuators, layout.start
        roots = [root.name for one in added for root in one.roots]
        places = np.repeat(poses, [len(one.roots) for one in added], axis=0)
        within = [one.places or [Pose()] * len(one.roots) for one in added]
        for row, place in enumerate(chain.from_iterable(within)):
            if place != Pose():
                places[row] = compose(places[row], np.asarray(place))
        batch = self._engine.batch(model, self.worlds)
        initial = batch.state.copy()
        starts = np.arange(self.worlds) * initial.shape[1]
        origins = np.tile(_IDENTITY, (len(roots), 1))
        new = Bodies(layout, starts, [layout.bodies[name] for name in roots], origins)
        initial.reshape(-1)[new.poses_at] = places.swapaxes(0, 1).reshape(-1, 7)
        for name, values in chain.from_iterable(one.positions.items() for one in added):
            address = start[Part.mjSTATE_QPOS] + int(model.joint(name).qposadr[0])
            initial[:, address : address + len(values)] = values
            if name in actuators and len(values) == 1:  # the servo follows its target from there
                address = start[Part.mjSTATE_ACT] + model.actuator_actadr[actuators[name]]
                initial[:, address] = values[0]
        for axis in chain.from_iterable(one.axes.values() for one in added):
            address = start[Part.mjSTATE_CTRL] + model.actuator_ctrladr[actuators[axis.name]]
            initial[:, address] = axis.target
        for own in chain.from_iterable(one.actuators.values() for one in added):
            number = actuators[own.actuator]
            address = start[Part.mjSTATE_CTRL] + model.actuator_ctrladr[number] + own.input
            initial[:, address] = own.target
            address = start[Part.mjSTATE_ACT] + model.actuator_actadr[number]
            initial[:, address : address + len(own.activation)] = own.activation
        batch.state[:] = initial
        if hasattr(self, "batch"):
            before, after = kept_numbers(self.compiled.layout, layout)
            initial[:, after] = self.initial[:, before]
            batch.state[:, after] = self.state[:, before]
            batch.warning[:] = self.batch.warning
            batch.warning[..., 0] = -1  # places in the old model are void
        self._bound: dict[str, Floats] = {}
        self.compiled = compiled
        self.model, self.batch, self.state = model, batch, batch.state
        self.starts, self.initial = starts, initial
        self._own_armature = np.tile(model.dof_armature, (self.worlds, 1))
        self._servo_armature = np.zeros_like(self._own_armature)
        self.warnings = batch.warning
        self.known_warnings = bytes(batch.warning.nbytes)
        first = start[Part.mjSTATE_XFRC_APPLIED]
        self._forces = slice(first, first + 6 * model.nbody)
        self.timestep = float(model.opt.timestep)
        self._duration = np.array(self.timestep)  # an array takes half the time of a number
        self._timed = None, self._timed[1]
        self.version += 1

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time, (W,) [s]; the same read-only array until a world steps."""
        steps, time = self._timed
        if steps is not self.steps:
            time = self.steps * self._duration
            time.setflags(write=False)
            self._timed = self.steps, time
        return time

    def let_go(self, chosen: WorldNumbers | None) -> None:
        """Clears the forces on bodies in worlds that have stepped."""
        self.state[slice(None) if chosen is None else chosen, self._forces] = 0.0
        self.pushed = bool(self.state[:, self._forces].any())

    def refuse_warned(self, chosen: WorldNumbers | None) -> None:
        """Raises SimulationError if MuJoCo warned in the latest step that a world diverged."""
        self.known_warnings = self.warnings.tobytes()
        is_bad = np.asarray(self.warnings[:, _BAD, 1].any(axis=1))
        bad = np.flatnonzero(is_bad) if chosen is None else chosen[is_bad[chosen]]
        if len(bad):
            self.refuse(bad, "reset them, then try a smaller step size or smaller forces")

    def refuse(self, bad: Rows, why: str) -> NoReturn:
        """Marks worlds as diverged; raises an error that names the joint or link, if known."""
        # Unlike arithmetic with very large numbers, that with NaN does not warn.
        self.state[bad] = np.nan
        at = f"t = {self.time[bad[0]]:.4g} s in worlds {bad.tolist()}{self._place(int(bad[0]))}"
        raise SimulationError(f"the physics diverged by {at}: {why}", bad.tolist())

    def _place(self, world: int) -> str:
        """Returns a phrase that names the joint or free link with bad numbers; empty if unknown."""
        kinds = np.flatnonzero(self.warnings[world, _BAD, 1])
        if not len(kinds):
            return ""
        kind, model = int(kinds[0]) + _BAD_POSITION, self.model
        number = int(self.warnings[world, kind, 0])
        if number < 0:
            return ""
        if kind == _BAD_CONTROL:
            actuator = int(np.searchsorted(model.actuator_ctrladr, number, side="right")) - 1
            name = model.actuator(actuator).name
            own = actuator_name(name)
            return f", at joint {name!r}" if own == name else f", at actuator {own!r}"
        if kind == _BAD_POSITION:
            joint = int(np.searchsorted(model.jnt_qposadr, number, side="right")) - 1
        else:
            joint = int(model.dof_jntid[number])
        name = model.joint(joint).name
        free = name.removeprefix("#free ")
        return f", at joint {name!r}" if free == name else f", at link {free!r}"

    def reset(self, chosen: WorldNumbers | slice) -> None:
        """Restores the initial states of some worlds."""
        self.set(0, self.initial[chosen], chosen)

    def set(self, steps: Any, state: Floats, chosen: WorldNumbers | slice) -> None:
        """Sets the states of some worlds."""
        self.state[chosen] = state
        self.steps = self.steps.copy()
        self.steps[chosen] = steps
        self.warnings[chosen] = 0
        self.pushed = True  # the state may hold forces
        self.version += 1

    def actuate(self, chosen: WorldNumbers) -> None:
        """Activates the servos of some worlds; inactive servos exert no force and cost no time."""
        self.batch.expand("opt.disableflags")[chosen] &= ~_NO_SERVOS

    def check_number(self, world: int) -> None:
        """Raises IndexError if there is no world with the number."""
        if not 0 <= world < self.worlds:
            raise IndexError(f"world must be one of 0 to {self.worlds - 1}, got {world}")

    def set_armature(
        self,
        worlds: WorldNumbers,
        dofs: Rows,
        *,
        own: Floats | None = None,
        servo: Floats | None = None,
    ) -> None:
        """Sets parts of the armature of degrees of freedom, whose sum MuJoCo uses.

        Args:
            worlds: Numbers of the w worlds.
            dofs: Numbers of the n degrees of freedom.
            own: Inertia of the rotors, (w, n) [kg m^2 or kg]; None leaves it.
            servo: Inertia that keeps servos in step with constraints, (w, n); None leaves it.
        """
        at = worlds[:, None], dofs
        if own is not None:
            self._own_armature[at] = own
        if servo is not None:
            self._servo_armature[at] = servo
        total = self._own_armature[at] + self._servo_armature[at]
        self.batch.expand("dof_armature")[at] = total

    def settle(self, worlds: WorldNumbers) -> None:
        """Updates the constants that MuJoCo derives from masses and inertias in some worlds.

        The inertia of servos does not count: it comes and goes with commands, after which the
        constants are not updated, so that they would depend on the order of commands and factors.
        """
        self.mass_updates += 1
        if not self._servo_armature[worlds].any():
            self.batch.set_const(worlds)
            return
        armature = self.batch.expand("dof_armature")
        armature[worlds] = self._own_armature[worlds]
        self.batch.set_const(worlds)
        self.batch.expand("dof_armature")[worlds] += self._servo_armature[worlds]

    def derived(self, name: str) -> Floats:
        """Returns MuJoCo's memory of a field that it derives, (W, ...); call `derive` to read it.

        It is bound at the first call, because bound fields are copied at each step.
        """
        found = self._bound.get(name)
        if found is None:
            found = self._bound[name] = self.batch.bind(name)
            self.version += 1  # so that MuJoCo derives it
        return found

    def inverse_weights(self) -> Floats:
        """Returns the inverse inertias of degrees of freedom in the initial pose, (nv,) or (W, nv).

        The inertia of servos does not count.
        """
        found: Floats = self.model.dof_invweight0
        if self.mass_updates:
            found = self.batch.expand("dof_invweight0")
        return found

    def derive_sensors(self, *, limits: bool) -> None:
        """Makes `derive` evaluate MuJoCo's sensors from now on, and the constraints of limits."""
        self._derives_sensors = True
        self._derives_limits |= limits
        self.version += 1

    def derive(self, *, velocities: bool = False) -> None:
        """Updates the fields that MuJoCo derives from positions.

        Args:
            velocities: Whether this and all later calls also update those derived from velocities.
        """
        if velocities:
            self._stage = _VELOCITIES
        if self._derived == (self.version, self._stage):
            return
        flags = self.batch.expand("opt.disableflags")
        before = flags.copy()
        # Contacts would take longer than everything that is read here.
        flags |= _ONLY_LIMITS if self._derives_limits else _NO_CONSTRAINTS
        if self._derives_sensors:
            flags &= ~_NO_SENSORS
        try:
            with suppress(BatchError):  # raised for worlds that diverged
                self.batch.forward(stage=self._stage)
        finally:
            self.batch.expand("opt.disableflags")[:] = before
        self._derived = self.version, self._stage


class MujocoEngine:
    """Steps worlds with MuJoCo.

    Args:
        threads: Number of threads, at most one per world; None for one per processor.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or os.cpu_count() or 1

    def check(self, model: mujoco.MjModel) -> None:
        """Accepts every model that MuJoCo compiles."""

    def batch(self, model: mujoco.MjModel, worlds: int) -> Batch:
        """Returns a batch of worlds, which skips visuals."""
        counts = model.body_geomnum.copy()
        model.body_geomnum[:] = _acting_geoms(model)
        try:
            made: Batch = MujocoBatch(model, worlds, min(worlds, self._threads))
        finally:
            model.body_geomnum[:] = counts
        return made


def _acting_geoms(model: mujoco.MjModel) -> NDArray[np.int32]:
    """Returns the number of geoms of each body without those of visuals at the end.

    No geom is left out that a sensor of an MJCF model may measure.

    In each step, MuJoCo updates all geoms and considers them for contacts, even visuals; for a
    playing field with its lines, this takes a quarter of the time.
    """
    acts = (model.geom_contype | model.geom_conaffinity) != 0
    acts |= model.geom_fluid[:, 0] != 0.0
    acts[model.pair_geom1] = acts[model.pair_geom2] = True
    acts[model.wrap_objid[model.wrap_type >= _AROUND_GEOM]] = True
    acts[model.sensor_objid[model.sensor_objtype == _GEOM]] = True
    acts[model.sensor_refid[model.sensor_reftype == _GEOM]] = True
    acts |= np.isin(model.sensor_type, _SEEING).any()
    (acting,) = acts.nonzero()
    body = model.geom_bodyid[acting]
    last: NDArray[np.int32] = np.zeros_like(model.body_geomnum)
    np.maximum.at(last, body, acting - model.body_geomadr[body] + 1)
    return last
