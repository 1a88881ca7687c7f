# SPDX-License-Identifier: Apache-2.0
"""The seam between the simulator and the code that steps its worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import CameraDescription
from deepsim_sync import WorldNumbers

from .layout import Floats, Rows


class Batch(Protocol):
    """W worlds of one compiled model, with the meaning of `mujoco.batch.Batch`.

    `BatchError` is raised for worlds that cannot step.

    Attributes:
        state: Integration state of each world, (W, n), from which the next call starts; callers
            change it in place.
        warning: Place and count of each of MuJoCo's warnings in each world, (W, kinds, 2).
    """

    state: NDArray[np.float64]
    warning: NDArray[np.int32]

    def bind(self, name: str) -> Any:
        """Returns a field of MjData, (W, ...), which each later call updates in place."""

    def expand(self, name: str) -> Any:
        """Returns a field of MjModel, (W, ...), to change in place; call it before each change."""

    def step(self, ids: WorldNumbers | None = None, nstep: int = 1) -> None:
        """Advances worlds by physics steps."""

    def forward(self, *, stage: int) -> None:
        """Updates the fields that MuJoCo derives up to a stage, without a step."""

    def rollout(
        self, nstep: int, *, record: Sequence[str], ids: WorldNumbers | None = None
    ) -> dict[str, Any]:
        """Advances worlds; returns fields of MjData after each step, (w, nstep, ...)."""

    def get_model(self, sim: int, model: mujoco.MjModel | None = None) -> mujoco.MjModel:
        """Returns a model with the values of one world."""

    def get_data(self, sim: int, data: mujoco.MjData | None = None) -> mujoco.MjData:
        """Returns data with the state of one world."""

    def set_const(self, ids: WorldNumbers) -> None:
        """Updates the fields that MuJoCo derives from masses and inertias."""


@runtime_checkable
class CastsRays(Protocol):
    """A batch that casts the rays of lidars in all worlds at once."""

    def cast_rays(self, site: int, rays: Floats, shown: NDArray[np.bool_]) -> Floats:
        """Returns distances along rays in the frame of a site, (W, n) [m]; -1 without a hit.

        Args:
            site: Number of the site.
            rays: Unit vectors, (n, 3).
            shown: Whether rays can hit each geom, (ngeom,).
        """


class Shots(NamedTuple):
    """The pictures of one camera in W worlds."""

    rgb: NDArray[np.uint8]
    """Colours, (W, height, width, 3)."""
    depth: Floats
    """Depths along the optical axis, (W, height, width) [m]; inf where there is no surface."""
    geoms: NDArray[np.int32]
    """Numbers of the geoms, (W, height, width); -1 for none."""


@runtime_checkable
class TakesPictures(Protocol):
    """A batch that takes the pictures of camera sensors in all worlds at once."""

    def take_pictures(
        self, body: int, frames: Floats, angles: Floats, lens: CameraDescription
    ) -> Shots:
        """Returns pictures of the present states.

        Args:
            body: Number of the body that carries the camera.
            frames: Poses of the camera in the frame of the body, (W, 7).
            angles: Horizontal angles of view, (W,) [rad].
            lens: Size of the pictures, and the farthest visible depth.
        """


@runtime_checkable
class LimitsServos(Protocol):
    """A batch that keeps light servos within their effort limits itself; see `servos`."""

    def limit_servos(self, limits: Floats, damping: Floats, push: Floats, dofs: Rows) -> Floats:
        """Has each later step repeated where the effort of a light servo exceeds its limit.

        The arrays are by actuator, (W, actuators) apart from `dofs`.

        Args:
            limits: Effort limits [N m or N]; inf for actuators that are not light servos. MuJoCo's
                own limits of light servos are out of reach.
            damping: Damping of the servos.
            push: Stiffness times time step, if the integrator applies it to the velocity after the
                step; otherwise 0.
            dofs: Degrees of freedom, (actuators,); used only for light servos.

        Returns:
            Memory with 1 for each light servo that took the latest step within its limit and
            otherwise 0, which each later step updates in place.
        """


class Engine(Protocol):
    """Makes the batches of a simulator."""

    def check(self, model: mujoco.MjModel) -> None:
        """Raises ValueError for a model that batches of this engine cannot step."""

    def batch(self, model: mujoco.MjModel, worlds: int) -> Batch:
        """Returns a batch of worlds of a checked model, which is copied."""
