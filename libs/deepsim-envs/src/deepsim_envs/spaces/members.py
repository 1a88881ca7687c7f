# SPDX-License-Identifier: Apache-2.0
"""Converts users' values to members of Gymnasium's spaces, or reports why they do not fit."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.spaces import Box
from numpy.typing import NDArray


def conform(space: spaces.Space[Any], value: Any, what: str) -> Any:
    """Returns a copy of a user's value with the data types of its space; messages call it `what`.

    A `Box` also takes lists, and a float32 `Box` takes float64. The bounds of a `Box` are not
    checked; see `require_within`.

    Raises:
        ValueError: The value has the wrong structure, shape or type, or holds NaN.
    """
    if isinstance(space, spaces.Box):
        return _array(space, value, what)
    if isinstance(space, spaces.Dict):
        if not isinstance(value, Mapping) or value.keys() != space.spaces.keys():
            raise ValueError(f"{what} must be a dict of {list(space.spaces)}, got {shown(value)}")
        return {
            key: conform(part, value[key], f"{what}[{key!r}]") for key, part in space.spaces.items()
        }
    if isinstance(space, spaces.Tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(space.spaces):
            raise ValueError(f"{what} must be a tuple of {len(space)}, got {shown(value)}")
        return tuple(
            conform(part, value[index], f"{what}[{index}]")
            for index, part in enumerate(space.spaces)
        )
    require_within(space, value, what)
    return copied(value)


def require_within(space: spaces.Space[Any], value: Any, what: str) -> None:
    """Raises a ValueError if the space does not contain the value; this checks bounds as well."""
    if not space.contains(value):
        raise ValueError(f"{what} must lie in {space}, got {shown(value)}")


def copied(value: Any) -> Any:
    """Copies containers and arrays at any depth; other objects are shared with the original."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        if value.dtype.hasobject:
            for place in np.ndindex(value.shape):
                copy[place] = copied(value[place])
        return copy
    if isinstance(value, tuple):
        parts = [copied(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [copied(part) for part in value]
    if isinstance(value, Mapping):
        return {key: copied(part) for key, part in value.items()}
    return value


def leafwise(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Applies a function to each array of a tree, and returns the results in the same structure.

    Args:
        function: Takes an array of `tree`, and the arrays at the same place in `others`.
        tree: An array, or dicts and tuples of arrays at any depth.
        others: Trees with at least the same keys.
    """
    if isinstance(tree, dict):
        return {
            key: leafwise(function, part, *(other[key] for other in others))
            for key, part in tree.items()
        }
    if isinstance(tree, tuple):
        return tuple(
            leafwise(function, part, *(other[index] for other in others))
            for index, part in enumerate(tree)
        )
    return function(tree, *others)


def _array(space: spaces.Box, value: Any, what: str) -> NDArray[Any]:
    try:
        array = np.array(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    floats = space.dtype.kind == "f"
    if array.dtype != space.dtype and np.can_cast(
        # A narrower float only loses precision, but a narrower integer may be a wrong number.
        array.dtype,
        space.dtype,
        "same_kind" if floats else "safe",
    ):
        with np.errstate(over="ignore"):  # Too large numbers become infinite: outside the bounds.
            array = array.astype(space.dtype)
    if array.dtype != space.dtype or array.shape != space.shape:
        raise ValueError(
            f"{what} must be a {space.dtype} array of shape {space.shape}, got {shown(value)}"
        )
    if floats and np.isnan(array).any():
        raise ValueError(f"{what} must not hold NaN, got {shown(array)}")
    return array


def shown(value: Any) -> str:
    """Returns a short description of a value, for messages."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, np.ndarray):
        return reprlib.repr(value)
    if value.size > 16:
        return f"a {value.dtype} array of shape {value.shape}"
    return repr(value)


class Bounded(Protocol):
    """An object with bounds for an action of n numbers, such as `deepsim_robots.Robot`."""

    @property
    def lower(self) -> NDArray[np.float64]:
        """The lower bounds, (n,)."""
        ...

    @property
    def upper(self) -> NDArray[np.float64]:
        """The upper bounds, (n,)."""
        ...


def action_box(bounded: Bounded) -> Box:
    """Returns the action space of one agent: a float32 `Box` with these bounds.

    Example:
        >>> class Arm:
        ...     lower, upper = np.array([-1.5, -0.5]), np.array([1.5, 0.5])
        >>> action_box(Arm())
        Box([-1.5 -0.5], [1.5 0.5], (2,), float32)
    """
    return Box(bounded.lower.astype(np.float32), bounded.upper.astype(np.float32))
