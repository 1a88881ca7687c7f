# SPDX-License-Identifier: Apache-2.0
"""The helpers for tests of users, and ways to a node."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.testing import Scripted, play, substitute


def test_a_script_is_followed_over_and_over():
    """The log has the runs; reset starts it again."""
    leaf = Scripted("RSK")
    tree = bt.Tree(leaf)
    play(tree, "RSKR")
    tree.halt()
    assert leaf.log == ["start", "R", "S", "end S", "start", "K", "end K", "start", "R", "end I"]
    tree.reset()
    play(tree, "RS")
    assert leaf.log == ["start", "R", "S", "end S"]


@pytest.mark.parametrize("script", ["", "RX"])
def test_scripts_of_other_letters(script):
    """They are refused."""
    with pytest.raises(ValueError, match="script must have letters of IRSFK"):
        Scripted(script)


def test_play_says_what_was_answered():
    """And shows the tree."""
    with pytest.raises(AssertionError, match=r"expected RS, got RF\n\[.\] Scripted"):
        play(bt.Tree(Scripted("RF")), "RS")


def test_play_checks_nodes():
    """By their names or paths; a dot is a tick in which a node did not run."""

    def make():
        doors = [Scripted("S", "door"), Scripted("FS", "door")]
        return bt.Tree(bt.Sequence([*doors, Scripted("RS", "drive")], "go"))

    expected = {"go": "FRS", "go/door[0]": "SS.", "go/door[1]": "FS.", "drive": ".RS"}
    play(make(), expected)
    with pytest.raises(AssertionError, match=r"'drive': '\.RF'.*, got .*'drive': '\.RS'.*\n.*go <"):
        play(make(), {**expected, "drive": ".RF"})
    with pytest.raises(KeyError, match="2 nodes are called 'door': give the path of one"):
        play(make(), {"door": "S"})
    with pytest.raises(KeyError, match="0 nodes are called 'fly'"):
        play(make(), {"fly": "S"})
    with pytest.raises(ValueError, match="as many letters as the others"):
        play(make(), {"go": "FR", "drive": "."})


def test_substitute():
    """Each use is a copy with the old name; names that are not there are errors."""
    root = bt.Sequence([bt.Failure("go"), bt.Inverter(bt.Failure("go")), bt.Success("stay")], "top")
    replaced = substitute(root, {"go": Scripted("S")})
    assert replaced is root
    first, second = root.children[0], root.children[1].children[0]
    assert [type(first), type(second), first.name] == [Scripted, Scripted, "go"]
    assert first is not second
    assert type(substitute(bt.Success("a"), {"a": Scripted("S")})) is Scripted
    with pytest.raises(KeyError, match="no node below top is called 'fly'"):
        substitute(root, {"fly": Scripted("S")})


def test_find():
    """Paths are those that errors and drawings show."""
    move = [bt.Success("move"), bt.Success("move")]
    root = bt.Sequence([bt.Selector(move, "patrol"), bt.Success("dock")], "root")
    assert root.find("patrol/move[1]") is move[1]
    assert root.children[0].find("move[0]") is move[0]
    assert root.find("dock").path == "root/dock"
    with pytest.raises(KeyError, match="no node 'move' below root; its children: patrol, dock"):
        root.find("move")


def test_tip():
    """The node that decided: where a tree runs, or why it failed."""
    fly, wait = Scripted("F", "fly"), Scripted("RS", "wait")
    root = bt.Selector([bt.Sequence([bt.Success(), fly]), wait])
    tree = bt.Tree(root)
    assert root.tip() is root
    assert tree.tick() is Status.RUNNING
    assert root.tip() is wait
    assert root.children[0].tip() is fly
