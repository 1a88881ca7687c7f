# SPDX-License-Identifier: Apache-2.0
"""Which child of a switch runs for which value."""

from __future__ import annotations

import enum
import math
from decimal import Decimal

import pytest

import deepsim_btree as bt
from deepsim_btree import key


class Mode(enum.Enum):
    DOCK = 1
    DRIVE = 2


@pytest.mark.parametrize(
    ("value", "chosen"),
    [
        ("dock", "a"),
        (2, "b"),
        (2.0, "b"),
        ("2", "b"),
        ("2.0", "b"),
        (Decimal(2), "b"),
        (3, "c"),
        ("3", "c"),
        (" 3", "default"),
        (Mode.DOCK, "d"),
        ("Mode.DOCK", "default"),
        (Mode.DRIVE, "e"),
        (None, "default"),
        (True, "f"),
        ("true", "f"),
        (1, "default"),
        ([3], "default"),
        (math.inf, "g"),
        (math.nan, "default"),
    ],
)
def test_cases(value, chosen):
    """A text is what is written so, a number and its text are one case; others are compared."""
    cases = {"dock": "a", "2": "b", 3: "c", Mode.DOCK: "d", "Mode.DRIVE": "e", "true": "f"}
    cases["inf"] = "g"
    children = {case: bt.Running(name) for case, name in cases.items()}
    root = bt.Switch(children, bt.Running("default"), on=key("mode"))
    tree = bt.Tree(root, blackboard={"mode": value})
    tree.tick()
    running = [node.name for node in root.children if node.status is bt.Status.RUNNING]
    assert running == [chosen]
    assert root.cases == tuple(cases)


def test_the_first_of_two_cases_for_one_value():
    """A number and its text can both be there; the second one never runs."""
    root = bt.Switch({"1.0": bt.Running("a"), 1: bt.Running("b")}, on=lambda: 1)
    bt.Tree(root).tick()
    assert [node.status.name for node in root.children] == ["RUNNING", "INVALID"]


def test_a_missing_entry_is_told():
    """The node is named."""
    tree = bt.Tree(bt.Switch({"a": bt.Success()}, on=key("mode")))
    with pytest.raises(bt.TickError, match=r"node Switch: KeyError: .*nothing named 'mode'"):
        tree.tick()
