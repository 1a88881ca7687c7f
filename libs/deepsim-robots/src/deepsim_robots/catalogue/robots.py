# SPDX-License-Identifier: Apache-2.0
"""The catalogue: all robots by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deepsim_sync import UnknownEntityError

from .arms import ARMS
from .entry import CatalogueEntry
from .menagerie import OF_MENAGERIE, PREFIX, find_menagerie
from .mobile import LEGGED, MOBILE
from .own import OWN

ROBOTS: Mapping[str, CatalogueEntry] = MappingProxyType(
    {entry.name: entry for entry in (*OWN, *ARMS, *LEGGED, *MOBILE, *OF_MENAGERIE)}
)
"""All robots of the catalogue by name, including those whose files are not on this machine."""


def find_robot(name: str) -> CatalogueEntry:
    """Returns a robot of the catalogue; ``menagerie/NAME`` names one of MuJoCo Menagerie.

    >>> find_robot("cartpole").about
    'cart on a rail, with a pole that turns freely'

    Raises:
        UnknownEntityError: The robot does not exist; the message suggests similar names.
        MissingPackageError: The robot is one of mujoco-menagerie that is unknown here, and the
            package is not installed.
    """
    if name in ROBOTS:
        return ROBOTS[name]
    if name.startswith(PREFIX):
        return find_menagerie(name)
    raise UnknownEntityError("robot", name, ROBOTS)
