# SPDX-License-Identifier: Apache-2.0
"""Goals: parts of an observation that say what is achieved, and what is to be."""

from __future__ import annotations

GOALS = frozenset(("achieved_goal", "desired_goal"))
"""Their keys in an observation that is a dict, as Gymnasium-Robotics has them."""
