# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics by mink, one world at a time; requires the extra ``mink``.

A step is a quadratic program with joint limits as constraints. When some joints are at their
limits, the others take over at once, which least squares achieves only gradually.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mink
import numpy as np
from numpy.typing import NDArray

from deepsim_math import quaternions
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_sync import WorldNumbers

_SOLVER = "daqp"
_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions


class Place(NamedTuple):
    """A point of a link and some joints, by their numbers in the compiled model."""

    body: int
    """Number of the body that carries the point."""
    point: Floats
    """Position in the frame of the body, (3,) [m]."""
    turn: Floats
    """Orientation of the link in the frame of the body, (4,) x y z w."""
    dofs: Rows
    """Degrees of freedom of the joints, (k,)."""


class MinkSolver:
    """A solver of inverse kinematics that works step by step; see `deepsim_sync.PoseSolver`.

    Args:
        single: Loader of single worlds.
        place: Function that looks up a point of a link and joints in the compiled model.
    """

    def __init__(
        self, single: SingleWorld, place: Callable[[str, Sequence[str], Floats], Place]
    ) -> None:
        self._single, self._place = single, place
        self._configuration: Any = None

    def next_positions(
        self,
        link: str,
        joints: Sequence[str],
        goals: Floats,
        worlds: WorldNumbers,
        positions: Floats,
        *,
        limits: tuple[Floats, Floats],
        point: Floats,
        axes: int,
        step: float,
        damping: float,
    ) -> NDArray[np.float64]:
        """Returns joint positions (w, k) that are one step closer to the goals."""
        place = self._place(link, joints, point)
        found = np.empty_like(positions)
        for number, world in enumerate(worlds.tolist()):
            model, data = self._single.load(world)
            if self._configuration is None or self._configuration.model is not model:
                self._configuration = mink.Configuration(model)
            self._configuration.data = data
            self._configuration.update()
            task = _Reach(place, goals[number], axes)
            box = _Box(place.dofs, positions[number], limits, step)
            rates = mink.solve_ik(
                self._configuration,
                [task],
                1.0,
                _SOLVER,
                damping=damping * damping,
                limits=[box],
            )
            found[number] = positions[number] + rates[place.dofs]
        return np.clip(found, *limits)


class _Reach(mink.Task):  # type: ignore[misc]  # of an extra
    """The task of moving a point of a body to a pose or, with three axes, to a position."""

    def __init__(self, place: Place, goal: Floats, axes: int) -> None:
        super().__init__(cost=np.ones(axes))
        self._goal, self._axes, self._its = goal, axes, place

    def compute_error(self, configuration: Any) -> Floats:
        """Returns the error of the point relative to the goal, in world axes, (axes,) [m, rad]."""
        data, its = configuration.data, self._its
        body = data.xquat[its.body].take(_XYZW)
        here = data.xpos[its.body] + quaternions.rotate(body, its.point)
        now = quaternions.multiply(body, its.turn)
        turn = quaternions.multiply(now, quaternions.conjugate(self._goal[3:]))
        error = np.concatenate([here - self._goal[:3], quaternions.to_rotation_vector(turn)])
        return np.asarray(error[: self._axes], dtype=np.float64)

    def compute_jacobian(self, configuration: Any) -> Floats:
        """Returns the Jacobian of the point in world axes, (axes, nv)."""
        model, data, its = configuration.model, configuration.data, self._its
        body = data.xquat[its.body].take(_XYZW)
        here = data.xpos[its.body] + quaternions.rotate(body, its.point)
        whole = np.zeros((6, model.nv))
        mujoco.mj_jac(model, data, whole[:3], whole[3:], here, its.body)
        jacobian = np.zeros((self._axes, model.nv))
        jacobian[:, its.dofs] = whole[: self._axes, its.dofs]
        return jacobian


class _Box(mink.Limit):  # type: ignore[misc]  # of an extra
    """The constraint that joints stay within their limits and move by at most `step`."""

    def __init__(
        self, dofs: Rows, position: Floats, limits: tuple[Floats, Floats], step: float
    ) -> None:
        lower, upper = limits
        self._dofs = dofs
        self._up = np.clip(upper - position, 0.0, step)
        self._down = np.clip(position - lower, 0.0, step)

    def compute_qp_inequalities(self, configuration: Any, dt: float) -> Any:
        """Returns the constraint G dq <= h, which does not depend on `dt`."""
        del dt
        moves = np.zeros((len(self._dofs), configuration.model.nv))
        moves[np.arange(len(self._dofs)), self._dofs] = 1.0
        return mink.Constraint(np.vstack([moves, -moves]), np.hstack([self._up, self._down]))
