# SPDX-License-Identifier: Apache-2.0
"""Jacobians and bias forces of all worlds at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import quaternions
from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.state.compiled import Compiled
from deepsim_mujoco.state.layout import Floats, dofs_of
from deepsim_mujoco.state.rotations import cross
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import PoseSolver

if TYPE_CHECKING:
    from .mink_solver import Place

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_DERIVED = ("xpos", "xquat", "subtree_com", "cdof")


class MujocoDynamics:
    """The Jacobians and bias forces of all worlds; see `deepsim_sync.Dynamics`."""

    def __init__(self, states: WorldStates, single: SingleWorld) -> None:
        self._states, self._single = states, single
        self._solvers: dict[str, PoseSolver] = {}

    @property
    def solvers(self) -> Mapping[str, PoseSolver]:
        """Solvers of inverse kinematics: ``mink``, if it is installed."""
        if not self._solvers and find_spec("mink") is not None:
            from .mink_solver import MinkSolver  # noqa: PLC0415 (of an extra)

            self._solvers["mink"] = MinkSolver(self._single, self._place)
        return self._solvers

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model."""
        self._entities, self._body = compiled.entities, compiled.bodies
        self._in_body = {node.name: node.in_body for node in compiled.links}
        _, self._dof = dofs_of(compiled.model, compiled.axes)
        self._bound: dict[str, Floats] = {}
        self._moving: dict[int, NDArray[np.bool_]] = {}
        self._forces: tuple[Floats, Floats] | None = None

    def _place(self, link: str, joints: Sequence[str], point: Floats) -> Place:
        """Looks up a point of a link (3,) [m] and joints in the compiled model."""
        from .mink_solver import Place  # noqa: PLC0415 (of an extra)

        self._entities.links.row(link)  # raises for an unknown one
        frame = np.asarray(self._in_body[link])
        dofs = self._dof[self._entities.joints.rows(joints)]
        return Place(self._body[link], _from_frame(frame, point), frame[3:], dofs)

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns the Jacobian of a point of a link with respect to k joints, (W, 6, k)."""
        dof = self._dof[self._entities.joints.rows(joints)]
        self._entities.links.row(link)  # raises for an unknown one
        body, model = self._body[link], self._states.model
        derived = self._derived()
        given = np.asarray(point, dtype=np.float64)
        if given.shape not in ((3,), (self._states.worlds, 3)):
            raise ValueError(
                f"point must have shape (3,) or {self._states.worlds, 3}, got {given.shape}"
            )
        in_body = _from_frame(np.asarray(self._in_body[link]), given)
        turn = derived["xquat"][:, body].take(_XYZW, axis=1)
        place = quaternions.rotate(turn, in_body) + derived["xpos"][:, body]
        # Like mj_jac for one world; MuJoCo stores the motions of axes at the tree's centre of mass.
        arm = place - derived["subtree_com"][:, model.body_rootid[body]]
        motions = derived["cdof"].take(dof, axis=1)
        moving = self._moving.get(body)
        if moving is None:
            moving = self._moving[body] = _moves(model, body)
        motions *= moving[dof, None]
        angular = motions[..., :3].transpose(2, 0, 1)
        linear = motions[..., 3:].transpose(2, 0, 1) + cross(angular, arm.T[..., None])
        return np.concatenate([linear, angular]).swapaxes(0, 1)

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces, (W, k)."""
        dof = self._dof[self._entities.joints.rows(joints)]
        if self._forces is None:
            batch = self._states.batch
            self._forces = batch.bind("qfrc_bias"), batch.bind("qfrc_gravcomp")
            self._states.version += 1  # so that MuJoCo derives them now
        self._states.derive(velocities=True)
        bias, compensated = self._forces
        return bias.take(dof, axis=1) - compensated.take(dof, axis=1)

    def _derived(self) -> Mapping[str, Floats]:
        """Returns the present poses of bodies and motions of axes in all worlds."""
        if not self._bound:  # on demand, because bound fields are copied at each step
            self._bound = {name: self._states.batch.bind(name) for name in _DERIVED}
            self._states.version += 1
        self._states.derive()
        return self._bound


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
