# SPDX-License-Identifier: Apache-2.0
"""Reads the sensors of a robot's configuration from YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from deepsim_math import Euler, Pose
from deepsim_spawn import (
    CameraDescription,
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
    Measurement,
    Rays,
    SensorDescription,
)
from deepsim_sync import Noise, UnknownEntityError

from .matching import check_names
from .sensing import MountedSensor
from .yaml_text import number

_MEASUREMENTS: dict[str, type[Measurement]] = {
    "imu": Imu,
    "force_torque": ForceTorque,
    "contact": ContactSensor,
    "lidar": Lidar,
    "joint_state": JointState,
}
_CAMERAS = {
    "camera": "camera",
    "rgbd": "rgbd",
    "stereo": "multicamera",
    "segmentation": "segmentation_camera",
}
"""The SDF type of each kind of camera."""
_COMMON = ("update_rate", "delay")
_NAMES = ("collisions", "joints")


def sensors_of(given: Any) -> tuple[MountedSensor, ...]:
    """Makes sensors from a list of mappings.

    Each has a ``link``, ``name`` and ``type``, which is a `deepsim_sync.SensorKind`. It may have a
    ``pose`` (x y z [m], or these and roll, pitch and yaw [rad]), an ``update_rate``, a ``delay``
    and the attributes of its measurement or `CameraDescription`.

    Raises:
        UnknownEntityError: A type or setting is unknown.
        ValueError: A setting is missing or invalid.
    """
    if given is None:
        return ()
    if not isinstance(given, Sequence) or not all(isinstance(each, Mapping) for each in given):
        raise ValueError(f"sensors must be a list of mappings, got {given!r}")
    return tuple(map(_sensor, given))


def _sensor(given: Mapping[str, Any]) -> MountedSensor:
    values = dict(given)
    for needed in ("link", "name", "type"):
        if needed not in values:
            raise ValueError(f"a sensor needs a {needed}, got {dict(given)!r}")
    link, name, kind = (str(values.pop(key)) for key in ("link", "name", "type"))
    if kind not in (*_MEASUREMENTS, *_CAMERAS):
        raise UnknownEntityError(f"type of sensor {name!r}", kind, (*_MEASUREMENTS, *_CAMERAS))
    settings: type[Any] = _MEASUREMENTS.get(kind, CameraDescription)
    known = ("pose", *_COMMON, *(each.name for each in fields(settings)))
    check_names(f"setting of sensor {name!r}", values, known)
    try:
        common: dict[str, Any] = {
            key: number(key, values.pop(key)) for key in _COMMON if key in values
        }
        common["pose"] = _pose(values.pop("pose", (0.0, 0.0, 0.0)))
        lists = {each.name for each in fields(settings) if each.default == ()}
        own = settings(
            **{key: _value(name, key, value, key in lists) for key, value in values.items()}
        )
        if kind in _CAMERAS:
            sensor = SensorDescription(name, _CAMERAS[kind], camera=own, **common)
        else:
            sensor = SensorDescription(name, measurement=own, **common)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sensor {name!r}: {error}") from error
    return MountedSensor(link, sensor)


def _value(sensor: str, key: str, value: Any, is_list: bool) -> Any:
    """Returns a setting: rays, noises, a list of names, or the number itself."""
    if key in ("horizontal", "vertical"):
        if not isinstance(value, Mapping):
            raise ValueError(f"{key} must be a mapping such as {{count: 9}}, got {value!r}")
        return _made(sensor, Rays, value)
    if isinstance(value, Mapping):
        return (_made(sensor, Noise, value),)
    if isinstance(value, list):
        wanted, phrase = (str, "names") if key in _NAMES else (Mapping, "mappings")
        if not all(isinstance(each, wanted) for each in value):
            raise ValueError(f"{key} must be a list of {phrase}, got {value!r}")
        return tuple(each if key in _NAMES else _made(sensor, Noise, each) for each in value)
    if is_list:
        raise ValueError(
            f"{key} must be a list, or for noise a mapping such as {{stddev: 0.01}}, got {value!r}"
        )
    number(key, value)
    return value  # an integer stays one


def _made(sensor: str, kind: type[Rays] | type[Noise], given: Mapping[str, Any]) -> Any:
    known = [each.name for each in fields(kind)]
    check_names(f"setting of the {kind.__name__.lower()} of sensor {sensor!r}", given, known)
    return kind(**given)


def _pose(given: Sequence[float]) -> Pose:
    if not isinstance(given, Sequence) or len(given) not in (3, 6):
        raise ValueError(f"pose must be x y z, or x y z roll pitch yaw, got {given!r}")
    x, y, z, *angles = (number("pose", value) for value in given)
    return Pose((x, y, z), Euler(*angles)) if angles else Pose((x, y, z))
