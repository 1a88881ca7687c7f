# SPDX-License-Identifier: Apache-2.0
"""Selects joints by names and patterns, and checks names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from deepsim_sync import UnknownEntityError


def matching(kind: str, patterns: Iterable[str], names: Sequence[str]) -> list[int]:
    """Returns the indices of the names that match a pattern, in ascending order.

    Args:
        kind: Kind of the names for error messages, such as ``"joint of robot 'arm'"``.
        patterns: Names, or regular expressions that must match a whole name.
        names: All names.

    Raises:
        UnknownEntityError: A pattern does not match any name.
        ValueError: A pattern is not a valid regular expression.
    """
    chosen: set[int] = set()
    for pattern in patterns:
        if pattern in names:
            chosen.add(names.index(pattern))
            continue
        try:
            expression = re.compile(pattern)
        except (re.error, TypeError) as error:
            raise ValueError(
                f"{pattern!r} is neither a {kind} nor a regular expression: {error}"
            ) from None
        found = [index for index, name in enumerate(names) if expression.fullmatch(name)]
        if not found:
            raise UnknownEntityError(kind, pattern, names)
        chosen.update(found)
    return sorted(chosen)


def check_names(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises UnknownEntityError for the first name that is not known."""
    names = tuple(known)
    for name in given:
        if name not in names:
            raise UnknownEntityError(kind, name, names)
