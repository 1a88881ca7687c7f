# SPDX-License-Identifier: Apache-2.0
"""The nodes of Nav2: every row of docs/nav2.md, whose answers are those of Nav2's own code.

Nav2's sources, with a clock of a second a tick, and this module gave the same answers, ticks and
halts on 12,000 random trees.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

import deepsim_btree as bt
from deepsim_btree import Key, Status, key, nav2
from deepsim_btree.testing import Scripted, play, stand_ins, substitute
from deepsim_btree.xml import XmlError, read_xml, write_xml

PAGE = (Path(__file__).parents[1] / "docs" / "nav2.md").read_text(encoding="utf-8")
LINES = [line for line in PAGE.splitlines() if line.startswith("| `<")]
ROWS = [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in LINES]


def tree_of(body, nodes=None, **entries):
    """Returns a tree of a text with stand-ins, and its clock, which stands at 0."""
    text = f'<root BTCPP_format="4"><BehaviorTree>{body}</BehaviorTree></root>'
    now = [0.0]
    root = read_xml(text, stand_ins(text, nodes={**nav2.NODES, **(nodes or {})}))
    return bt.Tree(root, clock=lambda: now[0], blackboard=entries), now


@pytest.mark.parametrize(("tags", "children", "answers", "theirs", "rule"), ROWS, ids=str)
def test_truth_table(tags, children, answers, theirs, rule):
    """Ticks the tree of the row, a second apart."""
    scripts = dict(re.findall(r"(\w): (\w+)", children))
    leaves = [f"<{name}/>" for name in scripts]
    outer, *inner = re.findall(r"<(\w+)", tags)
    if inner:
        leaves[0] = f"{tags[tags.rindex('<') :]}<a/></{inner[0]}>"
        tags = tags[: tags.rindex("<")]
    tree, now = tree_of(f"{tags}{''.join(leaves)}</{outer}>")
    substitute(tree.root, {name: Scripted(script) for name, script in scripts.items()})
    columns = dict(zip(scripts, theirs.split()))
    for place, answer in enumerate(answers):
        play(tree, {tree.root.name: answer, **{name: row[place] for name, row in columns.items()}})
        now[0] += 1


def test_the_page_has_rows_for_the_nodes():
    """Those that need a robot have tests of their own."""
    named = {tag for tags, *_ in ROWS for tag in re.findall(r"<(\w+)", tags)}
    others = {f"{kind}Controller" for kind in ("Speed", "Distance", "GoalUpdated")}
    assert set(nav2.NODES) - named == others
    assert named <= set(nav2.NODES)


def test_entries_of_the_blackboard():
    """Retries and rates may be entries, or texts in entries."""
    tree, now = tree_of(
        """<PipelineSequence><RateController hz="{hz}"><RecoveryNode number_of_retries="{n}">
        <AlwaysFailure/><Clear/></RecoveryNode></RateController></PipelineSequence>""",
        hz="0.5",
        n="3",
    )
    assert tree.tick() is Status.FAILURE
    (clear,) = (node for node in tree.root.walk() if node.name == "Clear")
    scripted = substitute(tree.root.copy(), {"Clear": Scripted("S")})
    again = bt.Tree(scripted, clock=lambda: now[0], blackboard=dict(tree.blackboard))
    assert again.tick() is Status.FAILURE
    assert scripted.find("RateController/RecoveryNode/Clear").log.count("S") == 3
    assert clear.status is Status.SUCCESS


def test_a_recovery_node_has_two_children():
    """Fewer or more are an error that names it."""
    tree = bt.Tree(nav2.RecoveryNode([bt.Success()]))
    with pytest.raises(bt.TickError, match="RecoveryNode needs 2 children, got 1"):
        tree.tick()


def test_goal_updated_controller():
    """A new goal starts the child again, in the run of a pipeline."""
    body = """<PipelineSequence><GoalUpdatedController><Plan/></GoalUpdatedController>
      <Follow/></PipelineSequence>"""
    tree, _ = tree_of(body, goal=(1, 2))
    substitute(tree.root, {"Plan": Scripted("S"), "Follow": Scripted("R")})
    play(tree, {"Plan": "S.."})
    tree.blackboard["goal"] = (3, 4)
    play(tree, {"Plan": "S."})
    tree.blackboard["goals"] = [(5, 6)]
    play(tree, {"Plan": "S.", "Follow": "RR"})


def test_distance_controller():
    """The child is ticked at each metre, measured in a straight line from its last success."""
    places = {"map": [9.0, 9.0], "odom": [0.0, 0.0]}
    place = places["odom"]

    def position(frame, base):
        assert base == "base_footprint"
        return places[frame]

    nodes = {"DistanceController": partial(nav2.DistanceController, position=position)}
    body = """<PipelineSequence><DistanceController distance="1.5" global_frame="odom"
      robot_base_frame="base_footprint"><Plan/></DistanceController><Follow/></PipelineSequence>"""
    tree, _ = tree_of(body, nodes)
    substitute(tree.root, {"Plan": Scripted("S"), "Follow": Scripted("R")})
    play(tree, {"Plan": "S."})
    place[:] = 0.9, 1.0
    play(tree, {"Plan": "."})
    place[:] = 0.9, 1.2
    play(tree, {"Plan": "S."})


@pytest.mark.parametrize(
    ("speed", "period"), [(0.0, 10.0), (0.25, 1 / 0.55), (0.5, 1.0), (9.0, 1.0)]
)
def test_speed_controller(speed, period):
    """The rate grows from min_rate to max_rate with the speed; the first period is the shortest."""
    nodes = {"SpeedController": partial(nav2.SpeedController, speed=lambda: speed)}
    body = """<PipelineSequence><SpeedController><Plan/></SpeedController><Follow/>
      </PipelineSequence>"""
    tree, now = tree_of(body, nodes, goal=1)
    substitute(tree.root, {"Plan": Scripted("S"), "Follow": Scripted("R")})
    later = [(0.99 + period, "."), (1.01 + period, "S")]
    for now[0], ticked in ((0.0, "S"), (0.9, "."), (1.0, "S"), *later):
        play(tree, {"Plan": ticked})
    tree.blackboard["goal"] = 2
    play(tree, {"Plan": "S"})
    with pytest.raises(ValueError, match="rates must be > 0 Hz, got 0 and 1"):
        nav2.SpeedController(bt.Success(), speed=lambda: 1.0, min_rate=0)
    with pytest.raises(ValueError, match="max_speed must be > min_speed, got 1 and 1"):
        nav2.SpeedController(bt.Success(), speed=lambda: 1.0, min_speed=1, max_speed=1)


@pytest.mark.parametrize(("speed", "period"), [(1.0, 0.5), (2.0, 1 / 3), (3.0, 0.25)])
def test_the_range_of_a_speed_controller_is_that_of_its_ports(speed, period):
    """At 2 m/s, halfway between 1 and 3, the rate is halfway between 2 and 4 Hz."""
    nodes = {"SpeedController": partial(nav2.SpeedController, speed=lambda: speed)}
    ports = "min_rate='2' max_rate='4' min_speed='1' max_speed='3'"
    body = f"""<PipelineSequence><SpeedController {ports}><Plan/></SpeedController><Follow/>
      </PipelineSequence>"""
    tree, now = tree_of(body, nodes, goal=1)
    substitute(tree.root, {"Plan": Scripted("S"), "Follow": Scripted("R")})
    later = [(0.25 + period, "."), (0.27 + period, "S")]
    for now[0], ticked in ((0.0, "S"), (0.26, "S"), *later):
        play(tree, {"Plan": ticked})


def test_scripts_around_a_controller_are_no_nodes():
    """With an attribute such as _skipIf, the pipeline keeps the controller all the same."""
    body = """<PipelineSequence><RateController hz="0.5" _skipIf="off"><Plan/></RateController>
      <Follow/></PipelineSequence>"""
    tree, now = tree_of(body, off=False)
    substitute(tree.root, {"Plan": Scripted("S"), "Follow": Scripted("R")})
    for now[0], ticked in ((0.0, "S"), (1.0, "."), (2.0, "S")):
        play(tree, {"Plan": ticked})


def test_a_round_robin_begins_anew():
    """After a halt, and after a reset of the tree."""
    tree, _ = tree_of("<RoundRobin wrap_around='true'><a/><b/></RoundRobin>")
    substitute(tree.root, {"a": Scripted("S"), "b": Scripted("R")})
    play(tree, {"a": "S.", "b": ".R"})
    tree.halt()
    play(tree, {"a": "S"})
    tree.reset()
    play(tree, {"a": "S", "b": "."})


def test_nodes_are_written_and_copied():
    """The nodes have the arguments and the state of others."""
    text = """<root BTCPP_format="4"><BehaviorTree><RecoveryNode number_of_retries="{n}">
      <RoundRobin wrap_around="true"><RateController hz="2.0"><AlwaysSuccess/></RateController>
      </RoundRobin><GoalUpdatedController goal="{g}"><AlwaysSuccess/></GoalUpdatedController>
    </RecoveryNode></BehaviorTree></root>"""
    root = read_xml(text, nav2.NODES)
    written = write_xml(root, nav2.NODES)
    assert write_xml(read_xml(written, nav2.NODES), nav2.NODES) == written
    assert root.number_of_retries == key("n")
    assert root.copy().children[1].goal == Key("g")


def test_stand_ins_have_the_attributes_of_all_documents():
    """Known tags stay known, and a document that is wrong is an error as elsewhere."""
    one = '<root BTCPP_format="4"><BehaviorTree ID="A"><Go to="1"/></BehaviorTree></root>'
    two = """<root BTCPP_format="4"><BehaviorTree ID="B"><Wrap path="{p}" ><Go by="{x}"
      name="go" _note="n"/></Wrap></BehaviorTree></root>"""
    nodes = stand_ins(one, two, nodes={"Go": nav2.RecoveryNode})
    assert set(nodes) == {"Go", "Wrap"}
    nodes = stand_ins(one, two)
    assert set(nodes["Go"].ports) == {"to", "by"}
    root = read_xml([one, two], nodes, tree="B")
    assert 'path="{p}">' in write_xml(root, nodes)
    tree = bt.Tree(root, blackboard={"x": 1})
    assert tree.validate() == []
    assert tree.tick() is Status.SUCCESS
    with pytest.raises(XmlError, match="not well-formed"):
        stand_ins("<root>")
