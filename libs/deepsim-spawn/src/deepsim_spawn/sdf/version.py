# SPDX-License-Identifier: Apache-2.0
"""Versions of the format, and what differs between them."""

from __future__ import annotations

from typing import TypeAlias

from deepsim_spawn.xml import Element

Version: TypeAlias = tuple[int, int]

OLDEST: Version = (1, 3)
NEWEST: Version = (1, 11)


def parse_version(text: str) -> Version:
    """Version ``1.6`` as (1, 6).

    Raises:
        ValueError: It is not a version that can be read.
    """
    major, dot, minor = text.partition(".")
    version = (int(major), int(minor)) if dot and (major + minor).isdecimal() else (0, 0)
    if not OLDEST <= version <= NEWEST:
        raise ValueError(f"expected an SDF version from 1.3 to 1.11, got {text!r}")
    return version


def sdf_version(element: Element) -> Version:
    """The version of the document that an element is part of."""
    return element.root.require_attribute("version", parse_version)
