# SPDX-License-Identifier: Apache-2.0
"""Several worlds: each is as it would be alone, whatever happens in the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.errors import SimulationError
from deepsim_sync.port.changes import Cells, Changes
from deepsim_sync.port.entities import Kind
from deepsim_sync.port.tables import Key
from deepsim_sync.testing.conformance.bench import Bench, assert_same_pose
from deepsim_sync.testing.conformance.models import (
    BLOCK,
    BOX,
    GROUND,
    HAMMER,
    HINGED,
    LAMP,
    OUTER,
    PAIR,
    PENDULUM,
    RAISED,
    SINKER,
)

from .base import Conformance

Scene = Sequence["tuple[str, str, tuple[float, float, float]]"]
"""SDF, name and position of each model."""

SCENES: dict[str, Scene] = {
    "flight": [
        (HAMMER, "hammer", (0, 0, 5)),
        (PAIR, "pair", (0, 3, 5)),
        (BOX, "box", (0, -3, 5)),
        (BLOCK, "wall", (3, 0, 1)),
        (LAMP, "lamp", (3, 3, 1)),
    ],
    "contacts": [
        (GROUND, "ground", (0, 0, 0)),
        (BOX, "box", (0, 0, 0.15)),
        (BOX, "lid", (0.05, 0.02, 0.4)),
        (BLOCK, "wall", (0.45, 0, 0.1)),
    ],
    "joints": [
        (GROUND, "ground", (0, 0, 0)),
        (HINGED, "gate", (0, 0, 1)),
        (PENDULUM, "pendulum", (3, 0, 1)),
        (SINKER, "sinker", (5, 0, 2)),
        (BOX, "box", (0, 5, 0.12)),
    ],
}
FREE = {"hammer", "pair", "box", "lid", "gate"}
"""Models of the scenes that take a twist."""
PAINT = "box::link::paint"
HUGE_TWIST = (1e300, 0.0, 0.0, 1e300, 1e300, 0.0)


class WorldConformance(Conformance):
    """Calls for some worlds leave all others alone.

    Attributes:
        diverges: Whether `HUGE_TWIST` makes a box diverge; tests of that are skipped if not.
    """

    diverges: ClassVar[bool] = True

    @pytest.mark.parametrize("scene", SCENES)
    def test_a_world_is_as_it_would_be_alone(self, bench: Bench, scene: str) -> None:
        """It has the same bits after every step, whatever its number and that of the worlds."""
        self.need_determinism()
        together = _Run(SCENES[scene], range(bench.worlds)).states(bench)
        for world in sorted({0, bench.worlds // 2, bench.worlds - 1}):
            bench_of_one = self.make_bench(1)
            alone = _Run(SCENES[scene], [world]).states(bench_of_one)
            bench_of_one.close()
            pairs = zip(together, alone)
            unlike = [step for step, (all_, one) in enumerate(pairs) if all_[world] != one[0]]
            assert not unlike, f"world {world} is not as alone after steps {unlike}"

    @pytest.mark.parametrize(
        "sdf", [BOX, BLOCK, GROUND, PAIR, HAMMER, RAISED, OUTER, HINGED, PENDULUM, SINKER]
    )
    def test_each_world_has_its_own_spawn_pose(self, bench: Bench, sdf: str) -> None:
        """A model is where it was asked for in each world, at once and after a reset."""
        poses = np.stack([_pose((0, 0, 9), world, spread=2.0) for world in range(bench.worlds)])
        bench.spawn(sdf, "model", poses)
        for _ in range(2):
            for world, pose in enumerate(poses):
                assert_same_pose(bench.pose("model", world), pose)
                np.testing.assert_array_equal(bench.twist("model", world), 0)
            bench.step(5)
            bench.reset()

    def test_some_worlds_step(self, bench: Bench) -> None:
        """Time stands still in the others."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.step(2)
        before = bench.states("box")
        chosen = _every_second(bench)
        bench.step(3, chosen)
        after = bench.states("box")
        moved = [world for world in range(bench.worlds) if after[world] != before[world]]
        assert moved == chosen
        steps = [5 if world in chosen else 2 for world in range(bench.worlds)]
        expected = np.array(steps) * bench.simulator.timestep
        np.testing.assert_allclose(bench.simulator.time, expected, rtol=1e-15)

    def test_some_worlds_are_reset(self, bench: Bench) -> None:
        """They are at their own spawn poses at time 0; the others keep every bit."""
        poses = np.stack([_pose((0, 0, 5), world) for world in range(bench.worlds)])
        bench.spawn(BOX, "box", poses)
        bench.write({("visuals", "transparency"): {PAINT: 0.5}})
        bench.step(4)
        before = bench.states("box")
        chosen = _every_second(bench)
        bench.reset(chosen)
        after = bench.states("box")
        for world in range(bench.worlds):
            if world in chosen:
                assert bench.simulator.time[world] == 0.0
                assert_same_pose(bench.pose("box", world), poses[world])
                np.testing.assert_array_equal(bench.twist("box", world), 0)
            else:
                assert bench.simulator.time[world] > 0.0
                assert after[world] == before[world]
        assert (bench.tables().visuals.transparency == 0.5).all()

    def test_some_worlds_are_written(self, bench: Bench) -> None:
        """The others keep every bit."""
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(BLOCK, "wall", (3, 0, 5))
        bench.step(3)
        before = bench.states("box", "wall")
        chosen = _every_second(bench)
        bench.write(
            {
                ("models", "pose"): {"wall": (1, 2, 3, 0, 0, 0, 1)},
                ("links", "twist"): {"box::link": (1, 2, 3, 0, 0, 0)},
                ("visuals", "visible"): {PAINT: False},
            },
            chosen,
        )
        after = bench.states("box", "wall")
        changed = [world for world in range(bench.worlds) if after[world] != before[world]]
        assert changed == chosen
        for world in chosen:
            assert_same_pose(bench.pose("wall", world), (1, 2, 3, 0, 0, 0, 1))
            np.testing.assert_allclose(bench.twist("box", world), (1, 2, 3, 0, 0, 0), atol=1e-9)
            assert not bench.get("visuals", "visible", PAINT, world)

    def test_each_world_has_its_own_values(self, bench: Bench) -> None:
        """One batch with another value for each world."""
        bench.spawn(BOX, "other", (3, 0, 5))
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(LAMP, "lamp", (0, 5, 0))
        worlds = range(bench.worlds)
        poses = np.stack([_pose((0, 0, 5), world) for world in worlds])
        twists = np.stack([_twist(world, 0) for world in worlds])
        shades = np.linspace(0.1, 0.9, bench.worlds)
        colors = np.stack([shades, shades / 2, shades / 3, np.ones(bench.worlds)], axis=1)
        bench.write(
            {
                ("models", "pose"): {"box": poses},
                ("models", "twist"): {"box": twists},
                ("visuals", "transparency"): {PAINT: shades},
                ("lights", "diffuse"): {"lamp::link::bulb": colors},
            }
        )
        tables = bench.tables()
        row = bench.entities.models.row("box")
        for world in worlds:
            assert_same_pose(tables.models.pose[world, row], poses[world])
        np.testing.assert_allclose(tables.models.twist[:, row], twists, atol=1e-9)
        np.testing.assert_allclose(tables.visuals.transparency[:, 1], shades, atol=1e-6)
        np.testing.assert_allclose(tables.lights.diffuse[:, 0], colors, atol=1e-6)

    def test_rows_differ_from_world_to_world(self, bench: Bench) -> None:
        """A batch may change this row in one world, and that row in another."""
        bench.spawn(BOX, "a", (0, 0, 5))
        bench.spawn(BOX, "b", (3, 0, 5))
        bench.alike = False
        worlds = np.arange(bench.worlds)
        rows = worlds % 2
        twists = np.stack([_twist(world, 0) for world in range(bench.worlds)])
        changes = Changes(
            bench.entities.generation, {("models", "twist"): Cells(worlds, rows, twists)}
        )
        assert not bench.simulator.write(changes)
        expected = np.zeros((bench.worlds, 2, 6))
        expected[worlds, rows] = twists
        np.testing.assert_allclose(bench.tables().models.twist, expected, atol=1e-9)

    def test_refusals_have_the_number_of_their_world(self, bench: Bench) -> None:
        """A row that is refused in one world is accepted in another."""
        bench.spawn(BLOCK, "wall", (0, 0, 5))
        bench.spawn(BOX, "box", (4, 0, 5))
        bench.alike = False
        worlds = np.arange(bench.worlds)
        rows = worlds % 2  # the wall in worlds 0, 2, 4 ...
        cells = Cells(worlds, rows, np.full((bench.worlds, 6), 0.5))
        refusals = bench.simulator.write(
            Changes(bench.entities.generation, {("models", "twist"): cells})
        )
        assert [refusal.world for refusal in refusals] == _every_second(bench)
        assert {refusal.name for refusal in refusals} == {"wall"}

    def test_spawn_and_delete_keep_every_world(self, bench: Bench) -> None:
        """Worlds that differ keep every bit when models come and go."""
        for sdf, name, position in (*SCENES["flight"], *SCENES["contacts"][:1]):
            bench.spawn(sdf, name, position)
        kept = ("hammer", "pair", "box", "wall", "lamp")
        worlds = range(bench.worlds)
        bench.write(
            {
                ("models", "twist"): {"box": np.stack([_twist(world, 1) for world in worlds])},
                ("models", "pose"): {"wall": np.stack([_pose((3, 0, 1), w) for w in worlds])},
                ("visuals", "transparency"): {PAINT: np.linspace(0.1, 0.9, bench.worlds)},
            }
        )
        bench.step(3, _every_second(bench))
        before, time = bench.states(*kept), bench.simulator.time
        bench.spawn(BOX, "new", np.stack([_pose((9, 9, 9), world) for world in worlds]))
        assert bench.states(*kept) == before
        bench.simulator.delete("ground")
        assert bench.states(*kept) == before
        bench.simulator.delete("new")
        assert bench.states(*kept) == before
        np.testing.assert_array_equal(bench.simulator.time, time)

    def test_a_world_that_diverges_stops_no_other(self, bench: Bench) -> None:
        """The error has its number, the others are as they would be alone, a reset mends it."""
        if not self.diverges:
            pytest.skip("this engine does not diverge")
        lost = bench.worlds // 2
        others = [world for world in range(bench.worlds) if world != lost]
        bench.spawn(BOX, "box", (0, 0, 5))
        bench.spawn(HAMMER, "hammer", (0, 3, 5))
        bench.step(3)
        bench.write({("models", "twist"): {"box": HUGE_TWIST}}, [lost])
        bench.alike = False
        with pytest.raises(SimulationError) as caught:  # noqa: PT012 (some need several steps)
            for _ in range(5):
                bench.step(4)
        assert caught.value.worlds == (lost,)
        if others:
            bench.step(2, others)
        before = bench.states("box", "hammer")
        bench.reset([lost])
        assert bench.simulator.time[lost] == 0.0
        assert_same_pose(bench.pose("box", lost), (0, 0, 5, 0, 0, 0, 1))
        after = bench.states("box", "hammer")
        assert [after[world] for world in others] == [before[world] for world in others]
        bench.step(5)
        after = bench.states("box", "hammer")
        if self.deterministic:
            alone = self.make_bench(1)
            alone.spawn(BOX, "box", (0, 0, 5))
            alone.spawn(HAMMER, "hammer", (0, 3, 5))
            alone.step(5)
            assert after[lost] == alone.state("box", "hammer")
            for world in others[:1]:
                alone.step(round(bench.simulator.time[world] / bench.simulator.timestep) - 5)
            for world in others:
                assert after[world] == alone.state("box", "hammer")
            alone.close()


