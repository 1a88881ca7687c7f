# SPDX-License-Identifier: Apache-2.0
"""YAML of strangers: its size is limited before it becomes values."""

from __future__ import annotations

from typing import Any

import pytest

from deepsim_sync.untrusted import check_yaml, check_yaml_text


class Node:
    """As PyYAML composes them: a text, a list of nodes, or a list of pairs of them."""

    def __init__(self, value: Any) -> None:
        self.value = value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 101, "nested more than 100 levels deep"),
        ("{a: " * 100_000 + "1", "nested more than 100 levels deep"),
        ("- " * 100_000 + "1", "nested more than 100 levels deep"),
        ("a" * (2**20 + 1), "must have <= 1048576 letters, got 1048577"),
    ],
)
def test_text_that_takes_long_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        check_yaml_text(text)


def test_what_people_write_is_accepted():
    check_yaml_text("a: [1, {b: [2]}]\n" * 10_000 + "- - - 1\n" + "[" * 100)
    check_yaml(None)
    leaf = Node("x")
    check_yaml(Node([(leaf, Node([leaf] * 1000)), (leaf, leaf)]))


@pytest.mark.parametrize("is_merge", [False, True])
def test_aliases_count_as_often_as_they_are_used(is_merge):
    """Ten aliases of ten aliases and so on: a thousand million values from a kilobyte."""
    node = Node([Node("x")] * 10)
    for _ in range(8):
        node = Node([(Node("<<"), Node([node] * 10))] if is_merge else [node] * 10)
    with pytest.raises(ValueError, match="more than 100000 values, counted at each alias"):
        check_yaml(node)


def test_an_alias_of_what_contains_it_is_refused():
    node = Node([])
    node.value.append(Node([node]))
    with pytest.raises(ValueError, match="an alias stands for what contains it"):
        check_yaml(node)
