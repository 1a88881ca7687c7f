# SPDX-License-Identifier: Apache-2.0
"""The conformance suite on Gazebo: cases that differ there are written anew, with numbers."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync import Key, PhysicsProperties, Sensors, SpawnError
from deepsim_sync.testing.conformance import SimulatorConformance
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.runs import LAST, SCALING, Run
from deepsim_sync.testing.conformance.sensors import EYES, TWO_EYES, WALL


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
            ends.append([tables.column(*key).copy() for key in columns])
            run.rounds(SCALING, LAST)
            bench.simulator.reset()
        for column in range(len(columns)):
            np.testing.assert_allclose(ends[1][column], ends[0][column], rtol=0, atol=1e-5)

    def test_a_camera_is_a_sensor_with_a_picture_of_each_world(
        self, bench: Bench, sensors: Sensors
    ) -> None:
        """Colours only; one of a sort that SDF does not know is refused."""
        bench.spawn(WALL, "wall", (2, 0, 2))
        with pytest.raises(SpawnError, match="sensor type"):
            bench.spawn(EYES, "eyes", (0, 0, 2))
        bench.spawn(EYES.replace("segmentation_camera", "camera"), "eyes", (0, 0, 2))
        names = [f"eyes::link::{name}" for name in ("colour", "depth", "rows")]
        assert {name: info.kind for name, info in sensors.infos.items()} == dict.fromkeys(
            names, "camera"
        )
        for name in names:
            sensors.watch(name)
            rgb = self.measured(bench, sensors, name, "rgb")
            assert (rgb.shape, rgb.dtype) == ((bench.worlds, 6, 8, 3), np.dtype(np.uint8))

    def test_a_stereo_pair_measures_by_disparity(self, bench: Bench, sensors: Sensors) -> None:
        """It does not: the first one of its cameras takes pictures."""
        bench.spawn(TWO_EYES, "eyes", (0, 0, 2))
        assert sensors.infos["eyes::link::pair"].kind == "camera"
        rgb = self.measured(bench, sensors, "eyes::link::pair", "rgb")
        assert rgb.shape == (bench.worlds, 6, 8, 3)
