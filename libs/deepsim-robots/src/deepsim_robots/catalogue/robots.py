# SPDX-License-Identifier: Apache-2.0
"""The catalogue: all robots by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deepsim_sync import UnknownEntityError

from .arms import ARMS
from .entry import CatalogueEntry
from .legged import LEGGED
from .menagerie import PREFIX, find_menagerie
from .mobile import MOBILE
from .own import OWN

ROBOTS: Mapping[str, CatalogueEntry] = MappingProxyType(
    {entry.name: entry for entry in (*OWN, *ARMS, *LEGGED, *MOBILE)}
)
"""The robots of the catalogue by name, whether their packages are installed or not."""


def find_robot(name: str) -> CatalogueEntry:
    """Returns a robot of the catalogue, or, as ``menagerie/NAME``, of mujoco-menagerie.

    Raises:
        UnknownEntityError: The robot does not exist; the message has the nearest names.
        MissingPackageError: mujoco-menagerie is asked for, and not installed.
    """
    if name.startswith(PREFIX):
        return find_menagerie(name)
    if name not in ROBOTS:
        raise UnknownEntityError("robot", name, ROBOTS)
    return ROBOTS[name]
