# SPDX-License-Identifier: Apache-2.0
"""Minds control robots: behaviour trees with leaves that act for one robot or many at once."""

from .formation import Role, assign_roles
from .solo import SoloMind
from .steering import Limits, Steering
from .team import TeamMind

__all__ = ["Limits", "Role", "SoloMind", "Steering", "TeamMind", "assign_roles"]
