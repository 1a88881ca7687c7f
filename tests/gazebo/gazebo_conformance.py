# SPDX-License-Identifier: Apache-2.0
"""The conformance suite on Gazebo: cases that differ there are written anew, with numbers."""

from __future__ import annotations

import numpy as np

from deepsim_conformance import SimulatorConformance
from deepsim_conformance.bench import Bench
from deepsim_conformance.runs import LAST, SCALING, Run
from deepsim_sync import Key, PhysicsProperties


class GazeboConformance(SimulatorConformance):
    """All cases."""

    def test_a_reset_brings_back_what_was_described(
        self, bench: Bench, physics: PhysicsProperties
    ) -> None:
        """To 1e-5 m: a joint that had a command keeps traces of it, scaled or not."""
        run = Run(bench, "joints")
        columns: list[Key] = [("links", "pose"), ("joints", "position")]
        ends = []
        for _ in range(2):
            run.rounds(0, SCALING)
            tables = bench.tables(columns)
            ends.append([tables.columns[key].copy() for key in columns])
            run.rounds(SCALING, LAST)
            bench.simulator.reset()
        for column in range(len(columns)):
            np.testing.assert_allclose(ends[1][column], ends[0][column], rtol=0, atol=1e-5)
