# SPDX-License-Identifier: Apache-2.0
"""Reads ros_control's controller files as parts and gains."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from deepsim_sync import UnknownEntityError

from .controllers import (
    Controller,
    DiffDrive,
    JointEffort,
    JointPid,
    JointPosition,
    JointTrajectory,
    JointVelocity,
)
from .parts import Gains, Part
from .yaml_config import naming, number, read_yaml

Settings: TypeAlias = "Mapping[str, Any]"

_PUBLISHERS = (
    "joint_state_controller/",
    "imu_sensor_controller/",
    "force_torque_sensor_controller/",
)
_POSITION = ("JointPositionController", "JointGroupPositionController", "GripperActionController")
_VELOCITY = ("JointVelocityController", "JointGroupVelocityController")
_EFFORT = ("JointEffortController", "JointGroupEffortController")
_TRAJECTORY = "JointTrajectoryController"
_DIFF_DRIVE = "DiffDriveController"
_FAMILIES = ("effort_controllers", "velocity_controllers", "position_controllers")
_TYPES = (
    *(f"{f}/{name}" for f in _FAMILIES for name in (*_POSITION, *_VELOCITY, *_EFFORT, _TRAJECTORY)),
    f"pos_vel_controllers/{_TRAJECTORY}",
    f"pos_vel_acc_controllers/{_TRAJECTORY}",
    f"diff_drive_controller/{_DIFF_DRIVE}",
)
"""All types that are read."""


def read_ros_control(
    source: str | Path, controllers: Sequence[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Reads the parts and gains of a controller file, for `RobotConfig`.

    Example::

        RobotConfig("robot.urdf", **read_ros_control("controllers.yaml"))

    Controllers that only publish states are ignored, because the world's tables have all states.
    Gains in the file (``pid``, ``gains``, and ``pid_gains`` of gazebo_ros_control) become gains of
    the joints. Those of ``velocity_controllers`` turn errors of position into velocities, so they
    also need the gains of gazebo_ros_control, or else the robot its own gains. Integral gains of
    trajectory and wheel controllers have no effect, and raise a warning.

    Args:
        source: Path of a YAML file, or YAML text, which must contain a line break. Controllers may
            be in namespaces.
        controllers: Names of the controllers to use, which must not share joints; all by default.

    Returns:
        The arguments ``parts`` and ``gains`` of `RobotConfig`.

    Raises:
        UnknownEntityError: A controller or type is unknown.
        ValueError: A setting is missing or invalid.
    """
    content, _ = read_yaml(source)
    with naming(source):
        return _read(content, controllers)


