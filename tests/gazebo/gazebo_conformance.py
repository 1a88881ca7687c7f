# SPDX-License-Identifier: Apache-2.0
"""The conformance suite on Gazebo, with its precision."""

from __future__ import annotations

from deepsim_conformance import SimulatorConformance


class GazeboConformance(SimulatorConformance):
    """All cases."""

    reset_precision = 1e-5  # a joint that had a command keeps traces of it
