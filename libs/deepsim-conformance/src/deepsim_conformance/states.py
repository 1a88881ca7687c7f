# SPDX-License-Identifier: Apache-2.0
"""Poses, twists and appearance, read and written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose, Vector3
from deepsim_sync.port.entities import Kind
from deepsim_sync.port.tables import APPEARANCE_COLUMNS, Tables

from .base import Conformance
from .bench import Bench, assert_same_pose
from .models import (
    BLOCK,
    BOX,
    BULB_OFFSET,
    HAMMER,
    HINGED,
    LAMP,
    OUTER,
    PAIR,
    PAIR_OFFSET,
    RAISED,
    RAISED_OFFSET,
)

POSE = (1.0, -2.0, 3.0, 0.5, -0.5, 0.5, 0.5)
OTHER_POSE = (-4.0, 0.0, 2.5, 0.0, 0.6, 0.0, 0.8)
TWIST = (0.5, -1.0, 2.0, 0.3, 0.2, -0.1)
AT_REST = (0.0,) * 6
UNTURNED = (0.0,) * 6 + (1.0,)

PAINT = "box::link::paint"
BULB = "lamp::link::bulb"
LOOKS: list[
    tuple[Kind, str, str, Any, Any]
] = [  # table, entity, column, as described, another value
    ("visuals", PAINT, "ambient", (0.8, 0.1, 0.1, 1), (0.1, 0.2, 0.3, 0.4)),
    ("visuals", PAINT, "diffuse", (0.9, 0.2, 0.1, 1), (0.5, 0.6, 0.7, 0.8)),
    ("visuals", PAINT, "specular", (0.3, 0.3, 0.3, 1), (0.9, 0.8, 0.7, 1.0)),
    ("visuals", PAINT, "emissive", (0, 0, 0, 1), (0.25, 0.5, 0.75, 1.0)),
    ("visuals", PAINT, "transparency", 0.25, 1.0),
    ("visuals", PAINT, "visible", True, False),
    ("lights", BULB, "diffuse", (0.9, 0.8, 0.7, 1), (0.1, 0.2, 0.3, 1.0)),
    ("lights", BULB, "specular", (0.2, 0.1, 0.1, 1), (0.4, 0.5, 0.6, 1.0)),
    ("lights", BULB, "attenuation", (0.5, 0.25, 0.125), (1.0, 0.5, 0.25)),
    ("lights", BULB, "pose", BULB_OFFSET, POSE),
    ("lights", BULB, "range", 20.0, 7.5),
]


class StateCases(Conformance):
    """Reads and writes of the tables."""

    @pytest.mark.parametrize("sdf", [BOX, PAIR, HAMMER, RAISED, BLOCK, OUTER])
    @pytest.mark.parametrize("steps", [0, 7])
    def test_any_model_can_be_moved(self, bench: Bench, sdf: str, steps: int) -> None:
        """Pose and twist read back as set, at any time, and do not affect each other."""
        bench.spawn(sdf, "model", OTHER_POSE)
        if steps:
            bench.simulator.step(steps)
        twist = AT_REST if sdf in (BLOCK, OUTER) else TWIST
        assert bench.write({("models", "twist"): {"model": twist}}) == ()
        assert_same_twist(bench.twist("model"), twist, bench.precision)
        assert bench.write({("models", "pose"): {"model": POSE}}) == ()
        for _ in range(2):
            assert_same_pose(bench.pose("model"), POSE, bench.precision)
            assert_same_twist(bench.twist("model"), twist, bench.precision)
            bench.write({("models", "twist"): {"model": twist}})

    def test_one_batch_for_everything(self, bench: Bench) -> None:
        """Rows may come in any order; of a model and its link, the link counts; other rows stay."""
        for sdf, name, x in ((BOX, "a", 0), (BLOCK, "b", 3), (BOX, "c", 6), (BOX, "other", 9)):
            bench.spawn(sdf, name, (x, 0, 5))
        bench.write({("models", "twist"): {"other": TWIST}})
        bench.run(0.02)
        before = bench.state("other")
        refusals = bench.write(
            {
                ("visuals", "transparency"): {"b::link::paint": 0.75},
                ("links", "twist"): {"c::link": TWIST},
                ("links", "pose"): {"c::link": POSE},
                ("models", "twist"): {"a": TWIST},
                ("models", "pose"): {"b": OTHER_POSE, "a": POSE, "c": OTHER_POSE},
            }
        )
        assert refusals == ()
        expected = {"a": (POSE, TWIST), "b": (OTHER_POSE, AT_REST), "c": (POSE, TWIST)}
        for name, (pose, twist) in expected.items():
            assert_same_pose(bench.pose(name), pose)
            assert_same_pose(bench.get("links", "pose", f"{name}::link"), pose)
            assert_same_twist(bench.twist(name), twist)
        assert bench.get("visuals", "transparency", "b::link::paint") == 0.75
        assert bench.state("other") == before

    def test_links_follow_their_model(self, bench: Bench) -> None:
        """Links keep their place in a model that is moved, and move as one rigid body."""
        bench.spawn(PAIR, "pair")
        bench.write({("models", "pose"): {"pair": POSE}, ("models", "twist"): {"pair": TWIST}})
        for link, offset in (("pair::base", UNTURNED), ("pair::top", PAIR_OFFSET)):
            pose, twist = carried(Pose.from_array(offset))
            assert_same_pose(bench.get("links", "pose", link), pose, bench.precision)
            assert_same_twist(bench.get("links", "twist", link), twist, bench.precision)

    @pytest.mark.parametrize("sdf", [BOX, BLOCK, RAISED])
    def test_a_model_follows_its_link(self, bench: Bench, sdf: str) -> None:
        """Moving a link moves the model frame too, even if the two frames differ."""
        offset = RAISED_OFFSET if sdf == RAISED else UNTURNED
        twist = AT_REST if sdf == BLOCK else TWIST
        link = "model::link"
        bench.spawn(sdf, "model", (0, 0, 9))
        refusals = bench.write({("links", "pose"): {link: POSE}, ("links", "twist"): {link: twist}})
        assert refusals == ()
        assert_same_pose(bench.get("links", "pose", link), POSE, bench.precision)
        pose, expected = carried(Pose.from_array(offset).inverse(), twist)
        assert_same_pose(bench.pose("model"), pose, bench.precision)
        assert_same_twist(bench.twist("model"), expected, bench.precision)

    def test_nested_models_follow_the_outer_one(self, bench: Bench) -> None:
        bench.spawn(OUTER, "outer", (1, 2, 3))
        for height, turn in ((4, (0, 0, 0, 1)), (2, (1, 0, 0, 0))):
            bench.write({("models", "pose"): {"outer": (1, 2, 3, *turn)}})
            pose = (1, 2, height, *turn)
            assert_same_pose(bench.pose("outer::inner"), pose, bench.precision)
            assert_same_pose(
                bench.get("links", "pose", "outer::inner::core"), pose, bench.precision
            )

    @pytest.mark.parametrize(("kind", "scope"), [("models", ""), ("links", "::link")])
    def test_a_static_model_has_no_velocity(self, bench: Bench, kind: Kind, scope: str) -> None:
        """Its twist is refused with a reason, unless it is zero; other rows apply."""
        bench.spawn(BLOCK, "wall", (0, 0, 5))
        bench.spawn(BOX, "box", (4, 0, 5))
        (refusal,) = bench.write({(kind, "twist"): {"wall" + scope: TWIST, "box" + scope: TWIST}})
        assert refusal[:3] == (kind, "twist", "wall" + scope)
        assert refusal.reason
        np.testing.assert_array_equal(bench.twist("wall"), 0)
        assert_same_twist(bench.twist("box"), TWIST)
        assert bench.write({(kind, "twist"): {"wall" + scope: AT_REST}}) == ()

    def test_a_step_writes_first(self, bench: Bench) -> None:
        """A step starts from the rows that are passed to it."""
        bench.spawn(BLOCK, "wall")
        assert bench.tick(10, {("models", "pose"): {"wall": POSE}}) == ()
        assert_same_pose(bench.pose("wall"), POSE)
        assert bench.time == pytest.approx(10 * bench.simulator.timestep, abs=1e-12)

    def test_no_step_is_made_where_a_row_is_refused(self, bench: Bench) -> None:
        """The other rows apply; time stands still."""
        bench.spawn(BLOCK, "wall", (0, 0, 5))
        bench.spawn(BOX, "box", (4, 0, 5))
        (refusal,) = bench.tick(10, {("models", "twist"): {"wall": TWIST, "box": TWIST}})
        assert refusal[:3] == ("models", "twist", "wall")
        assert bench.time == 0.0
        assert_same_twist(bench.twist("box"), TWIST)

    def test_a_child_link_obeys_or_refuses(self, bench: Bench) -> None:
        """The pose of a link on a joint reads back as set, or is refused and does not change."""
        bench.spawn(HINGED, "gate", (0, 0, 9))
        bench.spawn(BOX, "box", (4, 0, 5))
        before = bench.get("links", "pose", "gate::door")
        refusals = bench.write({("links", "pose"): {"gate::door": POSE, "box::link": OTHER_POSE}})
        assert_same_pose(bench.pose("box"), OTHER_POSE)
        after = bench.get("links", "pose", "gate::door")
        if refusals:
            assert [refusal[:3] for refusal in refusals] == [("links", "pose", "gate::door")]
            assert refusals[0].reason
            np.testing.assert_array_equal(after, before)
        else:
            assert_same_pose(after, POSE)

    def test_a_read_fills_the_named_columns_only(self, bench: Bench) -> None:
        bench.spawn(BOX, "box", (1, 2, 3))
        tables = Tables(bench.entities, bench.worlds)
        bench.simulator.read(tables, [("links", "pose")])
        np.testing.assert_allclose(tables.links.pose[:, 0, :3], [(1, 2, 3)] * bench.worlds)
        np.testing.assert_array_equal(tables.models.pose[:, 0, :3], 0)

    def test_looks_are_as_described(self, bench: Bench) -> None:
        bench.spawn(BOX, "box")
        bench.spawn(LAMP, "lamp")
        for kind, name, column, described, _ in LOOKS:
            assert np.allclose(bench.get(kind, column, name), described, rtol=0, atol=1e-6)

    @pytest.mark.parametrize(("kind", "name", "column", "_", "value"), LOOKS)
    def test_looks_can_be_changed_and_changed_back(
        self, bench: Bench, kind: Kind, name: str, column: str, _: object, value: ArrayLike
    ) -> None:
        """Only one cell changes, and the change outlasts steps and a reset."""
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.spawn(BLOCK, "wall", (3, 0, 0))
        bench.spawn(LAMP, "lamp", (6, 0, 0))
        before = bench.state("box", "wall", "lamp")
        shown = bench.get(kind, column, name)
        looks = bench.tables(APPEARANCE_COLUMNS)
        assert bench.write({(kind, column): {name: value}}) == ()
        bench.simulator.step(5)
        bench.simulator.reset()
        after = bench.tables(APPEARANCE_COLUMNS)
        assert np.allclose(bench.get(kind, column, name), value, rtol=0, atol=1e-6)
        after.columns[kind, column][:, bench.entities.names(kind).row(name)] = shown
        for key in APPEARANCE_COLUMNS:
            np.testing.assert_array_equal(after.columns[key], looks.columns[key])
        assert bench.write({(kind, column): {name: shown}}) == ()
        assert bench.state("box", "wall", "lamp") == before


def assert_same_twist(twist: ArrayLike, expected: ArrayLike, atol: float = 1e-9) -> None:
    """Asserts that two twists are equal [m/s, rad/s]."""
    wanted = np.asarray(expected, dtype=np.float64)
    np.testing.assert_allclose(np.asarray(twist), wanted, rtol=0, atol=atol)


def carried(offset: Pose, twist: ArrayLike = TWIST) -> tuple[NDArray[np.float64], list[float]]:
    """Returns the pose and twist of a frame that a body at `POSE` carries at an offset."""
    pose = Pose.from_array(POSE)
    linear, angular = np.split(np.asarray(twist, dtype=np.float64), 2)
    arm = pose.transform_vector(Vector3(*offset.position))
    return np.asarray(pose @ offset), [*(linear + np.cross(angular, arm)), *angular]
