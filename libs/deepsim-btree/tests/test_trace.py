# SPDX-License-Identifier: Apache-2.0
"""Traces and recordings: what is recorded, kept in files, compared and shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.trace import Recording, Trace, render_html


@pytest.fixture
def tree(leaf):
    """A guard and a task that runs for three ticks, on a clock that counts ticks."""
    root = bt.Sequence([leaf("S", "guard"), leaf("RRS", "task")], "root")
    times = iter(range(10, 100))
    return bt.Tree(root, clock=lambda: next(times))


def states(recording):
    return [(step.call, step.tick, step.snapshot.states) for step in recording.steps]


def test_changes_are_recorded(tree):
    """A tick that looks like the one before it needs no step, nor do entries; halt and reset do."""
    with Trace(tree) as watched:
        tree.blackboard["goal"] = 1
        for _ in range(5):
            tree.tick()
        tree.halt()
        tree.halt()
        tree.reset()
    tree.tick()
    assert states(watched.recording) == [
        ("start", 0, "..."),
        ("tick", 1, "RSR"),
        ("tick", 2, "RsR"),
        ("tick", 3, "SsS"),
        ("tick", 4, "RSR"),
        ("tick", 5, "RsR"),
        ("halt", 5, "IsI"),
        ("reset", 0, "..."),
    ]
    assert [step.time for step in watched.recording.steps][:3] == [None, 10.0, 11.0]
    assert not any(step.blackboard for step in watched.recording.steps)


def test_a_long_run_is_one_step():
    """Ticks that look the same are counted only."""
    tree = bt.Tree(bt.Sequence([bt.Success("ready"), bt.Running()], "root"))
    with Trace(tree) as watched:
        for _ in range(100):
            tree.tick()
    recording = watched.recording
    assert [step.tick for step in recording.steps] == [0, 1, 2]
    assert recording.last_tick == 100
    assert recording.at(77).states == "RsR"
    for tick in (-1, 101):
        with pytest.raises(ValueError, match=f"tick {tick} was not recorded"):
            recording.at(tick)


def test_ticks_of_the_latest_episode(tree):
    """After a reset the ticks count from 0; earlier episodes are among the steps."""
    with Trace(tree) as watched:
        tree.tick()
        tree.tick()
        tree.reset()
        tree.tick()
    assert watched.recording.at(0).states == "..."
    assert watched.recording.at(1).states == "SSS"
    with pytest.raises(ValueError, match="tick 2 was not recorded"):
        watched.recording.at(2)


def test_feedback_and_errors(leaf):
    """A new message is a change, and so is each exception, whatever the statuses are."""

    class Talk(bt.Behaviour):
        def update(self):
            self.feedback_message = f"{self.tree.tick_count // 2} m"
            return Status.RUNNING

    tree = bt.Tree(bt.ParallelSequence([Talk(), leaf("RRREE", "task")], "root"))
    with Trace(tree) as watched:
        for _ in range(3):
            tree.tick()
        for _ in range(2):
            with pytest.raises(bt.TickError):
                tree.tick()
    steps = list(watched.recording.steps)
    assert [step.tick for step in steps] == [0, 1, 2, 4, 5]
    feedback = [{}, {1: "0 m"}, {1: "1 m"}, {1: "2 m"}, {1: "2 m"}]
    assert [step.snapshot.feedback for step in steps] == feedback
    assert steps[-2].error == "tick 4, node root/task: ValueError: scripted"
    assert steps[-1].snapshot.states == "III"


def test_feedback_from_outside(leaf):
    """Messages are seen whoever wrote them and when; the same one again is no change."""
    root = bt.Sequence([leaf("S", "a")], "root")
    tree = bt.Tree(root)
    with Trace(tree) as watched:
        tree.tick()
        root.children[0].feedback_message = "x"
        tree.tick()
        root.children[0].feedback_message = "x"
        root.children[0].name = "b"
        tree.tick()
        late = leaf("S", "late")
        late.feedback_message = "y"  # before it is part of the tree
        root.add_child(late)
        tree.tick()
        tree.reset()
    assert [(step.call, step.tick, step.snapshot.feedback) for step in watched.recording.steps] == [
        ("start", 0, {}),
        ("tick", 1, {}),
        ("tick", 2, {1: "x"}),
        ("tick", 4, {1: "x", 2: "y"}),
        ("reset", 0, {}),
    ]


def test_a_node_that_was_replaced(leaf):
    """Another node in the same place is a change, though it looks the same."""
    tree = bt.Tree(bt.Sequence([leaf("S", "old")], "root"))
    with Trace(tree) as watched:
        tree.tick()
        tree.root.replace_child(tree.root.children[0], leaf("S", "new"))
        tree.tick()
    names = [step.snapshot.nodes[1].name for step in watched.recording.steps]
    assert names == ["old", "old", "new"]


def test_a_ring_of_steps(tree):
    """With a limit the latest steps are kept."""
    with Trace(tree, limit=2) as watched:
        for _ in range(4):
            tree.tick()
    assert [step.tick for step in watched.recording.steps] == [3, 4]
    with pytest.raises(ValueError, match="tick 2 was not recorded"):
        watched.recording.at(2)
    with pytest.raises(ValueError, match="limit must be at least 1, got 0"):
        Trace(tree, limit=0)


def test_a_trace_is_closed_once(tree):
    """Closing it twice is a mistake."""
    watched = Trace(tree)
    watched.close()
    with pytest.raises(ValueError, match="is not subscribed"):
        watched.close()


def test_copies_are_not_watched(twin_of):
    """A tree that is watched can be copied; what watches it stays with the original."""
    calls = []
    tree = bt.Tree(bt.Running())
    tree.subscribe(lambda call, error: calls.append(call))  # which pickle could not save
    twin_of(tree).tick()
    assert calls == []
    tree.tick()
    assert calls == ["tick"]


def test_observers(tree):
    """Any function can be called after each tick, halt and reset."""
    calls = []
    tree.subscribe(lambda call, error: calls.append((call, error, tree.status.name)))
    tree.tick()
    tree.reset()
    ends = [(call, None, "INVALID") for call in ("halt", "reset")]
    assert calls == [("tick", None, "RUNNING"), *ends]


def test_files(tree, tmp_path):
    """One line of JSON per step; a file that was read is the recording."""
    path = tmp_path / "run.jsonl"
    with Trace(tree) as watched:
        for _ in range(3):
            tree.tick()
    watched.recording.save(path)
    assert path.read_text(encoding="utf-8").splitlines() == [
        '{"format": "deepsim-btree trace", "version": 1}',
        '{"nodes": [["root", "Sequence", "composite", null], ["guard", "Scripted", "leaf", 0], '
        '["task", "Scripted", "leaf", 0]]}',
        '{"call": "start", "tick": 0, "states": "..."}',
        '{"call": "tick", "tick": 1, "time": 10.0, "states": "RSR"}',
        '{"call": "tick", "tick": 2, "time": 11.0, "states": "RsR"}',
        '{"call": "tick", "tick": 3, "time": 12.0, "states": "SsS"}',
        '{"end": 3, "time": 12.0}',
    ]
    loaded = Recording.load(path)
    assert list(loaded.steps) == list(watched.recording.steps)
    assert (loaded.last_tick, loaded.last_time) == (3, 12.0)
    lines = ["[R] root <Sequence>", "|-- (S) guard <Scripted>", "`-- [R] task <Scripted>"]
    assert bt.render_text(loaded.at(2), unicode=False).splitlines() == lines


def test_streams(tree, tmp_path):
    """Each step is written at once, so that a file is whole after a crash."""
    path = tmp_path / "run.jsonl"
    with path.open("w") as stream:
        watched = Trace(tree, stream=stream, limit=1)
        tree.tick()
        stream.flush()
        assert [step.tick for step in Recording.load(path).steps] == [0, 1]
        tree.tick()
        watched.close()
    assert [step.tick for step in Recording.load(path).steps] == [0, 1, 2]


HEAD = '{"format": "deepsim-btree trace", "version": 1}\n'
NODES = '{"nodes": [["root", "Sequence", "composite", null]]}\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "no trace: the file is empty"),
        ("tick 1\n", 1, "no line of a trace"),
        ("[]\n", 1, "no line of a trace"),
        ('{"tick": 1}\n', 1, "it must start with"),
        ('{"format": "deepsim-btree trace", "version": 2}\n', 1, "version 2, but only 1 is known"),
        (HEAD + NODES + '{"call": "tick", "tick": 1, "states": "RR"}\n', 3, "'RR' are no states"),
        (HEAD + NODES + '{"call": "tick", "tick": 1, "states": "X"}\n', 3, "'X' are no states"),
        (HEAD + NODES + '{"call": "tick", "tick": 1}\n', 3, "'states'"),
        (HEAD + NODES + '{"call": "ti\n{}\n', 3, "no line of a trace"),
        (HEAD + "[" * 100_000 + "\n", 2, "no line of a trace"),
        ('{"format"', 1, "no line of a trace"),
        (HEAD + "\udcff\n", 2, "no line of a trace"),
    ],
)
def test_wrong_files(tmp_path, text, line, message):
    """The error names the file and the line."""
    path = tmp_path / "bad.jsonl"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        Recording.load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_a_line_that_a_full_disk_cut_is_left_out(tmp_path):
    """The steps before it are those of the run."""
    path = tmp_path / "cut.jsonl"
    path.write_text(HEAD + NODES + '{"call": "tick", "tick": 1, "states": "R"}\n{"call": "ti')
    with pytest.warns(UserWarning, match=r"cut\.jsonl:4 breaks off and is left out"):
        assert [step.tick for step in Recording.load(path).steps] == [1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_no_trace(tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ValueError, match=r"pipe\.jsonl: no trace: it is not a regular file"):
        Recording.load(tmp_path / "pipe.jsonl")


class Robot:
    """A value without a repr of its own."""


def test_blackboards(tmp_path):
    """Entries are texts, without addresses; a list that changes in place is seen."""

    class Write(bt.Behaviour):
        def update(self):
            count = self.tree.tick_count
            if count == 1:
                self.blackboard["path"] = []
                self.blackboard["robot"] = Robot()
            if count < 4:
                self.blackboard["path"].append(count)
            if count == 2:
                del self.blackboard["robot"]
            return Status.RUNNING

    private = bt.SubTree(Write("inner"), "room", remap={"path": "way"}, values={"door": "open"})
    root = bt.ParallelSequence([Write("w"), private], "root")
    tree = bt.Tree(root, blackboard={"goal": "x" * 500})
    with Trace(tree, blackboard=True) as watched:
        for _ in range(5):
            tree.tick()
    steps = list(watched.recording.steps)
    assert [step.tick for step in steps] == [0, 1, 2, 3]
    assert set(steps[0].blackboard) == {"goal", "root/room:door"}
    assert len(steps[0].blackboard["goal"]) <= 200
    assert steps[1].blackboard["robot"] == "<Robot>"
    assert [step.blackboard["path"] for step in steps[1:]] == ["[1]", "[1, 2]", "[1, 2, 3]"]
    board = {"path": "[1, 2, 3]", "way": "[1, 2, 3]", "root/room:door": "'open'"}
    assert steps[3].blackboard == {"goal": steps[0].blackboard["goal"], **board}
    watched.recording.save(tmp_path / "run.jsonl")
    assert list(Recording.load(tmp_path / "run.jsonl").steps) == steps
    other = Recording([*steps[:2], steps[2]._replace(blackboard={})])
    told = f"tick at tick 2: entry goal is {steps[0].blackboard['goal']}, but None"
    assert Recording(steps[:3]).difference(other) == told


def record(script, build, *, halt=False, time=None):
    tree = bt.Tree(build(("Sequence", None, (("leaf", script, ()),)), []), clock=time)
    with Trace(tree) as watched:
        for _ in script:
            tree.tick()
        if halt:
            tree.halt()
    return watched.recording


def test_differences(build):
    """The first tick at which two runs differ is told, and how."""
    one = record("RS", build)
    assert one.difference(record("RS", build)) is None
    assert one.difference(record("RF", build)) == "tick at tick 2: node Sequence is S, but F"
    assert record("R", build).difference(record("R", build, halt=True)) == (
        "only one recording has the step halt at tick 1"
    )
    assert record("RRS", build).difference(one) == "tick at tick 3, but tick at tick 2"
    assert one.difference(record("RS", build, time=float)) == ("tick at tick 1: time None, but 0.0")
    other = bt.Tree(bt.Running())
    with Trace(other) as watched:
        pass
    assert one.difference(watched.recording) == "start at tick 0: the trees have other nodes"


def page_lines(page: str) -> list:
    """The lines of the recording that a page shows."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_is_complete(tree, leaf):
    """The data of all steps is inside; nothing is loaded from elsewhere."""
    with Trace(tree) as watched:
        tree.tick()
        tree.tick()
        tree.halt()
        tree.root.add_child(leaf("S", "late"))
        tree.tick()
    page = render_html(watched.recording, "A & B <now>")
    assert page_lines(page) == [json.loads(line) for line in watched.recording.lines()]
    states = [line["states"] for line in page_lines(page) if "states" in line]
    assert states == ["...", "RSR", "RsR", "IsI", "SSSS"]
    assert page.count("<title>A &amp; B &lt;now&gt;</title>") == 1
    assert not re.search(r"https?:|src=|@import|url\(|@[A-Z]+@", page)
    assert "default-src 'none'" in page


def test_names_cannot_break_the_page():
    """Whatever a node is called stays data."""
    name = "</script><script>alert(1)</script> @DATA@ @TITLE@ <!--"
    tree = bt.Tree(bt.Success(name))
    with Trace(tree) as watched:
        tree.tick()
    page = render_html(watched.recording, name)
    assert page_lines(page)[1]["nodes"][0][0] == name
    assert page.count("</script>") == 2


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to read JavaScript")
def test_the_script_of_the_page_is_javascript(tree):
    """An engine for JavaScript accepts it."""
    with Trace(tree) as watched:
        tree.tick()
    script = re.findall(r"<script>(.*?)</script>", render_html(watched.recording), re.DOTALL)
    done = subprocess.run(
        ["node", "--check", "-"],  # from a pipe: a sandboxed node sees no temporary files
        input="\n".join(script),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_an_empty_recording_cannot_be_shown():
    """There is no first step."""
    with pytest.raises(ValueError, match="the recording is empty"):
        render_html(Recording())
