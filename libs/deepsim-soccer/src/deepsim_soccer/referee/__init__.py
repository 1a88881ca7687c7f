# SPDX-License-Identifier: Apache-2.0
"""Applies the rules of a match: goals, restarts, fouls, and the pauses that they cause."""

from .fouls import Foul, Fouls
from .referee import Call, Decision, Phase, Referee

__all__ = ["Call", "Decision", "Foul", "Fouls", "Phase", "Referee"]
