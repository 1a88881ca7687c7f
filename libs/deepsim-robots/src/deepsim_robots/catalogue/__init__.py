# SPDX-License-Identifier: Apache-2.0
"""A catalogue of robots: DeepSim's own, and those in packages that users install."""

from .entry import CatalogueEntry, MissingPackageError
from .robots import ROBOTS, find_robot

__all__ = ["ROBOTS", "CatalogueEntry", "MissingPackageError", "find_robot"]
