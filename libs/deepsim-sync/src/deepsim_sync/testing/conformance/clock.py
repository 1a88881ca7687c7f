# SPDX-License-Identifier: Apache-2.0
"""Time, reset, and the same run twice."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_sync.port.cameras import CameraView
from deepsim_sync.port.tables import STATE_COLUMNS

from .base import Conformance
from .bench import Bench, assert_same_pose
from .models import BLOCK, BOX, GROUND, HAMMER
from .runs import SCALING, SCENES, Run

PUSH = (0.4, 0.1, 1.0, 2.0, -1.0, 0.5)
MOVED = (9.0, 9.0, 9.0, 0.0, 0.0, 0.0, 1.0)


class ClockCases(Conformance):
    """`step`, `time` and `reset`."""

    def test_only_steps_take_time(self, bench: Bench) -> None:
        """(W,) float64, a new array, without drift over 10 000 steps."""
        simulator = bench.simulator
        assert bench.time == 0.0
        assert simulator.timestep == pytest.approx(0.001)
        for _ in range(100):
            simulator.step(100)
        time = simulator.time
        assert time.shape == (bench.worlds,)
        assert time.dtype == np.float64
        np.testing.assert_allclose(time, 10_000 * simulator.timestep, rtol=1e-15)
        kept = time.copy()
        simulator.step()
        np.testing.assert_array_equal(time, kept)
        time[:] = 7.0
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.write({("models", "twist"): {"box": PUSH}})
        before = bench.state("box")
        assert bench.state("box") == before
        assert bench.time == pytest.approx(10_001 * simulator.timestep, rel=1e-15, abs=0)

    @pytest.mark.parametrize("n", [0, -1])
    def test_fewer_steps_than_one_are_refused(self, bench: Bench, n: int) -> None:
        with pytest.raises(ValueError, match=str(n)):
            bench.simulator.step(n)
        assert bench.time == 0.0

    def test_many_steps_are_as_many_single_ones(self, bench: Bench) -> None:
        """And orientations stay unit quaternions while a body tumbles."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(HAMMER, "hammer", (0, 3, 5))
        ends = []
        for n in (400, 1):
            bench.write({("models", "twist"): {"box": PUSH, "hammer": PUSH}})
            for _ in range(400 // n):
                bench.simulator.step(n)
            ends.append(bench.tables(STATE_COLUMNS))
            bench.simulator.reset()
        for key in STATE_COLUMNS:
            np.testing.assert_allclose(ends[0].column(*key), ends[1].column(*key), atol=1e-9)
        for kind in ("models", "links"):
            lengths = np.linalg.norm(ends[0].column(kind, "pose")[..., 3:], axis=-1)
            np.testing.assert_allclose(lengths, 1, atol=1e-9)

    @pytest.mark.parametrize("by_number", [False, True])
    def test_a_reset_goes_back_to_the_start(self, bench: Bench, by_number: bool) -> None:
        """It is time 0, and all models are at rest at their spawn poses."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(BLOCK, "wall", (3, 0, 1))
        bench.write({("models", "twist"): {"box": PUSH}})
        bench.simulator.step(20)
        bench.spawn(BLOCK, "late", (7, 0, 1))
        bench.write({("models", "pose"): {"late": MOVED}})
        bench.simulator.step(20)
        worlds = np.arange(bench.worlds) if by_number else None
        bench.simulator.reset(worlds, seeds=[3] * bench.worlds)
        assert bench.time == 0.0
        assert bench.models == ["box", "wall", "late"]
        for name, position in (("box", (0, 0, 5)), ("wall", (3, 0, 1)), ("late", (7, 0, 1))):
            assert_same_pose(bench.pose(name), (*position, 0, 0, 0, 1))
            np.testing.assert_array_equal(bench.twist(name), 0)

    @pytest.mark.parametrize("scene", SCENES)
    def test_what_follows_a_reset_is_a_first_run(self, bench: Bench, scene: str) -> None:
        """The same calls after a reset give the same bytes as the first time."""
        self.need_determinism()
        run = Run(bench, scene)
        first = run.rounds(0, SCALING + 3)
        bench.simulator.reset(seeds=[1] * bench.worlds)
        assert run.rounds(0, SCALING + 3) == first

    def test_looking_changes_nothing(self, bench: Bench) -> None:
        """A run that is read, drawn and asked for contacts goes as one that is not."""
        self.need_determinism()
        contacts, cameras = bench.simulator.contacts, bench.simulator.cameras
        view, last = CameraView(Pose((-1.5, 0, 0.2)), width=16, height=12), bench.worlds - 1
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.11))
        ends = []
        for watched in (False, True):
            bench.simulator.reset()
            bench.write({("models", "twist"): {"box": PUSH}})
            for step in range(60):
                if watched:
                    bench.tables()
                    if contacts is not None:
                        contacts.read(last)
                    if cameras is not None and step % 20 == 0:
                        cameras.render(view, last)
                bench.simulator.step()
            ends.append((bench.state("box"), bench.time))
        assert ends[0] == ends[1]

    def test_closing_twice_does_no_harm(self, worlds: int) -> None:
        simulator = self.make_simulator(worlds)
        simulator.close()
        simulator.close()
