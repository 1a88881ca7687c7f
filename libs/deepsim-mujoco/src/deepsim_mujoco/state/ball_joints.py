# SPDX-License-Identifier: Apache-2.0
"""Ball joints, each of which has three rows in the joints table."""

from __future__ import annotations

import numpy as np

from deepsim_math import quaternions

from .layout import Floats, Rows
from .world_states import WorldStates


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
