# SPDX-License-Identifier: Apache-2.0
"""Runs dynamic scenarios: Scenic behaviours and monitors act in a running world."""

from __future__ import annotations

from .run import ScenarioRun, run_scenario

__all__ = ["ScenarioRun", "run_scenario"]
