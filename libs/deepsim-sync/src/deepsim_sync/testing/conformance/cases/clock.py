# SPDX-License-Identifier: Apache-2.0
"""Time, reset, and the same run twice."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync.testing.conformance.bench import Bench, assert_same_pose
from deepsim_sync.testing.conformance.models import BLOCK, BOX, HAMMER

from .base import Conformance

PUSH = (0.4, 0.1, 1.0, 2.0, -1.0, 0.5)


class ClockConformance(Conformance):
    """`step`, `time` and `reset`."""

    def test_time_is_exact(self, bench: Bench) -> None:
        """After n steps it is n time steps, without drift over 10 000 steps."""
        simulator = bench.simulator
        assert bench.time == 0.0
        assert simulator.timestep == pytest.approx(0.001)
        for _ in range(100):
            simulator.step(100)
        assert bench.time == pytest.approx(10_000 * simulator.timestep, rel=1e-15, abs=0)

    def test_time_is_a_new_array(self, bench: Bench) -> None:
        """(W,) float64, the caller's own."""
        bench.simulator.step(2)
        time = bench.simulator.time
        assert time.shape == (bench.worlds,)
        assert time.dtype == np.float64
        kept = time.copy()
        bench.simulator.step()
        np.testing.assert_array_equal(time, kept)
        time[:] = 7.0
        assert bench.time == pytest.approx(3 * bench.simulator.timestep, rel=1e-15, abs=0)

    def test_only_steps_take_time(self, bench: Bench) -> None:
        """Spawning, writing and reading happen at one instant."""
        bench.simulator.step(3)
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.write({("models", "twist"): {"box": PUSH}})
        pose = bench.pose("box")
        bench.tables()
        np.testing.assert_array_equal(bench.pose("box"), pose)
        assert bench.time == pytest.approx(3 * bench.simulator.timestep, rel=1e-15, abs=0)

    @pytest.mark.parametrize("n", [0, -1])
    def test_no_steps_are_no_step(self, bench: Bench, n: int) -> None:
        """Fewer steps than one are refused."""
        with pytest.raises(ValueError, match=str(n)):
            bench.simulator.step(n)
        assert bench.time == 0.0

    def test_many_steps_are_as_many_single_ones(self, bench: Bench) -> None:
        """step(n) ends where n times step() does."""
        self._throw(bench)
        bench.simulator.step(40)
        at_once = bench.tables().models
        bench.simulator.reset()
        bench.write({("models", "twist"): {"box": PUSH}})
        for _ in range(40):
            bench.simulator.step()
        one_by_one = bench.tables().models
        np.testing.assert_allclose(at_once.pose, one_by_one.pose, atol=1e-9)
        np.testing.assert_allclose(at_once.twist, one_by_one.twist, atol=1e-9)

    def test_reset_goes_back_to_the_start(self, bench: Bench) -> None:
        """After a reset it is time 0, and all models are at rest at their spawn poses."""
        self._throw(bench)
        bench.simulator.step(20)
        bench.spawn(BLOCK, "late", (7, 0, 1))
        bench.write({("models", "pose"): {"late": (9, 9, 9, 0, 0, 0, 1)}})
        bench.simulator.step(20)
        bench.simulator.reset(seeds=[3] * bench.worlds)
        assert bench.time == 0.0
        assert list(bench.entities.models) == ["box", "hammer", "wall", "late"]
        for name, position in (("box", (0, 0, 5)), ("wall", (3, 0, 1)), ("late", (7, 0, 1))):
            assert_same_pose(bench.pose(name), (*position, 0, 0, 0, 1))
            np.testing.assert_array_equal(bench.twist(name), 0)

    def test_what_follows_a_reset_is_a_first_run(self, bench: Bench) -> None:
        """The same calls after a reset give the same bytes as the first time."""
        self.need_determinism()
        self._throw(bench)
        first = self._trajectory(bench)
        bench.simulator.reset(seeds=[1] * bench.worlds)
        bench.write({("models", "twist"): {"box": PUSH}})
        assert self._trajectory(bench) == first

    def test_the_same_calls_give_the_same_bytes(self, bench: Bench) -> None:
        """Two simulators that get the same calls end with the same rows, bit for bit."""
        self.need_determinism()
        self._throw(bench)
        first = self._trajectory(bench)
        other = self.make_bench(bench.worlds)
        self._throw(other)
        assert self._trajectory(other) == first
        other.close()

    def test_reading_changes_nothing(self, bench: Bench) -> None:
        """A run that is watched goes as one that is not."""
        self.need_determinism()
        self._throw(bench)
        for _ in range(30):
            bench.tables()
            bench.simulator.step()
        watched = bench.state("box", "hammer", "wall")
        bench.simulator.reset()
        bench.write({("models", "twist"): {"box": PUSH}})
        bench.simulator.step(30)
        assert bench.state("box", "hammer", "wall") == watched

    def test_closing_twice_does_no_harm(self, worlds: int) -> None:
        """close() may be called again."""
        simulator = self.make_simulator(worlds)
        simulator.close()
        simulator.close()

    def _throw(self, bench: Bench) -> None:
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(HAMMER, "hammer", (0, 3, 5))
        bench.spawn(BLOCK, "wall", (3, 0, 1))
        bench.write({("models", "twist"): {"box": PUSH}})

    def _trajectory(self, bench: Bench) -> bytes:
        states = []
        for _ in range(20):
            bench.simulator.step(2)
            states.append(bench.state("box", "hammer", "wall"))
        return b"".join(states)
