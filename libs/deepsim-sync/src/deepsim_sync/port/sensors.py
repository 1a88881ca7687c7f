# SPDX-License-Identifier: Apache-2.0
"""The capability to measure: inertia, forces, contacts, distances and pictures.

All sensors follow one sign convention: a force or torque is that of the outside (the world, the
other body, the parent link) on the link that carries the sensor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, Mapping, Protocol, Sequence, get_args, runtime_checkable

from numpy.typing import NDArray

SensorKind = Literal[
    "imu",
    "force_torque",
    "contact",
    "lidar",
    "joint_state",
    "camera",
    "rgbd",
    "stereo",
    "segmentation",
]
"""The kinds of sensors."""

SENSOR_KINDS: tuple[SensorKind, ...] = get_args(SensorKind)
"""All values of `SensorKind`."""

QUANTITIES: dict[SensorKind, tuple[str, ...]] = {
    "imu": ("orientation", "angular_velocity", "linear_acceleration"),
    "force_torque": ("force", "torque"),
    "contact": (
        "found",
        "force",
        "torque",
        "position",
        "distance",
        "normal",
        "peak_force",
        "first_contact",
        "air_time",
        "last_air_time",
        "contact_time",
    ),
    "lidar": ("ranges",),
    "joint_state": ("position", "velocity", "effort"),
    "camera": ("rgb",),
    "rgbd": ("rgb", "depth"),
    "stereo": ("rgb", "disparity", "depth"),
    "segmentation": ("models", "links"),
}
"""The quantities of each kind; docs/sensors.md has their shapes, frames and units."""

Reading = Mapping[str, NDArray[Any]]
"""One measurement by quantity, (W, ...) each."""


@dataclass(frozen=True)
class Noise:
    """Gaussian noise with a bias, as in SDF: value + bias + a normal deviate in each measurement.

    >>> Noise(stddev=0.01, bias_stddev=0.001).mean
    0.0

    Attributes:
        mean: Of the deviates, in the unit of the quantity.
        stddev: Of the deviates, >= 0.
        bias_mean: Of the bias, which is drawn once in each episode.
        bias_stddev: Of the bias, >= 0.
        drift_stddev: Of a bias that drifts, >= 0; SDF's ``dynamic_bias_stddev``.
        drift_time: In which it drifts by that much [s], >= 0; SDF's
            ``dynamic_bias_correlation_time``. The drift is 0 where either of the two is.
        precision: Values are rounded to multiples of it; 0 does not round.
    """

    mean: float = 0.0
    stddev: float = 0.0
    bias_mean: float = 0.0
    bias_stddev: float = 0.0
    drift_stddev: float = 0.0
    drift_time: float = 0.0
    precision: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mean", "bias_mean"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"noise {name} must be finite, got {getattr(self, name)}")
        for name in ("stddev", "bias_stddev", "drift_stddev", "drift_time", "precision"):
            value = getattr(self, name)
            if not 0.0 <= value < math.inf:
                raise ValueError(f"noise {name} must be finite and >= 0, got {value}")


@dataclass(frozen=True)
class SensorInfo:
    """Kind, timing and noise of a sensor.

    >>> SensorInfo("lidar", update_rate=10.0, noise={"ranges": (Noise(stddev=0.02),)}).delay
    0.0

    Attributes:
        kind: The kind of measurement.
        update_rate: Measurements per second of simulated time; 0 measures at every instant.
        delay: From the measurement until it can be read, in simulated time [s].
        noise: By quantity: one for all its numbers, or one for each of the last axis.
        limits: The least and the largest value that noise may lead to.
        joints: The rows that a sensor of joints reads, in the order of its numbers.
    """

    kind: SensorKind
    update_rate: float = 0.0
    delay: float = 0.0
    noise: Mapping[str, tuple[Noise, ...]] = field(default_factory=dict)
    limits: tuple[float, float] = (-math.inf, math.inf)
    joints: tuple[str, ...] = ()


class Sensors(Protocol):
    """Measures without noise, at the present instant; an unknown name raises `UnknownEntityError`.

    Accelerations and forces are those of the latest physics step. Where there was none since the
    world's reset, since models came or went, or since the first sensor is watched, they are those
    at the present instant.
    """

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """All sensors by their names ``model::link::sensor``; a new object if any come or go."""
        ...

    def watch(self, name: str) -> None:
        """Starts to measure with a sensor; until then it costs nothing. Repeated calls are free."""
        ...

    def read(self, name: str) -> Reading:
        """Returns the present measurement of a sensor that is watched, in all worlds.

        The quantities of a contact sensor cover all physics steps of the latest `step` call.

        Returns:
            Arrays that nothing changes any more, those of `QUANTITIES` for its kind. A mapping
            other than a dict may compute a quantity when it is looked up, of this instant, and
            returns read-only arrays.
        """
        ...


@runtime_checkable
class SensorsTogether(Sensors, Protocol):
    """Sensors of which several contact sensors are read in the time of one."""

    def read_together(self, names: Sequence[str]) -> Reading:
        """Returns the present measurements of n contact sensors that are watched, (W, n, ...)."""
        ...
