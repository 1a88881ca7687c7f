# SPDX-License-Identifier: Apache-2.0
"""One of the worlds as a MuJoCo model and data, for reading."""

from __future__ import annotations

import numpy as np

from deepsim_mujoco.imports import mujoco

from .layout import INTEGRATION
from .world_states import WorldStates

_ON_PLANES = 0.1  # share of a plane's size that counts for the size of a world, as in MuJoCo


class SingleWorld:
    """A loader of copies of the states of single worlds.

    Attributes:
        states: The states of all worlds.
    """

    def __init__(self, states: WorldStates) -> None:
        self.states = states
        self._model: mujoco.MjModel | None = None
        self._data: mujoco.MjData | None = None

    def load(self, world: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """Returns the model, and data with the state of a world; derived fields are undefined.

        The caller may change the model, because the batch has its own copy. The next call
        overwrites the data.

        Raises:
            IndexError: No world has the number.
        """
        states, model = self.states, self.states.model
        states.check_number(world)
        if self._data is None or self._model is not model:
            self._model, self._data = model, mujoco.MjData(model)
            mujoco.mj_setState(model, self._data, states.initial[0], INTEGRATION)
            mujoco.mj_kinematics(model, self._data)
            model.stat.extent = _extent(model, self._data)
        mujoco.mj_setState(model, self._data, states.state[world], INTEGRATION)
        return model, self._data


def _extent(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Returns the size of a world as defined by MuJoCo [m].

    MuJoCo's own value is wrong, because it is computed with all models at the origin.
    """
    radius = model.geom_rbound.copy()
    planes = radius == 0.0
    radius[planes] = _ON_PLANES * model.geom_size[planes, :2].max(axis=1, initial=0.0)
    centres, radius = data.geom_xpos, radius[:, None]
    points = np.concatenate([data.xpos[1:], data.xipos[1:], centres - radius, centres + radius])
    return float(max(1e-5, np.ptp(points, axis=0).max())) if len(points) else 1e-5
