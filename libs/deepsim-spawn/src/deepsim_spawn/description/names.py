# SPDX-License-Identifier: Apache-2.0
"""Checks names, so that a written file can be read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from deepsim_sync import SCOPE

WORLD = "world"
"""The world's own frame; as a joint's parent, what its child is fixed to or moves against."""


def is_reserved(name: str) -> bool:
    """Returns whether SDF keeps a name for a frame of its own: ``world`` and ``__anything__``."""
    return name == WORLD or (name.startswith("__") and name.endswith("__"))


def trimmed(what: str, text: str) -> None:
    """Refuses blanks around a text, which files do not keep."""
    if text != text.strip():
        raise ValueError(f"{what} must have no blanks around it, got {text!r}")


def word(what: str, text: str) -> None:
    """Refuses an empty text, and blanks around one."""
    if not text:
        raise ValueError(f"{what} must not be empty")
    trimmed(what, text)


def plain_name(whose: str, name: str) -> None:
    """Refuses empty names, names that look scoped, and blanks around a name.

    Args:
        whose: Such as ``a model is``, for the message.
        name: The object to check.
    """
    if not name or SCOPE in name or name != name.strip():
        raise ValueError(
            f"{whose} named {name!r}: give a name without {SCOPE!r} and without blanks around it"
        )


def frame_name(whose: str, name: str) -> None:
    """Refuses also the names that are reserved: for what others refer to as a frame."""
    plain_name(whose, name)
    if is_reserved(name):
        raise ValueError(f"{whose} named {name!r}, which is reserved: choose another name")


def unique(
    owner: str, kind: str, names: Iterable[str], check: Callable[[str, str], None] = plain_name
) -> None:
    """Refuses names that a check refuses, and names that occur twice."""
    given = [*names]
    for name in given:
        check(f"{owner} has a {kind}", name)
    if len(set(given)) < len(given):
        name, count = Counter(given).most_common(1)[0]
        raise ValueError(f"{owner} has {count} {kind}s named {name!r}: names must be unique")
