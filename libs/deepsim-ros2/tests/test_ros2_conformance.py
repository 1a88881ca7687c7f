# SPDX-License-Identifier: Apache-2.0
"""The client passes the conformance suite of the port, as far as the standard goes."""

from __future__ import annotations

from typing import Any

import pytest

from deepsim_conformance import SimulatorConformance
from deepsim_conformance.bench import Bench
from deepsim_ros2.client import Ros2Simulator
from deepsim_spawn import (
    GazeboXMLLoader,
    Inertial,
    LinkDescription,
    ModelDescription,
    WorldDescription,
)

ROWS = "the standard has no rows of {}"
STATES = "the standard does not set the states of joints"
OTHERS = {
    "no message carries all quantities of a contact sensor": (
        "test_every_sensor_is_listed",
        "test_a_contact_sensor_feels_the_weight_of_its_link",
        "test_a_contact_sensor_misses_no_landing",
        "test_each_world_measures_by_itself",
    ),
    "a segmentation has rows of links": ("test_a_camera_is_a_sensor_with_a_picture_of_each_world",),
    "the standard has no rows of links, visuals and lights": (
        "test_names_are_scoped_and_go_with_their_model",
        "test_a_read_fills_the_named_columns_only",
    ),
    "a step that fails has no result code of its own": (
        "test_a_world_that_diverges_stops_no_other",
    ),
}
"""Tests that are skipped for reasons that the bench does not see."""


class RemoteBench(Bench):
    """Skips a test that needs rows or states which the standard lacks."""

    def get(self, kind: Any, column: str, name: str, world: int = 0) -> Any:
        _require(kind, column, sets=False)
        return super().get(kind, column, name, world)

    def _batch(self, rows: Any, worlds: Any = None) -> Any:
        for kind, column in rows:
            _require(kind, column, sets=True)
        return super()._batch(rows, worlds)


def _require(kind: str, column: str, *, sets: bool) -> None:
    if kind in ("links", "visuals", "lights"):
        pytest.skip(ROWS.format(kind))
    if sets and kind == "joints" and column in ("position", "velocity"):
        pytest.skip(STATES)


class _Shared(Ros2Simulator):
    """A client that several tests use."""

    def close(self) -> None:
        """Stays open until `end`."""

    def end(self) -> None:
        super().close()


@pytest.fixture(scope="module")
def client(module_serve):
    """One client and one server for all cases."""
    module_serve("empty")
    simulator = _Shared(timestep=0.001, timeout=60.0)
    yield simulator
    simulator.end()


class TestConformance(SimulatorConformance):
    """Each case has an empty world at time 0, which it loads into the server."""

    world_counts = (1,)

    @pytest.fixture(autouse=True)
    def _reached(self, client):
        self.client = client

    def make_simulator(self, worlds):
        self.client.load(WorldDescription())
        return self.client

    def make_bench(self, worlds):
        return RemoteBench(self.make_simulator(worlds), self.describe, self.precision)

    def describe(self, sdf):
        return GazeboXMLLoader().load_model(sdf)

    def unbuildable(self):
        heavy = Inertial(mass=1e-30, ixx=1e-30, iyy=1e-30, izz=1e-30)
        return ModelDescription("broken", links=(LinkDescription("link", inertial=heavy),))


def _skipped(reason: str) -> Any:
    @pytest.mark.skip(reason=reason)
    def test(self: Any) -> None:
        """Is skipped."""

    return test


for reason, tests in OTHERS.items():
    for name in tests:
        assert hasattr(TestConformance, name), name
        setattr(TestConformance, name, _skipped(reason))
