# SPDX-License-Identifier: Apache-2.0
"""Robots to take off the shelf: our own, and those of packages that users install."""

from .entry import CatalogueEntry
from .packages import MissingPackageError
from .robots import ROBOTS, find_robot

__all__ = ["ROBOTS", "CatalogueEntry", "MissingPackageError", "find_robot"]
