# SPDX-License-Identifier: Apache-2.0
"""One XML text, and the load that it is part of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deepsim_spawn.search_path import SearchPath

from .findings import Findings

if TYPE_CHECKING:
    from .element import Element

MAX_ELEMENTS = 500_000
"""In one load: stops files that include one another in ever greater number."""

MAX_BYTES = 64 * 1024 * 1024
"""In one load: text costs time even where it holds no elements."""


@dataclass(slots=True)
class Load:
    """One call of a loader: what its documents share.

    Attributes:
        search_path: Where URIs are looked up.
        strict: Whether values that are wrong, but that others accept, are refused.
        skip_missing_collisions: Whether a collision whose mesh is not found is left out.
        findings: Warnings to give at the end.
        roots: Paths of the documents that were read.
        included: Roots of the files that were included; each is parsed once.
        elements_left: How many elements may still be read.
        bytes_left: How much text may still be read.
        nesting: Models that are being read, outermost first; files where they are included.
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
        label: Names it in messages.
        path: Its file, resolved, or None for XML given as text.
        load: State shared with the other documents of the load.
    """

    label: str
    path: Path | None
    load: Load
