# SPDX-License-Identifier: Apache-2.0
"""Saving and restoring attributes with plain values, which snapshots keep for behaviours."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from deepsim_math import (
    Color,
    Euler,
    Material,
    Plane,
    Point,
    Pose,
    Quaternion,
    Ray,
    Twist,
    Vector3,
)

_VALUES = (
    *(type(None), bool, int, float, complex, str, bytes, Enum, np.generic),
    *(Color, Euler, Material, Plane, Point, Pose, Quaternion, Ray, Twist, Vector3),
)


class _GeneratorState(NamedTuple):
    state: Mapping[str, Any]


def plain_attributes(owner: object) -> dict[str, Any]:
    """Returns copies of an object's attributes with plain values, by name.

    Plain values are None, numbers, strings, enumeration members, values of `deepsim_math`, arrays
    without objects, random generators, and lists, tuples, dicts, sets and deques of plain values.
    """
    kept: dict[str, Any] = {}
    for name, value in vars(owner).items():
        if isinstance(value, np.random.Generator):
            kept[name] = _GeneratorState(deepcopy(value.bit_generator.state))
        elif _is_plain(value):
            kept[name] = deepcopy(value)
    return kept


def restore_attributes(owner: object, kept: Mapping[str, Any]) -> None:
    """Restores attributes that `plain_attributes` returned.

    Containers and generators are changed in place where possible, because other objects may share
    them. Attributes that were added since then are deleted if the class has a default for them.
    """
    present = vars(owner)
    for name in [name for name in present if name not in kept]:
        if hasattr(type(owner), name) and _is_plain(present[name]):
            delattr(owner, name)
    for name, value in kept.items():
        now = present.get(name)
        if isinstance(value, _GeneratorState):
            if not isinstance(now, np.random.Generator):
                raise ValueError(
                    f"attribute {name!r} of {type(owner).__name__} was a random generator, "
                    f"and is {now!r}: keep the generator there"
                )
            now.bit_generator.state = deepcopy(value.state)
        elif not _refill(now, value):
            setattr(owner, name, deepcopy(value))


def _is_plain(value: Any) -> bool:
    if isinstance(value, _VALUES):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return False


def _refill(now: Any, value: Any) -> bool:
    """Copies a value into a container of the same type; returns whether that was possible."""
    if type(now) is not type(value):
        return False
    if isinstance(now, np.ndarray):
        if now.shape != value.shape or now.dtype != value.dtype or not now.flags.writeable:
            return False
        now[...] = value
    elif isinstance(now, list):
        now[:] = deepcopy(value)
    elif isinstance(now, (dict, set)):
        now.clear()
        now.update(deepcopy(value))
    elif isinstance(now, deque) and now.maxlen == value.maxlen:
        now.clear()
        now.extend(deepcopy(value))
    else:
        return False
    return True
