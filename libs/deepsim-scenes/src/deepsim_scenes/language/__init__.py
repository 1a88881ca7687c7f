# SPDX-License-Identifier: Apache-2.0
"""Scenic: the library of models, scenarios, and samples of them."""

from __future__ import annotations

from .scenario import Scenario, load_scenario

__all__ = ["Scenario", "load_scenario"]
