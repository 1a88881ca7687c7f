# SPDX-License-Identifier: Apache-2.0
"""Jacobians and bias forces of all worlds at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import quaternions
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.state.bodies import cross
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import PoseSolver

if TYPE_CHECKING:
    from .mink_solver import Place

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_DERIVED = ("xquat", "xpos", "subtree_com", "cdof")


class MujocoDynamics:
    """The Jacobians and bias forces of all worlds; see `deepsim_sync.Dynamics`."""

    def __init__(self, states: WorldStates, single: SingleWorld) -> None:
        self._states, self._single = states, single
        self._solvers: dict[str, PoseSolver] = {}
        self._model: mujoco.MjModel | None = None
        self._moving: dict[int, NDArray[np.bool_]] = {}  # results of `_moves` for this model

    @property
    def solvers(self) -> Mapping[str, PoseSolver]:
        """Solvers of inverse kinematics: ``mink``, if it is installed."""
        if not self._solvers and find_spec("mink") is not None:
            from .mink_solver import MinkSolver  # noqa: PLC0415 (of an extra)

            self._solvers["mink"] = MinkSolver(self._single, self._place)
        return self._solvers

    def _dofs(self, joints: Sequence[str]) -> Rows:
        """Returns the degrees of freedom of k joints, (k,)."""
        compiled = self._states.compiled
        return compiled.axis_dofs[compiled.entities.joints.rows(joints)]

    def _body(self, link: str) -> tuple[int, Floats]:
        """Returns the number of a link's body, and the link's pose in the body's frame, (7,)."""
        compiled = self._states.compiled
        row = compiled.entities.links.row(link)
        return int(compiled.link_bodies[row]), np.asarray(compiled.links[row].in_body)

    def _place(self, link: str, joints: Sequence[str], point: Floats) -> Place:
        """Looks up a point of a link (3,) [m] and joints in the compiled model."""
        from .mink_solver import Place  # noqa: PLC0415 (of an extra)

        body, frame = self._body(link)
        return Place(body, _from_frame(frame, point), frame[3:], self._dofs(joints))

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns the Jacobian of a point of a link with respect to k joints, (W, 6, k)."""
        dof, model = self._dofs(joints), self._states.model
        body, frame = self._body(link)
        turns, places, centers, axes = map(self._states.derived, _DERIVED)
        self._states.derive()
        given = np.asarray(point, dtype=np.float64)
        if given.shape not in ((3,), (self._states.worlds, 3)):
            raise ValueError(
                f"point must have shape (3,) or {self._states.worlds, 3}, got {given.shape}"
            )
        in_body = _from_frame(frame, given)
        turn = turns[:, body].take(_XYZW, axis=1)
        place = quaternions.rotate(turn, in_body) + places[:, body]
        # Like mj_jac for one world; MuJoCo stores the motions of axes at the tree's centre of mass.
        arm = place - centers[:, model.body_rootid[body]]
        motions = axes.take(dof, axis=1)
        if self._model is not model:
            self._model, self._moving = model, {}
        moving = self._moving.get(body)
        if moving is None:
            moving = self._moving[body] = _moves(model, body)
        motions *= moving[dof, None]
        angular = motions[..., :3].transpose(2, 0, 1)
        linear = motions[..., 3:].transpose(2, 0, 1) + cross(angular, arm.T[..., None])
        return np.concatenate([linear, angular]).swapaxes(0, 1)

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces, (W, k)."""
        dof, states = self._dofs(joints), self._states
        bias, compensated = states.derived("qfrc_bias"), states.derived("qfrc_gravcomp")
        states.derive(velocities=True)
        return bias.take(dof, axis=1) - compensated.take(dof, axis=1)


def _moves(model: mujoco.MjModel, body: int) -> NDArray[np.bool_]:
    """Returns for each degree of freedom whether it moves the given body, (nv,)."""
    found = np.zeros(model.nv, dtype=np.bool_)
    while body:
        first = int(model.body_dofadr[body])
        found[first : first + int(model.body_dofnum[body])] = True
        body = int(model.body_parentid[body])
    return found


def _from_frame(frame: Floats, points: Floats) -> Floats:
    """Converts points from a frame with pose (..., 7) to the outer frame."""
    turned: Floats = quaternions.rotate(frame[..., 3:], points)
    return turned + frame[..., :3]
