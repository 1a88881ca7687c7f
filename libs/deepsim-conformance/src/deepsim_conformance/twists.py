# SPDX-License-Identifier: Apache-2.0
"""Twists of models with joints: a model has the twist of its root link; joints keep their rates."""

from __future__ import annotations

from typing import Tuple

import numpy as np
import pytest
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_sync.port.entities import Kind

from .base import Conformance
from .bench import Bench
from .models import CHAIN, CHAIN_MASSES, HINGED, PAIR, PARTS, PENDULUM

TURNED = (1.0, -2.0, 3.0, 0.5, -0.5, 0.5, 0.5)
TWIST = (0.5, -1.0, 2.0, 0.3, 0.2, -0.1)
OTHER = (-0.2, 0.4, 0.1, -0.5, 0.6, 0.7)
AT_REST = (0.0,) * 6
RATES = {"chain::first": 1.5, "chain::second": -2.5}

_Floats = NDArray[np.float64]
_Motion = Tuple[_Floats, _Floats]


class TwistCases(Conformance):
    """Twists of models with joints, as docs/joints.md defines them."""

    @pytest.fixture
    def chain(self, bench: Bench) -> Bench:
        """Returns a bench with a free chain whose two hinges turn."""
        bench.spawn(CHAIN, "chain", TURNED)
        if not len(bench.entities.joints):
            pytest.skip("this simulator has no joints")
        bench.write({("joints", "position"): {"chain::first": 0.4, "chain::second": -0.7}})
        bench.write({("joints", "velocity"): RATES})
        return bench

    @pytest.mark.parametrize(
        ("kind", "name"), [("models", "chain"), ("links", "chain::base")], ids=["model", "root"]
    )
    @pytest.mark.parametrize("twist", [TWIST, AT_REST], ids=["moves", "rests"])
    def test_joints_keep_their_rates_under_a_twist(
        self, chain: Bench, kind: Kind, name: str, twist: tuple[float, ...]
    ) -> None:
        """The twists of all links change by one rigid motion, and positions do not change."""
        before = {link: _of(chain, link) for link in CHAIN_MASSES}
        held = dict(zip(RATES, _positions(chain)))
        assert chain.write({(kind, "twist"): {name: twist}}) == ()
        np.testing.assert_allclose(
            chain.get(kind, "twist", name), twist, rtol=0, atol=chain.precision
        )
        base = before["chain::base"]
        change = np.asarray(twist) - base[1]
        for link, (pose, old) in before.items():
            new_pose, new = _of(chain, link)
            arm = pose[:3] - base[0][:3]
            expected = [*(change[:3] + np.cross(change[3:], arm)), *change[3:]]
            np.testing.assert_allclose(new - old, expected, rtol=0, atol=chain.precision)
            np.testing.assert_allclose(new_pose, pose, rtol=0, atol=1e-12)
        for joint, rate in RATES.items():
            assert chain.get("joints", "velocity", joint) == pytest.approx(
                rate, abs=chain.precision
            )
            assert chain.get("joints", "position", joint) == pytest.approx(held[joint], abs=1e-12)

    def test_a_jointed_model_flies_by_its_momentum(self, chain: Bench) -> None:
        """Without gravity, the model's centre of mass moves straight on, as its twists predict."""
        chain.write({("models", "twist"): {"chain": TWIST}})
        start, velocity = _centre(chain)
        time = chain.run(0.3)
        end, _ = _centre(chain)
        np.testing.assert_allclose(end, start + velocity * time, rtol=0, atol=2e-3)

    @pytest.mark.parametrize(
        ("sdf", "link"), [(HINGED, "door"), (PAIR, "top"), (PENDULUM, "link")], ids=str
    )
    def test_a_link_on_a_joint_has_no_twist_of_its_own(
        self, bench: Bench, sdf: str, link: str
    ) -> None:
        """Such a twist is refused with the row's name, even if it is zero, and nothing changes."""
        bench.spawn(sdf, "model", (0, 0, 5))
        bench.write({("models", "twist"): {"model": AT_REST if sdf == PENDULUM else TWIST}})
        before = bench.state("model")
        for twist in (OTHER, AT_REST):
            (refusal,) = bench.write({("links", "twist"): {f"model::{link}": twist}})
            assert refusal[:3] == ("links", "twist", f"model::{link}")
            assert refusal.reason
            assert bench.state("model") == before

    def test_a_model_that_hangs_in_the_world_has_no_twist(self, bench: Bench) -> None:
        """A zero twist is accepted, as for a static model; the joints go on moving in any case."""
        bench.spawn(PENDULUM, "pendulum", (0, 0, 5))
        if len(bench.entities.joints):
            bench.write({("joints", "velocity"): {"pendulum::joint": 2.0}})
        before = bench.state("pendulum")
        (refusal,) = bench.write({("models", "twist"): {"pendulum": TWIST}})
        assert refusal[:3] == ("models", "twist", "pendulum")
        assert "joint" in refusal.reason
        assert bench.state("pendulum") == before
        assert bench.write({("models", "twist"): {"pendulum": AT_REST}}) == ()
        assert bench.state("pendulum") == before

    def test_separate_parts_of_a_model_move_as_one(self, bench: Bench) -> None:
        """A model of a loose link and a jointed pair: each root gets the twist's rigid motion."""
        bench.spawn(PARTS, "parts", TURNED)
        bench.write({("models", "twist"): {"parts": OTHER}})
        bench.write({("links", "twist"): {"parts::loose": TWIST}})
        if len(bench.entities.joints):
            bench.write({("joints", "velocity"): {"parts::joint": 2.0}})
        assert bench.write({("models", "twist"): {"parts": TWIST}}) == ()
        origin = _of(bench, "parts::base")[0][:3]
        for link in ("parts::base", "parts::loose"):
            pose, twist = _of(bench, link)
            linear = np.add(TWIST[:3], np.cross(TWIST[3:], pose[:3] - origin))
            np.testing.assert_allclose(twist, [*linear, *TWIST[3:]], rtol=0, atol=bench.precision)
        if len(bench.entities.joints):
            assert bench.get("joints", "velocity", "parts::joint") == pytest.approx(
                2.0, abs=bench.precision
            )


def _of(bench: Bench, link: str) -> _Motion:
    return bench.get("links", "pose", link), bench.get("links", "twist", link)


def _positions(bench: Bench) -> _Floats:
    return np.array([bench.get("joints", "position", joint) for joint in RATES])


def _centre(bench: Bench) -> _Motion:
    """Returns the position [m] and the velocity [m/s] of the chain's centre of mass."""
    place, velocity = np.zeros(3), np.zeros(3)
    for link, (mass, centre) in CHAIN_MASSES.items():
        pose, twist = _of(bench, link)
        arm = np.asarray(Pose.from_array(pose).transform_point(centre)) - pose[:3]
        place += mass * (pose[:3] + arm)
        velocity += mass * (twist[:3] + np.cross(twist[3:], arm))
    total = sum(mass for mass, _ in CHAIN_MASSES.values())
    return place / total, velocity / total
