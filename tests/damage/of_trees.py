# SPDX-License-Identifier: Apache-2.0
"""Behaviour trees in the XML of BehaviorTree.CPP, of Groot and Nav2, and traces of trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kind import Kind

from deepsim_btree import Tree, nav2
from deepsim_btree.testing import stand_ins
from deepsim_btree.trace import Recording, Trace, render_html
from deepsim_btree.xml import XmlError, read_xml, read_xml_file

MAIN = """<?xml version="1.0"?>
<root BTCPP_format="4" main_tree_to_execute="Main"><include path="other.xml"/>
  <BehaviorTree ID="Main"><Sequence name="all">
    <Script code=" count := 1; goal := 'dock' "/>
    <Fallback><Inverter><AlwaysSuccess/></Inverter>
      <RetryUntilSuccessful num_attempts="3"><AlwaysFailure _skipIf="count > 4"/>
      </RetryUntilSuccessful><ForceSuccess><AlwaysFailure/></ForceSuccess></Fallback>
    <Parallel success_count="2" failure_count="1"><Repeat num_cycles="2"><AlwaysSuccess/></Repeat>
      <Timeout msec="500"><Delay delay_msec="10"><AlwaysSuccess/></Delay></Timeout></Parallel>
    <Switch2 variable="{goal}" case_1="dock" case_2="home"><AlwaysSuccess/><AlwaysFailure/>
      <AlwaysSuccess/></Switch2>
    <SubTree ID="Other" target="{goal}" speed="1.5" _autoremap="true"/>
    <ScriptCondition code="count + 2 * 3 >= 7 &amp;&amp; goal != 'x'" _onSuccess="count += 1"/>
    <IfThenElse><AlwaysSuccess/><SetBlackboard value="7" output_key="seven"/><AlwaysFailure/>
    </IfThenElse></Sequence></BehaviorTree>
  <TreeNodesModel><SubTree ID="Other"><input_port name="target" default="x"/></SubTree>
  </TreeNodesModel></root>
"""
OTHER = """<root BTCPP_format="4"><BehaviorTree ID="Other"><ReactiveSequence>
  <KeepRunningUntilFailure><AlwaysFailure name="never"/></KeepRunningUntilFailure>
  <RunOnce then_skip="true"><AlwaysSuccess/></RunOnce>
  <Precondition if="target == 'dock'" else="SUCCESS"><AlwaysSuccess/></Precondition>
</ReactiveSequence></BehaviorTree></root>
"""
NAV2 = """<root BTCPP_format="4" main_tree_to_execute="MainTree"><BehaviorTree ID="MainTree">
  <RecoveryNode number_of_retries="6" name="NavigateRecovery">
    <PipelineSequence name="NavigateWithReplanning">
      <RateController hz="1.0"><RecoveryNode number_of_retries="1" name="ComputePathToPose">
        <ComputePathToPose goal="{goal}" path="{path}" planner_id="GridBased"/>
        <ClearEntireCostmap name="Clear" service_name="global_costmap/clear"/></RecoveryNode>
      </RateController><FollowPath path="{path}" controller_id="FollowPath"/></PipelineSequence>
    <ReactiveFallback name="RecoveryFallback"><GoalUpdated/>
      <RoundRobin name="RecoveryActions"><Spin spin_dist="1.57"/><Wait wait_duration="5.0"/>
        <BackUp backup_dist="0.30" backup_speed="0.15"/></RoundRobin></ReactiveFallback>
  </RecoveryNode></BehaviorTree></root>
"""
GROOT = """<?xml version="1.0" encoding="UTF-8"?>
<root BTCPP_format="4"><BehaviorTree ID="Patrol" _fullpath=""><Control ID="Sequence" _uid="1">
  <Action ID="Drive" name="go" goal="1;2;3" speed="{v}" _uid="2"/>
  <Condition ID="Near" limit="2.5" _uid="3"/>
  <Decorator ID="Inverter" _uid="4"><SubTree ID="Rest" _uid="5"/></Decorator></Control>
</BehaviorTree><BehaviorTree ID="Rest"><Sleep msec="100"/></BehaviorTree>
<TreeNodesModel><Action ID="Drive"><input_port name="goal" type="std::string">to</input_port>
<inout_port name="speed" default="1"/></Action><Condition ID="Near"><input_port name="limit"/>
</Condition></TreeNodesModel></root>
"""
OWN: dict[str, Any] = {
    "nav2.xml": stand_ins(NAV2, nodes=nav2.NODES),
    "groot.xml": stand_ins(GROOT),
}


def _trees(folder: Path) -> list[Path]:
    texts = {"main.xml": MAIN, "other.xml": OTHER, "nav2.xml": NAV2, "groot.xml": GROOT}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _read(path: Path) -> None:
    main = path if path.name != "other.xml" else path.with_name("main.xml")
    tree = None if path.name != "groot.xml" else "Patrol"
    Tree(read_xml_file(main, OWN.get(path.name, {}), tree=tree))


def _traces(folder: Path) -> list[Path]:
    path = folder / "trace.jsonl"
    tree = Tree(read_xml(GROOT, OWN["groot.xml"], tree="Patrol"), clock=lambda: 0.0)
    with Trace(tree, blackboard=True) as trace:
        for _ in range(20):
            tree.tick()
    trace.recording.save(path)
    return [path]


def _trace(path: Path) -> list[Any]:
    recording = Recording.load(path)
    if recording.steps:
        render_html(recording)
    return list(recording.steps)


KINDS = {
    "xml": Kind(_trees, _read, (XmlError, OSError), text=True),
    "trace": Kind(_traces, _trace, (ValueError, OSError), text=True),
}
