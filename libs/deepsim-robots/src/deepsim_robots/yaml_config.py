# SPDX-License-Identifier: Apache-2.0
"""Reads robot configurations from YAML; errors name the line or value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import yaml

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
from deepsim_sync.untrusted import check_yaml, check_yaml_text

from .controllers.controller import Controller
from .controllers.names import CONTROLLERS, controller_of
from .description import MountedSensor
from .joint_group import check_names
from .parts import Gains, Part


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Refuses keys that occur twice, of which YAML would silently keep the last."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} occurs twice", problem_mark=key.start_mark
                )
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return node


_Loader.add_implicit_resolver(  # PyYAML takes 1e3 for a text
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d+$"),
    list("-+.0123456789"),
)


def read_yaml(source: str | Path) -> tuple[Any, Path | None]:
    """Returns the content of YAML, and the folder of the file; None for text.

    Args:
        source: Path of a file, or the text itself, which must contain a line break.

    Raises:
        OSError: The file cannot be read.
        ValueError: The text is not YAML, has more than 100,000 values, or a mapping has a key
            twice; the message has the line.
    """
    if (path := file_of(source)) is None:
        text, name = str(source), "the text"
    elif path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file")
    else:
        name = str(path)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not a text in UTF-8: {error}") from error
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        raise ValueError(
            f"{name} is XML, not YAML: a model is the source of a configuration, as in "
            "RobotConfig(source)"
        )
    name = "YAML" if path is None else name
    try:
        check_yaml_text(text)
        loader = _Loader(text)
        loader.name = name
        root = loader.get_single_node()
        check_yaml(root)
        content = None if root is None else loader.construct_document(root)
    except yaml.YAMLError as error:
        raise ValueError(_message(error, name)) from error
    except Exception as error:  # of numbers, dates, nesting and keys that YAML has and Python not
        raise ValueError(f"{name}: {error}") from error
    return content, None if path is None else path.parent


def file_of(source: str | Path) -> Path | None:
    """Returns the file of a source; None if it is the text itself."""
    return None if isinstance(source, str) and "\n" in source else Path(source)


@contextmanager
def naming(source: str | Path) -> Iterator[None]:
    """Puts the name of a file before the messages of errors in its values."""
    try:
        yield
    except (UnknownEntityError, TypeError, ValueError) as error:
        path = file_of(source)
        if path is not None and str(path) not in str(error):
            error.args = (f"{path}: {error}",)
        raise


def number(what: str, value: Any) -> float:
    """Returns a number as a float.

    Raises:
        ValueError: The value is not a number, but for example a text or ``yes``.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{what} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{what} must be a number up to 1e308, got a whole one beyond") from None


def _message(error: yaml.YAMLError, name: str) -> str:
    """Returns an error in one line, with the file and the line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{name}:{mark.line + 1}:{mark.column + 1}: {error.problem}"
    return f"{name}: {error}"


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
    """Returns a setting: rays, noises, a list of names, or the number or flag itself."""
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
    if key == "sees_own":
        if not isinstance(value, bool):
            raise ValueError(f"{key} must be true or false, got {value!r}")
        return value
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


def read_settings(source: str | Path, known: Iterable[str]) -> dict[str, Any]:
    """Reads the arguments of a `RobotConfig` from a YAML file or text.

    Args:
        source: Path of a file, or the text itself, which must contain a line break.
        known: The valid keys.

    Raises:
        UnknownEntityError: A key, controller or setting is unknown.
        ValueError: The text is not a mapping in YAML, or a value is invalid.
    """
    content, folder = read_yaml(source)
    values = _mapping("a robot's configuration", content)
    check_names("setting of a robot", values, known)
    given = values.get("source")
    if folder is not None and isinstance(given, str) and not ("<" in given or "://" in given):
        beside = folder / given
        values["source"] = beside if beside.exists() or not Path(given).exists() else given
    values["parts"] = {
        name: _part(name, part) for name, part in _mapping("parts", values.get("parts")).items()
    }
    values["gains"] = {
        name: _gains(name, gains) for name, gains in _mapping("gains", values.get("gains")).items()
    }
    values["home"] = _numbers("home of", _mapping("home", values.get("home")))
    values["sensors"] = sensors_of(values.get("sensors"))
    return values


def write_settings(values: Mapping[str, Any]) -> str:
    """Returns YAML that `read_settings` reads as the given arguments of a `RobotConfig`.

    Settings that have their default are left out.

    Raises:
        ValueError: The source is not the place of a model, a controller has no name in YAML, or
            there are sensors, which are written by hand.
    """
    content = dict(values)
    if not isinstance(content["source"], (str, Path)) or "<" in str(content["source"]):
        raise ValueError(f"the source must be a file or URI, got {content['source']!r:.60}")
    if content["sensors"]:
        raise ValueError("sensors cannot be written as YAML: add them to the file by hand")
    content["source"] = str(content["source"])
    content["parts"] = {
        name: {"joints": list(part.joints), "controller": _controller_text(part.controller)}
        for name, part in content["parts"].items()
    }
    content["gains"] = {name: _changed(gains) for name, gains in content["gains"].items()}
    unset: tuple[Any, ...] = (None, {}, (), "none")
    given = {name: _plain(value) for name, value in content.items() if value not in unset}
    return str(yaml.safe_dump(given, sort_keys=False, default_flow_style=None, width=100))


def _controller_text(controller: Controller | str | None) -> Any:
    if controller is None or isinstance(controller, str):
        return controller
    for name, known in CONTROLLERS.items():
        if known is type(controller):
            return {"type": name, **_changed(controller)}
    raise ValueError(f"{type(controller).__name__} is no controller with a name in YAML")


def _changed(instance: Any) -> dict[str, Any]:
    """Returns the fields of a dataclass that do not have their default, as plain values."""
    values = {each.name: _plain(getattr(instance, each.name)) for each in fields(instance)}
    return {
        each.name: values[each.name]
        for each in fields(instance)
        if values[each.name] != _plain(each.default)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _part(name: str, given: Any) -> Part:
    values = _mapping(f"part {name!r}", given)
    check_names(f"setting of part {name!r}", values, (each.name for each in fields(Part)))
    if values.get("controller") is not None:
        values["controller"] = controller_of(values["controller"])
    return Part(**values)


def _gains(name: str, given: Any) -> Gains:
    values = _mapping(f"the gains of {name!r}", given)
    check_names(f"gain of {name!r}", values, (each.name for each in fields(Gains)))
    given = {key: value for key, value in values.items() if value is not None}
    return Gains(**_numbers(f"gain of {name!r}:", given))


def _numbers(what: str, given: Mapping[str, Any]) -> dict[str, float]:
    return {name: number(f"{what} {name!r}", value) for name, value in given.items()}


def _mapping(what: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"{what} must be a mapping, got {given!r}")
    return {str(key): value for key, value in given.items()}
