# SPDX-License-Identifier: Apache-2.0
"""What has no effect is said: once per kind and load, with place and count."""

from __future__ import annotations

import warnings

import pytest

from deepsim_spawn import ModelFormatWarning, UnsupportedElementWarning


def said(load, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load(*arguments)
    return caught


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<foo>1</foo>", "<string>:1: model/foo: not supported, ignored"),
        ("<foo a='1'/>", "<string>:1: model/foo: not supported, ignored"),
        ("<foo><bar/></foo>", "<string>:1: model/foo: not supported, ignored"),
        ("\n\n<foo>1</foo>", "<string>:3: model/foo: not supported, ignored"),
        (
            "<foo>1</foo>" * 3,
            "<string>:1: model/foo: not supported, ignored (3 times in this load)",
        ),
        (
            "<static colour='red'>0</static>",
            "<string>:1: model/static/@colour: not supported, ignored",
        ),
        ("<enable_wind>1</enable_wind>", "<string>:1: model/enable_wind: not supported, ignored"),
    ],
)
def test_an_element_that_no_reader_asks_for_is_said(load_model, body, message):
    caught = said(load_model, f"<model name='m'><link name='l'/>{body}</model>")
    assert [str(warning.message) for warning in caught] == [message]
    assert caught[0].category is UnsupportedElementWarning


@pytest.mark.parametrize(
    "body",
    [
        "<foo/>",
        "<!-- nothing -->",
        "<pose frame=''>0 0 0 0 0 0</pose>",
        "<x:foo xmlns:x='urn:mine'>1</x:foo>",
        "<allow_auto_disable>1</allow_auto_disable>",
        "<frame name='f'/>",
    ],
)
def test_what_changes_nothing_is_not_said(load_model, body):
    assert said(load_model, f"<model name='m'><link name='l'/>{body}</model>") == []


def test_what_gazebo_writes_into_every_world_is_not_said(load_world):
    caught = said(
        load_world,
        "<gui><camera/></gui><physics name='p' default='0' type='ode'>"
        "<real_time_update_rate>1000</real_time_update_rate><max_contacts>20</max_contacts>"
        "<ode><solver><iters>50</iters></solver></ode></physics>"
        "<magnetic_field>6e-06 2e-05 -4e-05</magnetic_field><atmosphere type='adiabatic'/>"
        "<spherical_coordinates><heading_deg>0</heading_deg></spherical_coordinates>"
        "<scene><grid>0</grid></scene>",
    )
    assert caught == []


def test_two_kinds_are_two_warnings(load_model):
    caught = said(
        load_model,
        "<model name='m'><foo>1</foo><bar>1</bar><link name='l'><foo>1</foo></link></model>",
    )
    kinds = [str(warning.message).split(": ")[1] for warning in caught]
    assert sorted(kinds) == ["link/foo", "model/bar", "model/foo"]


def test_a_warning_points_at_the_call(loader):
    text = "<sdf version='1.6'><model name='m'><foo>1</foo><link name='l'/></model></sdf>"
    for load in (loader.load, loader.load_model):
        (warning,) = said(load, text)
        assert warning.filename == __file__


def test_a_repair_is_no_missing_support(load_link):
    (warning,) = said(load_link, "<inertial><inertia><izz>9</izz></inertia></inertial>")
    assert warning.category is ModelFormatWarning


def test_a_warning_in_an_included_file_names_that_file(loader, tmp_path):
    (tmp_path / "m.sdf").write_text(
        "<sdf version='1.6'>\n<model name='m'><foo>1</foo><link name='l'/></model></sdf>"
    )
    world = tmp_path / "w.sdf"
    world.write_text(
        "<sdf version='1.6'><world name='w'><include><uri>m.sdf</uri></include></world></sdf>"
    )
    (warning,) = said(loader.load, world)
    assert str(warning.message).startswith(f"{(tmp_path / 'm.sdf').resolve()}:2: model/foo")
