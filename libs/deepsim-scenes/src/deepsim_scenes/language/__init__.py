# SPDX-License-Identifier: Apache-2.0
"""Compiles Scenic scenarios with a library of models, and samples scenes from them."""

from __future__ import annotations

from .scenario import Scenario, load_scenario

__all__ = ["Scenario", "load_scenario"]
