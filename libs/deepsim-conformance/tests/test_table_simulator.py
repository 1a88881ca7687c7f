# SPDX-License-Identifier: Apache-2.0
"""The in-memory simulator passes the conformance suite as far as its bodies without extent can."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from deepsim_conformance import SimulatorConformance
from deepsim_math import Euler, Pose
from deepsim_sync import Simulator
from deepsim_sync.testing import TableModel, TableSimulator


class TestConformance(SimulatorConformance):
    test_looks_are_as_described = None  # a TableModel says nothing about looks
    test_the_centre_of_mass_flies_straight = None  # it is at the origin of the frame
    test_a_box_rests_and_slides_on_the_ground = None  # nothing collides
    test_a_static_model_is_solid_where_it_is = None
    test_a_moved_body_leaves_its_contacts = None

    def make_simulator(self, worlds: int) -> Simulator:
        return TableSimulator(worlds=worlds, timestep=0.001, gravity=9.8)

    def describe(self, sdf: str) -> Any:
        model = ElementTree.fromstring(sdf).find("model")
        assert model is not None
        for missing in ("model", "link[1]/pose", "joint[@type='revolute']"):
            if model.find(missing) is not None:
                pytest.skip(f"a TableModel knows no {missing}")
        links = model.findall("link")
        offsets = {}
        for link in links[1:]:
            x, y, z, *turn = map(float, link.findtext("pose", "0 0 0 0 0 0").split())
            offsets[link.attrib["name"]] = Pose((x, y, z), Euler(*turn))
        return TableModel(
            links=tuple(link.attrib["name"] for link in links),
            offsets=offsets,
            visuals=tuple(visual.attrib["name"] for visual in links[0].findall("visual")),
            lights=tuple(light.attrib["name"] for light in links[0].findall("light")),
            static=model.findtext("static") == "true",
            gravity=links[0].findtext("gravity") != "false",
        )

    def unbuildable(self) -> Any:
        return TableModel(links=())
