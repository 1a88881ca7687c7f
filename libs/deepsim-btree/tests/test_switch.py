# SPDX-License-Identifier: Apache-2.0
"""Which child of a switch runs for which value."""

from __future__ import annotations

import enum

import pytest

import deepsim_btree as bt
from deepsim_btree import key


class Mode(enum.Enum):
    DOCK = 1


@pytest.mark.parametrize(
    ("value", "chosen"),
    [
        ("dock", "a"),
        (2, "b"),
        ("2", "b"),
        (3, "c"),
        ("3", "default"),
        (Mode.DOCK, "d"),
        (None, "default"),
        (True, "default"),
    ],
)
def test_cases(value, chosen):
    """A text stands for the value that is written so; other cases are compared as they are."""
    cases = {"dock": "a", "2": "b", 3: "c", Mode.DOCK: "d"}
    root = bt.Switch(
        {case: bt.Running(name) for case, name in cases.items()},
        bt.Running("default"),
        on=key("mode"),
    )
    tree = bt.Tree(root, blackboard={"mode": value})
    tree.tick()
    running = [node.name for node in root.children if node.status is bt.Status.RUNNING]
    assert running == [chosen]
    assert root.cases == tuple(cases)


def test_arguments():
    """What decides is a function or a key; a missing entry is told."""
    with pytest.raises(TypeError, match="on must be a function or a key such as"):
        bt.Switch({"a": bt.Success()}, on="mode")
    tree = bt.Tree(bt.Switch({"a": bt.Success()}, on=key("mode")))
    with pytest.raises(bt.TickError, match=r"node Switch: KeyError: .*nothing named 'mode'"):
        tree.tick()
