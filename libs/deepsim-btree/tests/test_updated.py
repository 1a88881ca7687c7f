# SPDX-License-Identifier: Apache-2.0
"""Nodes that ask whether an entry of the blackboard was written."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, key
from deepsim_btree.testing import Scripted, play
from deepsim_btree.xml import read_xml, write_xml


class Count(bt.PortLeaf):
    """Writes by a port."""

    number = bt.InOut(int)

    def update(self):
        self.number += 1
        return Status.SUCCESS


@pytest.mark.parametrize(
    "writer",
    [
        lambda: bt.SetEntry("n", 1),
        lambda: bt.SetEntry("@n", key("n")),
        lambda: Count(number=key("n")),
        lambda: bt.SubTree(Count(number=key("inner")), remap={"inner": "n"}),
        lambda: bt.SubTree(bt.SubTree(Count(number=key("n")), autoremap=True), autoremap=True),
    ],
)
def test_every_way_of_writing_counts(writer):
    """By ports, keys, and from below subtrees, whose private entries are others."""
    watch = [bt.WasUpdated("n"), bt.SubTree(bt.WasUpdated("m"), remap={"m": "@n"})]
    watch += [bt.SubTree(bt.WasUpdated("n"), values={"n": 0})]
    tree = bt.Tree(bt.Sequence([writer()]), blackboard={"n": 0})
    looks = bt.Tree(bt.ParallelSequence(watch), blackboard=tree.blackboard)
    looks.tick()
    looks.tick()
    assert [node.status.name for node in watch] == ["FAILURE"] * 3
    tree.tick()
    looks.tick()
    assert [node.status.name for node in watch] == ["SUCCESS", "SUCCESS", "FAILURE"]


def test_an_entry_that_is_deleted_was_not_written():
    """When it is written again it was; an entry of the parent counts while there is no own one."""
    world = bt.Blackboard({"goal": 1})
    board = bt.Blackboard(parent=world)
    tree = bt.Tree(bt.WasUpdated("goal"), blackboard=board)
    play(tree, "SF")
    world["goal"] = 2
    play(tree, "SF")
    del world["goal"]
    play(tree, "F")
    board["goal"] = 5
    play(tree, "SF")


def test_it_can_wait():
    """It is RUNNING without a run of its child; a halt ends that, and the look stays."""
    child = Scripted("RS")
    tree = bt.Tree(bt.WhenUpdated(child, entry="goal", otherwise=Status.RUNNING))
    play(tree, "RR")
    tree.blackboard["goal"] = 1
    play(tree, "R")
    tree.halt()
    assert child.log == ["start", "R", "end I"]
    play(tree, "R")
    tree.blackboard["goal"] = 1
    play(tree, "SR")


def test_reset_forgets_the_last_look():
    """As if the nodes were new."""
    root = bt.ParallelSequence([bt.WasUpdated("goal"), bt.WhenUpdated(bt.Success(), entry="goal")])
    tree = bt.Tree(root, blackboard={"goal": 1})
    play(tree, "SF")
    tree.reset()
    play(tree, "SF")


def test_copies_go_on_as_the_original(twin_of):
    """What was looked at is part of a copy; later writes are not shared, deleted stays deleted."""
    tree = bt.Tree(bt.WasUpdated("goal"), blackboard={"goal": 1, "old": 2})
    del tree.blackboard["old"]
    play(tree, "S")
    twin = twin_of(tree)
    assert "old" not in twin.blackboard
    play(twin, "F")
    twin.blackboard["goal"] = 2
    play(tree, "F")
    play(twin, "S")


def test_files():
    """The three nodes of BehaviorTree.CPP; with another answer it has none."""
    text = """
    <root BTCPP_format="4">
      <BehaviorTree ID="Main">
        <Sequence>
          <WasEntryUpdated entry="a"/>
          <SkipUnlessUpdated entry="{@b}">
            <AlwaysSuccess/>
          </SkipUnlessUpdated>
          <WaitValueUpdate entry="c">
            <AlwaysSuccess/>
          </WaitValueUpdate>
        </Sequence>
      </BehaviorTree>
    </root>"""
    root = read_xml(text)
    was, skip, wait = root.children
    assert (was.entry, skip.entry, wait.entry) == ("a", "@b", "c")
    assert (skip.otherwise, wait.otherwise) == (Status.SKIPPED, Status.RUNNING)
    written = write_xml(root, dialect="btcpp")
    assert [line.strip() for line in written.splitlines()[3:12]] == [
        line.strip().replace("{@b}", "@b") for line in text.splitlines()[3:12]
    ]
    other = bt.WhenUpdated(bt.Success(), entry="a", otherwise=Status.FAILURE)
    assert read_xml(write_xml(other)).otherwise is Status.FAILURE
    with pytest.raises(bt.XmlError, match=r"BehaviorTree\.CPP has no WhenUpdated"):
        write_xml(other, dialect="btcpp")


def test_an_entry_that_nobody_writes_is_no_problem():
    """The program may write it between two ticks."""
    tree = bt.Tree(bt.WhenUpdated(bt.WasUpdated("goal"), entry="goal"))
    assert tree.validate() == []
