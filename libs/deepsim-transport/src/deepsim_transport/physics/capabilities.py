# SPDX-License-Identifier: Apache-2.0
"""Sends calls of capabilities from one process to another: their arguments and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_sync import (
    CameraMount,
    CameraView,
    Noise,
    SensorInfo,
    Simulator,
)
from deepsim_sync.port.forwarding import Method
from deepsim_transport.rows import Frame

Arrays = Mapping[str, NDArray[Any]]
Content = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""The header and the arrays of a frame."""


def packed_call(arguments: Mapping[str, Any]) -> Content:
    """Encodes the arguments of a call; None is left out."""
    header, arrays = {}, {}
    for name, value in arguments.items():
        if name == "worlds" or isinstance(value, np.ndarray):
            if value is not None:
                arrays[name] = np.asarray(value)
        else:
            header[name] = _plain(value)
    return header, arrays


def answer_call(method: Method[Any], simulator: Simulator, asked: Frame) -> Content:
    """Calls a method of a simulator with the arguments in a request; encodes the result.

    Raises:
        ValueError: An argument has the wrong form, or a world does not exist.
        UnsupportedError: The simulator lacks the capability.
    """
    given = {**asked.header, **asked.arrays}
    arguments = {name: read(given[name]) for name, read in _ARGUMENTS.items() if name in given}
    if method.scope == "one":
        arguments["world"] = _world(simulator, asked)
    if method.scope == "some":
        arguments["worlds"] = chosen_worlds(simulator, asked.arrays)
    return _packed_result(method, method.of(simulator, **arguments))


def unpacked_result(method: Method[Any], answer: Frame) -> Any:
    """Decodes the result of a call; its arrays are copies, which may be written."""
    header, kind = answer.header, method.result
    if kind is None:
        return None
    if kind is str:
        return tuple(header["value"])
    if kind is SensorInfo:
        return {name: _info(fields) for name, fields in header["value"].items()}
    if kind in (CameraView, CameraMount):
        return _made(kind, header["value"])
    arrays = {name: answer.arrays[name].copy() for name in header["arrays"]}
    return arrays["value"] if kind is np.ndarray else kind(**arrays)


def chosen_worlds(simulator: Simulator, arrays: Arrays) -> NDArray[np.intp] | None:
    """Returns the numbers of the worlds in a request, (w,), or None for all worlds.

    Raises:
        ValueError: The numbers are not ascending, or a world does not exist.
    """
    if "worlds" not in arrays:
        return None
    worlds, count = arrays["worlds"], simulator.worlds
    ordered = worlds.ndim == 1 and worlds.dtype.kind == "i" and (np.diff(worlds) > 0).all()
    if not ordered or (worlds.size and not (worlds[0] >= 0 and worlds[-1] < count)):
        raise ValueError(f"worlds must be ascending numbers from 0 to {count - 1}")
    return worlds.astype(np.intp)


def _world(simulator: Simulator, asked: Frame) -> int:
    world = asked.header["world"]
    if type(world) is not int or not 0 <= world < simulator.worlds:
        raise ValueError(f"there are worlds 0 to {simulator.worlds - 1}, got {world!r}")
    return world


def _names(given: Any) -> list[str]:
    return [*map(str, given)]


def _camera(given: Any) -> str | CameraView:
    return given if isinstance(given, str) else _made(CameraView, given)


_ARGUMENTS: Mapping[str, Callable[[Any], Any]] = {
    "camera": _camera,
    "mount": lambda numbers: _made(CameraMount, numbers),
    "link": str,
    "links": _names,
    "joints": _names,
    "name": str,
    "point": np.asarray,
    "factors": np.asarray,
}
"""Functions that check and decode arguments, which have the same meaning in all methods."""


def _plain(value: Any) -> Any:
    """Encodes a camera or a mount as a list of numbers."""
    if isinstance(value, CameraView):
        return [*value.pose, value.horizontal_fov, value.width, value.height]
    if isinstance(value, CameraMount):
        return [*value.pose, value.horizontal_fov]
    return value


def _made(kind: Callable[..., Any], numbers: Any) -> Any:
    """Decodes a camera or a mount."""
    pose, fov, size = numbers[:7], float(numbers[7]), map(int, numbers[8:])
    return kind(Pose.from_array(np.array(pose, np.float64)), fov, *size)


def _packed_result(method: Method[Any], result: Any) -> Content:
    kind = method.result
    if kind is SensorInfo:
        return {"value": {name: asdict(each) for name, each in result.items()}}, {}
    if kind in (None, str, CameraView, CameraMount):
        return {"value": _plain(result)}, {}
    if kind is np.ndarray:
        result = {"value": result}
    arrays = dict(result if isinstance(result, Mapping) else result._asdict())
    return {"arrays": [*arrays]}, arrays


def _info(fields: Mapping[str, Any]) -> SensorInfo:
    noise = {
        quantity: tuple(Noise(**each) for each in listed)
        for quantity, listed in fields["noise"].items()
    }
    low, high = fields["limits"]
    joints = tuple(fields["joints"])
    return SensorInfo(**{**fields, "noise": noise, "limits": (low, high), "joints": joints})
