# SPDX-License-Identifier: Apache-2.0
"""Mass, weight, friction and damping."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.physics_properties import (
    PHYSICS_PROPERTIES,
    PhysicsProperties,
    PhysicsProperty,
    PhysicsValues,
)
from deepsim_sync.port.tables import Key

from .base import GRAVITY, Conformance
from .bench import Bench
from .models import (
    BOX,
    BOX_MU,
    BRAKE,
    BRAKED,
    GROUND,
    PENDULUM,
    PENDULUM_LEVER,
    SINKER,
    SINKER_RATE,
)
from .runs import LAST, SCALING, Run


class PhysicsPropertyCases(Conformance):
    """The capability `PhysicsProperties`."""

    @pytest.mark.parametrize(("mass", "damping"), [(1.0, 1.0), (3.0, 1.0), (1.0, 3.0), (0.5, 0.25)])
    def test_mass_and_damping_set_the_sinking_speed(
        self, bench: Bench, physics: PhysicsProperties, mass: float, damping: float
    ) -> None:
        """On a damped rail a link sinks at m g / d, approached as 1 - exp(-t d / m).

        Models that are added and removed do not change that.
        """
        bench.spawn(BOX, "gone", (3, 0, 5))
        bench.spawn(SINKER, "sinker", (0, 0, 5))
        physics.scale("mass", ["sinker::link"], mass)
        physics.scale("damping", ["sinker::link"], [damping])
        bench.simulator.delete("gone")
        time = bench.run(0.1)
        rate = SINKER_RATE * damping / mass
        expected = -GRAVITY / rate * (1.0 - np.exp(-time * rate))
        assert bench.get("links", "twist", "sinker::link")[2] == pytest.approx(expected, rel=0.02)

    @pytest.mark.filterwarnings("ignore:.*of two surfaces the lower one counts")
    @pytest.mark.parametrize("factor", [1.0, 0.5, 2.0, 5.0])
    def test_friction_sets_the_braking_distance(
        self, bench: Bench, physics: PhysicsProperties, factor: float
    ) -> None:
        """A sliding box stops after v^2 / (2 mu g), with at most the mu of the ground, 1."""
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.1))
        physics.scale("friction", ["box::link"], factor)
        bench.run(0.1)
        bench.write({("models", "twist"): {"box": (1.0, 0, 0, 0, 0, 0)}})
        bench.run(1.5)
        expected = 1.0 / (2.0 * min(BOX_MU * factor, 1.0) * GRAVITY)
        assert bench.pose("box")[0] == pytest.approx(expected, rel=0.05, abs=0.005)

    @pytest.mark.parametrize("coefficient", [0.1, 0.5])
    def test_a_coefficient_of_friction_sets_the_braking_distance(
        self, bench: Bench, physics: PhysicsProperties, coefficient: float
    ) -> None:
        """A sliding box stops after v^2 / (2 mu g), whatever it is described with."""
        if not isinstance(physics, PhysicsValues):
            pytest.skip("the engine scales friction only")
        bench.spawn(GROUND, "ground")
        bench.spawn(BOX, "box", (0, 0, 0.1))
        physics.set_friction(["box::link"], coefficient)
        bench.run(0.1)
        bench.write({("models", "twist"): {"box": (1.0, 0, 0, 0, 0, 0)}})
        bench.run(1.5)
        expected = 1.0 / (2.0 * coefficient * GRAVITY)
        assert bench.pose("box")[0] == pytest.approx(expected, rel=0.05, abs=0.005)

    def test_a_shifted_center_of_mass_sets_how_a_pendulum_falls(
        self, bench: Bench, physics: PhysicsProperties
    ) -> None:
        """At its axis the center of mass does not turn it; a reset restores the fall."""
        if not isinstance(physics, PhysicsValues):
            pytest.skip("the engine cannot move centers of mass")
        bench.spawn(PENDULUM, "pendulum", (0, 0, 5))
        rates = []
        for offset in (0.0, 1.0, 2.0):
            bench.reset()
            physics.shift_center_of_mass(["pendulum::link"], (-0.3 * offset, 0.0, 0.0))
            bench.run(0.1)
            rates.append(bench.get("links", "twist", "pendulum::link")[4])
        assert rates[1] == pytest.approx(0.0, abs=bench.precision)
        assert rates[2] == pytest.approx(-rates[0], rel=0.02)

    @pytest.mark.parametrize("factor", [0.0, 0.5, 2.0])
    def test_gravity_sets_how_fast_a_link_falls(
        self, bench: Bench, physics: PhysicsProperties, factor: float
    ) -> None:
        """A link without weight stays where it is; a reset restores the weight."""
        bench.spawn(BOX, "box", (0, 0, 5))
        physics.scale("gravity", ["box::link"], factor)
        time = bench.run(0.2)
        assert bench.twist("box")[2] == pytest.approx(-factor * GRAVITY * time, abs=bench.precision)
        bench.reset()
        time = bench.run(0.1)
        assert bench.twist("box")[2] == pytest.approx(-GRAVITY * time, abs=bench.precision)

    @pytest.mark.parametrize("factor", [0.0, 0.5, 1.5])
    def test_dry_friction_holds_a_joint(
        self, bench: Bench, physics: PhysicsProperties, factor: float
    ) -> None:
        """20 N of friction hold 2 kg; with less, the missing force accelerates the link."""
        bench.spawn(BRAKED, "braked", (0, 0, 5))
        physics.scale("joint_friction", ["braked::link"], factor)
        time = bench.run(0.2)
        rate = min(0.0, factor * BRAKE / 2.0 - GRAVITY)
        speed = bench.get("links", "twist", "braked::link")[2]
        assert speed == pytest.approx(rate * time, rel=0.02, abs=1e-3)

    def test_mass_takes_inertia_along(self, bench: Bench, physics: PhysicsProperties) -> None:
        """A pendulum falls at m g l / (I + m l^2), however heavy it is."""
        bench.spawn(PENDULUM, "pendulum", (0, 0, 5))
        physics.scale("mass", ["pendulum::link"], 10.0)
        time = bench.run(0.1)
        rate = bench.get("links", "twist", "pendulum::link")[4]
        assert rate == pytest.approx(GRAVITY * PENDULUM_LEVER * time, rel=0.02)

    @pytest.mark.parametrize("name", PHYSICS_PROPERTIES)
    def test_factors_are_of_one_link_in_one_world(
        self, bench: Bench, physics: PhysicsProperties, name: PhysicsProperty
    ) -> None:
        """Factors follow their links when models change; a model spawned again starts at 1."""
        for model in ("a", "b", "c"):
            bench.spawn(BOX, model, (0, 0, 5 + len(model)))
        bench.alike = False
        every, some = np.arange(bench.worlds), np.arange(0, bench.worlds, 2)
        each = np.linspace(0.5, 2.0, 2 * bench.worlds).reshape(bench.worlds, 2)
        expected = np.ones((bench.worlds, 3))
        for links, factors, worlds in (
            (["c::link", "a::link"], 7.0, every),
            (["c::link", "a::link"], each, every),  # does not multiply
            (["b::link"], 3.0, some),
            (["b::link", "c::link"], np.array([4.0, 5.0]), some[:1]),
        ):
            physics.scale(name, links, factors, None if worlds is every else worlds)
            expected[np.ix_(worlds, bench.entities.links.rows(links))] = factors
            _assert_factors(physics, name, expected)
        bench.simulator.delete("a")
        bench.spawn(BOX, "a", (3, 0, 5))
        expected = np.column_stack([expected[:, 1:], np.ones(bench.worlds)])
        _assert_factors(physics, name, expected)
        bench.reset(some)
        expected[some] = 1.0
        _assert_factors(physics, name, expected)

    def test_a_reset_brings_back_what_was_described(
        self, bench: Bench, physics: PhysicsProperties
    ) -> None:
        """The same run follows, with all bits or to `reset_precision`."""
        run = Run(bench, "joints")
        columns: list[Key] = [("links", "pose"), ("joints", "position")]
        before = run.rounds(0, SCALING)
        table = bench.tables(columns).columns
        described = {column: table[column].copy() for column in columns}
        run.rounds(SCALING, LAST)
        bench.simulator.reset()
        after = run.rounds(0, SCALING)
        table = bench.tables(columns).columns
        for column, values in described.items():
            np.testing.assert_allclose(table[column], values, rtol=0, atol=self.reset_precision)
        assert after == before or self.reset_precision > 0.0

    @pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], "heavy"])
    def test_unfit_factors_are_refused(
        self, bench: Bench, physics: PhysicsProperties, factor: object
    ) -> None:
        """A factor is a finite number > 0, one for all links or one for each."""
        bench.spawn(BOX, "box", (0, 0, 5))
        with pytest.raises(ValueError, match="mass"):
            physics.scale("mass", ["box::link"], factor)  # type: ignore[arg-type]
        assert (physics.factors("mass") == 1.0).all()

    def test_unknown_names_are_refused(self, bench: Bench, physics: PhysicsProperties) -> None:
        bench.spawn(BOX, "box", (0, 0, 5))
        with pytest.raises(UnknownEntityError, match="box::lid"):
            physics.scale("mass", ["box::link", "box::lid"], 2.0)
        assert (physics.factors("mass") == 1.0).all()
        with pytest.raises(ValueError, match="colour"):
            physics.factors("colour")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="colour"):
            physics.scale("colour", ["box::link"], 2.0)  # type: ignore[arg-type]


def _assert_factors(
    physics: PhysicsProperties, scaled: PhysicsProperty, expected: NDArray[np.float64]
) -> None:
    """Compares the factors of one property, (W, links); all others are 1."""
    for name in PHYSICS_PROPERTIES:
        factors = physics.factors(name)
        np.testing.assert_array_equal(factors, expected if name == scaled else 1.0)
        factors[:] = 7.0  # a copy
