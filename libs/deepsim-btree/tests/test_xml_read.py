# SPDX-License-Identifier: Apache-2.0
"""Reading the XML of BehaviorTree.CPP 4."""

from __future__ import annotations

import enum
from functools import partial
from typing import Any, Optional

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, key
from deepsim_btree.xml import read_xml, read_xml_file, write_xml


class Gear(enum.Enum):
    LOW = 1
    HIGH = 2


@bt.action
def drive(robot, speed: float, *, gear: Gear = Gear.LOW, label: Optional[str] = None) -> Status:  # noqa: UP045 - evaluated on Python 3.8
    robot.append((speed, gear, label))
    return Status.SUCCESS


@bt.condition
def near(robot, limit=2.5) -> bool:
    return len(robot) < limit


class Say(bt.PortLeaf):
    text = bt.Input(str)
    times = bt.Input(int, default=1)
    length = bt.Output(int)

    def update(self):
        self.length = len(self.text) * self.times
        return Status.SUCCESS


def document(body: str, more: str = "") -> str:
    return f"""<root BTCPP_format="4">
  <BehaviorTree ID="Main">
    {body}
  </BehaviorTree>
  {more}
</root>"""


def test_functions_and_ports():
    """Attributes are arguments of functions, or ports; types are converted."""
    robot = []
    root = read_xml(
        document("""
        <Sequence name="all">
          <near limit="1"/>
          <Action ID="drive" name="go" speed="2" gear="HIGH" label="{=}"/>
          <drive speed="{v}"/>
          <Say text="hello" times="2" length="{n}"/>
        </Sequence>"""),
        {"near": partial(near, robot), "drive": partial(drive, robot), "Say": Say},
    )
    tree = bt.Tree(root, blackboard={"v": 0.5, "label": "first"})
    assert tree.tick() is Status.SUCCESS
    assert robot == [(2.0, Gear.HIGH, "first"), (0.5, Gear.LOW, None)]
    assert tree.blackboard["n"] == 10
    assert [child.name for child in root.children[:3]] == ["near", "go", "drive"]


def test_functions_made_by_hand():
    """A bound method, or a function that is no class, is registered as a partial of its leaf."""

    class Robot:
        def go(self, speed: float):
            self.speed = speed
            return Status.SUCCESS

        def work(self, ticks: int):
            for _ in range(ticks):
                yield

    robot = Robot()
    nodes = {
        "Go": partial(bt.Action, robot.go),
        "Work": partial(bt.Routine, robot.work),
        "IsFast": partial(bt.Check, lambda limit=1.0: robot.speed > limit),
    }
    body = '<Sequence><Go speed="2"/><IsFast/><Work ticks="1"/></Sequence>'
    tree = bt.Tree(read_xml(document(body), nodes))
    assert [tree.tick().name, tree.tick().name] == ["RUNNING", "SUCCESS"]
    assert robot.speed == 2.0


@bt.action
def turn(angle: int | float, what: Any = None, *, how: bool | str | None = None) -> Status:
    return Status.SUCCESS


def test_arguments_of_several_types():
    """A text becomes what it looks like, as it does without a type."""
    root = read_xml(document('<turn angle="2.5" what="2" how="true"/>'), [turn])
    assert root.kwargs == {"angle": 2.5, "what": 2, "how": True}
    assert read_xml(write_xml(root), [turn]).kwargs == root.kwargs
    assert read_xml(document('<turn angle="2" how="fast"/>'), [turn]).kwargs["how"] == "fast"


@pytest.mark.parametrize("text", ["dock", "1", "1.0", "007", "true", "-2.5e3"])
def test_a_switch_on_an_entry_that_the_file_sets(text):
    """The same text is the same case, whatever type the entry has."""
    cases = f'case_1="other" case_2="{text}"'
    leaves = "<AlwaysFailure/><AlwaysSuccess/><AlwaysFailure/>"
    switch = f'<Switch2 variable="{{v}}" {cases}>{leaves}</Switch2>'
    body = f'<Sequence><SetBlackboard value="{text}" output_key="v"/>{switch}</Sequence>'
    assert bt.Tree(read_xml(document(body))).tick() is Status.SUCCESS


