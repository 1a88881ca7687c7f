# SPDX-License-Identifier: Apache-2.0
"""W worlds that MuJoCo Warp steps, in the place of MuJoCo's batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import Batch as HostBatch
from deepsim_mujoco.imports import BatchError
from deepsim_mujoco.state.batches import Shots
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_spawn import CameraDescription
from deepsim_sync import WorldNumbers

from . import kernels
from .buffer import Buffer, Transfers, numbers, view
from .imports import mjw, wp
from .sensing import BatchCamera, RayCaster
from .servo_limits import ServoLimits

_INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_PARTS = {
    "time": mujoco.mjtState.mjSTATE_TIME,
    "qpos": mujoco.mjtState.mjSTATE_QPOS,
    "qvel": mujoco.mjtState.mjSTATE_QVEL,
    "act": mujoco.mjtState.mjSTATE_ACT,
    "history": mujoco.mjtState.mjSTATE_HISTORY,
    "qacc_warmstart": mujoco.mjtState.mjSTATE_WARMSTART,
    "ctrl": mujoco.mjtState.mjSTATE_CTRL,
    "qfrc_applied": mujoco.mjtState.mjSTATE_QFRC_APPLIED,
    "xfrc_applied": mujoco.mjtState.mjSTATE_XFRC_APPLIED,
    "eq_active": mujoco.mjtState.mjSTATE_EQ_ACTIVE,
    "mocap_pos": mujoco.mjtState.mjSTATE_MOCAP_POS,
    "mocap_quat": mujoco.mjtState.mjSTATE_MOCAP_QUAT,
    "userdata": mujoco.mjtState.mjSTATE_USERDATA,
}
"""The fields that hold the parts of a state."""
_STEPPED = ("time", "qpos", "qvel", "act", "history", "qacc_warmstart")
"""The parts that a step changes."""
_FIELDS = (
    "actuator_force",
    "actuator_length",
    "actuator_velocity",
    "cdof",
    "crb",
    "cvel",
    "qacc",
    "qfrc_bias",
    "qfrc_gravcomp",
    "sensordata",
    "site_xmat",
    "site_xpos",
    "subtree_com",
    "xipos",
    "xpos",
    "xquat",
)
"""The other fields that can be bound."""
_OF_MASSES = (
    "actuator_acc0",
    "body_invweight0",
    "body_subtreemass",
    "dof_invweight0",
    "tendon_invweight0",
)
"""The fields that MuJoCo derives from masses and inertias, and MuJoCo Warp uses."""
_SURFACES = (
    *("geom_condim", "geom_solmix", "geom_solref", "geom_solimp", "geom_friction", "geom_adhesion"),
    *("pair_dim", "pair_solref", "pair_solreffriction", "pair_solimp", "pair_adhesion"),
    "pair_friction",
)
"""The fields from which MuJoCo Warp derives the parameters of contacts."""
_FLAGS, _PRIORITY, _RANGE = "opt.disableflags", "geom_priority", "actuator_forcerange"
_AUTORESET = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)  # of no use here, and refused
_ACTUATION = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
_SENSOR = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
# With MuJoCo Warp's default, two boxes have 4 contacts in place of MuJoCo's 8.
_NATIVE = int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
_VELOCITIES = int(mujoco.mjtStage.mjSTAGE_VEL)
_WARNINGS = {
    kernels.BAD_POSITION: (mujoco.mjtWarning.mjWARN_BADQPOS, "qpos"),
    kernels.BAD_VELOCITY: (mujoco.mjtWarning.mjWARN_BADQVEL, "qvel"),
    kernels.BAD_ACCELERATION: (mujoco.mjtWarning.mjWARN_BADQACC, ""),
    kernels.BAD_CONTROL: (mujoco.mjtWarning.mjWARN_BADCTRL, "ctrl"),
}
"""By flag of `kernels.check`: MuJoCo's warning, and the part of the state with the number."""
_LARGEST = 1e10
# Bits of MuJoCo Warp's `OverflowType`.
_OF_CONSTRAINTS, _OF_CONTACTS, _OF_LANDSCAPES = 1 + 2, 4 + 8 + 16 + 64, 32 + 256


def flags_of(flags: int) -> int:
    """Returns the flags of MuJoCo Warp for those of MuJoCo.

    They hold for all worlds, so that servos always act; passive ones have no gains. Without
    actuation, MuJoCo Warp would compute other last bits.
    """
    return flags & ~(_AUTORESET | _ACTUATION) | _NATIVE


