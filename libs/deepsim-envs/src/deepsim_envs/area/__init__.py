# SPDX-License-Identifier: Apache-2.0
"""The base classes of tasks: `Area` on arrays, and `AreaInterface` with an object per agent."""

from .agent import AbstractAgent
from .agents import Agents
from .area import Area, Bools
from .area_interface import AreaInterface

__all__ = ["AbstractAgent", "Agents", "Area", "AreaInterface", "Bools"]
