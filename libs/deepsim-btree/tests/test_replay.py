# SPDX-License-Identifier: Apache-2.0
"""Recordings that are replayed into trees."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.testing import Scripted
from deepsim_btree.trace import Recording, Trace, replay


class Robot:
    """It cannot be copied: a replay must not need it."""

    def __deepcopy__(self, memo):
        raise AssertionError("a leaf was copied")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_replay_does_what_was_recorded(specs, build, data):
    """Random trees of all kinds, on a clock, go through the same states again."""
    composites = ["Sequence", "Selector", "ReactiveSequence", "ReactiveSelector"]
    composites += ["RandomSequence", "RandomSelector"]
    spec = data.draw(specs(letters="SFR", composites=composites))
    times = iter(range(100))
    root = bt.Timeout(build(spec, []), seconds=6)
    tree = bt.Tree(root, clock=lambda: next(times), seed=5)
    with Trace(tree) as watched:
        for _ in range(8):
            tree.tick()
    tree.halt()
    again = replay(watched.recording, root, seed=5)
    with Trace(again) as watched_again:
        for _ in range(8):
            again.tick()
    originals, copies = watched.recording.steps, watched_again.recording.steps
    assert [step.snapshot.states for step in copies] == [step.snapshot.states for step in originals]
    assert [step.time for step in copies] == [step.time for step in originals]


def recorded(*leaves, ticks=3, **settings):
    tree = bt.Tree(bt.Sequence(leaves, "go"), **settings)
    with Trace(tree) as watched:
        for _ in range(ticks):
            try:
                tree.tick()
            except bt.TickError:
                break
    tree.halt()
    return tree, watched.recording


def test_leaves_are_not_needed(tmp_path):
    """A file from elsewhere is enough; the nodes at hand are neither run nor copied."""
    _, recording = recorded(Scripted("S", "look"), Scripted("RRF", "drive"))
    recording.save(tmp_path / "run.jsonl")
    leaves = [
        bt.Check(lambda robot: 1 / 0, Robot(), name="look"),
        bt.Action(print, Robot(), name="drive"),
    ]
    again = replay(Recording.load(tmp_path / "run.jsonl"), bt.Sequence(leaves, "go"))
    assert [again.tick().name for _ in range(3)] == ["RUNNING", "RUNNING", "FAILURE"]
    again.reset()
    assert again.tick() is Status.RUNNING
    again.reset()
    for _ in range(3):
        again.tick()
    with pytest.raises(bt.TickError, match=r"node go/look: .* the recording ends with tick 3"):
        again.tick()


def test_a_tree_that_decides_otherwise():
    """A leaf that did not run then says so, and so does one that was not there."""
    _, recording = recorded(Scripted("S", "look"), Scripted("R", "drive"))
    again = replay(recording, bt.ReactiveSequence([bt.Success("look"), bt.Success("drive")], "go"))
    assert again.tick() is Status.RUNNING
    with pytest.raises(bt.TickError, match="node go/look: RuntimeError: it did not run in tick 2"):
        again.tick()
    again = replay(recording, bt.Sequence([bt.Success("listen")], "go"))
    with pytest.raises(bt.TickError, match="the recorded tree has no node go/listen"):
        again.tick()


def test_an_error_comes_again(leaf):
    """At the same leaf in the same tick."""
    tree, recording = recorded(leaf("S", "look"), leaf("RE", "aim"))
    again = replay(recording, tree.root)
    assert again.tick() is Status.RUNNING
    with pytest.raises(bt.TickError, match=r"node go/aim: .*tick 2, node go/aim: ValueError"):
        again.tick()


def test_an_episode():
    """Later ones are left out; recordings without a beginning and trees that run are refused."""
    tree = bt.Tree(Scripted("RS", "drive"))
    with Trace(tree) as watched, Trace(tree, limit=2) as short:
        for _ in range(2):
            tree.tick()
        tree.reset()
        for _ in range(3):
            tree.tick()
    again = replay(watched.recording, bt.Success("drive"))
    assert [again.tick().name for _ in range(2)] == ["RUNNING", "SUCCESS"]
    with pytest.raises(bt.TickError, match="the recording ends with tick 2"):
        again.tick()
    with pytest.raises(ValueError, match="must begin before the first tick, not at 2"):
        replay(short.recording, tree.root)
    with pytest.raises(ValueError, match="must begin before the first tick"):
        replay(Recording(), tree.root)
    with pytest.raises(bt.BusyError, match="drive is RUNNING: halt"):
        replay(watched.recording, tree.root)
