# SPDX-License-Identifier: Apache-2.0
"""Checks tasks: DeepSim's own promises, and the checkers of other libraries."""

from .checks import Check, checks_of
from .own_checks import random_actions

__all__ = ["Check", "checks_of", "random_actions"]
