# SPDX-License-Identifier: Apache-2.0
"""Dynamic scenarios: behaviours and monitors of Scenic that act in a running world."""

from __future__ import annotations

from .run import ScenarioRun, run_scenario

__all__ = ["ScenarioRun", "run_scenario"]
