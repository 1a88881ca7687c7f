# SPDX-License-Identifier: Apache-2.0
"""Writing XML: what is read back is the same tree."""

from __future__ import annotations

import enum
import re
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status, XmlError, key
from deepsim_btree.xml import read_xml, write_nodes_model, write_xml

SERIAL = ["Sequence", "Selector", "ReactiveSequence", "ReactiveSelector"]
SHUFFLED = ["RandomSequence", "RandomSelector"]


class Mode(enum.Enum):
    SLOW = "slow"


@bt.action
def drive(robot, speed: float = 1.0, *, mode: Mode = Mode.SLOW) -> Status:
    robot.append(speed)
    return Status.SUCCESS


@bt.condition
def ready(text: str) -> bool:
    return bool(text)


class Say(bt.PortLeaf):
    text = bt.Input(str, default="hello", description="what to say")
    count = bt.InOut(int)
    heard = bt.Output(bool)

    def update(self):
        return Status.SUCCESS


def test_a_document():
    """Built-in tags are those of BehaviorTree.CPP; models say what else there is."""
    door = partial(bt.SubTree, tree_id="Door", remap={"text": "news"}, values={"n": 2})
    robot = []
    root = bt.Selector(
        [
            bt.Sequence([drive(robot, 2.5), Say(text=key("x"), count=key("n"))], 'say "go" & <b>'),
            bt.Timeout(bt.Running(), seconds=0.25),
            door(bt.Inverter(bt.Success()), "front"),
            door(bt.Inverter(bt.Success())),
        ]
    )
    xml = write_xml(root, {"drive": partial(drive, robot), "Say": Say})
    assert (
        xml
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<root BTCPP_format="4" main_tree_to_execute="Main">
  <BehaviorTree ID="Main">
    <Fallback>
      <Sequence name="say &quot;go&quot; &amp; &lt;b&gt;">
        <drive speed="2.5"/>
        <Say text="{x}" count="{n}"/>
      </Sequence>
      <Timeout msec="250">
        <Running/>
      </Timeout>
      <SubTree ID="Door" name="front" text="{news}" n="2"/>
      <SubTree ID="Door" text="{news}" n="2"/>
    </Fallback>
  </BehaviorTree>
  <BehaviorTree ID="Door">
    <Inverter>
      <AlwaysSuccess/>
    </Inverter>
  </BehaviorTree>
  <TreeNodesModel>
    <Action ID="Running"/>
    <Action ID="Say">
      <input_port name="text" type="std::string" default="hello">what to say</input_port>
      <inout_port name="count" type="int"/>
      <output_port name="heard" type="bool"/>
    </Action>
    <Action ID="drive">
      <input_port name="speed" type="double" default="1.0"/>
      <input_port name="mode" type="Mode" default="SLOW"/>
    </Action>
  </TreeNodesModel>
</root>
"""
    )


def leaf() -> bt.Behaviour:
    return bt.Running()


@settings(max_examples=60, deadline=None)
@given(seconds=st.floats(0, 1e9))
def test_times_come_back(seconds):
    """Milliseconds in the file are the same seconds to the last bit."""
    xml = write_xml(bt.Wait(seconds=seconds))
    assert read_xml(xml).seconds == seconds


@settings(max_examples=60, deadline=None)
@given(value=st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.text()))
def test_values_come_back_or_are_refused(value):
    """What is written is read with the same value and type."""
    try:
        xml = write_xml(bt.SetEntry("x", value))
    except bt.XmlError:
        return
    assert read_xml(xml).value == value
    assert type(read_xml(xml).value) is type(value)


@pytest.fixture(scope="session")
def writable(specs):
    """Specs of trees that XML can hold: composites have children."""
    return specs("SFRRIE", SERIAL + SHUFFLED, min_children=1)


@settings(max_examples=120, deadline=None)
@given(data=st.data(), seed=st.integers(0, 9))
def test_random_trees_come_back(writable, build, scripted_class, tick_quietly, state, data, seed):
    """A tree that was written and read does what the original does, tick by tick."""
    spec = data.draw(writable)
    logs = [], []
    root = build(spec, logs[0])
    for number, node in enumerate(root.walk()):
        if isinstance(node, bt.SubTree):
            node.tree_id = f"{node.name} {number}"
    nodes = [{"Leaf": partial(scripted_class, log=log)} for log in logs]
    twin = read_xml(write_xml(root, nodes[0]), nodes[1], tree="Main")
    trees = bt.Tree(root, seed=seed), bt.Tree(twin, seed=seed)
    for _ in range(8):
        assert tick_quietly(trees[0]) == tick_quietly(trees[1])
        assert state(trees[0]) == state(trees[1])
    assert logs[0] == logs[1]


def test_what_is_written_in_another_form():
    """A subtree without an ID gets its name, cases become texts, a default becomes a node."""
    assert read_xml(write_xml(bt.SubTree(leaf(), "Door")), tree="Main").tree_id == "Door"
    switch = bt.Switch({1: leaf(), 2.5: leaf()}, on=key("mode"))
    again = read_xml(write_xml(switch))
    assert again.cases == ("1", "2.5")
    assert [child.name for child in again.children] == ["Running", "Running", "Failure"]


CASES = st.one_of(
    st.integers(-3, 3),
    st.floats(-3, 3).map(lambda number: round(number, 1)),
    st.sampled_from(["1", "2.0", "-0", "1e0", "007", "True", "true", "dock", " 1", "{a", "nan"]),
    st.sampled_from([True, False, None, Mode.SLOW, 10**400, float("inf")]),
)
SEEN = st.one_of(CASES, st.sampled_from(["inf", "Mode.SLOW", "None", [1], 2 + 0j]))


@settings(max_examples=300, deadline=None)
@given(cases=st.lists(CASES, min_size=2, max_size=6, unique=True), seen=st.lists(SEEN, min_size=9))
def test_switches_come_back_or_are_refused(cases, seen):
    """A switch that was written and read runs the same child for every value."""
    switch = bt.Switch({case: leaf() for case in cases}, leaf(), on=key("mode"))
    try:
        again = read_xml(write_xml(switch))
    except bt.XmlError as error:
        assert re.search(  # noqa: PT017 - not each list of cases is refused
            "would be read as something else: use a text or number|have one text", str(error)
        )
        return
    assert [again.choose(value) for value in seen] == [switch.choose(value) for value in seen]
    assert write_xml(again) == write_xml(switch)


@settings(max_examples=200, deadline=None)
@given(
    name=st.one_of(st.text(min_size=1), st.sampled_from(["größe", "a:b", "a-b", "x='' y", "="])),
    outer=st.one_of(st.none(), st.text(min_size=1)),
)
def test_entries_of_subtrees_come_back_or_are_refused(name, outer):
    """Names that XML does not have are refused, so that none is lost."""
    try:
        given_ = {"values": {name: 1}} if outer is None else {"remap": {name: outer}}
        subtree = bt.SubTree(leaf(), "n", tree_id="T", **given_)
    except ValueError:
        return
    try:
        xml = write_xml(subtree)
    except bt.XmlError:
        return
    again = read_xml(xml, tree="Main")
    assert (again.name, again.values, again.remap) == ("n", subtree.values, subtree.remap)


def test_entries_are_bare_names():
    """BehaviorTree.CPP would take {x} for the entry whose name is the value of x."""
    assert '<SetBlackboard value="1" output_key="x"/>' in write_xml(bt.SetEntry("x", 1))
    assert '<UnsetBlackboard key="x"/>' in write_xml(bt.DeleteEntry("x"))


def test_functions_made_by_hand():
    """Which function it is decides about the tag; arguments of the partial are not written."""
    lamps = []

    class Robot:
        def go(self, speed):
            return Status.SUCCESS

    robot = Robot()
    nodes = {"Go": partial(bt.Action, robot.go), "Full": partial(bt.Check, len, lamps)}
    root = bt.Sequence([bt.Action(robot.go, 2), bt.Check(len, lamps, name="bright")])
    xml = write_xml(root, nodes)
    assert '<Go speed="2"/>' in xml
    assert '<Full name="bright"/>' in xml
    with pytest.raises(bt.XmlError, match="obj is given by position only"):
        write_xml(bt.Check(len, lamps), {"Full": partial(bt.Check, len)})
    with pytest.raises(bt.XmlError, match="Check lacks its function"):
        write_xml(bt.Check(len, []), nodes)  # another list, though it looks the same


def test_ports_given_by_a_partial():
    """They are no attributes, and tell which tag it is."""
    nodes = {"Greet": partial(Say, text="hi"), "Say": Say}
    root = bt.Sequence([Say(text="hi", count=key("n")), Say(text="go", count=key("n"))])
    xml = write_xml(root, nodes)
    assert '<Greet count="{n}"/>' in xml
    assert '<Say text="go" count="{n}"/>' in xml
    again = read_xml(xml, nodes)
    assert [node.connections for node in again.children] == [
        {"text": text, "count": key("n")} for text in ("hi", "go")
    ]


def test_models_alone():
    """A file for editors: the user's nodes, and those of this library that they do not know."""
    xml = write_nodes_model([Say, ready])
    assert '<inout_port name="count" type="int"/>' in xml
    assert '<Condition ID="ready">' in xml
    assert '<Decorator ID="Cooldown">' in xml
    assert '<Decorator ID="Inverter"' not in xml
    with pytest.raises(bt.XmlError, match="the file has 0 trees"):
        read_xml(xml)


CPP_ONLY = [
    (bt.FailureIsSuccess(bt.Success()), "<ForceSuccess>"),
    (bt.SuccessIsRunning(bt.Success()), "<KeepRunningUntilFailure>"),
    (bt.UntilFail(bt.Failure(), "loop"), '<Inverter>\n      <KeepRunningUntilFailure name="loop">'),
    (bt.Repeater(bt.Success(), repeat=-1), '<Repeat num_cycles="-1">\n      <ForceSuccess>'),
    (bt.ParallelSelector([bt.Success()], eager=True), '<Parallel success_count="1" failure_count'),
]
REFUSED = [
    (bt.Parallel([bt.Success()]), "no Parallel: it ticks all its children before it decides"),
    (bt.ParallelSequence([bt.Success()]), "no ParallelSequence: it ticks all its children"),
    (bt.Limit(bt.Success(), tick_limit=1), "no Limit: it does not count ticks"),
    (bt.RandomSequence([bt.Success()]), "no RandomSequence: it has no random order"),
    (bt.Sequence(), "Sequence needs children"),
    (bt.Repeater(bt.Success(), repeat=2), "no Repeater: it has none that does the same"),
    (bt.SubTree(bt.Success(), tree_id="a b"), "takes no tree called 'a b', because of ' '"),
]


@pytest.mark.parametrize(("root", "text"), CPP_ONLY)
def test_nodes_that_behaviortree_cpp_lacks_are_written_as_others(root, text):
    """They do the same there."""
    written = write_xml(root, dialect="btcpp")
    assert text in written
    assert "TreeNodesModel" not in written


@pytest.mark.parametrize(("root", "message"), REFUSED)
def test_what_behaviortree_cpp_cannot_do_is_refused(root, message):
    """With the reason."""
    with pytest.raises(bt.XmlError, match=message):
        write_xml(root, dialect="btcpp")


def test_a_subtree_without_an_id_gets_one_that_is_no_tag():
    """BehaviorTree.CPP refuses a tree called SubTree."""
    written = write_xml(bt.SubTree(bt.Success()))
    assert '<SubTree ID="SubTree_" name="SubTree"/>' in written
    assert write_xml(read_xml(written, tree="Main")) == written


DOCUMENT = """<?xml version="1.0" encoding="UTF-8"?>
<root BTCPP_format="4" main_tree_to_execute="Main">
  <BehaviorTree ID="Main">
    <Sequence _skipIf="a &lt; 3 &amp;&amp; b" _post="n := 1">
      <Script name="init" code="n := 1"/>
      <ScriptCondition code="n == 1" _onFailure="n = 0"/>
      <Precondition if="n &gt; 0" else="SKIPPED">
        <Repeat num_cycles="{n}">
          <AlwaysSuccess/>
        </Repeat>
      </Precondition>
      <LoopInt queue="1;2" value="{v}" if_empty="FAILURE">
        <Timeout msec="{t}">
          <AlwaysSuccess/>
        </Timeout>
      </LoopInt>
      <LoopString queue="{q}" value="{v}">
        <RunOnce then_skip="false">
          <AlwaysSuccess/>
        </RunOnce>
      </LoopString>
      <ParallelAll max_failures="2">
        <AlwaysSuccess/>
        <AlwaysSuccess/>
      </ParallelAll>
      <TryCatch catch_on_halt="true">
        <AsyncSequence>
          <AlwaysSuccess/>
        </AsyncSequence>
        <AsyncFallback>
          <SequenceWithMemory>
            <RunOnce>
              <AlwaysSuccess/>
            </RunOnce>
          </SequenceWithMemory>
        </AsyncFallback>
      </TryCatch>
    </Sequence>
  </BehaviorTree>
</root>
"""


def deep(levels, node=None):
    node = node or bt.Success()
    for _ in range(levels):
        node = bt.Inverter(node)
    return node


def test_what_is_written_is_not_too_deep_to_be_read():
    """Levels count in a file, and in all trees together."""
    for root in (deep(197), bt.SubTree(deep(100, bt.SubTree(deep(96), tree_id="Low")))):
        assert len(list(read_xml(write_xml(root)).walk())) == len(list(root.walk()))
    for root in (deep(198), deep(3000), bt.SubTree(deep(100, bt.SubTree(deep(98), tree_id="Low")))):
        with pytest.raises(XmlError, match="more than 200 levels cannot be read") as refused:
            write_xml(root)
        assert len(str(refused.value)) < 500


@pytest.mark.parametrize("dialect", ["deepsim", "btcpp"])
def test_what_is_of_behaviortree_cpp_is_written_as_it_was_read(dialect):
    """Scripts and numbers from the blackboard too."""
    assert write_xml(read_xml(DOCUMENT), dialect=dialect) == DOCUMENT


def test_another_dialect():
    """The two are named."""
    with pytest.raises(ValueError, match="dialect must be 'deepsim' or 'btcpp', got 'groot'"):
        write_xml(bt.Success(), dialect="groot")
