# SPDX-License-Identifier: Apache-2.0
"""Minds of robots: behaviour trees whose leaves act for one robot or for many at once."""

from .roles import Role, assign_roles
from .solo import SoloMind
from .steering import Limits, Steering
from .team import TeamMind

__all__ = ["Limits", "Role", "SoloMind", "Steering", "TeamMind", "assign_roles"]
