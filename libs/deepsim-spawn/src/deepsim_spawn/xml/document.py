# SPDX-License-Identifier: Apache-2.0
"""An XML document, the load that it belongs to, and the warnings of the load."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from deepsim_spawn.errors import ModelFormatWarning
from deepsim_spawn.search_path import SearchPath

if TYPE_CHECKING:
    from .element import Element

_Kind: TypeAlias = tuple[type[ModelFormatWarning], str, str]
"""Category, kind and cure of findings that are reported once."""


class Findings:
    """The warnings of one load, collected and issued once per kind."""

    def __init__(self) -> None:
        self._first: dict[_Kind, tuple[str, str, int | None]] = {}
        self._count: Counter[_Kind] = Counter()

    def add(
        self,
        category: type[ModelFormatWarning],
        kind: str,
        place: tuple[str, int | None],
        consequence: str,
        cure: str = "",
    ) -> None:
        """Records a finding; findings of one category, kind and cure are reported once.

        Args:
            category: The class of the warning.
            kind: The kind of finding, such as ``parent/tag``.
            place: File and line of the finding.
            consequence: What is wrong in this place, with its consequence if `cure` is empty.
            cure: What is done about it, in words that are the same for all findings of a kind.
        """
        message = f"{kind}: {consequence}" + (cure and f"; {cure}")
        self._first.setdefault((category, kind, cure), (message, *place))
        self._count[category, kind, cure] += 1

    def emit(self, stacklevel: int) -> None:
        """Issues all findings as Python warnings at the given level of the call stack."""
        for kind, (message, file, line) in self._first.items():
            count = self._count[kind]
            times = f" ({count} times in this load)" if count > 1 else ""
            warnings.warn(kind[0](message + times, file=file, line=line), stacklevel=stacklevel + 1)


MAX_ELEMENTS = 500_000
"""Limit of elements in one load; stops files that include one another endlessly."""

MAX_BYTES = 64 * 1024 * 1024
"""Limit of text in one load, which costs time even without elements."""


@dataclass(slots=True)
class Load:
    """State of one call of a loader, shared by its documents.

    Attributes:
        search_path: Folders in which URIs are looked up.
        strict: Whether malformed values that other tools accept are refused.
        skip_missing_collisions: Whether a collision whose mesh is not found is left out.
        findings: Warnings to issue at the end.
        roots: Root elements of the documents read.
        included: Root elements of the included files; each is parsed once.
        elements_left: Number of elements that may still be read.
        bytes_left: Amount of text that may still be read.
        nesting: Files (None if not a file) of the models being read, outermost first.
    """

    search_path: SearchPath
    strict: bool = False
    skip_missing_collisions: bool = False
    findings: Findings = field(default_factory=Findings)
    roots: list[Element] = field(default_factory=list)
    included: dict[Path, Element] = field(default_factory=dict)
    elements_left: int = MAX_ELEMENTS
    bytes_left: int = MAX_BYTES
    nesting: list[Path | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Document:
    """One XML text.

    Attributes:
        label: Its name in messages.
        path: Its resolved file, or None for XML given as text.
        load: State shared with the other documents of the load.
    """

    label: str
    path: Path | None
    load: Load
