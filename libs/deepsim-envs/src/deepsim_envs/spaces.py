# SPDX-License-Identifier: Apache-2.0
"""Values of users brought to the types of a Gymnasium space, or refused with a reason."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from .area import AreaInterface
from .batch_area import BatchArea


def declared_spaces(
    area: AreaInterface | BatchArea, attribute: str, agents: Iterable[str]
) -> dict[str, spaces.Space[Any]]:
    """Copies of the observation or action spaces of an area, in the order of its agents.

    Each has a generator of its own: areas, agents and worlds may share one space.

    Raises:
        TypeError: It is not a mapping of Gymnasium spaces.
        ValueError: An agent has no space, or a space no agent.
    """
    owner = f"{type(area).__name__}.{attribute}"
    found = getattr(area, attribute)
    if callable(found):
        found = found()
    if not isinstance(found, Mapping):
        raise TypeError(f"{owner} must be a dict of spaces by agent name, got {_shown(found)}")
    for name in agents:
        if name not in found:
            raise ValueError(f"{owner} lacks agent {name!r}: it has {list(found)}")
        if not isinstance(found[name], spaces.Space):
            raise TypeError(
                f"{owner} of agent {name!r} must be a gymnasium.spaces.Space, "
                f"got {_shown(found[name])}"
            )
    unknown = [name for name in found if name not in agents]
    if unknown:
        raise ValueError(f"{owner} names {unknown[0]!r}, but the agents are {list(agents)}")
    return {name: deepcopy(found[name]) for name in agents}


def conform(space: spaces.Space[Any], value: Any, what: str) -> Any:
    """A copy of a value in the types of its space: a list fits a box, float64 one of float32.

    The bounds of a box are not looked at (see `require_within`), but NaN is refused.

    Args:
        space: Where the value belongs.
        value: What a user gave.
        what: What the value is, for messages.

    Raises:
        ValueError: The value has another structure, shape or type, or holds NaN.
    """
    if isinstance(space, spaces.Box):
        return _array(space, value, what)
    if isinstance(space, spaces.Dict):
        if not isinstance(value, Mapping) or value.keys() != space.spaces.keys():
            raise ValueError(f"{what} must be a dict of {list(space.spaces)}, got {_shown(value)}")
        return {
            key: conform(part, value[key], f"{what}[{key!r}]") for key, part in space.spaces.items()
        }
    if isinstance(space, spaces.Tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(space.spaces):
            raise ValueError(f"{what} must be a tuple of {len(space)}, got {_shown(value)}")
        return tuple(
            conform(part, value[index], f"{what}[{index}]")
            for index, part in enumerate(space.spaces)
        )
    require_within(space, value, what)
    return copied(value)


def require_within(space: spaces.Space[Any], value: Any, what: str) -> None:
    """Refuses a value that its space does not contain, bounds included.

    Raises:
        ValueError: It does not lie in the space.
    """
    if not space.contains(value):
        raise ValueError(f"{what} must lie in {space}, got {_shown(value)}")


def copied(value: Any) -> Any:
    """Containers and arrays anew, at any depth; everything else as it is."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Mapping):
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, list):
        return [copied(part) for part in value]
    if isinstance(value, tuple):
        parts = [copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _array(space: spaces.Box, value: Any, what: str) -> NDArray[Any]:
    try:
        array = np.array(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    floats = space.dtype.kind == "f"
    if array.dtype != space.dtype and np.can_cast(
        # A narrower float loses digits that its space has no use for; a narrower integer is wrong.
        array.dtype,
        space.dtype,
        "same_kind" if floats else "safe",
    ):
        with np.errstate(over="ignore"):  # too large becomes infinite, which bounds refuse
            array = array.astype(space.dtype)
    if array.dtype != space.dtype or array.shape != space.shape:
        raise ValueError(
            f"{what} must be a {space.dtype} array of shape {space.shape}, got {_shown(value)}"
        )
    if floats and np.isnan(array).any():
        raise ValueError(f"{what} must not hold NaN, got {_shown(array)}")
    return array


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return reprlib.repr(value)
    if value.size > 16:
        return f"a {value.dtype} array of shape {value.shape}"
    return repr(value)
