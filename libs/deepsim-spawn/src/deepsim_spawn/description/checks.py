# SPDX-License-Identifier: Apache-2.0
"""Checks of numbers and names in all descriptions; they accept only what a file can hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from deepsim_math import Pose, Vector3
from deepsim_sync import SCOPE

LARGEST = 1e100
"""Largest accepted magnitude: beyond physical values, yet products of such numbers are finite."""


class NoSizeError(ValueError):
    """A length that must be positive is zero or negative."""


class NoAreaError(NoSizeError):
    """A shape is only a point or a line."""


def finite(what: str, *values: float) -> None:
    """Refuses NaN, infinity, and numbers above `LARGEST`."""
    for value in values:
        if not abs(value) <= LARGEST:
            raise ValueError(f"{what} must be finite, up to {LARGEST:g}, got {value:g}")


def vector(what: str, value: Vector3 | Sequence[float]) -> Vector3:
    """Returns three finite numbers as a vector."""
    try:
        x, y, z = (float(number) for number in value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be three numbers, got {value!r}") from None
    finite(what, x, y, z)
    return Vector3(x, y, z)


def direction(what: str, value: Vector3 | Sequence[float]) -> Vector3:
    """Returns three numbers, not all zero, as a unit vector."""
    x, y, z = vector(what, value)
    length = math.hypot(x, y, z)
    if length < 1e-9:
        raise ValueError(f"{what} must have a length > 0, got ({x:g}, {y:g}, {z:g})")
    return Vector3(x / length, y / length, z / length)


def positive(what: str, *values: float) -> None:
    """Refuses zero, negative numbers, NaN and infinity."""
    for value in values:
        if not value > 0.0:
            raise NoSizeError(f"{what} must be > 0, got {value:g}")
    finite(what, *values)


def sides(what: str, *lengths: float) -> None:
    """Refuses what `positive` refuses; shapes that are a point or a line by `NoAreaError`."""
    if min(lengths) == 0.0 and lengths.count(0.0) >= len(lengths) - 1:
        raise NoAreaError(f"{what} must be > 0, got 0")
    positive(what, *lengths)


def round_sides(kind: str, radius: float, length: float) -> None:
    """Refuses what `positive` refuses; shapes of radius 0, which are a line, by `NoAreaError`."""
    if radius == 0.0 and length >= 0.0:
        raise NoAreaError(f"{kind} radius [m] must be > 0, got 0")
    positive(f"{kind} radius [m]", radius)
    positive(f"{kind} length [m]", length)


def not_negative(what: str, value: float) -> None:
    """Refuses negative numbers, NaN and infinity."""
    if not 0.0 <= value <= LARGEST:
        limit(what, value)
        finite(what, value)


def limit(what: str, value: float) -> None:
    """Refuses negative numbers and NaN; accepts infinity."""
    if not value >= 0.0:
        raise ValueError(f"{what} must be >= 0, got {value:g}")


def fraction(what: str, value: float) -> None:
    """Refuses numbers outside 0..1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} must lie in 0..1, got {value:g}")


def finite_pose(owner: str, pose: Pose) -> None:
    """Refuses poses with numbers that are not finite."""
    at, turn = pose.position, pose.orientation
    # a sum is not finite if any term is not; loading checks many poses, and one test is quick
    if not math.isfinite(at.x + at.y + at.z + turn.x + turn.y + turn.z + turn.w):
        raise ValueError(f"the pose of {owner} must be finite, got {pose}")


WORLD = "world"
"""Name of the world frame, which may be the parent of a joint."""


def is_reserved(name: str) -> bool:
    """Returns whether SDF reserves a name for its own frames: ``world`` and ``__anything__``."""
    return name == WORLD or (name.startswith("__") and name.endswith("__"))


def trimmed(what: str, text: str) -> None:
    """Refuses surrounding blanks, which files do not preserve."""
    if text != text.strip():
        raise ValueError(f"{what} must have no blanks around it, got {text!r}")


def word(what: str, text: str) -> None:
    """Refuses empty text and surrounding blanks."""
    if not text:
        raise ValueError(f"{what} must not be empty")
    trimmed(what, text)


def plain_name(whose: str, name: str) -> None:
    """Refuses names that are empty, look scoped or have surrounding blanks.

    `whose` is the start of the message, such as ``a model is``.
    """
    if not name or SCOPE in name or name != name.strip():
        raise ValueError(
            f"{whose} named {name!r}: give a name without {SCOPE!r} and without blanks around it"
        )


def frame_name(whose: str, name: str) -> None:
    """Refuses the names that `plain_name` refuses, and those that SDF reserves for frames."""
    plain_name(whose, name)
    if is_reserved(name):
        raise ValueError(f"{whose} named {name!r}, which is reserved: choose another name")


def unique(
    owner: str, kind: str, names: Iterable[str], check: Callable[[str, str], None] = plain_name
) -> None:
    """Refuses duplicate names, and those that `check` refuses."""
    given = [*names]
    for name in given:
        check(f"{owner} has a {kind}", name)
    if len(set(given)) < len(given):
        name, count = Counter(given).most_common(1)[0]
        raise ValueError(f"{owner} has {count} {kind}s named {name!r}: names must be unique")
