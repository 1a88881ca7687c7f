# SPDX-License-Identifier: Apache-2.0
"""Several worlds; each behaves as if it were alone."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync.errors import SimulationError
from deepsim_sync.port.changes import Cells, Changes

from .base import Conformance
from .bench import Bench, Rows, assert_same_pose
from .models import BLOCK, BOX, GROUND, HAMMER, HINGED, OUTER, PAIR, PENDULUM, RAISED, SINKER
from .runs import LAST, SCENES, Run, pose_near, twist_of

ROWS: Rows = {
    ("models", "pose"): {"wall": (1, 2, 3, 0, 0, 0, 1)},
    ("links", "twist"): {"box::link": (1, 2, 3, 0, 0, 0)},
    ("visuals", "visible"): {"box::link::paint": False},
}


class WorldCases(Conformance):
    """Calls for some worlds, which must not affect the others."""

    @pytest.mark.parametrize("scene", SCENES)
    def test_a_world_is_as_it_would_be_alone(self, bench: Bench, scene: str) -> None:
        """A world has the same bits after every round, for any index and number of worlds."""
        together = Run(bench, scene).rounds(0, LAST)
        for world in sorted({0, bench.worlds // 2, bench.worlds - 1}):
            other = self.make_bench(1)
            alone = Run(other, scene, [world]).rounds(0, LAST)
            other.close()
            pairs = zip(together, alone)
            unlike = [number for number, (all_, one) in enumerate(pairs) if all_[world] != one[0]]
            assert not unlike, f"world {world} is not as alone after rounds {unlike}"

    @pytest.mark.parametrize("call", ["step", "reset", "write"])
    def test_a_call_for_some_worlds_leaves_the_others(self, bench: Bench, call: str) -> None:
        """The others keep every bit and their time."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(BLOCK, "wall", (3, 0, 5))
        bench.step(2)
        before, times = bench.states("box", "wall"), bench.simulator.time
        chosen = range(0, bench.worlds, 2)
        if call == "step":
            bench.step(3, chosen)
        elif call == "reset":
            bench.reset(chosen)
        else:
            bench.write(ROWS, chosen)
        after, now = bench.states("box", "wall"), bench.simulator.time
        assert [w for w in range(bench.worlds) if after[w] != before[w]] == [*chosen]
        assert [*np.flatnonzero(now != times)] == ([] if call == "write" else [*chosen])

    @pytest.mark.parametrize(
        "sdf", [BOX, BLOCK, GROUND, PAIR, HAMMER, RAISED, OUTER, HINGED, PENDULUM, SINKER]
    )
    def test_each_world_has_its_own_spawn_pose(self, bench: Bench, sdf: str) -> None:
        """A model is at its own spawn pose in each world, at once and after a reset."""
        poses = np.stack([pose_near((0, 0, 9), world, spread=2.0) for world in range(bench.worlds)])
        bench.spawn(sdf, "model", poses)
        for _ in range(2):
            for world, pose in enumerate(poses):
                assert_same_pose(bench.pose("model", world), pose, bench.precision)
                np.testing.assert_array_equal(bench.twist("model", world), 0)
            bench.step(5)
            bench.reset()

    def test_rows_differ_from_world_to_world(self, bench: Bench) -> None:
        """A batch changes different rows in different worlds; refusals name the world."""
        bench.spawn(BLOCK, "wall", (0, 0, 5))
        bench.spawn(BOX, "box", (4, 0, 5))
        bench.alike = False
        worlds = np.arange(bench.worlds)
        rows = worlds % 2  # the wall in worlds 0, 2, 4 ...
        twists = np.stack([twist_of(world) for world in range(bench.worlds)])
        cells = Cells(worlds, rows, twists)
        changes = Changes(bench.entities.generation, {("models", "twist"): cells})
        refusals = bench.simulator.write(changes)
        assert [refusal.world for refusal in refusals] == worlds[rows == 0].tolist()
        assert {refusal.name for refusal in refusals} == {"wall"}
        expected = np.zeros((bench.worlds, 2, 6))
        expected[rows == 1, 1] = twists[rows == 1]
        np.testing.assert_allclose(bench.tables().models.twist, expected, atol=bench.precision)

    def test_a_world_that_diverges_stops_no_other(self, bench: Bench) -> None:
        """The error names the world, the others behave as if alone, and a reset repairs it."""
        lost = bench.worlds // 2
        others = [world for world in range(bench.worlds) if world != lost]
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(HAMMER, "hammer", (0, 3, 5))
        bench.step(3)
        bench.write({("models", "twist"): {"box": (1e300, 0, 0, 1e300, 1e300, 0)}}, [lost])
        bench.alike = False
        with pytest.raises(SimulationError) as caught:  # noqa: PT012 (some need several steps)
            for _ in range(5):
                bench.step(4)
        assert caught.value.worlds == (lost,)
        if others:
            bench.step(2, others)
        before = bench.states("box", "hammer")
        bench.reset([lost])
        after = bench.states("box", "hammer")
        assert [w for w in range(bench.worlds) if after[w] != before[w]] == [lost]
        bench.step(5)
        steps = np.rint(bench.simulator.time / bench.simulator.timestep)
        assert steps[lost] == 5
        after = bench.states("box", "hammer")
        alone = self.make_bench(1)
        alone.spawn(BOX, "box", (0, 0, 5))
        alone.spawn(HAMMER, "hammer", (0, 3, 5))
        for n, worlds in ((5, [lost]), (int(steps.max()) - 5, others)):
            if worlds:
                alone.step(n)
            assert {after[world] for world in worlds} <= {alone.state("box", "hammer")}
        alone.close()
