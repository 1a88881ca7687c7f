# SPDX-License-Identifier: Apache-2.0
"""Calls of the port and of capabilities, from one process to another: their frames and answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import (
    CameraMount,
    CameraView,
    DeepSimError,
    DuplicateEntityError,
    Noise,
    Refusal,
    SensorInfo,
    SimulationError,
    Simulator,
    SpawnError,
    SpawnRequest,
    Tables,
    UnknownEntityError,
    UnsupportedError,
    checked_requests,
)
from deepsim_sync.port.forwarding import CAPABILITIES, METHODS, Method
from deepsim_transport.errors import MessageError, RemoteError
from deepsim_transport.rows import Frame, changes_of, key_of, names_of, pack

from .driver import Driver
from .models import packed_descriptions, read_model

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


LOOKING = frozenset(
    {"hello", "read", "descriptions", *(key for key, each in METHODS.items() if not each.changes)}
)
"""Names of the calls that change nothing."""
MOST_STEPS = 1_000_000
"""Largest number of physics steps in one request; other requests wait meanwhile."""

_KNOWN: dict[str, type[Exception]] = {
    each.__name__: each
    for each in (
        DeepSimError,
        DuplicateEntityError,
        MessageError,
        SimulationError,
        SpawnError,
        UnknownEntityError,
        UnsupportedError,
        TypeError,
        ValueError,
    )
}
_ATTRIBUTES = ("kind", "name", "worlds")


def checked_steps(n: Any) -> int:
    """Checks the number of steps in a request.

    Raises:
        ValueError: The number is not an int from 1 to `MOST_STEPS`.
    """
    if type(n) is not int or n < 1:
        raise ValueError(f"n must be an int >= 1, got {n!r}")
    if n > MOST_STEPS:
        raise ValueError(f"one request makes at most {MOST_STEPS} steps, got {n}")
    return n


class Calls:
    """Answers requests by calling a simulator.

    Args:
        driver: Steps, resets and writes to the simulator.
        loader: Reads the models that other processes spawn.
    """

    def __init__(self, driver: Driver, loader: GazeboXMLLoader) -> None:
        self.simulator, self._driver, self._loader = driver.simulator, driver, loader

    def answer(self, request: Frame, *, looking: bool = False) -> bytes:
        """Executes a call and returns its encoded answer, or the encoded error that it raised.

        Args:
            request: The call and its arguments.
            looking: Whether to refuse calls that change something.
        """
        name = str(request.header.get("call"))
        try:
            if looking and name not in LOOKING:
                raise MessageError(f"{name!r} is none of the calls that change nothing")
            if name in METHODS:
                header, arrays = answer_call(METHODS[name], self.simulator, request)
            elif (call := getattr(self, f"_call_{name}", None)) is not None:
                header, arrays = call(*request)
            else:
                raise MessageError(f"there is no call {name!r}")
        except Exception as error:  # sent to the caller
            header, arrays = described(error), {}
        entities = self.simulator.entities
        header["generation"] = entities.generation
        if request.header.get("generation") != entities.generation:
            header["names"] = names_of(entities)
        arrays["time"] = self.simulator.time
        return pack(header, arrays)

    def _call_hello(self, header: Any, arrays: Arrays) -> Content:
        simulator = self.simulator
        has = [name for name in CAPABILITIES if getattr(simulator, name) is not None]
        return {"worlds": simulator.worlds, "timestep": simulator.timestep, "has": has}, {}

    def _call_step(self, header: Any, arrays: Arrays) -> Content:
        n = checked_steps(header.get("n"))
        changes = self._changes(header, arrays) if "batch" in header else None
        return _refused(self._driver.step(n, chosen_worlds(self.simulator, arrays), changes)), {}

    def _call_write(self, header: Any, arrays: Arrays) -> Content:
        return _refused(self._driver.write(self._changes(header, arrays))), {}

    def _call_reset(self, header: Any, arrays: Arrays) -> Content:
        seeds = header.get("seeds")
        if seeds is not None and not all(each is None or type(each) is int for each in seeds):
            raise ValueError(f"seeds must be ints or None, got {seeds!r}")
        self._driver.reset(chosen_worlds(self.simulator, arrays), seeds)
        return {}, {}

    def _call_read(self, header: Any, arrays: Arrays) -> Content:
        keys = [key_of(each) for each in header.get("columns", ())]
        tables = Tables(self.simulator.entities, self.simulator.worlds)
        self.simulator.read(tables, keys)
        return {}, {f"{kind}.{column}": tables.columns[kind, column] for kind, column in keys}

    def _call_spawn(self, header: Any, arrays: Arrays) -> Content:
        requests = []
        for number, (name, model) in enumerate(header.get("models", ())):
            pose = arrays[f"pose/{number}"]
            requests.append(SpawnRequest(read_model(model, self._loader), name, pose))
        simulator = self.simulator
        taken = simulator.entities.models
        simulator.spawn(checked_requests(requests, simulator.worlds, taken))
        return {}, {}

    def _call_delete(self, header: Any, arrays: Arrays) -> Content:
        self.simulator.delete(str(header.get("name")))
        return {}, {}

    def _call_descriptions(self, header: Any, arrays: Arrays) -> Content:
        return packed_descriptions(self.simulator.descriptions), {}

    def _changes(self, header: Any, arrays: Arrays) -> Any:
        entities = self.simulator.entities
        if header.get("batch") != entities.generation:
            raise MessageError("the changes are for entities of another generation")
        cells = {name: array for name, array in arrays.items() if name != "worlds"}
        return changes_of(cells, entities, self.simulator.worlds)


def _refused(refusals: Any) -> dict[str, Any]:
    return {"refused": [list(each) for each in refusals if isinstance(each, Refusal)]}


def described(error: Exception) -> dict[str, Any]:
    """Encodes an error in a header: its text, and its nearest class known to both processes."""
    kind = next((each for each in type(error).__mro__ if each.__name__ in _KNOWN), None)
    text = str(error)
    if kind is None:
        text = f"{type(error).__name__}: {text}"
    given = vars(error)
    return {
        "error": "" if kind is None else kind.__name__,
        "text": text,
        **{name: given[name] for name in _ATTRIBUTES if name in given and kind is not None},
    }


def raised(header: Mapping[str, Any]) -> Exception:
    """Decodes the error in a header; a `RemoteError` if its class is unknown here."""
    kind, text = _KNOWN.get(header["error"]), str(header["text"])
    if kind is None:
        return RemoteError(text)
    error: Exception = kind.__new__(kind, text)
    error.args = (text,)
    for name in _ATTRIBUTES:
        if name in header:
            value = header[name]
            error.__dict__[name] = tuple(value) if isinstance(value, list) else value
    return error
