# SPDX-License-Identifier: Apache-2.0
"""Warnings of a load, gathered and given once per kind."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from deepsim_spawn.errors import ModelFormatWarning


@dataclass(slots=True)
class Finding:
    """The first place of one kind of finding, and how often it occurred."""

    category: type[ModelFormatWarning]
    message: str
    count: int = 1


class Findings:
    """The warnings of one load."""

    def __init__(self) -> None:
        self._findings: dict[tuple[type[ModelFormatWarning], str, str], Finding] = {}

    def add(
        self,
        category: type[ModelFormatWarning],
        kind: str,
        place: str,
        consequence: str,
        cure: str = "",
    ) -> None:
        """Notes a finding.

        Args:
            category: The class of the warning.
            kind: Findings of one kind and cure are counted and reported once.
            place: ``file:line`` of this one.
            consequence: The problem, or its repair.
            cure: The repair, the same text for all findings of a kind.
        """
        known = self._findings.get((category, kind, cure))
        if known:
            known.count += 1
            return
        message = f"{place}: {kind}: {consequence}" + (cure and f"; {cure}")
        self._findings[category, kind, cure] = Finding(category, message)

    def emit(self, stacklevel: int) -> None:
        """Says all findings as Python warnings, at the given level of the call stack."""
        for finding in self._findings.values():
            times = f" ({finding.count} times in this load)" if finding.count > 1 else ""
            warnings.warn(finding.message + times, finding.category, stacklevel=stacklevel + 1)
