# SPDX-License-Identifier: Apache-2.0
"""The servos of joint axes: physics steps within their effort limits, and the efforts of a step.

MuJoCo solves the damping of a servo for the velocity after the step, but not where it clamps the
effort. A servo with ``damping * timestep / inertia`` above 2 that is clamped once would be clamped
for ever, with alternating signs. Here such a light servo steps without its limit, and the step is
repeated with the effort at the limit if the effort of the step exceeds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_sync import WorldNumbers

from .batches import LimitsServos
from .layout import Floats, Rows
from .world_states import WorldStates

_UNLIMITED = 1e12  # [N m or N]
_TRUE = b"\1"  # of an array of bools
_LIGHT = 1.0
"""Values of ``damping * timestep / inertia`` above this make a servo light.

Servos alternate from 2 on; in other poses than the initial one, the inertia may be half as large.
"""
_DISCRETE = mujoco.mjtIntegrator.mjINT_DISCRETE
_IMPLICIT = (
    mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    mujoco.mjtIntegrator.mjINT_IMPLICIT,
    _DISCRETE,
)
"""The integrators that solve the damping of servos for the velocity after the step."""


class Servos:
    """The servos of n axes in all worlds."""

    def __init__(self, states: WorldStates) -> None:
        self._states = states
        self._effort: Floats = np.zeros((states.worlds, 0))
        self._is_pending = False  # whether the efforts of the latest step are yet to be computed
        self._found_for = -1  # the number of updates of masses that the light servos are found for
        self._has_light = False

    def follow(
        self,
        commands: Mapping[str, Floats],
        servo: Rows,
        dof: Rows,
        velocities_at: Rows,
        kept: tuple[Rows, Rows],
    ) -> None:
        """Adopts a newly compiled model.

        Args:
            commands: The columns of commands, (W, n) each, which change in place.
            servo: Number of each axis's actuator, (n,).
            dof: Degree of freedom of each axis, (n,).
            velocities_at: Places of the velocities in the states of all worlds, (W, n).
            kept: Rows of the axes that stay, before and now.
        """
        states, model = self._states, self._states.model
        self._commands, self._servo, self._dof = commands, servo, dof
        self._velocities_at, self._numbers = velocities_at, states.state.reshape(-1)
        effort = np.zeros((states.worlds, len(servo)))
        effort[:, kept[1]] = self._effort[:, kept[0]]
        self._effort = effort
        self._is_implicit = model.opt.integrator in _IMPLICIT
        self._is_discrete = model.opt.integrator == _DISCRETE
        self._bound: tuple[Floats, Floats] | None = None
        # Of the latest step, by actuator: the effort and the velocity at its beginning.
        self._first_effort, self._first_velocity = np.zeros((2, states.worlds, model.nactuator))
        # By actuator, whether it took the latest step without its limit, and by world, whether a
        # light servo was at its limit in the latest call.
        self._is_free = np.zeros(self._first_effort.shape, dtype=np.bool_)
        self._was_limited: NDArray[np.bool_] = np.zeros(states.worlds, dtype=np.bool_)
        self._any_limited = False
        self._freed: Floats | None = None  # in place of `_is_free`, if the batch limits servos
        self.gains_changed()

    def act(self) -> tuple[Floats, Floats]:
        """Starts to record efforts, because a servo acts from now on; returns MuJoCo's fields."""
        batch = self._states.batch
        self._bound = batch.bind("actuator_force"), batch.bind("actuator_velocity")
        return self._bound

    def gains_changed(self) -> None:
        """Has the next step look for light servos again."""
        self._found_for = -1

    # Efforts

    @property
    def force(self) -> Floats:
        """MuJoCo's forces of all actuators at the beginning of the latest step, in memory.

        (W, actuators), once a servo acts.
        """
        force: Floats = self._first_effort
        return force

    @property
    def effort(self) -> Floats:
        """Efforts of the latest step, (W, n) [N m or N]; 0 after a reset."""
        self.settle()
        return self._effort

    def settle(self) -> None:
        """Computes the efforts of the latest step; call it before velocities or gains change.

        The efforts of a step are not computed unless they are read or something changes.
        """
        if self._is_pending:
            self._is_pending = False
            self._effort = self._efforts(slice(None))

    def set(self, effort: Floats | float, worlds: WorldNumbers | slice) -> None:
        """Sets the efforts of worlds whose states were set."""
        self.settle()
        self._effort[worlds] = effort

    def _record(self, worlds: WorldNumbers | None, force: Floats, velocity: Floats) -> None:
        """Keeps MuJoCo's numbers of the step that some worlds have taken."""
        if self._freed is not None:
            some = slice(None) if worlds is None else worlds
            self._is_free[some] = self._freed[some] != 0.0
        if worlds is None:
            np.copyto(self._first_effort, force)
            np.copyto(self._first_velocity, velocity)
            self._is_pending = True
        else:
            self._first_effort[worlds] = force[worlds]
            self._first_velocity[worlds] = velocity[worlds]
            self._effort[worlds] = self._efforts(worlds)

    def _efforts(self, worlds: WorldNumbers | slice) -> Floats:
        """Returns the efforts of the latest step in some worlds, (w, n)."""
        first: Floats = self._first_effort[worlds].take(self._servo, axis=1)
        first += 0.0  # never -0.0
        if not self._is_implicit:
            return first
        commands = self._commands
        limit, is_free = commands["effort_limit"][worlds], self._is_free[worlds]
        is_clamped = (np.abs(first) >= limit) & ~is_free.take(self._servo, axis=1)
        velocity = self._first_velocity[worlds].take(self._servo, axis=1)
        now = self._numbers.take(self._velocities_at[worlds])
        effort = first - commands["damping"][worlds] * (now - velocity)
        if self._is_discrete:  # the stiffness acts on the position after the step, too
            effort -= commands["stiffness"][worlds] * self._states.timestep * now
        return np.where(is_clamped, first, effort)

    # Steps

    def step(
        self, n: int, worlds: WorldNumbers | None, record: Sequence[str] = ()
    ) -> dict[str, Floats]:
        """Advances some worlds by n steps.

        Returns:
            MuJoCo's fields named in `record` after each step, (w, n, ...).
        """
        if self._found_for != self._states.mass_updates:
            self._find_light()
        found: dict[str, Floats] = {}
        if self._has_light and self._freed is None:
            found = self._step_within_limits(n, worlds, record)
        elif record:
            found = self._states.batch.rollout(n, record=record, ids=worlds)
        else:
            self._states.batch.step(worlds, nstep=n)
        if self._bound is not None:
            self._record(worlds, *self._bound)
        return found

    def _find_light(self) -> None:
        """Finds the servos that count as light, and removes their limits in MuJoCo.

        With a light servo, all limited ones of its tree count as light, because they are coupled.
        """
        self.settle()
        states, commands, servo = self._states, self._commands, self._servo
        self._found_for = states.mass_updates
        weight = states.inverse_weights().take(self._dof, axis=-1)
        ratio = commands["damping"] * states.timestep * weight
        limit = commands["effort_limit"]
        is_light = (commands["damping"] > 0.0) & (limit > 0.0) & (limit < np.inf)
        has_light = np.zeros((states.model.ntree, states.worlds), dtype=np.bool_)
        tree = states.model.dof_treeid[self._dof]
        np.logical_or.at(has_light, tree, (is_light & (ratio > _LIGHT)).T)
        is_light &= has_light[tree].T & self._is_implicit
        had_light, self._has_light = self._has_light, bool(is_light.any())
        self._is_free[:, servo] = is_light
        if not self._has_light and not had_light:
            return
        half = np.where(is_light, _UNLIMITED, np.minimum(limit, _UNLIMITED))
        ranges = states.batch.expand("actuator_forcerange")
        ranges[:, servo] = np.stack([-half, half], axis=-1)
        # By actuator, (W, actuators): limits, inf for those that are not light, and gains.
        shape = self._first_effort.shape
        self._limit = np.full(shape, np.inf)
        self._limit[:, servo] = np.where(is_light, limit, np.inf)
        self._damping, self._push = np.zeros((2, *shape))
        self._damping[:, servo] = commands["damping"]
        self._push[:, servo] = commands["stiffness"] * states.timestep
        self._speeds_at = np.zeros(shape, dtype=np.intp)
        self._speeds_at[:, servo] = self._velocities_at
        if isinstance(states.batch, LimitsServos):
            dofs = np.zeros(shape[1], dtype=np.intp)
            dofs[servo] = self._dof
            push = self._push if self._is_discrete else np.zeros(shape)
            self._freed = states.batch.limit_servos(self._limit, self._damping, push, dofs)

    def _step_within_limits(
        self, n: int, worlds: WorldNumbers | None, record: Sequence[str]
    ) -> dict[str, Floats]:
        """Advances by n steps, one by one in worlds where a light servo reaches its limit.

        Others advance at once, apart from those where one was limited in the latest call; to
        advance these one by one has the same result.
        """
        found: dict[str, Floats] = {}
        if worlds is None and not self._any_limited:
            found, again = self._step_at_once(n, None, record)
            if again is None:
                return found
            free = ids = np.arange(self._states.worlds)
        else:
            ids = np.arange(self._states.worlds) if worlds is None else np.asarray(worlds)
            free, again = np.flatnonzero(~self._was_limited[ids]), None
            if len(free):
                found, again = self._step_at_once(n, ids[free], record)
                if again is None and len(free) == len(ids):
                    return found
        is_limited = self._was_limited[ids]
        if again is not None:
            is_limited[free[again]] = True
        (limited,) = is_limited.nonzero()
        for name, values in self._step_one_by_one(n, ids[limited], record).items():
            merged = np.empty((len(ids), *values.shape[1:]), values.dtype)
            if name in found:
                merged[free] = found[name]
            merged[limited] = values
            found[name] = merged
        return found

    def _step_at_once(
        self, n: int, worlds: Rows | None, record: Sequence[str]
    ) -> tuple[dict[str, Floats], Rows | None]:
        """Advances w worlds by n steps, apart from those where an effort exceeds a limit.

        Returns:
            The recorded fields, and which of the w worlds did not advance; None for none.
        """
        states, batch = self._states, self._states.batch
        before, warned = states.state.copy(), states.warnings.tobytes()
        limit = self._limit if worlds is None else self._limit[worlds]
        if n == 1 and not record:
            batch.step(worlds)
            found: dict[str, Floats] = {}
            excess = self._taken(*self._first(worlds), self._speeds(worlds), worlds)
        else:
            names = (*record, "actuator_force", "actuator_velocity")
            found = batch.rollout(n, record=names, ids=worlds)
            effort, velocity = found.pop("actuator_force"), found.pop("actuator_velocity")
            later = np.empty_like(velocity)
            later[:, :-1], later[:, -1] = velocity[:, 1:], self._speeds(worlds)
            excess, limit = self._taken(effort, velocity, later, worlds), limit[:, None]
        exceeds = np.abs(excess, out=excess) > limit
        new_warnings = n > 1 and states.warnings.tobytes() != warned
        if not new_warnings and _TRUE not in exceeds.tobytes():  # a fifth of the time of `any`
            return found, None
        is_void = exceeds.reshape(len(exceeds), -1).any(axis=1)
        ids = np.arange(states.worlds) if worlds is None else worlds
        old = np.frombuffer(warned, states.warnings.dtype).reshape(states.warnings.shape)
        # MuJoCo does not record the steps after a warning.
        is_void |= new_warnings & (states.warnings != old).any(axis=(1, 2))[ids]
        (again,) = is_void.nonzero()
        ids = ids[again]
        states.state[ids], states.warnings[ids] = before[ids], old[ids]
        return found, again if len(again) else None

    def _speeds(self, worlds: Rows | None) -> Floats:
        """Returns the present velocities by actuator, (w, actuators)."""
        at = self._speeds_at if worlds is None else self._speeds_at[worlds]
        speeds: Floats = self._numbers.take(at)
        return speeds

    def _first(self, worlds: Rows | None) -> tuple[Floats, Floats]:
        """Returns MuJoCo's efforts and velocities of the latest step, (w, actuators)."""
        force, velocity = self._bound or self.act()
        return (force, velocity) if worlds is None else (force[worlds], velocity[worlds])

    def _taken(
        self, effort: Floats, velocity: Floats, later: Floats, worlds: Rows | None
    ) -> Floats:
        """Returns the efforts of steps without limits, (w, actuators) or (w, n, actuators).

        Args:
            effort: MuJoCo's efforts at the beginnings of the steps.
            velocity: Velocities at the beginnings.
            later: Velocities at the ends.
            worlds: The worlds.
        """
        damping, push = self._damping, self._push
        if worlds is not None:
            damping, push = damping[worlds], push[worlds]
        if effort.ndim > 2:
            damping, push = damping[:, None], push[:, None]
        taken: Floats = later - velocity
        taken *= damping
        np.subtract(effort, taken, out=taken)
        if self._is_discrete:
            taken -= push * later
        return taken

    def _step_one_by_one(self, n: int, ids: Rows, record: Sequence[str]) -> dict[str, Floats]:
        """Advances by n steps, each of which is tried without limits."""
        found: dict[str, list[Floats]] = {name: [] for name in record}
        is_limited = np.zeros(len(ids), dtype=np.bool_)
        for _ in range(n):
            is_limited |= self._try_step(ids)
            for name, values in found.items():
                values.append(self._states.batch.bind(name)[ids])
        self._was_limited[ids] = is_limited
        self._any_limited = bool(self._was_limited.any())
        return {name: np.stack(values, axis=1) for name, values in found.items()}

    def _try_step(self, ids: Rows) -> NDArray[np.bool_]:
        """Takes a step without the limits of light servos, apart from those that exceed them.

        The servo that exceeds its limit by the largest factor gets the effort of its limit, and the
        step is repeated, until none exceeds it.

        Returns:
            Whether a light servo is at its limit, (w,).
        """
        states = self._states
        batch = states.batch
        before, warned = states.state[ids], states.warnings[ids]
        kept = batch.expand("actuator_forcerange")[ids]
        limit = self._limit[ids]
        is_free = limit < np.inf
        is_limited = np.zeros(len(ids), dtype=np.bool_)
        some = np.arange(len(ids))
        try:
            while True:
                now = ids[some]
                batch.step(now)
                self._is_free[now] = is_free[some]
                effort = self._taken(*self._first(now), self._speeds(now), now)
                factor = np.where(is_free[some], np.abs(effort) / limit[some], 0.0)
                exceeds = (np.abs(effort) > limit[some]) & is_free[some]
                again = np.flatnonzero(exceeds.any(axis=1))
                if not len(again):
                    return is_limited
                worst = np.where(exceeds, factor, 0.0)[again].argmax(axis=1)
                some, now, effort = some[again], now[again], effort[again, worst]
                is_free[some, worst] = False
                is_limited[some] = True
                # Equal ends of a range make MuJoCo apply just this effort.
                ranges = batch.expand("actuator_forcerange")
                ranges[now, worst] = np.copysign(limit[some, worst], effort)[:, None]
                states.state[now], states.warnings[now] = before[some], warned[some]
        finally:
            batch.expand("actuator_forcerange")[ids] = kept
