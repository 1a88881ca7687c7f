# SPDX-License-Identifier: Apache-2.0
"""The conformance suite on Gazebo: cases that differ there are written anew, with numbers."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_conformance import SimulatorConformance
from deepsim_conformance.bench import Bench
from deepsim_conformance.models import PENDULUM_INERTIA
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

    @pytest.mark.parametrize("ratio", [4.0, 40.0, 900.0])
    def test_a_servo_at_its_limit_settles(self, pendulum: Bench, ratio: float) -> None:
        """To the change of velocity of one step at the limit: the plugin clamps a whole step."""
        dt, joint = pendulum.simulator.timestep, "pendulum::joint"
        command = {
            "damping": ratio * PENDULUM_INERTIA / dt,
            "target_velocity": 0.2,
            "effort_limit": 40.0,
        }
        pendulum.write({("joints", name): {joint: value} for name, value in command.items()})
        change = (40.0 + 0.3 * 9.8) * dt / PENDULUM_INERTIA
        for step in range(40):
            pendulum.step()
            assert abs(pendulum.get("joints", "effort", joint)) <= 40.0 + 1e-9
            if step >= 20:
                velocity = pendulum.get("joints", "velocity", joint)
                assert velocity == pytest.approx(0.2, abs=change)
