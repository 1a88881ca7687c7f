# SPDX-License-Identifier: Apache-2.0
"""Problem: what `Tree.validate` finds."""

from __future__ import annotations

from typing import NamedTuple

from .errors import shortened


class Problem(NamedTuple):
    """Something that `Tree.validate` found."""

    path: str
    """Path of the node that has the problem."""
    message: str
    """What the problem is."""

    def __str__(self) -> str:
        return f"{shortened(self.path)}: {self.message}"
