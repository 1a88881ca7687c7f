# SPDX-License-Identifier: Apache-2.0
"""How large a payload may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What is refused in both directions, whoever sends it.

    Attributes:
        message_bytes: The largest message; arrays are in it as they are, so it bounds them too.
        depth: How deep lists, tuples and dicts may be nested.
        values: How many values there may be, each list, dict, key and array counted.
        dimensions: How many axes an array may have.
    """

    message_bytes: int = 16 * 2**20
    depth: int = 16
    values: int = 100_000
    dimensions: int = 8
