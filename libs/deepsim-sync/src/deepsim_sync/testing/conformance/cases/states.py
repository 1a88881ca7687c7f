# SPDX-License-Identifier: Apache-2.0
"""Poses and twists, read and written."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_sync.port.entities import Kind
from deepsim_sync.port.tables import Tables
from deepsim_sync.testing.conformance.bench import Bench, assert_same_pose
from deepsim_sync.testing.conformance.models import (
    BLOCK,
    BOX,
    HAMMER,
    HINGED,
    OUTER,
    PAIR,
    PAIR_OFFSET,
    RAISED,
    RAISED_OFFSET,
)

from .base import Conformance

POSE = (1.0, -2.0, 3.0, 0.5, -0.5, 0.5, 0.5)
OTHER_POSE = (-4.0, 0.0, 2.5, 0.0, 0.6, 0.0, 0.8)
TWIST = (0.5, -1.0, 2.0, 0.3, 0.2, -0.1)


class StateConformance(Conformance):
    """Reads and writes of the tables of models and links."""

    @pytest.mark.parametrize("sdf", [BOX, BLOCK, PAIR, HAMMER, RAISED, OUTER])
    @pytest.mark.parametrize("steps", [0, 7])
    def test_any_model_can_be_moved(self, bench: Bench, sdf: str, steps: int) -> None:
        """The pose of free and of static models reads back as it was set, at any time."""
        bench.spawn(sdf, "model", (0, 0, 9))
        if steps:
            bench.simulator.step(steps)
        assert bench.write({("models", "pose"): {"model": POSE}}) == ()
        assert_same_pose(bench.pose("model"), POSE)

    @pytest.mark.parametrize("sdf", [BOX, PAIR, HAMMER, RAISED])
    @pytest.mark.parametrize("steps", [0, 7])
    def test_any_free_model_can_be_set_in_motion(self, bench: Bench, sdf: str, steps: int) -> None:
        """The twist of a free model reads back as it was set, at any time."""
        bench.spawn(sdf, "model", OTHER_POSE)
        if steps:
            bench.simulator.step(steps)
        assert bench.write({("models", "twist"): {"model": TWIST}}) == ()
        np.testing.assert_allclose(bench.twist("model"), TWIST, atol=1e-9)

    @pytest.mark.parametrize("sdf", [HAMMER, RAISED])
    def test_pose_and_twist_are_set_apart(self, bench: Bench, sdf: str) -> None:
        """A new pose leaves the twist as it is, and a new twist the pose."""
        bench.spawn(sdf, "model", (0, 0, 9))
        bench.write({("models", "twist"): {"model": TWIST}})
        bench.write({("models", "pose"): {"model": POSE}})
        np.testing.assert_allclose(bench.twist("model"), TWIST, atol=1e-9)
        assert_same_pose(bench.pose("model"), POSE)

    def test_one_batch_for_everything(self, bench: Bench) -> None:
        """Rows of all kinds are set in one call, whatever the order in which they are given."""
        bench.spawn(BOX, "a", (0, 0, 5))
        bench.spawn(BLOCK, "b", (3, 0, 5))
        bench.spawn(BOX, "c", (6, 0, 5))
        refusals = bench.write(
            {
                ("visuals", "transparency"): {"b::link::paint": 0.75},
                ("links", "twist"): {"c::link": TWIST},
                ("links", "pose"): {"c::link": POSE},
                ("models", "twist"): {"a": TWIST},
                ("models", "pose"): {"b": OTHER_POSE, "a": POSE},
            }
        )
        assert refusals == ()
        tables = bench.tables()
        for row, pose in enumerate((POSE, OTHER_POSE, POSE)):
            assert_same_pose(tables.models.pose[0, row], pose)
        np.testing.assert_allclose(tables.models.twist[0], [TWIST, [0] * 6, TWIST], atol=1e-9)
        assert tables.visuals.transparency[0, 1] == 0.75

    def test_other_rows_stay_as_they_are(self, bench: Bench) -> None:
        """Setting one model leaves every bit of the others."""
        for name, x in (("a", 0), ("b", 4), ("c", 8)):
            bench.spawn(BOX, name, (x, 0, 9))
        bench.write({("models", "twist"): {"a": TWIST, "c": TWIST}})
        bench.run(0.02)
        before = bench.state("a", "c")
        bench.write({("models", "pose"): {"b": POSE}, ("models", "twist"): {"b": TWIST}})
        assert bench.state("a", "c") == before

    @pytest.mark.parametrize("sdf", [BOX, BLOCK])
    def test_the_link_of_a_model_can_be_set(self, bench: Bench, sdf: str) -> None:
        """Setting the pose of a single link takes its model along."""
        bench.spawn(sdf, "model", (0, 0, 9))
        assert bench.write({("links", "pose"): {"model::link": POSE}}) == ()
        assert_same_pose(bench.get("links", "pose", "model::link"), POSE)
        assert_same_pose(bench.pose("model"), POSE)

    def test_links_are_written_after_models(self, bench: Bench) -> None:
        """Where a batch sets a model and its link, the link counts."""
        bench.spawn(BOX, "box", (0, 0, 9))
        bench.write(
            {
                ("links", "pose"): {"box::link": POSE},
                ("models", "pose"): {"box": OTHER_POSE},
            }
        )
        assert_same_pose(bench.get("links", "pose", "box::link"), POSE)

    def test_links_follow_their_model(self, bench: Bench) -> None:
        """Links keep their place in a model that is moved, and move as one rigid body."""
        bench.spawn(PAIR, "pair")
        bench.write({("models", "pose"): {"pair": POSE}, ("models", "twist"): {"pair": TWIST}})
        pose, offset = Pose.from_array(POSE), Pose.from_array(PAIR_OFFSET)
        top = np.asarray(pose @ offset)
        assert_same_pose(bench.get("links", "pose", "pair::base"), POSE)
        assert_same_pose(bench.get("links", "pose", "pair::top"), top)
        np.testing.assert_allclose(bench.get("links", "twist", "pair::base"), TWIST, atol=1e-9)
        arm = pose.transform_vector(Vector3(*offset.position))
        linear = np.add(TWIST[:3], np.cross(TWIST[3:], arm))
        expected = [*linear, *TWIST[3:]]
        np.testing.assert_allclose(bench.get("links", "twist", "pair::top"), expected, atol=1e-9)

    def test_a_model_follows_its_link(self, bench: Bench) -> None:
        """Setting a link takes the model frame along, which is somewhere else."""
        bench.spawn(RAISED, "raised")
        bench.write(
            {
                ("links", "pose"): {"raised::link": POSE},
                ("links", "twist"): {"raised::link": TWIST},
            }
        )
        assert_same_pose(bench.get("links", "pose", "raised::link"), POSE)
        to_model = Pose.from_array(RAISED_OFFSET).inverse()
        assert_same_pose(bench.pose("raised"), Pose.from_array(POSE) @ to_model)
        arm = Pose.from_array(POSE).transform_vector(to_model.position)
        linear = np.add(TWIST[:3], np.cross(TWIST[3:], arm))
        np.testing.assert_allclose(bench.twist("raised"), [*linear, *TWIST[3:]], atol=1e-9)

    def test_nested_models_follow_the_outer_one(self, bench: Bench) -> None:
        """A model within a model is moved along with it."""
        bench.spawn(OUTER, "outer")
        bench.write({("models", "pose"): {"outer": (1, 2, 3, 1, 0, 0, 0)}})
        np.testing.assert_allclose(bench.pose("outer::inner")[:3], (1, 2, 2), atol=1e-9)
        core = bench.get("links", "pose", "outer::inner::core")
        np.testing.assert_allclose(core[:3], (1, 2, 2), atol=1e-9)

    @pytest.mark.parametrize("kind", ["models", "links"])
    def test_a_static_model_has_no_velocity(self, bench: Bench, kind: Kind) -> None:
        """A static model's twist is refused, by name and with a reason; other rows apply."""
        bench.spawn(BLOCK, "wall", (0, 0, 5))
        bench.spawn(BOX, "box", (4, 0, 5))
        scope = "" if kind == "models" else "::link"
        (refusal,) = bench.write({(kind, "twist"): {"wall" + scope: TWIST, "box" + scope: TWIST}})
        assert refusal[:3] == (kind, "twist", "wall" + scope)
        assert refusal.reason
        np.testing.assert_array_equal(bench.twist("wall"), 0)
        np.testing.assert_allclose(bench.twist("box"), TWIST, atol=1e-9)

    def test_a_static_model_may_be_told_to_rest(self, bench: Bench) -> None:
        """A twist of zero is no velocity: a static model accepts it."""
        bench.spawn(BLOCK, "wall")
        assert bench.write({("models", "twist"): {"wall": [0] * 6}}) == ()

    def test_a_child_link_obeys_or_refuses(self, bench: Bench) -> None:
        """The pose of a link on a joint reads back as set, or is refused and stays; not between."""
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

    def test_a_read_fills_what_was_asked_for(self, bench: Bench) -> None:
        """Tables that were not asked for stay as they are."""
        bench.spawn(BOX, "box", (1, 2, 3))
        tables = Tables(bench.entities, bench.worlds)
        bench.simulator.read(tables, [("links", "pose")])
        np.testing.assert_allclose(tables.links.pose[:, 0, :3], [(1, 2, 3)] * bench.worlds)
        np.testing.assert_array_equal(tables.models.pose[:, 0, :3], 0)

    def test_orientations_are_unit_quaternions(self, bench: Bench) -> None:
        """Quaternions keep the length 1 while a body tumbles."""
        bench.spawn(HAMMER, "hammer", (0, 0, 9))
        bench.write({("models", "twist"): {"hammer": (0, 0, 0, 5, -3, 4)}})
        bench.run(0.5)
        for kind in ("models", "links"):
            lengths = np.linalg.norm(bench.tables().column(kind, "pose")[..., 3:], axis=-1)
            np.testing.assert_allclose(lengths, 1, atol=1e-9)