class _Run:
    """A run in which worlds are treated by their numbers, each in another way.

    Args:
        scene: The models.
        numbers: The number that each world of the simulator is treated as.
    """

    def __init__(self, scene: Scene, numbers: Sequence[int]) -> None:
        self._scene = scene
        self._numbers = numbers
        self._names = [name for _, name, _ in scene]

    def states(self, bench: Bench) -> list[list[bytes]]:
        """Runs it; returns state and time of each world after every step."""
        for sdf, name, position in self._scene:
            bench.spawn(sdf, name, np.stack([_pose(position, n) for n in self._numbers]))
        states = []
        for step in range(24):
            self._write(bench, step)
            stepping = self._where((step + n) % 4 != 0 for n in self._numbers)
            if stepping:
                bench.step(1 + step % 7, stepping)
            ending = self._where(step == 10 + n % 3 for n in self._numbers)
            if ending:
                bench.reset(ending)
            times = bench.simulator.time
            parts = zip(bench.states(*self._names), times)
            states.append([state + time.tobytes() for state, time in parts])
        return states

    def _write(self, bench: Bench, step: int) -> None:
        pushed = self._where((step + n) % 3 == 0 for n in self._numbers)
        moved = self._where((step + 2 * n) % 5 == 0 for n in self._numbers)
        kind: Kind = "models" if step % 2 else "links"
        cells: dict[Key, dict[str, ArrayLike]] = {}
        if pushed:
            links = {link.split("::")[0]: link for link in reversed(bench.entities.links)}
            twists = np.stack([_twist(self._numbers[place], step) for place in pushed])
            free = [name for name in self._names if name in FREE]
            cells[kind, "twist"] = {
                name if kind == "models" else links[name]: twists for name in free
            }
            cells["visuals", "transparency"] = {PAINT: np.abs(twists[:, 0])}
            bench.write(cells, pushed)
        if moved:
            poses = {
                name: np.stack([_pose(position, self._numbers[place], step) for place in moved])
                for _, name, position in self._scene
                if name in ("box", "wall")
            }
            bench.write({("models", "pose"): poses}, moved)

    def _where(self, conditions: Iterable[bool]) -> list[int]:
        return [place for place, holds in enumerate(conditions) if holds]


def _every_second(bench: Bench) -> list[int]:
    return list(range(0, bench.worlds, 2))


def _pose(
    position: tuple[float, float, float], number: int, step: int = 0, spread: float = 0.02
) -> NDArray[np.float64]:
    """A pose near a position, (7,), of a world by its number."""
    random = np.random.default_rng([number, step])
    quaternion = np.append(random.uniform(-spread, spread, 3), 1.0)
    quaternion /= np.sqrt(np.sum(quaternion * quaternion))
    return np.concatenate([position + random.uniform(-spread, spread, 3), quaternion])


def _twist(number: int, step: int) -> NDArray[np.float64]:
    """A twist, (6,), of a world by its number."""
    return np.random.default_rng([number, step, 1]).uniform(-1.0, 1.0, 6)
