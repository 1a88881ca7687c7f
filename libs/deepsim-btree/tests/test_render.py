# SPDX-License-Identifier: Apache-2.0
"""Drawings: text in two alphabets, Graphviz and Mermaid."""

from __future__ import annotations

import pytest

import deepsim_btree as bt


@pytest.fixture
def root():
    """A tree after two ticks: one status of each kind, one of them old."""
    start = bt.Sequence([bt.Success("ready"), bt.Failure()], "start")
    root = bt.Selector([start, bt.Inverter(bt.Running("drive")), bt.Success()], "patrol")
    root.children[1].feedback_message = "3 m left"
    tree = bt.Tree(root)
    tree.tick()
    tree.tick()
    return root


def test_unicode_text(root):
    """Statuses of the last tick are in brackets, older ones in parentheses."""
    assert bt.render_text(root).splitlines() == [
        "[▶] patrol <Selector>",
        "├── (✗) start <Sequence>",
        "│   ├── (✓) ready <Success>",
        "│   └── (✗) Failure",
        "├── [▶] Inverter - 3 m left",
        "│   └── [▶] drive <Running>",
        "└── [ ] Success",
    ]


def test_ascii_text(root):
    """The same, in ASCII only."""
    text = bt.render_text(root, unicode=False)
    assert text.isascii()
    assert text.splitlines() == [
        "[R] patrol <Selector>",
        "|-- (F) start <Sequence>",
        "|   |-- (S) ready <Success>",
        "|   `-- (F) Failure",
        "|-- [R] Inverter - 3 m left",
        "|   `-- [R] drive <Running>",
        "`-- [ ] Success",
    ]


def test_a_branch_can_be_drawn(root):
    """Drawing starts at any node; what is current is judged from there."""
    lines = ["[F] start <Sequence>", "|-- [S] ready <Success>", "`-- [F] Failure"]
    assert bt.render_text(root.children[0], unicode=False).splitlines() == lines


def test_dot(root):
    """Shapes tell the kind of node, colours the status, and edges go from parent to child."""
    lines = [line.strip() for line in bt.render_dot(root).splitlines()]
    assert (lines[0], lines[-1]) == ("digraph {", "}")
    assert 'n0 [label="patrol <Selector>" shape=box fillcolor=lightblue]' in lines
    assert 'n4 [label="Inverter - 3 m left" shape=hexagon fillcolor=lightblue]' in lines
    assert 'n2 [label="ready <Success>" shape=ellipse fillcolor=palegreen]' in lines
    edges = [line for line in lines if "->" in line]
    assert edges == ["n0 -> n1", "n1 -> n2", "n1 -> n3", "n0 -> n4", "n4 -> n5", "n0 -> n6"]


def test_mermaid(root):
    """The same as a Mermaid flowchart; angle brackets are written as codes."""
    lines = [line.strip() for line in bt.render_mermaid(root).splitlines()]
    assert lines[0] == "flowchart TD"
    assert 'n0["patrol #60;Selector#62;"]' in lines
    assert 'n4{{"Inverter - 3 m left"}}' in lines
    assert 'n6("Success")' in lines
    assert "style n3 fill:lightcoral" in lines
    assert not any(line.startswith("style n6") for line in lines)
    assert "n4 --> n5" in lines


AWKWARD = 'say "hi" \\ # & <b> `x`\n{}'


def test_awkward_names():
    """Quotes, backslashes, braces and line breaks do no harm."""
    root = bt.Sequence([bt.Success(AWKWARD)])
    assert len(bt.render_text(root).splitlines()) == 2
    (label,) = [line for line in bt.render_dot(root).splitlines() if "say" in line]
    assert r'label="say \"hi\" \\ # & <b> `x`\n{} <Success>" shape' in label
    (label,) = [line for line in bt.render_mermaid(root).splitlines() if "say" in line]
    assert '("say #34;hi#34; \\ #35; #38; #60;b#62; #96;x#96;<br>{} #60;Success#62;")' in label
