# SPDX-License-Identifier: Apache-2.0
"""Documents in the styles of arm planners, Groot2, and of version 3."""

from __future__ import annotations

from typing import Union

import pytest

import deepsim_btree as bt
from deepsim_btree import Key, Status
from deepsim_btree.xml import read_xml, write_xml

SUCCESS = Status.SUCCESS
said: list[object] = []


class Say(bt.PortLeaf):
    words = bt.Input(object, name="message")

    def update(self) -> Status:
        said.append(self.words)
        return SUCCESS


class ForEach(bt.Decorator):
    """Runs its child for each element in one tick."""

    def __init__(
        self,
        child: bt.Behaviour,
        name: str | None = None,
        *,
        vector_in: Union[str, Key] = "",  # noqa: UP007 - Python 3.8 has no other form
        out: Key,
        stop_at: int = 9,
    ) -> None:
        super().__init__(child, name)
        self.vector_in, self.out, self.stop_at = vector_in, out, stop_at

    def update(self) -> Status:
        for value in self.vector_in.read(self):  # type: ignore[union-attr]
            self.out.write(self, value)
            self.tick_child(self.child)
        return SUCCESS


NODES = [Say, ForEach]


def run(text: str, **entries: object) -> list[object]:
    """Returns all that was said in one tick; the document written from the tree says the same."""
    answers = []
    for document in (text, write_xml(read_xml(text, NODES), NODES)):
        said.clear()
        assert bt.Tree(read_xml(document, NODES), blackboard=entries).tick() is SUCCESS
        answers.append(list(said))
    assert answers[0] == answers[1]
    return answers[0]


def test_arms():
    """Names with spaces, collapsed branches, ports of subtrees with defaults, metadata."""
    text = """<?xml version="1.0" encoding="UTF-8" ?>
    <root BTCPP_format="4" main_tree_to_execute="Pick It (Fast)">
      <!-- ////////// -->
      <BehaviorTree ID="Pick It (Fast)" _description="Picks" _favorite="true" _subtreeOnly="false">
        <Control ID="Sequence" name="TopLevel" _collapsed="false">
          <SubTree ID="Look At" _collapsed="true" scale="0.5"/>
          <Decorator ID="RetryUntilSuccessful" num_attempts="3"><Action ID="Say" message="1;0"/>
          </Decorator>
          <Decorator ID="ForEach" vector_in="{poses}" out="{pose}"><Action ID="Say"
            message="{pose}"/></Decorator>
        </Control>
      </BehaviorTree>
      <BehaviorTree ID="Look At">
        <Control ID="Sequence"><Say message="{frame}"/><Say message="{topic}"/><Say
          message="{scale}"/></Control>
      </BehaviorTree>
      <TreeNodesModel>
        <SubTree ID="Pick It (Fast)"><MetadataFields><Metadata runnable="true"/><Metadata
          subcategory="Grasping"/></MetadataFields></SubTree>
        <SubTree ID="Look At">
          <MetadataFields><Metadata runnable="false"/></MetadataFields>
          <input_port name="frame" default="grasp_link" description="the frame"/>
          <input_port name="scale" default="2.0"/>
          <inout_port name="topic" default="{target_topic}"/>
          <inout_port name="unused" default=""/>
        </SubTree>
      </TreeNodesModel>
    </root>"""
    expected = ["grasp_link", "/odom", 0.5, "1;0", "a", "b"]
    assert run(text, target_topic="/odom", poses=["a", "b"]) == expected


def test_groot2():
    """Types and descriptions of ports, paths of editors, autoremap beside remaps."""
    text = """<?xml version="1.0" encoding="UTF-8"?>
    <root BTCPP_format="4" project_name="Store" main_tree_to_execute="Deliver">
      <BehaviorTree ID="Deliver" _fullpath="trees/deliver">
        <SubTree ID="Fetch" shelf="{=}" depth="2" _autoremap="true" _fullpath="trees/fetch"/>
      </BehaviorTree>
      <BehaviorTree ID="Fetch" _fullpath="trees/fetch">
        <Fallback _uid="12" _skipIf="depth &gt; 2">
          <Sequence><Say message="{shelf}"/><Say message="{box}"/><Say
            message="{depth}"/></Sequence>
        </Fallback>
      </BehaviorTree>
      <!-- Description of Node Models (used by Groot) -->
      <TreeNodesModel>
        <Action ID="Say" editable="true">
          <input_port name="message" type="std::vector&lt;int&gt;" default="">words</input_port>
          <description>Says it.</description>
        </Action>
      </TreeNodesModel>
    </root>"""
    assert run(text, shelf=7, box="blue") == [7, "blue", 2]


