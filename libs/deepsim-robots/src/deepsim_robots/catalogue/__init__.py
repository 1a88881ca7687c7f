# SPDX-License-Identifier: Apache-2.0
"""A catalogue of robots: our own, and those of packages that users install."""

from .entry import CatalogueEntry
from .packages import MissingPackageError
from .robots import ROBOTS, find_robot

__all__ = ["ROBOTS", "CatalogueEntry", "MissingPackageError", "find_robot"]