class CapacityError(BatchError):  # type: ignore[misc]
    """Worlds had more contacts or constraints than there is room for."""

    def __init__(self, ids: NDArray[np.intp], why: str) -> None:
        super().__init__(ids, why)
        self._why = why

    def __str__(self) -> str:
        return self._why


class _Bound(NamedTuple):
    """A field that is copied to the host after each call."""

    start: int
    size: int
    values: NDArray[np.float64]


class WarpBatch:
    """W worlds of one compiled model; see `deepsim_mujoco.state.batches.Batch`.

    The state on the host counts: each call uploads it, and downloads the state after it. A world
    that is not among the given ones keeps its state, although all worlds step together.

    Each kind of call is captured as a graph of kernels when it is repeated, or as several graphs if
    there are light servos, whose steps may be repeated.

    Args:
        model: The model, which is copied.
        worlds: Number of worlds.
        device: The device of warp.
        make: Returns the model and the data on the device, before the first call.
        transfers: Counts the copies.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        worlds: int,
        device: Any,
        make: Callable[[], tuple[Any, Any]],
        transfers: Transfers,
    ) -> None:
        # MuJoCo's batch keeps the values of models, and derives constants from masses.
        self._host = HostBatch(model, worlds)
        self._worlds, self.device, self._make = worlds, device, make
        self._template = mujoco.MjData(model)
        self._parts: dict[str, slice] = {}
        for name, part in _PARTS.items():
            start = mujoco.mj_stateSize(model, _INTEGRATION & (int(part) - 1))
            self._parts[name] = slice(start, start + mujoco.mj_stateSize(model, int(part)))
        filled = {name for name, part in self._parts.items() if part.stop > part.start}
        self._stepped = [name for name in self._parts if name in _STEPPED and name in filled]
        self._sizes = {name: np.asarray(getattr(self._template, name)).size for name in _FIELDS}
        room = sum(self._sizes.values()) + model.nactuator
        self.buffer = Buffer(worlds, self._host.state.shape[1], room, device, transfers)
        self.state = self.buffer.state
        self.state[:] = self._host.state
        self.warning = np.zeros_like(self._host.warning)
        self._bound: dict[str, _Bound] = {}
        self._expanded: dict[str, Any] = {}
        self._changed: set[str] = set()
        self._servos = np.flatnonzero(
            model.actuator_dyntype == int(mujoco.mjtDyn.mjDYN_PID)
        ).astype(np.int32)
        self._model: Any = None
        self.uses_graphs = True
        self._graphs: dict[Any, Any] = {}
        self._records: dict[Any, dict[str, Any]] = {}
        self._casters: dict[Any, RayCaster] = {}
        self._cameras: dict[Any, BatchCamera] = {}
        self._limits: ServoLimits | None = None

    # What the host reads and changes

    def bind(self, name: str) -> Any:
        """Returns a field of MjData, (W, ...), which each later call updates in place."""
        shape = np.asarray(getattr(self._template, name)).shape
        if name in self._parts:
            return self.state[:, self._parts[name]].reshape(self._worlds, *shape)
        if name not in self._bound:
            start, values = self.buffer.reserve(self._sizes[name])
            self._bound[name] = _Bound(start, self._sizes[name], values)
            self._graphs.clear()
        return self._bound[name].values.reshape(self._worlds, *shape)

    def expand(self, name: str) -> Any:
        """Returns a field of MjModel, (W, ...), to change in place; call it before each change."""
        self._changed.add(name)
        if name not in self._expanded:
            self._expanded[name] = self._host.expand(name)
        return self._expanded[name]

    def set_const(self, ids: WorldNumbers) -> None:
        """Updates the fields that MuJoCo derives from masses and inertias."""
        self._host.set_const(ids)
        for name in _OF_MASSES:
            self.expand(name)

    def get_model(self, sim: int, model: mujoco.MjModel | None = None) -> mujoco.MjModel:
        """Returns a model with the values of one world."""
        return self._host.get_model(sim, model)

    def get_data(self, sim: int, data: mujoco.MjData | None = None) -> mujoco.MjData:
        """Returns data with the state of one world."""
        self._host.state[sim] = self.state[sim]
        return self._host.get_data(sim, data)

    def limit_servos(self, limits: Floats, damping: Floats, push: Floats, dofs: Rows) -> Floats:
        """Keeps light servos within their limits; see `LimitsServos`."""
        self._prepare()
        with wp.ScopedDevice(self.device):
            if self._limits is None:
                stepped = [getattr(self._data, name) for name in self._stepped]
                start, self._freed = self.buffer.reserve(limits.shape[1])
                freed = self.buffer.there(start, limits.shape[1])
                own = self._model, self._data, stepped, self._chosen
                self._limits = ServoLimits(*own, freed, self.buffer.transfers)
            self._limits.set(limits, damping, push, dofs)
        return self._freed

    # Calls

    def step(self, ids: WorldNumbers | None = None, nstep: int = 1) -> None:
        """Advances worlds by physics steps."""

        def steps() -> None:
            for _ in range(nstep):
                self._step()

        self._run(("step", nstep), steps, ids)
        self._examine()

    def rollout(
        self, nstep: int, *, record: Sequence[str], ids: WorldNumbers | None = None
    ) -> dict[str, Any]:
        """Advances worlds; returns fields of MjData after each step, (w, nstep, ...)."""
        self._prepare()
        key = nstep, tuple(record)
        if key not in self._records:
            sizes = {name: np.asarray(getattr(self._template, name)).size for name in record}
            with wp.ScopedDevice(self.device):
                self._records[key] = {
                    name: wp.zeros((self._worlds, nstep, size), dtype=wp.float64)
                    for name, size in sizes.items()
                }
        there = self._records[key]

        def steps() -> None:
            for step in range(nstep):
                self._step()
                for name in record:
                    field = numbers(getattr(self._data, name), self._worlds)
                    inputs = [field, step, there[name]]
                    wp.launch(kernels.record, field.shape, inputs=inputs)

        self._run(("rollout", *key), steps, ids)
        chosen = slice(None) if ids is None else ids
        found = {}
        for name in record:
            self.buffer.transfers.downloads += 1
            shape = np.asarray(getattr(self._template, name)).shape
            values = there[name].numpy()[chosen]
            found[name] = values.reshape(len(values), nstep, *shape).copy()
        self._examine()
        return found

    def forward(self, *, stage: int) -> None:
        """Updates the fields that MuJoCo derives up to a stage, without a step."""

        def derive() -> None:
            model, data = self._model, self._data
            senses = not model.opt.disableflags & _SENSOR
            mjw.fwd_position(model, data)
            if senses:
                mjw.sensor_pos(model, data)
            if stage >= _VELOCITIES:
                mjw.fwd_velocity(model, data)
                if senses:
                    mjw.sensor_vel(model, data)

        self._run(("forward", stage), derive, None, is_step=False)

    def present(self, *, kinematics: bool) -> Any:
        """Uploads the states; returns the data on the device, with places of bodies if asked."""
        self._prepare()
        self.buffer.upload()
        self._unpack()
        if kinematics:
            mjw.fwd_kinematics(self._model, self._data)
        return self._data

    def cast_rays(self, site: int, rays: Floats, shown: NDArray[np.bool_]) -> Floats:
        """Returns the distances along rays of a site, (W, n) [m]; -1 without a hit."""
        self._prepare()
        with wp.ScopedDevice(self.device):
            key = site, rays.tobytes(), shown.tobytes()
            if key not in self._casters:
                self._casters[key] = RayCaster(self._model, site, rays, shown, self._worlds)
            data = self.present(kinematics=True)
            self.buffer.transfers.downloads += 1
            return self._casters[key].cast(data)

    def take_pictures(
        self, body: int, frames: Floats, angles: Floats, lens: CameraDescription
    ) -> Shots:
        """Returns pictures of a camera in all worlds; see `TakesPictures`."""
        self._prepare()
        with wp.ScopedDevice(self.device):
            self._send_models()
            key = lens.width, lens.height, lens.far
            if key not in self._cameras:
                self._cameras[key] = BatchCamera(self._host.model, lens, self._worlds)
            data = self.present(kinematics=True)
            self.buffer.transfers.downloads += 1
            return self._cameras[key].take(self._model, data, body, frames, angles)

    # The device

    def _prepare(self) -> None:
        """Makes model and data on the device before the first call."""
        if self._model is not None:
            return
        self._model, data = self._make()
        self._data = data
        with wp.ScopedDevice(self.device):
            self._chosen = wp.full(self._worlds, 1, dtype=wp.uint8)
            self._followed = wp.zeros((self._worlds, max(1, data.act.shape[1])), dtype=float)
            self._numbers_of_servos = wp.array(self._servos, dtype=int)
            pairs = np.stack([self._host.model.pair_geom1, self._host.model.pair_geom2], axis=1)
            ranges = self._host.model.actuator_forcerange[None]
            self._ranges = wp.array(ranges, dtype=wp.float64, ndim=3)
            self._pairs = wp.array(pairs.astype(np.int32), dtype=wp.vec2i)

    def _run(
        self,
        key: tuple[Any, ...],
        launch: Callable[[], None],
        ids: WorldNumbers | None,
        *,
        is_step: bool = True,
    ) -> None:
        """Uploads states, launches kernels, and downloads the results of the given worlds."""
        self._prepare()
        with wp.ScopedDevice(self.device):
            self._send_models()
            if ids is not None:
                mask = np.zeros(self._worlds, dtype=np.uint8)
                mask[ids] = 1
                self._chosen.assign(mask)
                self.buffer.transfers.models += 1
            self.buffer.upload()

            def finish() -> None:
                self._pack(is_step=is_step)

            def whole() -> None:
                self._unpack()
                launch()
                finish()

            if is_step and self._limits is not None and self._limits.is_active:
                self.replay("unpack", self._unpack)
                launch()
                self.replay("pack", finish)
            else:
                self.replay(key, whole)
            self.buffer.download()
            if ids is not None:
                self._chosen.fill_(1)

    def replay(self, name: Any, launch: Callable[[], None]) -> None:
        """Launches kernels, which depend on the flags; from the second time on as one graph.

        The first time compiles kernels, which a capture cannot do.
        """
        key = name, self._model.opt.disableflags
        if not self.uses_graphs or key not in self._graphs:
            launch()
            self._graphs[key] = None
            return
        graph = self._graphs[key]
        if graph is None:
            with wp.ScopedCapture() as capture:
                launch()
            graph = self._graphs[key] = capture.graph
        wp.capture_launch(graph)

    def wait(self) -> None:
        """Waits until the device has done everything."""
        wp.synchronize_device(self.device)

    def _unpack(self) -> None:
        """Copies states to the fields of the data."""
        state = self.buffer.state_there
        for name, part in self._parts.items():
            if part.stop > part.start:
                field = numbers(getattr(self._data, name), self._worlds)
                wp.launch(kernels.unpack, field.shape, inputs=[state, part.start, field])
        if len(self._servos):
            wp.copy(self._followed, self._data.act)
        self._data.overflow.zero_()

    def _pack(self, *, is_step: bool) -> None:
        """Copies results to the block for the host."""
        state, data = self.buffer.state_there, self._data
        if is_step:
            if len(self._servos):
                states = [self._model.actuator_actadr, self._followed, data.act]
                shape = self._worlds, len(self._servos)
                wp.launch(kernels.store_targets, shape, inputs=[self._numbers_of_servos, *states])
            for name in self._stepped:
                start = self._parts[name].start
                self._copy_out(numbers(getattr(data, name), self._worlds), start, state)
            checked = [data.qpos, data.qvel, data.qacc, data.ctrl, data.overflow, self._chosen]
            wp.launch(kernels.check, self._worlds, inputs=[*checked, self.buffer.status_there])
        for name, bound in self._bound.items():
            if bound.size:
                there = self.buffer.there(bound.start, bound.size)
                if name == "actuator_force":
                    ranges = _components(self._model.actuator_forcerange)
                    own = [data.actuator_force, self._model.actuator_forcelimited, ranges]
                    inputs = [*own, self._ranges, self._chosen, there]
                    wp.launch(kernels.pack_forces, data.actuator_force.shape, inputs=inputs)
                else:
                    self._copy_out(numbers(getattr(data, name), self._worlds), 0, there)

    def _copy_out(self, field: Any, first: int, out: Any) -> None:
        wp.launch(kernels.pack, field.shape, inputs=[field, self._chosen, first, out])

    def _step(self) -> None:
        """Launches the kernels of a physics step."""
        if self._limits is not None and self._limits.is_active:
            self._limits.step(self.replay, self._drive, self._advance, self._ranges)
        else:
            self._drive()
            self._advance()

    def _advance(self) -> None:
        mjw.step(self._model, self._data)

    def _drive(self) -> None:
        """Launches the kernel that evaluates the commands of servos."""
        model, data = self._model, self._data
        if len(self._servos):
            wp.launch(
                kernels.drive_servos,
                (self._worlds, len(self._servos)),
                inputs=[
                    self._numbers_of_servos,
                    model.actuator_ctrladr,
                    model.actuator_actadr,
                    model.opt.timestep,
                    _components(model.actuator_dynprm),
                    _components(model.actuator_biasprm),
                    data.ctrl,
                    self._followed,
                    data.act,
                ],
            )

    def _send_models(self) -> None:
        """Copies changed values of models to the device."""
        for name in sorted(self._changed):
            values = self._expanded[name]
            if name == _FLAGS:
                self._model.opt.disableflags = flags_of(int(np.bitwise_and.reduce(values)))
            elif name == _PRIORITY:
                self._send_priorities(values)
            else:
                self._send(name, values)
        self._changed.clear()

    def _send(self, name: str, values: NDArray[Any]) -> None:
        field = getattr(self._model, name)
        if field.shape[0] != self._worlds or not hasattr(field, "is_own"):
            field = wp.empty((self._worlds, *field.shape[1:]), dtype=field.dtype)
            field.is_own = True
            field._is_batched = True
            setattr(self._model, name, field)
            self._graphs.clear()
        numbers(field, self._worlds).assign(values.reshape(self._worlds, -1).astype(np.float32))
        if name == _RANGE:
            if self._ranges.shape != values.shape:
                self._ranges = wp.empty(values.shape, dtype=wp.float64)
            self._ranges.assign(values)
        self.buffer.transfers.models += 1

    def _send_priorities(self, values: NDArray[Any]) -> None:
        """MuJoCo Warp has one priority per geom for all worlds, so contacts are changed."""
        if self._model.callback.contactfilter is None:
            self._priorities = wp.empty(values.shape, dtype=int)
            self._model.callback.contactfilter = self._mix_surfaces
            self._graphs.clear()
        self._priorities.assign(values.astype(np.int32))
        self.buffer.transfers.models += 1

    def _mix_surfaces(self, model: Any, data: Any) -> None:
        contact = data.contact
        which = [data.nacon, contact.geom, contact.worldid, self._pairs, model.geom_priority]
        surfaces = [getattr(model, name) for name in _SURFACES]
        into = [contact.dim, contact.friction, contact.solref, contact.solimp]
        inputs = [*which, self._priorities, *surfaces, *into]
        wp.launch(kernels.mix_surfaces, data.naconmax, inputs=inputs)

    # Errors

    def _examine(self) -> None:
        """Counts warnings of bad numbers; raises CapacityError where contacts did not fit."""
        status = self.buffer.status
        if not status.any():
            return
        for world in np.flatnonzero(status[:, 0]).tolist():
            for flag, (kind, part) in _WARNINGS.items():
                if int(status[world, 0]) & flag:
                    place = self._place(world, part)
                    self.warning[world, int(kind)] = place, self.warning[world, int(kind), 1] + 1
        overflow = status[:, 1].astype(np.int64)
        data = self._data
        for bits, what, argument in (
            (_OF_CONTACTS, f"{data.naconmax // self._worlds} contacts per world", "contacts"),
            (_OF_CONSTRAINTS, f"{data.njmax} rows of constraints", "constraints"),
        ):
            (full,) = (overflow & bits).nonzero()
            if len(full):
                raise CapacityError(
                    full, f"there are more than {what}: raise {argument} of WarpSimulator"
                )
        (full,) = (overflow & _OF_LANDSCAPES).nonzero()
        if len(full):
            raise CapacityError(full, "a convex shape touches too many faces at once")

    def _place(self, world: int, part: str) -> int:
        """Returns the index of the first bad number in a part of a world's state, or -1."""
        if not part:
            return -1
        bad = ~(np.abs(self.state[world, self._parts[part]]) < _LARGEST)
        return int(bad.argmax()) if bad.any() else -1


def _components(field: Any) -> Any:
    """Returns a field of vectors as components in the same memory, (worlds, n, components)."""
    return view(field, float, (*field.shape, field.dtype._length_))