DOOR = """
  <BehaviorTree ID="Door">
    <Sequence><SetBlackboard value="{who}" output_key="last"/>
      <SetBlackboard value="{power}" output_key="out"/></Sequence>
  </BehaviorTree>"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-2.5", -2.5),
        ("true", True),
        ("yes", "yes"),
        ("1_0", "1_0"),
        ("nan", "nan"),
        ("", ""),
        ("1e3", "1e3"),
        ("1.10", "1.10"),
        ("1000.0", 1000.0),
        (" 1", " 1"),
        ("1 ", "1 "),
        ("+.5", "+.5"),
        ("-", "-"),
        ("1e999", "1e999"),
        ("-" + 400 * "1", -int(400 * "1")),
    ],
)
def test_literals(text, value):
    """A text that is just how a number or truth value is written is one, other texts stay."""
    entry = read_xml(document(f'<SetBlackboard value="{text}" output_key="x"/>'))
    assert entry.value == value
    assert type(entry.value) is type(value)


def test_models_give_defaults():
    """Defaults of TreeNodesModel apply where an attribute is missing."""
    model = """<TreeNodesModel>
      <Action ID="Say"><input_port name="text" type="std::string" default="{greeting}">What
        to say</input_port><output_port name="length"/><MetadataFields/></Action>
      <SubTree ID="Door"><input_port name="who" default="nobody"/></SubTree>
    </TreeNodesModel>"""
    body = '<Sequence><Say/><SubTree ID="Door" power="{=}"/></Sequence>'
    root = read_xml(document(body, DOOR + model), [Say], tree="Main")
    assert root.children[0].connections == {"text": key("greeting")}
    assert root.children[1].values == {"who": "nobody"}


def test_includes(tmp_path):
    """Paths are relative to the file; errors name the file that has them."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "door.xml").write_text(
        '<root BTCPP_format="4"><include path="more.xml"/>\n'
        '<BehaviorTree ID="Door"><SubTree ID="More"/></BehaviorTree></root>'
    )
    more = tmp_path / "lib" / "more.xml"
    more.write_text(
        '<root BTCPP_format="4"><BehaviorTree ID="More"><Running/></BehaviorTree></root>'
    )
    main = tmp_path / "main.xml"
    main.write_text(document('<SubTree ID="Door"/>', '<include path="lib/door.xml"/>'))
    root = read_xml_file(str(main), tree="Main")
    assert [node.name for node in root.walk()] == ["Door", "More", "Running"]
    more.write_text('<root BTCPP_format="4">\n<BehaviorTree ID="More"><Fly/></BehaviorTree></root>')
    with pytest.raises(bt.XmlError, match="unknown node Fly: register its class") as caught:
        read_xml_file(main, tree="Main")
    assert (caught.value.file, caught.value.line) == (str(more), 2)
    assert str(caught.value).startswith(f"{more}:2: ")
    more.write_text('<root BTCPP_format="4"><include path="door.xml"/></root>')
    with pytest.raises(bt.XmlError, match=r"door\.xml includes itself"):
        read_xml_file(main, tree="Main")
    more.unlink()
    with pytest.raises(bt.XmlError, match=r"cannot include .*more.xml: No such file"):
        read_xml_file(main, tree="Main")


def test_includes_that_grow_without_end(tmp_path):
    """Files that include the next one twice stop at the limit, by file and line."""
    for number in range(40):
        again = f'\n<include path="{number + 1}.xml"/>' * 2
        (tmp_path / f"{number}.xml").write_text(f'<root BTCPP_format="4">{again}</root>')
    (tmp_path / "40.xml").write_text('<root BTCPP_format="4"/>')
    with pytest.raises(bt.XmlError, match="more than 200 files are included") as caught:
        read_xml_file(tmp_path / "0.xml")
    assert caught.value.line in (2, 3)
    assert caught.value.file.endswith(".xml")


