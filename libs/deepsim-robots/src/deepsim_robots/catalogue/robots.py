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
"""All robots of the catalogue by name, including those of packages that are not installed."""


def find_robot(name: str) -> CatalogueEntry:
    """Returns a robot of the catalogue; ``menagerie/NAME`` names one of mujoco-menagerie.

    >>> find_robot("cartpole").about
    'cart on a rail, with a pole that turns freely'

    Raises:
        UnknownEntityError: The robot does not exist; the message suggests similar names.
        MissingPackageError: mujoco-menagerie is needed, but not installed.
    """
    if name.startswith(PREFIX):
        return find_menagerie(name)
    if name not in ROBOTS:
        raise UnknownEntityError("robot", name, ROBOTS)
    return ROBOTS[name]
