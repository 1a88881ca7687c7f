# SPDX-License-Identifier: Apache-2.0
"""Capability: sensors of inertia, forces, contacts, distances and pictures.

All sensors follow one sign convention: forces and torques act on the link that carries the sensor,
and are exerted by the world, the other body or the parent link.
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
    "value",
]
"""The kind of a sensor."""

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
    "value": ("value",),
}
"""The quantities of each kind; docs/sensors.md has their shapes, frames and units."""

Reading = Mapping[str, NDArray[Any]]
"""One measurement: an array, (W, ...), for each quantity."""


@dataclass(frozen=True)
class Noise:
    """Gaussian noise with a bias, as in SDF: a measurement is value + bias + normal deviate.

    >>> Noise(stddev=0.01, bias_stddev=0.001).mean
    0.0

    Attributes:
        mean: Mean of the deviates, in the unit of the quantity.
        stddev: Standard deviation of the deviates, >= 0.
        bias_mean: Mean of the bias, which is drawn once per episode.
        bias_stddev: Standard deviation of the bias, >= 0.
        drift_stddev: Standard deviation of a drifting bias, >= 0; SDF's ``dynamic_bias_stddev``.
        drift_time: Correlation time of the drift [s], >= 0; SDF's
            ``dynamic_bias_correlation_time``. If either is 0, the bias does not drift.
        precision: Step to which values are rounded; 0 for no rounding.
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
        kind: Kind of the sensor.
        update_rate: Measurements per second of simulated time; 0 measures at every instant.
        delay: Simulated time from a measurement until it can be read [s].
        noise: Noise by quantity: one for all its numbers, or one for each along the last axis. That
            of ``rgb`` is on a scale of 0 to 1, and changes the three colours of a pixel equally.
        limits: Least and largest value of a noisy measurement.
        joints: Names of the joint rows that a joint_state sensor reads, in order.
    """

    kind: SensorKind
    update_rate: float = 0.0
    delay: float = 0.0
    noise: Mapping[str, tuple[Noise, ...]] = field(default_factory=dict)
    limits: tuple[float, float] = (-math.inf, math.inf)
    joints: tuple[str, ...] = ()


class Sensors(Protocol):
    """Capability of measuring with sensors, without noise, at the present instant.

    Accelerations and forces come from the latest physics step. They are computed for the present
    instant if the world has not stepped since it was reset, since models were added or removed, or
    since the first sensor was watched. Methods raise `UnknownEntityError` if no sensor has the
    name.

    >>> class LevelSensors:  # one inertial unit, which never moves
    ...     infos = {"car::link::imu": SensorInfo("imu")}
    ...
    ...     def watch(self, name): ...
    ...
    ...     def read(self, name):
    ...         measured = np.eye(4)[3:], np.zeros((1, 3)), np.array([[0.0, 0.0, 9.8]])
    ...         return dict(zip(QUANTITIES["imu"], measured))
    >>> simulator = TableSimulator()
    >>> simulator.sensors = LevelSensors()
    >>> World(simulator).sensors["car::link::imu"].linear_acceleration
    array([[0. , 0. , 9.8]])
    """

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """All sensors by name, ``model::link::sensor``; a new object after each change.

        Sensors of a model that belong to no link are named ``model::sensor``.
        """
        ...

    def watch(self, name: str) -> None:
        """Starts measuring with a sensor, which costs nothing before; repeated calls do nothing."""
        ...

    def read(self, name: str) -> Reading:
        """Returns the present measurement of a watched sensor in all worlds.

        The quantities of a contact sensor cover all physics steps of the latest `step` call.

        Returns:
            The `QUANTITIES` of the sensor's kind, as arrays that do not change later. A mapping
            other than a dict may compute a quantity on access, for this instant, as a read-only
            array.
        """
        ...


@runtime_checkable
class SensorsTogether(Sensors, Protocol):
    """Capability `Sensors` that can also read several contact sensors in the time of one."""

    def read_together(self, names: Sequence[str]) -> Reading:
        """Returns the present measurements of n watched contact sensors, (W, n, ...)."""
        ...
