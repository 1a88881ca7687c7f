# SPDX-License-Identifier: Apache-2.0
"""Agents, areas and the environment that steps them, as in the DeepSim paper's Appendix B."""

from .agent import AbstractAgent
from .area import AreaInterface
from .environment import Environment
from .errors import ActionError, ClosedEnvironmentError, ObservationError, ResetNeededError
from .step_result import StepResult

__all__ = [
    "AbstractAgent",
    "ActionError",
    "AreaInterface",
    "ClosedEnvironmentError",
    "Environment",
    "ObservationError",
    "ResetNeededError",
    "StepResult",
]
