# SPDX-License-Identifier: Apache-2.0
"""Counts how often each requirement rejects a sample."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .scenic2 import with_own_lines


class RejectionCounter:
    """Wraps the checker of a scenario and counts the reasons for rejections.

    Args:
        compiled: A `scenic.core.scenarios.Scenario`; its checker is replaced.
        moved: The number of lines that were inserted above the scenario before compilation.
    """

    def __init__(self, compiled: Any, moved: int) -> None:
        self._moved = moved
        self._checker = compiled.checker
        self._counts: Counter[str] = Counter()
        self._checked = 0
        compiled.checker = self

    def checkRequirements(self, sample: Any) -> Any:  # noqa: N802 (Scenic calls it)
        """Returns the requirement that rejects a sample, or None."""
        reason = self._checker.checkRequirements(sample)
        self._checked += 1
        if reason is not None:
            self._counts[str(reason)] += 1
        return reason

    def clear(self) -> None:
        """Forgets all counts."""
        self._counts.clear()
        self._checked = 0

    def reasons(self, samples: int) -> dict[str, int]:
        """Returns the number of samples that each requirement rejected.

        Args:
            samples: Total number of samples drawn. Before it checks requirements, Scenic discards
                samples without an admissible position; these samples count under a separate reason.
        """
        early = samples - self._checked
        found = {
            with_own_lines(reason, self._moved): count for reason, count in self._counts.items()
        }
        if early > 0:
            found["a position that no region admits"] = early
        return found
