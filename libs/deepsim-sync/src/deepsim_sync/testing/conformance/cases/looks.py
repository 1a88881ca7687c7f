# SPDX-License-Identifier: Apache-2.0
"""Appearance of visuals and lights, read and written."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from deepsim_sync.port.tables import ALL_COLUMNS
from deepsim_sync.testing.conformance.bench import Bench
from deepsim_sync.testing.conformance.models import BLOCK, BOX, LAMP

from .base import Conformance

PAINT = "box::link::paint"
BULB = "lamp::link::bulb"
VISUALS = [key for key in ALL_COLUMNS if key[0] == "visuals"]


class LookConformance(Conformance):
    """Reads and writes of the tables of visuals and lights."""

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("ambient", (0.8, 0.1, 0.1, 1)),
            ("diffuse", (0.9, 0.2, 0.1, 1)),
            ("specular", (0.3, 0.3, 0.3, 1)),
            ("emissive", (0, 0, 0, 1)),
            ("transparency", 0.25),
            ("visible", True),
        ],
    )
    def test_visuals_look_as_described(self, bench: Bench, column: str, value: ArrayLike) -> None:
        """A new visual has the material and transparency of its description, and is shown."""
        bench.spawn(BOX, "box")
        np.testing.assert_allclose(
            bench.get("visuals", column, PAINT), np.asarray(value), atol=1e-6
        )

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("diffuse", (0.9, 0.8, 0.7, 1)),
            ("specular", (0.2, 0.1, 0.1, 1)),
            ("attenuation", (0.5, 0.25, 0.125)),
        ],
    )
    def test_lights_look_as_described(self, bench: Bench, column: str, value: ArrayLike) -> None:
        """A new light has the colours and the attenuation of its description."""
        bench.spawn(LAMP, "lamp")
        np.testing.assert_allclose(bench.get("lights", column, BULB), np.asarray(value), atol=1e-6)

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("ambient", (0.1, 0.2, 0.3, 0.4)),
            ("diffuse", (0.5, 0.6, 0.7, 0.8)),
            ("specular", (0.9, 0.8, 0.7, 1.0)),
            ("emissive", (0.25, 0.5, 0.75, 1.0)),
            ("transparency", 0.6),
            ("transparency", 1.0),
            ("visible", False),
        ],
    )
    def test_visuals_can_be_changed(self, bench: Bench, column: str, value: ArrayLike) -> None:
        """Each column of a visual reads back as it was set, and only that one changes."""
        bench.spawn(BOX, "box")
        bench.spawn(BLOCK, "wall", (3, 0, 0))
        before = bench.tables(VISUALS).visuals
        assert bench.write({("visuals", column): {PAINT: value}}) == ()
        after = bench.tables(VISUALS).visuals
        np.testing.assert_allclose(getattr(after, column)[0, 0], np.asarray(value), atol=1e-6)
        getattr(after, column)[:, 0] = getattr(before, column)[:, 0]
        for other in ("ambient", "diffuse", "specular", "emissive", "transparency", "visible"):
            np.testing.assert_array_equal(getattr(after, other), getattr(before, other))

    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("diffuse", (0.1, 0.2, 0.3, 1.0)),
            ("specular", (0.4, 0.5, 0.6, 1.0)),
            ("attenuation", (1.0, 0.5, 0.25)),
        ],
    )
    def test_lights_can_be_changed(self, bench: Bench, column: str, value: ArrayLike) -> None:
        """Each column of a light reads back as it was set."""
        bench.spawn(LAMP, "lamp")
        assert bench.write({("lights", column): {BULB: value}}) == ()
        np.testing.assert_allclose(bench.get("lights", column, BULB), np.asarray(value), atol=1e-6)

    def test_looks_can_be_changed_back(self, bench: Bench) -> None:
        """An invisible visual can be shown again as it was."""
        bench.spawn(BOX, "box")
        before = bench.state("box")
        transparency = bench.get("visuals", "transparency", PAINT)
        for value, visible in ((1.0, False), (transparency, True)):
            bench.write(
                {
                    ("visuals", "transparency"): {PAINT: value},
                    ("visuals", "visible"): {PAINT: visible},
                }
            )
        assert bench.state("box") == before

    def test_looks_outlive_steps_and_resets(self, bench: Bench) -> None:
        """Time passing and a reset leave colours as they are."""
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.spawn(LAMP, "lamp", (3, 0, 0))
        bench.write(
            {
                ("visuals", "ambient"): {PAINT: (0.1, 0.2, 0.3, 1)},
                ("visuals", "visible"): {PAINT: False},
                ("lights", "attenuation"): {BULB: (1.0, 0.5, 0.25)},
            }
        )
        bench.simulator.step(5)
        bench.simulator.reset()
        np.testing.assert_allclose(
            bench.get("visuals", "ambient", PAINT), (0.1, 0.2, 0.3, 1), atol=1e-6
        )
        assert not bench.get("visuals", "visible", PAINT)
        np.testing.assert_allclose(bench.get("lights", "attenuation", BULB), (1.0, 0.5, 0.25))