@pytest.mark.parametrize("text", ["1_000", "\u0663"])
def test_numbers_are_those_of_other_programs_too(text):
    """Python reads more texts as numbers than they do."""
    with pytest.raises(bt.XmlError, match="num_cycles"):
        read_xml(document(f'<Repeat num_cycles="{text}"><AlwaysSuccess/></Repeat>'))


def test_which_tree():
    """tree= comes before main_tree_to_execute; the only tree of a file needs neither, nor an ID."""
    one, two = (f'<BehaviorTree{{}}><AlwaysSuccess name="{name}"/></BehaviorTree>' for name in "ab")
    both = one.format(' ID="A"') + two.format(' ID="B"')
    text = f'<root BTCPP_format="4" main_tree_to_execute="B">{both}</root>'
    assert (read_xml(text).name, read_xml(text, tree="A").name) == ("b", "a")
    assert read_xml(f"<root>{one.format('')}</root>").name == "a"
    with pytest.raises(bt.XmlError, match="<BehaviorTree> needs an ID"):
        read_xml(f"<root>{(one + two).format('', '')}</root>")


def test_signs_in_attributes_may_stand_for_themselves():
    """As people write scripts; comments stay what they are, and lines keep their numbers."""
    text = document('<Script code="n := 1 < 2 && 3 &gt; 2"/> <!-- "a" < b -->')
    tree = bt.Tree(read_xml(text))
    tree.tick()
    assert tree.blackboard["n"] == 1.0
    with pytest.raises(bt.XmlError, match="<text>:4: unknown node Fly"):
        read_xml(document('<Sequence><Script code="1 < 2"/>\n<Fly/></Sequence>'))
    with pytest.raises(bt.XmlError, match="not well-formed XML"):
        read_xml("<!--" * 1_000_000)


def test_text_before_the_document_is_passed_over():
    """As BehaviorTree.CPP does, such as a comment of C++; lines keep their numbers."""
    assert read_xml("// a tree\n" + document("<AlwaysSuccess/>")).name == "Success"
    with pytest.raises(bt.XmlError, match="<text>:6: unknown node Fly"):
        read_xml("// a\n\n// tree\n" + document("<Fly/>"))


def test_blanks_around_a_key():
    """They do not count, as in BehaviorTree.CPP."""
    node = read_xml(document('<SetBlackboard value=" {y}  " output_key="x"/>'))
    assert node.value == key("y")


class Anything(bt.PortLeaf):
    """Has a port of no type in particular."""

    value = bt.Input(object)

    def update(self):
        return Status.SUCCESS


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("1.5", 1.5), ("true", True), ("far", "far"), ("{x}", key("x"))]
)
def test_a_port_of_any_object_is_what_its_text_looks_like(text, value):
    """As `SetBlackboard` reads values; what is written is the same text."""
    root = read_xml(document(f'<Anything value="{text}"/>'), [Anything])
    assert root.connections == {"value": value}
    assert type(root.connections["value"]) is type(value)
    assert f'value="{text}"' in write_xml(root, [Anything])


def test_notes_of_other_programs_are_passed_over():
    """BehaviorTree.CPP reads neither attributes with an underscore in front nor text in between."""
    root = read_xml(
        """<root BTCPP_format="4">// the tree:
          <BehaviorTree ID="Main">\\n"
            <Sequence _x="3" _pos="4">; <SubTree ID="Low" _color="red"/>; </Sequence>
          </BehaviorTree>
          <BehaviorTree ID="Low"> <Anything value="1" _not_a_port="2">!</Anything> </BehaviorTree>
        </root>""",
        [Anything],
        tree="Main",
    )
    (subtree,) = root.children
    assert (subtree.remap, subtree.values) == ({}, {})
    assert subtree.child.connections == {"value": 1}


