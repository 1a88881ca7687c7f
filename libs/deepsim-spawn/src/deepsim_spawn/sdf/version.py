# SPDX-License-Identifier: Apache-2.0
"""Versions of the format."""

from __future__ import annotations

from typing import TypeAlias

from deepsim_spawn.xml import Element

Version: TypeAlias = tuple[int, int]

OLDEST: Version = (1, 3)
NEWEST: Version = (1, 11)


def version_pair(text: str) -> Version:
    """Returns version ``1.6`` as (1, 6), to be compared with others."""
    major, dot, minor = text.partition(".")
    if not (dot and text.isascii() and (major + minor).isdecimal() and len(text) < 9):
        raise ValueError(f"expected a version such as 1.6, got {text!r}")
    return int(major), int(minor or 0)


def sdf_version(element: Element) -> Version:
    """Returns the version of the document that an element is part of.

    Raises:
        ModelFormatError: It is missing, or cannot be read.
    """
    version = element.root.require_attribute("version", version_pair)
    if not OLDEST <= version <= NEWEST:
        raise element.root.error(
            f"expected SDF 1.3 to 1.11, got version {element.root.attributes['version']}"
        )
    return version
