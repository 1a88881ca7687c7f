# SPDX-License-Identifier: Apache-2.0
"""The base classes of tasks: `Area` on arrays, and `AreaInterface` with an object per agent."""

from .area import Agents, Area, Bools
from .area_interface import AbstractAgent, AreaInterface

__all__ = ["AbstractAgent", "Agents", "Area", "AreaInterface", "Bools"]
