# SPDX-License-Identifier: Apache-2.0
"""SDF 1.11's automatic inertia."""

from __future__ import annotations

import warnings

import pytest

from deepsim_spawn import (
    GazeboXMLLoader,
    Inertial,
    ModelFormatError,
    ModelFormatWarning,
    UnsupportedElementWarning,
)

BOX = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"


def sdf(inside):
    text = f"<sdf version='1.11'><model name='m'><link name='l'>{inside}</link></model></sdf>"
    return GazeboXMLLoader().load_model(text).links[0]


@pytest.mark.parametrize(
    ("inertial", "density", "mass"),
    [
        ("", "", 6.0),
        ("<density>500</density>", "", 3.0),
        ("<density>500</density>", "<density>2000</density>", 12.0),
        ("<mass>2</mass>", "<density>2000</density>", 2.0),
    ],
)
def test_a_box_weighs_its_volume(inertial, density, mass):
    """0.006 m^3 of water weigh 6 kg, with 0.065, 0.05 and 0.025 kg m^2; no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sdf(
            f"<inertial auto='true'>{inertial}</inertial>"
            f"<collision name='c'>{density}{BOX}</collision>"
        ).inertial
    assert found.mass == pytest.approx(mass)
    moments = [each * mass / 6 for each in (0.065, 0.05, 0.025)]
    assert [found.ixx, found.iyy, found.izz] == pytest.approx(moments)


def test_what_has_no_effect_on_an_automatic_inertia_is_named():
    with pytest.warns(UnsupportedElementWarning) as told:
        sdf(
            "<inertial auto='true'><pose>1 0 0 0 0 0</pose></inertial>"
            f"<collision name='c'><auto_inertia_params><a>1</a></auto_inertia_params>{BOX}"
            "</collision>"
        )
    messages = " ".join(str(each.message) for each in told)
    assert "auto_inertia_params" in messages
    assert "inertial/pose" in messages


def test_a_link_without_a_volume_has_the_inertia_that_sdf_gives_it():
    with pytest.warns(ModelFormatWarning, match="no collision with a volume"):
        assert sdf("<inertial auto='true'/>").inertial == Inertial()


def test_a_density_must_be_positive():
    with pytest.raises(ModelFormatError, match="density of collision 'c' must be > 0"):
        sdf(f"<inertial auto='true'/><collision name='c'><density>-1</density>{BOX}</collision>")
