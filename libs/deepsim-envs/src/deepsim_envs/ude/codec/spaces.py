# SPDX-License-Identifier: Apache-2.0
"""Encodes Gymnasium's spaces as UDE encodes those of gym: as dicts with the name of the class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from deepsim_envs.ude.errors import PayloadError

from .union import Tagged

_MOST_BITS = 2**24  # limit for a MultiBinary, because its samples are arrays of that size


def space_data(space: spaces.Space[Any]) -> dict[str, Any]:
    """Returns a space as a tagged dict, for `encode`.

    Raises:
        PayloadError: UDE has no such space, or cannot encode this one.
    """
    data = _plain(space)
    return Tagged(data["class"], data)


def _plain(space: spaces.Space[Any]) -> dict[str, Any]:
    if isinstance(space, spaces.Box):
        bounds = {"low": space.low, "high": space.high}
        return {"class": "Box", **bounds, "dtype": str(space.dtype)}
    if isinstance(space, spaces.Discrete):
        if space.start != 0:
            raise PayloadError(
                f"Discrete(start={space.start}) cannot be sent: UDE's begins at 0, so let "
                "the agent add the start itself"
            )
        return {"class": "Discrete", "n": int(space.n)}
    if isinstance(space, spaces.MultiBinary):
        bits = np.asarray(space.n)
        return {"class": "MultiBinary", "n": bits.tolist()}
    if isinstance(space, spaces.MultiDiscrete):
        if np.any(space.start):
            raise PayloadError("MultiDiscrete with a start cannot be sent: UDE's begins at 0")
        return {"class": "MultiDiscrete", "nvec": np.asarray(space.nvec, np.int64)}
    if isinstance(space, spaces.Dict):
        parts = {key: _plain(part) for key, part in space.spaces.items()}
        return {"class": "Dict", "spaces": parts}
    if isinstance(space, spaces.Tuple):
        return {"class": "Tuple", "spaces": [_plain(part) for part in space.spaces]}
    raise PayloadError(
        f"a {type(space).__name__} space cannot be sent: UDE has Box, Discrete, MultiBinary, "
        "MultiDiscrete, Dict and Tuple"
    )


def space_of(data: Any) -> spaces.Space[Any]:
    """Returns the space from the data of a tagged dict.

    Raises:
        PayloadError: The data do not describe a space.
    """
    try:
        name = data["class"]
        make = _MAKERS.get(name) if isinstance(name, str) else None
        if make is None:
            raise PayloadError(f"a space of class {name!r} is not allowed")
        return make(data)
    except PayloadError:
        raise
    except Exception as error:  # Gymnasium's checks raise AssertionError, or any error of NumPy.
        raise PayloadError(f"not a space: {type(error).__name__}: {error}") from None


def _box(data: Mapping[str, Any]) -> spaces.Box:
    low, high, dtype = data["low"], data["high"], np.dtype(data["dtype"])
    if not isinstance(low, np.ndarray) or not isinstance(high, np.ndarray):
        raise PayloadError("the bounds of a Box must be arrays")
    if dtype.kind not in "iuf" or low.shape != high.shape:
        raise PayloadError("a Box must be one of numbers, with bounds of one shape")
    return spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype.type)


def _multi_binary(data: Mapping[str, Any]) -> spaces.MultiBinary:
    bits = data["n"]
    shape = [_natural(bit) for bit in (bits if isinstance(bits, (list, tuple)) else [bits])]
    if len(shape) > 8 or any(bit > _MOST_BITS for bit in [*shape, np.prod(shape, dtype=object)]):
        raise PayloadError(f"a MultiBinary has at most {_MOST_BITS} bits")
    return spaces.MultiBinary(shape if isinstance(bits, (list, tuple)) else shape[0])


def _natural(number: Any) -> int:
    if type(number) is not int or number < 1:
        raise PayloadError(f"the size of a space must be an int >= 1, got {number!r}")
    return number


_MAKERS: dict[str, Callable[[Mapping[str, Any]], spaces.Space[Any]]] = {
    "Box": _box,
    "Discrete": lambda data: spaces.Discrete(_natural(data["n"])),
    "MultiBinary": _multi_binary,
    "MultiDiscrete": lambda data: spaces.MultiDiscrete(np.asarray(data["nvec"], np.int64)),
    "Dict": lambda data: spaces.Dict({key: space_of(part) for key, part in data["spaces"].items()}),
    "Tuple": lambda data: spaces.Tuple([space_of(part) for part in data["spaces"]]),
}

#: The functions that make spaces from tagged dicts, for `decode`.
SPACE_TAGS: Mapping[str, Callable[[Any], spaces.Space[Any]]] = dict.fromkeys(_MAKERS, space_of)
