# SPDX-License-Identifier: Apache-2.0
"""Mass, friction and damping."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.physics_properties import (
    PHYSICS_PROPERTIES,
    PhysicsProperties,
    PhysicsProperty,
)
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import (
    BOX,
    BOX_MU,
    GROUND,
    PENDULUM,
    PENDULUM_ARM,
    PENDULUM_INERTIA,
    PENDULUM_MASS,
    SINKER,
    SINKER_DAMPING,
    SINKER_MASS,
)

from .base import GRAVITY, Conformance


class PhysicsPropertyConformance(Conformance):
    """The capability `PhysicsProperties`."""

    @pytest.mark.parametrize(("mass", "damping"), [(1.0, 1.0), (3.0, 1.0), (1.0, 3.0), (0.5, 0.25)])
    def test_mass_and_damping_set_the_sinking_speed(
        self, bench: Bench, physics: PhysicsProperties, mass: float, damping: float
    ) -> None:
        """On a damped rail a link sinks at m g / d, approached as 1 - exp(-t d / m)."""
        bench.spawn(SINKER, "sinker", (0, 0, 5))
        physics.scale("mass", ["sinker::link"], mass)
        physics.scale("damping", ["sinker::link"], [damping])
        time = bench.run(0.1) * bench.simulator.timestep
        rate = SINKER_DAMPING * damping / (SINKER_MASS * mass)
        expected = -GRAVITY / rate * (1.0 - np.exp(-time * rate))
        assert bench.get("links", "twist", "sinker::link")[2] == pytest.approx(expected, rel=0.02)

    @pytest.mark.parametrize("factor", [1.0, 0.5, 2.0, 5.0])
    def test_friction_sets_the_braking_distance(
        self, bench: Bench, physics: PhysicsProperties, factor: float
    ) -> None:
        """A sliding box stops after v^2 / (2 mu g), where the ground's mu of 1 is the most."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.1))
        physics.scale("friction", ["box::link"], factor)
        bench.run(0.1)
        bench.write({("models", "twist"): {"box": (1.0, 0, 0, 0, 0, 0)}})
        bench.run(1.5)
        expected = 1.0 / (2.0 * min(BOX_MU * factor, 1.0) * GRAVITY)
        assert bench.pose("box")[0] == pytest.approx(expected, rel=0.05, abs=0.005)

    @pytest.mark.parametrize("factor", [1.0, 10.0])
    def test_mass_takes_inertia_along(
        self, bench: Bench, physics: PhysicsProperties, factor: float
    ) -> None:
        """A pendulum falls at m g l / (I + m l^2), however heavy it is."""
        bench.spawn(PENDULUM, "pendulum", (0, 0, 5))
        physics.scale("mass", ["pendulum::link"], factor)
        time = bench.run(0.1) * bench.simulator.timestep
        mass, arm, inertia = PENDULUM_MASS, PENDULUM_ARM, PENDULUM_INERTIA
        expected = mass * GRAVITY * arm / (inertia + mass * arm**2) * time
        rate = bench.get("links", "twist", "pendulum::link")[4]
        assert rate == pytest.approx(expected, rel=0.02)

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_factors_read_back(
        self, bench: Bench, physics: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """Only the named link and property change; the result is a copy."""
        for model in ("a", "b", "c"):
            bench.spawn(BOX, model, (0, 0, 5 + len(model)))
        physics.scale(name, ["b::link"], 2.0)
        physics.scale(name, ["b::link"], 3.0)  # does not multiply
        physics.factors(name)[:] = 7.0
        for each in PHYSICS_PROPERTIES:
            expected = [1.0, 3.0 if each == name else 1.0, 1.0]
            assert _factors(physics, each) == expected

    def test_factors_follow_their_links(self, bench: Bench, physics: PhysicsProperties) -> None:
        """Models that come and go leave factors alone; a model that comes back begins at 1."""
        bench.spawn(BOX, "first", (3, 0, 5))
        bench.spawn(SINKER, "sinker", (0, 0, 5))
        physics.scale("mass", ["first::link", "sinker::link"], [2.0, 3.0])
        bench.simulator.delete("first")
        bench.spawn(BOX, "first", (3, 0, 5))
        rows = bench.entities.links.rows(["first::link", "sinker::link"])
        assert [_factors(physics, "mass")[row] for row in rows] == [1.0, 3.0]
        time = bench.run(0.1) * bench.simulator.timestep
        rate = SINKER_DAMPING / (SINKER_MASS * 3.0)
        expected = -GRAVITY / rate * (1.0 - np.exp(-time * rate))
        assert bench.get("links", "twist", "sinker::link")[2] == pytest.approx(expected, rel=0.02)

    def test_a_reset_brings_back_what_was_described(
        self, bench: Bench, physics: PhysicsProperties
    ) -> None:
        """After a reset all factors are 1, and the world runs as if they had never changed."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.3))
        bench.spawn(SINKER, "sinker", (2, 0, 5))

        def run() -> bytes:
            bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0.5, 0, 1)}})
            bench.run(0.5)
            return bench.state("box", "sinker")

        bench.simulator.reset()
        before = run()
        for name in PHYSICS_PROPERTIES:
            physics.scale(name, ["box::link", "sinker::link"], [1.7, 0.6])
        bench.run(0.1)
        bench.simulator.reset()
        for name in PHYSICS_PROPERTIES:
            assert (physics.factors(name) == 1.0).all()
        if self.deterministic:
            assert run() == before

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_each_world_has_its_own_factors(
        self, bench: Bench, physics: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """They are set in some worlds or in all, and a reset of some leaves the others'."""
        for model in ("a", "b", "c"):
            bench.spawn(BOX, model, (0, 0, 5 + len(model)))
        bench.alike = False
        expected = np.ones((bench.worlds, 3))
        factors = np.linspace(0.5, 2.0, 2 * bench.worlds).reshape(bench.worlds, 2)
        physics.scale(name, ["c::link", "a::link"], factors)
        expected[:, 2], expected[:, 0] = factors[:, 0], factors[:, 1]
        np.testing.assert_array_equal(physics.factors(name), expected)
        some = np.arange(0, bench.worlds, 2)
        physics.scale(name, ["b::link"], 3.0, some)
        expected[some, 1] = 3.0
        np.testing.assert_array_equal(physics.factors(name), expected)
        physics.scale(name, ["b::link", "c::link"], np.array([4.0, 5.0]), some[:1])
        expected[0, 1:] = 4.0, 5.0
        np.testing.assert_array_equal(physics.factors(name), expected)
        bench.reset(some)
        expected[some] = 1.0
        np.testing.assert_array_equal(physics.factors(name), expected)
        bench.spawn(BOX, "d", (3, 0, 5))
        bench.simulator.delete("a")
        expected = np.column_stack([expected[:, 1:], np.ones(bench.worlds)])
        np.testing.assert_array_equal(physics.factors(name), expected)

    def test_a_world_with_factors_is_as_it_would_be_alone(
        self, bench: Bench, physics: PhysicsProperties
    ) -> None:
        """It has the bits of a single world that was scaled by the same factors."""
        self.need_determinism()
        factors = np.linspace(0.4, 2.5, bench.worlds)

        def run(bench: Bench, factors: NDArray[np.float64]) -> list[list[bytes]]:
            bench.spawn(GROUND, "ground")
            bench.spawn(BOX, "box", (0, 0, 0.11))
            bench.spawn(SINKER, "sinker", (2, 0, 5))
            bench.spawn(PENDULUM, "pendulum", (4, 0, 5))
            assert bench.simulator.physics is not None
            bench.alike = False
            for each in PHYSICS_PROPERTIES:
                links = ["sinker::link", "box::link", "pendulum::link"]
                values = np.stack([factors, factors / 2, factors / 3], axis=1)
                bench.simulator.physics.scale(each, links, values)
            bench.write({("models", "twist"): {"box": (1.0, 0.2, 0, 0.5, 0, 1)}})
            states = []
            for _ in range(15):
                bench.step(4)
                states.append(bench.states("box", "sinker", "pendulum"))
            return states

        together = run(bench, factors)
        for world in sorted({0, bench.worlds // 2, bench.worlds - 1}):
            alone = self.make_bench(1)
            states = run(alone, factors[world : world + 1])
            alone.close()
            assert [one for (one,) in states] == [each[world] for each in together]

    @pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], "heavy"])
    def test_unfit_factors_are_refused(
        self, bench: Bench, physics: PhysicsProperties, factor: object
    ) -> None:
        """A factor is a finite number > 0, one for all links or one for each."""
        bench.spawn(BOX, "box", (0, 0, 5))
        with pytest.raises(ValueError, match="mass"):
            physics.scale("mass", ["box::link"], factor)  # type: ignore[arg-type]
        assert _factors(physics, "mass") == [1.0]

    def test_unknown_names_are_refused(self, bench: Bench, physics: PhysicsProperties) -> None:
        """Links and properties that do not exist are named, and nothing changes."""
        bench.spawn(BOX, "box", (0, 0, 5))
        with pytest.raises(UnknownEntityError, match="box::lid"):
            physics.scale("mass", ["box::link", "box::lid"], 2.0)
        assert _factors(physics, "mass") == [1.0]
        with pytest.raises(ValueError, match="colour"):
            physics.factors("colour")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="colour"):
            physics.scale("colour", ["box::link"], 2.0)  # type: ignore[arg-type]


def _factors(physics: PhysicsProperties, name: PhysicsProperty) -> list[float]:
    """The factors of all links, which are the same in all worlds."""
    factors = physics.factors(name)
    assert (factors == factors[0]).all()
    first: list[float] = factors[0].tolist()
    return first
