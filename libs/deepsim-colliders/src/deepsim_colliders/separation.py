# SPDX-License-Identifier: Apache-2.0
"""Distance or depth of two shapes."""

from __future__ import annotations

from typing import Any, NamedTuple


class Separation(NamedTuple):
    """Distance or depth of two shapes, in the world and in any number of dimensions."""

    distance: float
    """Between them [m]; less than 0 is how far they are in each other."""
    normal: Any
    """Unit vector from the first to the second."""
    first: Any
    """The point of the first shape that is nearest to the second, or deepest in it."""
    second: Any
    """The point of the second shape that is nearest to the first, or deepest in it."""
