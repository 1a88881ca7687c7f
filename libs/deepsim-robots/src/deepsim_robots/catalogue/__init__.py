# SPDX-License-Identifier: Apache-2.0
"""A catalogue of robots: DeepSim's own, and those in packages that users install."""

from .entry import KINDS, CatalogueEntry, MissingPackageError
from .menagerie import MENAGERIE
from .robots import ROBOTS, find_robot

__all__ = ["KINDS", "MENAGERIE", "ROBOTS", "CatalogueEntry", "MissingPackageError", "find_robot"]
