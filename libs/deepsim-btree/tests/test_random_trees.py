# SPDX-License-Identifier: Apache-2.0
"""What holds for every tree: runs are closed, copies go on, the seed alone decides."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree.trace import Recording, Trace, render_html

SERIAL = ["Sequence", "Selector", "ReactiveSequence", "ReactiveSelector"]
SHUFFLED = ["RandomSequence", "RandomSelector"]
PARALLEL = ["ParallelSequence", "ParallelSelector"]
CALLS = st.lists(st.sampled_from(["tick"] * 5 + ["halt"]), min_size=1, max_size=12)


@pytest.fixture(scope="session")
def sound(specs):
    """Specs of trees whose leaves raise nothing."""
    return specs(composites=SERIAL + SHUFFLED)


@pytest.fixture(scope="session")
def raising(specs):
    """Specs of trees whose leaves raise exceptions, too."""
    return specs("SFRRIE", SERIAL + SHUFFLED)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), calls=CALLS)
def test_runs_are_closed(raising, build, tick_quietly, data, calls):
    """One end per start; nothing is RUNNING below a node that is not, errors or not."""
    log = []
    tree = bt.Tree(build(data.draw(raising), log))
    for call in [*calls, "halt"]:
        if call == "halt":
            tree.halt()
        else:
            tick_quietly(tree)
        for node in tree.root.walk():
            open_runs = 0
            for name, event in log:
                if node.name == name and event[:3] in ("sta", "end"):
                    open_runs += 1 if event == "start" else -1
                    assert open_runs in (0, 1)
            if not node.children:
                assert open_runs == (node.status is bt.Status.RUNNING)
            if node.parent is not None and node.status is bt.Status.RUNNING:
                assert node.parent.status is bt.Status.RUNNING


@settings(max_examples=100, deadline=None)
@given(data=st.data(), ticks=st.integers(0, 6))
def test_halting_twice_is_halting_once(raising, build, tick_quietly, state, data, ticks):
    """The second halt calls nobody and changes nothing."""
    log = []
    tree = bt.Tree(build(data.draw(raising), log))
    for _ in range(ticks):
        tick_quietly(tree)
    tree.halt()
    seen, after = list(log), state(tree)
    tree.halt()
    tree.root.halt()
    assert (log, state(tree)) == (seen, after)
    assert all(node.status is not bt.Status.RUNNING for node in tree.root.walk())


@settings(max_examples=100, deadline=None)
@given(data=st.data(), ticks=st.integers(0, 6), seed=st.integers(0, 1000))
def test_copies_go_on_as_the_original_does(
    raising, build, scripted_class, tick_quietly, state, twin_of, data, ticks, seed
):
    """A tree copied between two ticks answers and logs like the original from then on."""
    log = []
    tree = bt.Tree(build(data.draw(raising), log), seed=seed)
    for _ in range(ticks):
        tick_quietly(tree)
    twin = twin_of(tree)
    leaves = (node for node in twin.root.walk() if isinstance(node, scripted_class))
    twin_log = next((leaf.log for leaf in leaves), [])
    for _ in range(6):
        assert state(twin) == state(tree)
        assert tick_quietly(twin) == tick_quietly(tree)
    assert twin_log == log


@settings(max_examples=100, deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_the_seed_alone_decides(raising, build, tick_quietly, data, seed):
    """Same seed, same trace; the program's global random numbers neither matter nor change."""
    spec = data.draw(raising)
    logs, recordings = [], []
    for global_seed in (1, 2):
        random.seed(global_seed)
        before = random.getstate()
        logs.append([])
        tree = bt.Tree(build(spec, logs[-1]), seed=seed)
        with Trace(tree) as trace:
            for _ in range(8):
                tick_quietly(tree)
        assert random.getstate() == before
        recordings.append(trace.recording)
    assert logs[0] == logs[1]
    assert recordings[0].difference(recordings[1]) is None


@settings(max_examples=100, deadline=None)
@given(data=st.data(), ticks=st.integers(0, 6), seed=st.integers(0, 9))
def test_a_reset_tree_is_as_good_as_new(sound, build, scripted_class, state, data, ticks, seed):
    """After reset(seed) a tree does what a new one with that seed does."""
    spec = data.draw(sound)
    log = []
    tree = bt.Tree(build(spec, log), seed=3)
    for _ in range(ticks):
        tree.tick()
    tree.reset(seed)
    for node in tree.root.walk():
        if isinstance(node, scripted_class):
            node.position = 0
    new_log = []
    new = bt.Tree(build(spec, new_log), seed=seed)
    assert state(tree) == state(new)
    del log[:]
    for _ in range(6):
        assert tree.tick() is new.tick()
    assert log == new_log


@settings(max_examples=100, deadline=None)
@given(
    kind=st.sampled_from(PARALLEL),
    scripts=st.lists(st.text("SFRI", min_size=1, max_size=4), min_size=1, max_size=4),
    shuffler=st.randoms(use_true_random=False),
)
def test_order_does_not_matter_in_parallel(build, kind, scripts, shuffler):
    """A parallel node answers the same, whatever the order of its children."""
    children = [("leaf", script, ()) for script in scripts]
    shuffled = list(children)
    shuffler.shuffle(shuffled)
    trees = [bt.Tree(build((kind, False, c), [])) for c in (children, shuffled)]
    for _ in range(6):
        assert trees[0].tick() is trees[1].tick()


@settings(max_examples=60, deadline=None)
@given(data=st.data(), calls=CALLS)
def test_a_trace_is_what_happened(
    raising, build, scripted_class, tick_quietly, tmp_path_factory, data, calls
):
    """Statuses and who ran are recorded at each tick; the file holds the same, and can be shown."""
    log = []
    tree = bt.Tree(build(data.draw(raising), log))
    nodes = list(tree.root.walk())
    seen = {}
    with Trace(tree) as trace:
        for call in calls:
            del log[:]
            if call == "halt":
                tree.halt()
            else:
                call = tick_quietly(tree)
            ran = {name for name, event in log if len(event) == 1 or event == "start"}
            snapshot = trace.recording.at(tree.tick_count)
            for position, node in enumerate(nodes):
                assert snapshot.status(position) is node.status
                if isinstance(call, bt.Status) and isinstance(node, scripted_class):
                    assert (snapshot.states[position] in "IRSF") == (node.name in ran)
            seen[tree.tick_count] = snapshot
    assert all(trace.recording.at(tick) == snapshot for tick, snapshot in seen.items())
    path = tmp_path_factory.mktemp("trace") / "trace.jsonl"
    trace.recording.save(path)
    loaded = Recording.load(path)
    assert loaded.difference(trace.recording) is None
    assert loaded.last_tick == tree.tick_count
    assert render_html(loaded) == render_html(trace.recording)
