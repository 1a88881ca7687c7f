# SPDX-License-Identifier: Apache-2.0
"""Force-torque sensors."""

from __future__ import annotations

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.rotations import cross
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import WorldNumbers


class ForceTorqueSensor:
    """The force and the torque of a joint on its child, in the step that was taken.

    MuJoCo evaluates them with accelerations that count the damping of joints and servos as at the
    beginning of the step. Forces are linear in accelerations, so a sensor lacks the sum of
    ``inertia * motion * d`` over the degrees of freedom, where d is the difference between the
    accelerations of the step and MuJoCo's, and the inertia is that of all bodies beyond the sensor
    which the degree of freedom moves (Featherstone, Rigid Body Dynamics Algorithms, 2008).

    Args:
        states: The states of the worlds.
        site: Name of the sensor's site.
        force: First of the outputs of the force among those of MuJoCo's sensors; None for none.
        torque: The same for the torque.
    """

    def __init__(
        self, states: WorldStates, site: str, force: int | None, torque: int | None
    ) -> None:
        model = states.model
        self._force, self._torque = force, torque
        self._site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, site)
        body = int(model.site_bodyid[self._site])
        self._root = int(model.body_rootid[body])
        moved = {  # the body that each degree of freedom moves, with all bodies below
            dof: body if _is_below(model, body, owner) else owner
            for dof, owner in enumerate(model.dof_bodyid.tolist())
            if _is_below(model, body, owner) or _is_below(model, owner, body)
        }
        self._dofs, self._moved = np.array([*moved.items()], dtype=np.intp).reshape(-1, 2).T
        names = ("cdof", "crb", "subtree_com", "site_xpos", "site_xmat")
        self._fields: list[Floats] = [states.batch.bind(name) for name in names]

    def correct(self, outputs: Floats, difference: Floats, worlds: WorldNumbers | None) -> None:
        """Completes the outputs of MuJoCo's sensors in the step that some worlds have just taken.

        Args:
            outputs: The outputs, (w, n).
            difference: Accelerations of the step minus MuJoCo's, (w, degrees of freedom).
            worlds: Numbers of the w worlds; None for all.
        """
        if not len(self._dofs):
            return
        some = slice(None) if worlds is None else worlds
        motion, inertia, centre, place, turn = (field[some] for field in self._fields)
        # Vectors have components along the first axis, and worlds along the last.
        moved = (motion.take(self._dofs, axis=1) * difference.take(self._dofs, axis=1)[..., None]).T
        angular, linear = moved[:3], moved[3:]
        matrix, offset, mass = np.split(inertia.take(self._moved, axis=1).T, (6, 9))
        (xx, yy, zz, xy, xz, yz), (x, y, z) = matrix, angular
        spin = np.stack(
            [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
        )
        force = _total(mass * linear - cross(offset, angular))
        torque = _total(spin + cross(offset, linear))
        arm = (place[:, self._site] - centre[:, self._root]).T
        torque -= cross(arm, force)
        axes = turn[:, self._site].T.reshape(3, 3, -1)
        for vector, at in ((force, self._force), (torque, self._torque)):
            if at is not None:
                local = axes[0] * vector[0] + axes[1] * vector[1] + axes[2] * vector[2]
                outputs[:, at : at + 3] += local.T


def _total(vectors: Floats) -> Floats:
    """Returns sums over the second axis, whose last bits do not depend on the number of worlds."""
    total: Floats = np.add.accumulate(vectors, axis=1)[:, -1]
    return total


def _is_below(model: mujoco.MjModel, body: int, other: int) -> bool:
    """Returns whether a body is another one or hangs from it."""
    while body > other:
        body = int(model.body_parentid[body])
    return body == other