MAIN = """<root main_tree_to_execute="Main"><BehaviorTree ID="Main">
  <SubTree ID="Low" value="2"/></BehaviorTree></root>"""
LOW = """<root>
  <BehaviorTree ID="Low"><Anything value="{value}"/></BehaviorTree></root>"""


@pytest.mark.parametrize("texts", [(MAIN, LOW), [LOW, MAIN], iter((LOW, MAIN))])
def test_several_texts_use_the_trees_of_each_other(texts):
    """In any order; what to start with is where a text says so."""
    root = read_xml(texts, [Anything])
    assert (root.tree_id, root.values) == ("Low", {"value": 2})
    assert root.child.connections == {"value": key("value")}


def test_errors_say_in_which_of_several_texts():
    """By their numbers, also where a tree is in two of them; one text has none."""
    one = '<root BTCPP_format="4"><BehaviorTree><AlwaysSuccess/></BehaviorTree></root>'
    root = read_xml([LOW, one], [Anything], tree="Low")
    assert type(root) is Anything
    for texts, message in (
        ([MAIN, LOW, LOW], r"<text 3>:2: Low is there already, at <text 2>:2"),
        ([LOW, "<root"], r"<text 2>:1: not well-formed XML"),
        ([LOW, one], r"<text 1>:1: the file has 2 trees"),
        ([MAIN], r"<text>:2: there is no BehaviorTree Low"),
    ):
        with pytest.raises(bt.XmlError, match=message):
            read_xml(texts, [Anything])
    with pytest.raises(ValueError, match="there is no text to read"):
        read_xml([])


def test_answers_to_questions_may_be_entries():
    """As the numbers of control nodes; scripts write 1 for true. A Loop needs no entry."""
    body = """<Sequence><RunOnce then_skip="{skip}"><AlwaysFailure/></RunOnce>
      <TryCatch catch_on_halt="{=}"><Running/><Script code="caught := 1"/></TryCatch>
      <LoopInt queue="1;2"><AlwaysSuccess/></LoopInt></Sequence>"""
    root = read_xml(document(body))
    once, catch, loop = root.children
    assert (once.then_skip, catch.catch_on_halt) == (key("skip"), key("catch_on_halt"))
    assert loop.entry is None
    assert 'then_skip="{skip}"' in write_xml(root)
    tree = bt.Tree(root, blackboard={"skip": False, "catch_on_halt": 0})
    assert [tree.tick(), tree.tick()] == [Status.FAILURE, Status.FAILURE]
    tree.blackboard["skip"] = 1
    assert tree.tick() is Status.RUNNING
    tree.halt()
    assert "caught" not in tree.blackboard
    tree.blackboard["catch_on_halt"] = True
    tree.tick()
    tree.halt()
    assert tree.blackboard["caught"] == 1
    tree.blackboard["skip"] = "yes"
    with pytest.raises(bt.TickError, match=r"{skip} holds the text 'yes': must be true or false"):
        tree.tick()


def test_a_loop_without_an_entry():
    """It counts only; with one, that is written for those who read it."""
    root = bt.Sequence([bt.Loop(bt.Check(bool, key("n")), queue=[1, 2], entry="n")])
    assert bt.Tree(root).validate() == []
    tree = bt.Tree(bt.Loop(bt.Success(), queue=["a", "b"]))
    assert [tree.tick() for _ in range(3)] == [Status.RUNNING, Status.RUNNING, Status.SUCCESS]
    assert dict(tree.blackboard) == {}


def test_a_file_may_name_its_schema():
    """BehaviorTree.CPP writes one for editors; it says nothing about the tree."""
    text = """<root BTCPP_format="4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xsi:noNamespaceSchemaLocation="nodes.xsd"><BehaviorTree><AlwaysSuccess/></BehaviorTree></root>"""
    assert type(read_xml(text)) is bt.Success
