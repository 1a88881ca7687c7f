# SPDX-License-Identifier: Apache-2.0
"""The shapes that few files have."""

from __future__ import annotations

import pytest

from deepsim_spawn import Cone, GazeboXMLLoader, Heightmap, ModelFormatError, Polyline

SQUARE = "<point>0 0</point><point>2 0</point><point>2 2</point><point>0 2</point>"
HOLE = "<point>1 1</point><point>1 1.5</point><point>1.5 1</point>"


@pytest.fixture
def shape(load_link):
    """The geometry of a collision, given what stands inside of `<geometry>`."""

    def load(body):
        link = load_link(f"<collision name='c'><geometry>{body}</geometry></collision>", "1.11")
        return link.collisions[0].geometry if link.collisions else None

    return load


def test_a_cone(shape):
    assert shape("<cone><radius>1</radius><length>2</length></cone>") == Cone(1.0, 2.0)


def test_a_polyline_may_be_closed_by_its_last_point(shape):
    expected = Polyline((((0, 0), (2, 0), (2, 2), (0, 2)),), 3.0)
    assert shape(f"<polyline>{SQUARE}<height>3</height></polyline>") == expected
    assert shape(f"<polyline>{SQUARE}<point>0 0</point><height>3</height></polyline>") == expected


def test_all_polylines_of_a_geometry_are_one_shape(shape):
    body = "".join(f"<polyline>{line}<height>1</height></polyline>" for line in (SQUARE, HOLE))
    assert len(shape(body).outlines) == 2


def test_polylines_of_one_shape_have_one_height(shape):
    body = "".join(
        f"<polyline>{line}<height>{height}</height></polyline>"
        for line, height in ((SQUARE, 1), (HOLE, 2))
    )
    with pytest.warns(UserWarning, match="differ in height, all get 1 m"):
        assert shape(body).height == 1.0


def test_an_empty_geometry_is_no_shape_and_no_warning(shape):
    assert shape("<empty/>") is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<cone><radius>-1</radius><length>2</length></cone>", "cone radius"),
        ("<polyline><point>0 0</point><height>1</height></polyline>", "at least 3 points, got 1"),
        (
            "<polyline><point>0 0</point><point>1 2</point><point>2 4</point><height>1</height>"
            "</polyline>",
            "must not all lie on one line",
        ),
        (f"<polyline>{SQUARE}<height>0</height></polyline>", "height .* > 0"),
        (f"<polyline>{SQUARE}</polyline>", "<height> is missing"),
        ("<polyline><point>0 0 0</point><height>1</height></polyline>", "expected 2 finite"),
        ("<heightmap><uri>gone.png</uri></heightmap>", "'gone.png' was not found"),
        ("<heightmap/>", "<uri> is missing"),
    ],
)
def test_a_shape_that_cannot_be_is_a_format_error(shape, body, message):
    with pytest.raises(ModelFormatError, match=message):
        shape(body)


def test_a_heightmap(tmp_path):
    (tmp_path / "hill.png").touch()
    path = tmp_path / "m.sdf"
    path.write_text(
        "<sdf version='1.4'><model name='m'><static>true</static><link name='l'>"
        "<collision name='c'><geometry><heightmap><uri>file://hill.png</uri><size>9 9 2</size>"
        "<pos>0 0 1</pos></heightmap></geometry></collision></link></model></sdf>"
    )
    model = GazeboXMLLoader([tmp_path]).load_model(path)
    expected = Heightmap(tmp_path / "hill.png", (9, 9, 2), (0, 0, 1))
    assert model.links[0].collisions[0].geometry == expected


def test_a_comment_may_stand_before_the_declaration(loader, tmp_path):
    """As in worlds that Gazebo ships."""
    path = tmp_path / "m.sdf"
    path.write_text(
        "<!-- usage -->\n<?xml version='1.0'?>\n<sdf version='1.5'><model name='m'>\n"
        "<link name='l'><visual/></link></model></sdf>"
    )
    with pytest.raises(ModelFormatError) as caught:
        loader.load(path)
    assert caught.value.line == 4
