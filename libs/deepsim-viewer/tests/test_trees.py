# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees in the panel."""

from __future__ import annotations

from deepsim_btree import (
    Check,
    Failure,
    ReactiveSelector,
    Running,
    Selector,
    Sequence,
    Success,
    Tree,
)
from deepsim_btree.snapshot import take_snapshot
from deepsim_viewer.panel.tree_folder import tree_page


def patrol(seen):
    """A robot that charges when its battery is low, and drives otherwise."""
    charge = Sequence([Check(lambda: seen["low"], name="low?"), Running("charge")], "recharge")
    return Tree(ReactiveSelector([charge, Running("drive")], "robot"))


def page_of(client):
    """The tree of the panel."""
    folder = client.gui[client.find("Tree")]["container"]
    (page,) = [
        each
        for each in client.gui.values()
        if each["type"] == "GuiHtmlMessage" and each["container"] == folder
    ]
    return page


def test_the_chosen_tree_is_shown_with_its_status(make_viewer, look):
    """Its nodes are drawn as they answer; a change is seen, and none takes it away again."""
    seen = {"low": False}
    tree = patrol(seen)
    viewer = make_viewer(rate=1e6, trees={"robot": tree})
    viewer.world.trackers.add(Ticker(tree))
    client = look(viewer)
    client.wait_for("Tree")
    viewer.world.tick()
    assert page_of(client)["content"] == ""
    client.set("Tree", "robot")
    client.read(lambda it: "drive" in page_of(it)["content"], viewer.world)
    assert signs(page_of(client)["content"]) == ["▶", "✗", "✗", "·", "▶"]
    seen["low"] = True
    client.read(lambda it: signs(page_of(it)["content"])[1] == "▶", viewer.world)
    assert signs(page_of(client)["content"])[:4] == ["▶", "▶", "✓", "▶"]
    client.set("Tree", "none")
    client.read(lambda it: page_of(it)["content"] == "", viewer.world)


class Ticker:
    """Ticks a tree with its world."""

    def __init__(self, tree):
        self.tree = tree

    def update_tracker(self, delta_time, sim_time):
        self.tree.tick()


def signs(page):
    """The signs of the statuses, in the order of the nodes."""
    return [sign for sign in page if sign in "·▶✓✗↷"]


def test_a_tree_is_shown_while_the_world_is_paused(make_viewer, look, run):
    """Choosing one needs no tick."""
    tree = patrol({"low": True})
    tree.tick()
    viewer = make_viewer(rate=1e6, trees={"robot": tree})
    viewer.control.pause()
    client = look(viewer)
    run(viewer, viewer.world.tick)
    client.wait_for("Tree")
    client.set("Tree", "robot")
    client.read(lambda it: "recharge" in page_of(it)["content"])


def test_names_and_messages_are_text():
    """Markup in them is shown, not obeyed."""
    leaf = Success("<img src=x onerror=alert(1)>")
    leaf.feedback_message = "<script>"
    tree = Tree(leaf)
    tree.tick()
    page = tree_page(take_snapshot(tree.root))
    assert "<img" not in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_an_answer_of_an_earlier_tick_is_faint():
    """The second child answers in the first tick only, when the first one fails."""
    answers = iter([False, True])
    tree = Tree(Selector([Check(lambda: next(answers), name="first"), Success("second")], "root"))
    tree.tick()
    assert "opacity:0.45" not in tree_page(take_snapshot(tree.root))
    tree.tick()
    lines = tree_page(take_snapshot(tree.root)).split("</div>")
    assert "opacity:0.45" in lines[2]
    assert "second" in lines[2]


def test_a_large_tree_is_cut():
    """200 nodes are drawn, and the others counted."""
    tree = Tree(Selector([Failure(f"leaf {number}") for number in range(300)], "root"))
    page = tree_page(take_snapshot(tree.root))
    assert page.count("leaf ") == 199
    assert "and 101 more" in page
