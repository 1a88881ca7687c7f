# SPDX-License-Identifier: Apache-2.0
"""Checks of a task: our own promises, and the checkers of others."""

from .checks import Check, checks_of
from .promises import random_actions

__all__ = ["Check", "checks_of", "random_actions"]
