# SPDX-License-Identifier: Apache-2.0
"""Names are rows."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_sync import DuplicateEntityError, Entities, Names, UnknownEntityError

NAMES = Names("links", ["a::x", "a::y", "a::b::z", "ab::x"])


def test_the_position_of_a_name_is_its_row() -> None:
    assert [NAMES.row(name) for name in NAMES] == [0, 1, 2, 3]
    np.testing.assert_array_equal(NAMES.rows(["a::b::z", "a::x"]), [2, 0])
    assert NAMES.rows([]).shape == (0,)


def test_names_are_a_sequence() -> None:
    assert len(NAMES) == 4
    assert NAMES[1] == "a::y"
    assert NAMES[1:3] == ("a::y", "a::b::z")
    assert "ab::x" in NAMES
    assert "ab" not in NAMES
    assert list(NAMES) == ["a::x", "a::y", "a::b::z", "ab::x"]


@pytest.mark.parametrize(
    ("scope", "below"),
    [
        ("a", ("a::x", "a::y", "a::b::z")),
        ("a::b", ("a::b::z",)),
        ("ab", ("ab::x",)),
        ("a::x", ()),
        ("b", ()),
    ],
)
def test_within_finds_all_below_a_scope(scope: str, below: tuple[str, ...]) -> None:
    """A name that merely starts alike is not below it."""
    assert NAMES.within(scope) == below


def test_an_unknown_name_is_told_with_the_nearest_known_one() -> None:
    with pytest.raises(UnknownEntityError, match=r"^no link is named 'a::xx'; did you mean 'a::x'"):
        NAMES.row("a::xx")


def test_an_unknown_name_is_told_with_what_there_is() -> None:
    with pytest.raises(UnknownEntityError, match=r"no link is named 'q'; known: a::x, a::y"):
        NAMES.rows(["a::x", "q"])


def test_an_unknown_name_among_none() -> None:
    with pytest.raises(UnknownEntityError, match=r"no model is named 'ball'; there are none"):
        Entities(0).models.row("ball")


def test_a_name_cannot_occur_twice() -> None:
    with pytest.raises(DuplicateEntityError, match="'b'"):
        Names("models", ["a", "b", "c", "b"])


def test_entities_hold_the_names_of_each_kind() -> None:
    entities = Entities(3, models=["m"], links=["m::l"], visuals=["m::l::v"], lights=["sun"])
    assert entities.names("links") is entities.links
    assert list(entities.lights) == ["sun"]
    assert (
        repr(entities)
        == "<Entities generation 3: 1 models, 1 links, 0 joints, 0 actuators, 1 visuals, 1 lights>"
    )