VERSION_3 = """<?xml version="1.0"?>
<root main_tree_to_execute="MainTree" BTCPP_format="3">
    <BehaviorTree ID="MainTree">
        <SequenceStar name="root">
            <Action ID="SetBlackboard" value="Hello" output_key="param"/>
            <SubTree ID="Talk" __shared_blackboard="true"/>
            <SubTree ID="Move" target="param" result="out"/>
            <Say message="{out}"/>
            <SubTreePlus ID="Talk" param="World"/>
            <SubTreePlus ID="Talk" __autoremap="1"/>
            <Decorator ID="RetryUntilSuccesful" num_attempts="2"><Say message="3"/></Decorator>
            <Parallel success_threshold="1" failure_threshold="1"><AlwaysSuccess/><Say
                message="never"/></Parallel>
        </SequenceStar>
    </BehaviorTree>
    <BehaviorTree ID="Talk"><Say message="{param}"/></BehaviorTree>
    <BehaviorTree ID="Move"><Sequence><Say message="{target}"/><SetBlackboard output_key="result"
        value="done"/></Sequence></BehaviorTree>
    <TreeNodesModel>
        <Action ID="Say"><input_port name="message" default="nothing">text</input_port></Action>
        <SubTreePlus ID="Talk"><input_port default="true" name="__autoremap">on</input_port>
        </SubTreePlus>
    </TreeNodesModel>
</root>"""


def test_version_3():
    """Names of version 3; texts of a SubTree without braces are names of entries."""
    root = read_xml(VERSION_3, NODES)
    tree = bt.Tree(root)
    said.clear()
    while tree.tick() is Status.RUNNING:
        pass
    assert said == ["Hello", "Hello", "done", "World", "Hello", 3]
    assert type(root) is bt.SequenceWithMemory


def of_version_3(element: str) -> str:
    return f"""<root BTCPP_format="3" main_tree_to_execute="A">
        <BehaviorTree ID="A">{element}</BehaviorTree>
        <BehaviorTree ID="T"><Say message="{{param}}"/></BehaviorTree></root>"""


@pytest.mark.parametrize("yes", ["true", "True", "TRUE", "1"])
def test_a_shared_blackboard_of_version_3(yes):
    """All words for it that version 3 knows."""
    text = of_version_3(f'<SubTree ID="T" __shared_blackboard="{yes}"/>')
    assert run(text, param="shared") == ["shared"]


def vote(success_threshold: int) -> Status:
    return Status(success_threshold)


def test_thresholds_of_version_3():
    """Only those of a Parallel have another name in version 4."""
    root = read_xml(of_version_3('<Vote success_threshold="2"/>'), {"Vote": bt.action(vote)})
    assert bt.Tree(root).tick() is Status(2)
    element = '<Control ID="Parallel" success_threshold="1"><AlwaysSuccess/></Control>'
    assert read_xml(of_version_3(element)).success == 1


@pytest.mark.parametrize(
    ("element", "message"),
    [
        ('<SubTree ID="T" __shared_blackboard="yes"/>', "<text>:2: SubTree __shared_blackboard="),
        ('<SubTree ID="T" __autoremap="1"/>', "SubTree has no attribute __autoremap: only SubT"),
        ('<SubTreePlus ID="T" __shared_blackboard="1"/>', "no attribute __shared_blackboard: only"),
    ],
)
def test_wrong_attributes_of_version_3(element, message):
    """They are refused at their line."""
    with pytest.raises(bt.XmlError) as refused:
        read_xml(of_version_3(element), NODES)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("<SequenceStar/>", "<SequenceStar> is not supported: it is of version 3: write <root BTC"),
        ('<SubTreePlus ID="T"/>', 'it is of version 3: write <root BTCPP_format="3">'),
        ('<SubTree ID="T" __shared_blackboard="true"/>', "no attribute __shared_blackboard: it is"),
        ("<BlackboardCheckInt/>", "it is of version 3: use Precondition"),
    ],
)
def test_version_3_is_named(old, message):
    """A document without a version is of version 4; what only 3 has is said to be of 3."""
    talk = '<BehaviorTree ID="T"><AlwaysSuccess/></BehaviorTree>'
    text = f'<root main_tree_to_execute="A"><BehaviorTree ID="A">{old}</BehaviorTree>{talk}</root>'
    with pytest.raises(bt.XmlError) as refused:
        read_xml(text)
    assert message in str(refused.value)


def test_all_unknown_nodes_are_named_at_once():
    """In all trees, each once."""
    text = """<root><BehaviorTree ID="A"><Sequence><Spin/><Action ID="Wink"/><Spin/><Say
      message="x"/></Sequence></BehaviorTree></root>"""
    with pytest.raises(bt.XmlError, match=r"unknown node Spin: reg.*nodes=; also unknown: Wink$"):
        read_xml(text, NODES)


def test_entries_for_constructors():
    """An argument that is annotated with Key takes an entry; the message says so for others."""
    text = '<root><BehaviorTree ID="A"><ForEach out="{o}" stop_at="{n}"><AlwaysSuccess/></ForEach>'
    with pytest.raises(bt.XmlError, match=r'stop_at="{n}": .*annotated with Key'):
        read_xml(text + "</BehaviorTree></root>", NODES)
