# SPDX-License-Identifier: Apache-2.0
"""Tasks: an `Area` on arrays, or an `AreaInterface` with an object for each agent."""

from .agent import AbstractAgent
from .agents import Agents
from .area import Area, Bools
from .area_interface import AreaInterface

__all__ = ["AbstractAgent", "Agents", "Area", "AreaInterface", "Bools"]
