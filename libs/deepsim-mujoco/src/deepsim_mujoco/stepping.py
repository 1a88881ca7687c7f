# SPDX-License-Identifier: Apache-2.0
"""Many states of one compiled model, stepped by `mujoco.batch` or one after the other."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .engine import mujoco

try:
    from mujoco.batch import Batch
except ImportError:  # it came with MuJoCo 3.17
    Batch = None

INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""What a row holds: all that later instants depend on, warm start included."""
DIVERGED = [
    int(mujoco.mjtWarning.mjWARN_BADQPOS),
    int(mujoco.mjtWarning.mjWARN_BADQVEL),
    int(mujoco.mjtWarning.mjWARN_BADQACC),
]
"""The warnings of a world that only a reset helps."""

Chosen = NDArray[np.intp]


class Stepping(Protocol):
    """States that can be advanced."""

    state: NDArray[np.float64]
    """(W, n) the integration state of each world, live: a write is the state of the next step."""
    diverged: NDArray[np.bool_]
    """(W,) whether the physics of a world has diverged; cleared by whoever resets it."""

    def step(self, n: int, chosen: Chosen) -> None:
        """Advances some worlds by n steps."""
        ...


class BatchStepping:
    """Steps by `mujoco.batch`, on a pool of threads.

    Args:
        model: The compiled model.
        worlds: How many states there are.
        threads: How many threads step them, 0 for one on each processor.
    """

    def __init__(self, model: mujoco.MjModel, worlds: int, threads: int) -> None:
        self._batch: Any = Batch(model, worlds, threads)
        self.state = self._batch.state
        self.diverged = np.zeros(worlds, dtype=np.bool_)

    def step(self, n: int, chosen: Chosen) -> None:
        """Advances some worlds by n steps."""
        warning = self._batch.warning[..., 1]  # how often; beside it, what it says
        warning[:] = 0
        self._batch.step(None if len(chosen) == len(self.state) else chosen, nstep=n)
        self.diverged |= warning[:, DIVERGED].any(axis=1)


class LoopStepping:
    """Steps world after world in one MjData, in this thread; the bits are those of `mujoco.batch`.

    Args:
        model: The compiled model.
        worlds: How many states there are.
    """

    def __init__(self, model: mujoco.MjModel, worlds: int) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        self._warning = self._data.warning.number
        self.state = np.zeros((worlds, mujoco.mj_stateSize(model, INTEGRATION)))
        self.diverged = np.zeros(worlds, dtype=np.bool_)

    def step(self, n: int, chosen: Chosen) -> None:
        """Advances some worlds by n steps."""
        for number in chosen.tolist():
            self._warning[:] = 0
            row = self.state[number]
            mujoco.mj_setState(self._model, self._data, row, INTEGRATION)
            mujoco.mj_step(self._model, self._data, n)
            mujoco.mj_getState(self._model, self._data, row, INTEGRATION)
            self.diverged[number] |= self._warning[DIVERGED].any()


def stepping(model: mujoco.MjModel, worlds: int, threads: int | None) -> Stepping:
    """The quickest way to step; `threads` as for `MujocoSimulator.copies`."""
    if threads is None or Batch is None:
        return LoopStepping(model, worlds)
    return BatchStepping(model, worlds, threads)
