# SPDX-License-Identifier: Apache-2.0
"""Converts users' values to members of Gymnasium's spaces, or reports why they do not fit.

Masks follow PettingZoo: an observation is a dict with ``"action_mask"``, one integer for each value
of a discrete action, 1 if it is allowed and 0 if not. A `Discrete` action is one *choice*, a
`MultiDiscrete` action several; the mask lists the values of all choices one after the other. Goals
follow Gymnasium-Robotics: a dict with ``"achieved_goal"`` and ``"desired_goal"``.
"""

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


MASK = "action_mask"
GOALS = frozenset(("achieved_goal", "desired_goal"))


def choices_of(space: spaces.Space[Any]) -> tuple[int, ...]:
    """Returns the number of values of each choice; () for actions that are not discrete."""
    if isinstance(space, spaces.Discrete):
        return (int(space.n),)
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        return tuple(space.nvec.tolist())
    return ()


def has_action_mask(seen: spaces.Space[Any], acted: spaces.Space[Any]) -> bool:
    """Returns whether observations of the space `seen` hold a mask for actions of `acted`.

    Raises:
        ValueError: The mask does not fit the actions.
    """
    counts = choices_of(acted)
    mask = seen.spaces.get(MASK) if isinstance(seen, spaces.Dict) else None
    if mask is None or not counts:
        return False
    if mask.shape != (sum(counts),) or np.dtype(mask.dtype).kind not in "biu":
        raise ValueError(
            f"the observation {MASK!r} must have an integer for each of the {sum(counts)} values "
            f"of {acted}, as MultiBinary({sum(counts)}) has, got {mask}"
        )
    return True


def allowed(observations: Any, acted: spaces.Space[Any], rows: int) -> NDArray[np.bool_]:
    """Returns which values observations allow, (rows, n) bool; all if they have no mask.

    Raises:
        TypeError: The actions are not discrete.
    """
    count = sum(choices_of(acted))
    if not count:
        raise TypeError(f"only choices have masks, got actions of {acted}")
    if not isinstance(observations, Mapping) or MASK not in observations:
        return np.ones((rows, count), np.bool_)
    return np.array(observations[MASK], np.bool_).reshape(rows, count)


def forbidden_choice(mask: NDArray[Any], acted: spaces.Space[Any]) -> int | None:
    """Returns the index of the first choice without an allowed value in a mask (n,), or None."""
    parts = np.split(mask, np.cumsum(choices_of(acted))[:-1])
    return next((number for number, part in enumerate(parts) if not part.any()), None)


def sample_allowed(acted: spaces.Space[Any], observation: Any) -> Any:
    """Samples an action; if the observation has a mask, an action that the mask allows.

    Raises:
        ValueError: The mask forbids all values of a choice.
    """
    counts = choices_of(acted)
    if not counts or not isinstance(observation, Mapping) or MASK not in observation:
        return acted.sample()
    mask = np.asarray(observation[MASK]).astype(np.int8)
    if forbidden_choice(mask, acted) is not None:
        raise ValueError(f"an action mask must allow a value of each choice, got {mask.tolist()}")
    if isinstance(acted, spaces.Discrete):
        return acted.sample(mask=mask)
    return acted.sample(mask=tuple(np.split(mask, np.cumsum(counts)[:-1])))