def _read(content: Any, controllers: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    found = dict(_controllers(content))
    pids: dict[str, Settings] = {}
    for table in _pid_gains(content):
        pids.update(table)
    if not found and not pids:
        raise ValueError(f"no controllers, which are mappings with a type, in {content!r:.80}")
    active = {
        name: settings
        for name, settings in found.items()
        if not str(settings["type"]).startswith(_PUBLISHERS)
    }
    for name in controllers or ():
        if name not in active:
            raise UnknownEntityError("controller", name, active)
    chosen = active if controllers is None else {name: active[name] for name in controllers}
    parts: dict[str, Part] = {}
    gains = {joint: _gains(pid) for joint, pid in pids.items()}
    for name, settings in chosen.items():
        kind = _Kind.of(settings)
        own = _joints(settings)
        actuators = {joint: pids[joint] for joint in own if joint in pids}
        pid = _own_gains(settings, own)
        gains.update(kind.gains(actuators, pid))
        parts[name] = Part(own, _controller(name, settings, kind, own, {**actuators, **pid}))
    return {"parts": parts, "gains": gains}


class _Kind(NamedTuple):
    """The type of a controller, ``FAMILY/NAME``; the family says which command it sends."""

    family: str
    name: str

    @classmethod
    def of(cls, settings: Settings) -> _Kind:
        """Returns the type; raises UnknownEntityError if there is none with the name."""
        given = str(settings["type"])
        if given not in _TYPES:
            raise UnknownEntityError("type of controller", given, _TYPES)
        family, _, name = given.partition("/")
        return cls(family, name)

    def gains(
        self, actuators: Mapping[str, Settings], own: Mapping[str, Settings]
    ) -> dict[str, Gains]:
        """Returns the gains of the joints.

        Args:
            actuators: The PIDs of gazebo_ros_control, by joint.
            own: The PIDs in the controller's settings, by joint.
        """
        if self.family == "velocity_controllers" and self.name not in _VELOCITY:
            # The controller turns errors of position, times p [1/s], into velocities.
            rates = {joint: _number(pid, "p") for joint, pid in own.items()}
            dampings = {joint: _number(pid, "p") for joint, pid in actuators.items()}
            return {
                joint: Gains(rates.get(joint, 0.0) * damping, damping)
                for joint, damping in dampings.items()
            }
        of_velocity = self.name in (*_VELOCITY, _DIFF_DRIVE)
        return {
            joint: _gains(pid, of_velocity=of_velocity)
            for joint, pid in {**actuators, **own}.items()
        }


def _controllers(node: Any) -> Iterator[tuple[str, Settings]]:
    """Yields all mappings that have a ``type``, with their names."""
    if isinstance(node, Mapping):
        for name, value in node.items():
            if isinstance(value, Mapping) and isinstance(value.get("type"), str):
                yield str(name), value
            elif name != "gains":
                yield from _controllers(value)


def _pid_gains(node: Any) -> Iterator[dict[str, Settings]]:
    """Yields the mappings of gains for gazebo_ros_control, ``pid_gains``."""
    if isinstance(node, Mapping):
        for name, value in node.items():
            if str(name).rpartition("/")[2] == "pid_gains" and isinstance(value, Mapping):
                yield {str(joint): pid for joint, pid in value.items()}
            else:
                yield from _pid_gains(value)


def _joints(settings: Settings) -> list[str]:
    """Returns the names of a controller's joints."""
    kind = str(settings["type"])
    if kind.endswith("DiffDriveController"):
        return [*_list(settings.get("left_wheel")), *_list(settings.get("right_wheel"))]
    joints = _list(settings.get("joints", settings.get("joint")))
    if not joints:
        raise ValueError(f"a {kind} needs joint or joints")
    return joints


def _list(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, (str, Sequence)):
        raise ValueError(f"names of joints must be a list, got {value!r:.80}")
    return [value] if isinstance(value, str) else [str(each) for each in value]


def _own_gains(settings: Settings, joints: list[str]) -> dict[str, Settings]:
    """Returns the gains in a controller's own settings, by joint."""
    given = settings.get("gains", {})
    if not isinstance(given, Mapping):
        raise ValueError(f"gains must be a mapping, got {given!r:.80}")
    own = {str(joint): pid for joint, pid in given.items() if joint in joints}
    for joint in joints:  # of a JointGroupPositionController
        if isinstance(settings.get(joint), Mapping) and "pid" in settings[joint]:
            own[joint] = settings[joint]["pid"]
    if "pid" in settings:
        own.update(dict.fromkeys(joints, settings["pid"]))
    return own


def _number(settings: Settings, name: str, default: float = 0.0) -> float:
    if not isinstance(settings, Mapping):
        raise ValueError(f"gains must be a mapping with {name}, got {settings!r:.80}")
    return number(name, settings.get(name, default))


def _gains(pid: Settings, *, of_velocity: bool = False) -> Gains:
    if of_velocity:  # p is the gain of the velocity error
        return Gains(damping=_number(pid, "p"))
    return Gains(stiffness=_number(pid, "p"), damping=_number(pid, "d"))


def _controller(
    name: str, settings: Settings, kind: _Kind, joints: list[str], pids: Mapping[str, Settings]
) -> Controller:
    """Returns the controller that corresponds to a ros_control type."""
    if kind.name in _EFFORT:
        return JointEffort(normalized=False)
    if kind.name in _VELOCITY:
        return _velocity(joints, pids)
    if kind.name in _POSITION and kind.family != "velocity_controllers":
        return _position(joints, pids)
    integral = [joint for joint, pid in pids.items() if _number(pid, "i")]
    if integral:
        warnings.warn(
            f"the integral gain of joint {integral[0]!r} has no effect: controller {name!r} "
            "corresponds to one without integral",
            stacklevel=3,
        )
    if kind.name == _DIFF_DRIVE:
        return _diff_drive(name, settings)
    if kind.name == _TRAJECTORY:
        return JointTrajectory(normalized=False)
    return JointPosition(normalized=False)


def _position(joints: list[str], pids: Mapping[str, Settings]) -> Controller:
    if all(joint not in pids for joint in joints):
        return JointPosition(normalized=False)
    return JointPid(normalized=False, **_pid_settings(joints, pids))


def _velocity(joints: list[str], pids: Mapping[str, Settings]) -> Controller:
    if all(joint not in pids for joint in joints):
        return JointVelocity(normalized=False)
    return JointPid(of="velocity", normalized=False, **_pid_settings(joints, pids))


def _pid_settings(joints: list[str], pids: Mapping[str, Settings]) -> dict[str, Any]:
    """Returns the settings of `JointPid` for some joints."""
    missing = [joint for joint in joints if joint not in pids]
    if missing:
        raise ValueError(f"joint {missing[0]!r} has no PID gains, but {list(pids)} have")
    names = {"p": 0.0, "i": 0.0, "d": 0.0}
    settings: dict[str, Any] = {
        name: {joint: _number(pids[joint], name, default) for joint in joints}
        for name, default in names.items()
    }
    clamps = {
        joint: abs(_number(pids[joint], "i_clamp", _number(pids[joint], "i_clamp_max", np.inf)))
        for joint in joints
    }
    return {**settings, "i_clamp": clamps}


def _diff_drive(name: str, settings: Settings) -> DiffDrive:
    for needed in ("left_wheel", "right_wheel", "wheel_separation", "wheel_radius"):
        if needed not in settings:
            raise ValueError(f"controller {name!r} needs {needed}")
    lower, upper, acceleration = [], [], []
    for group, axis, default in (("linear", "x", 1.0), ("angular", "z", 2.0)):
        limits = settings.get(group, {}).get(axis, {})
        most = _number(limits, "max_velocity", default)
        upper.append(most)
        lower.append(_number(limits, "min_velocity", -most))
        limited = limits.get("has_acceleration_limits", False)
        acceleration.append(_number(limits, "max_acceleration", np.inf) if limited else np.inf)
    return DiffDrive(
        left=_list(settings["left_wheel"]),
        right=_list(settings["right_wheel"]),
        separation=_number(settings, "wheel_separation")
        * _number(settings, "wheel_separation_multiplier", 1.0),
        radius=_number(settings, "wheel_radius")
        * _number(settings, "wheel_radius_multiplier", 1.0),
        lower=lower,
        upper=upper,
        acceleration=None if np.isinf(acceleration).all() else acceleration,
        normalized=False,
    )
