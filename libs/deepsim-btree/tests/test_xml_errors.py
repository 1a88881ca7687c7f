# SPDX-License-Identifier: Apache-2.0
"""XML that is wrong or not supported: refused by name, with the line."""

from __future__ import annotations

import os
from fractions import Fraction
from functools import partial
from typing import List, NamedTuple

import pytest

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.xml import read_xml, read_xml_file, write_xml


class Say(bt.PortLeaf):
    text = bt.Input(str)
    length = bt.Output(int)

    def update(self):
        return Status.SUCCESS


@bt.action
def drive(speed: float):
    return Status.SUCCESS


@bt.action
def follow(points: List[int]):  # noqa: UP006 - evaluated on Python 3.8
    return Status.SUCCESS


@bt.action
def Half(text: Fraction):  # noqa: N802 - a tag
    return Status.SUCCESS


class Colour(NamedTuple):
    code: int


@bt.action
def Paint(colour: Colour):  # noqa: N802 - a tag
    return Status.SUCCESS


PARSERS = {Fraction: Fraction, Colour: {"red": Colour(1)}.__getitem__}


def tree(body: str) -> str:
    return f'<root BTCPP_format="4">\n<BehaviorTree ID="Main">\n{body}\n</BehaviorTree>\n</root>'


THREE = 3 * "<Running/>"
IN_TREE = [
    ("<Fly/>", "unknown node Fly: register its class in nodes="),
    ("<Action/>", "<Action> needs an ID"),
    ('<Script code="a := "/>', "Script: expected a value, got the end in the script 'a := '"),
    ('<Script code="a b"/>', "expected an operator or the end, got b in the script"),
    ('<Script code="1 := 2"/>', "expected one name left of an assignment"),
    ('<Script code="1 + 2 &amp; 3"/>', "expected parentheses, where arithmetic and bits are mix"),
    ('<Script code="a := $"/>', "'$' cannot be read in the script"),
    ('<Precondition if="("><Running/></Precondition>', "Precondition: expected a value"),
    ('<AlwaysSuccess _skipIf="a +"/>', "AlwaysSuccess: expected a value, got the end in the scr"),
    ('<ConsumeQueue queue="{q}"/>', "<ConsumeQueue> is not supported: use LoopInt"),
    ('<LoopInt queue="1;x" value="{v}"><Running/></LoopInt>', "invalid literal"),
    ('<LoopInt queue="1" value="v"><Running/></LoopInt>', "must be an entry such as {goal}"),
    ("<AlwaysSuccess><Running/></AlwaysSuccess>", "AlwaysSuccess is a leaf and cannot have child"),
    ("<Sequence/>", "Sequence needs children, got 0"),
    ("<Inverter/>", "Inverter needs exactly one child, got 0"),
    ("<Inverter><Running/><Running/></Inverter>", "Inverter needs exactly one child, got 2"),
    ("<IfThenElse><Running/></IfThenElse>", "IfThenElse needs 2 or 3 children, got 1"),
    ('<Switch2 variable="{v}" case_1="a" case_2="b"><Running/></Switch2>', "Switch2 needs 3 child"),
    (
        f'<Switch2 variable="{{v}}" case_1="a" case_2="a">{THREE}</Switch2>',
        "Switch2: the cases must differ",
    ),
    (
        f'<Switch2 variable="v" case_1="a" case_2="b">{THREE}</Switch2>',
        "must be an entry such as {mode}, g",
    ),
    ("<Repeat><Running/></Repeat>", "Repeat needs the attribute num_cycles"),
    ('<Repeat num_cycles="x"><Running/></Repeat>', 'Repeat num_cycles="x": invalid literal'),
    ('<Repeat num_cycles="-5"><Running/></Repeat>', "Repeat: repeat must be at least -1, got -5"),
    ('<Repeat num_cycels="3"><Running/></Repeat>', "Repeat has no attribute num_cycels; its attr"),
    ('<Timeout msec="soon"><Running/></Timeout>', "must be a number of milliseconds"),
    ('<Precondition if="{x}"><Running/></Precondition>', 'if="{x}": here an entry of the blackb'),
    ('<Say text="a" loud="true"/>', "Say has no attribute loud; its attributes: text, length"),
    ("<Say/>", "Say needs the attribute text"),
    ('<Say text="{a b}}"/>', 'Say text="{a b}}": the name of a key must be a word without braces'),
    ('<Say text="a" length="n"/>', 'Say length="n": an output must be an entry such as {goal}'),
    ('<drive speed="fast"/>', "drive speed=\"fast\": could not convert string to float: 'fast'"),
    ('<follow points="1"/>', 'follow points="1": a list has no text here: add it to parsers='),
    ('<Limit tick_limit="1" lifetime="maybe"><Running/></Limit>', "must be true or false"),
    (
        '<StatusCondition success_status="OK"><Running/></StatusCondition>',
        "one of INVALID, RUNNING,",
    ),
    ('<Decorator ID="Say" text="a"/>', "Say is a Decorator in the file, but a Action in Python"),
    ("<SubTree/>", "<SubTree> needs an ID"),
    ('<SubTree ID="Door"/>', "there is no BehaviorTree Door; the trees: Main"),
    ('<SubTree ID="Main"/>', "tree Main contains itself: Main > Main"),
    ('<SubTree ID="Main"><Running/></SubTree>', "<SubTree> cannot have children"),
    ('<SubTree ID="X" _autoremap="maybe"/>', 'SubTree _autoremap="maybe": must be true or false'),
    ('<SubTree ID="X" _autoRemap="1"/>', "SubTree has no attribute _autoRemap: write _autoremap"),
    ('<AlwaysSuccess _skipif="1"/>', "AlwaysSuccess has no attribute _skipif: write _skipIf"),
    ('<AlwaysSuccess _onSucces="1"/>', "AlwaysSuccess has no attribute _onSucces: write _onSucce"),
    ('<AlwaysSuccess _Post="1"/>', "AlwaysSuccess has no attribute _Post: write _post"),
    ('<AlwaysSuccess _skip_If="1"/>', "AlwaysSuccess has no attribute _skip_If: write _skipIf"),
    ('<Half text="1/0"/>', 'Half text="1/0": Fraction(1, 0)'),
    ('<Paint colour="blue"/>', "Paint colour=\"blue\": 'blue'"),
    ('<SubTree ID="X" a="{}"/>', 'SubTree a="{}": the name of a key'),
    ("<Sequence>words</Sequence>", "Sequence needs children"),
]


@pytest.mark.parametrize(("body", "message"), IN_TREE, ids=[body[:40] for body, _ in IN_TREE])
def test_errors_in_a_tree(body, message):
    """The message names what is wrong, and the third line."""
    with pytest.raises(bt.XmlError) as caught:
        read_xml(tree(body), [Say, drive, follow, Half, Paint], parsers=PARSERS)
    assert str(caught.value).startswith("<text>:3: ")
    assert message in caught.value.reason


DOCUMENTS = [
    ("", 1, "not well-formed XML: no element found"),
    ('\n<root name="\ud800"/>', 2, "not well-formed XML: 'utf-8' codec can't encode character"),
    ("<root>", 1, "not well-formed XML"),
    ("\n<tree/>", 2, "the file must start with <root>, got <tree>"),
    ('<root BTCPP_format="5"/>', 1, 'BTCPP_format must be "3" or "4", got \'5\''),
    ('<root mode="x"/>', 1, "<root> has no attribute mode"),
    ('<root main_tree_to_execute="C">{A}</root>', 1, "there is no BehaviorTree C; the trees: A"),
    ("<root/>", 1, r"the file has 0 trees (): choose one"),
    ("<root>{A}{B}</root>", 1, "has 2 trees (A, B): choose one with tree= or main_tree_to_execute"),
    ("<root>{A}\n{A}</root>", 2, "A is there already, at <text>:1"),
    ("<root>\n<Sequence/></root>", 2, "<Sequence> is not expected here"),
    ("<root>\n<BehaviorTree/></root>", 2, "<BehaviorTree> needs one child, got 0"),
    ("<root>\n{A}</root>", 2, "<BehaviorTree> needs one child, got 0"),
    ('<root>\n<include path="x"/></root>', 2, "a text cannot include files: use read_xml_file"),
    ('<root>\n<include ros_pkg="p" path="x"/></root>', 2, "ros_pkg is not supp"),
    ("<root>\n<include/></root>", 2, "<include> needs a path"),
    ('<root>{model}\n<Foo ID="x"/>{end}', 2, "<Foo> is not expected in <TreeNodesModel>"),
    ("<root>{go}\n<port/></Action>{end}", 2, "<port> is not expected in the model of a node"),
    ("<root>{go}\n<input_port/></Action>{end}", 2, "<input_port> needs a name"),
    (
        '<root><BehaviorTree ID="C">\n<Go/></BehaviorTree>{go}</Action>{end}',
        2,
        "unknown node Go (a Action of TreeNodesModel): register its class in nodes=",
    ),
    ("<root>\n{deep}</root>", 2, "elements are nested more than 200 levels deep"),
    ("<!DOCTYPE root>\n<root/>", 1, "a document type (<!DOCTYPE ...>) is not supported: remove it"),
]
PARTS = {
    "A": '<BehaviorTree ID="A"/>',
    "B": '<BehaviorTree ID="B"/>',
    "model": "<TreeNodesModel>",
    "go": '<TreeNodesModel><Action ID="Go">',
    "end": "</TreeNodesModel></root>",
    "deep": "<Inverter>" * 500 + "</Inverter>" * 500,
}


@pytest.mark.parametrize(("xml", "line", "message"), DOCUMENTS, ids=[d[2][:40] for d in DOCUMENTS])
def test_errors_in_a_document(xml, line, message):
    """The message names what is wrong, and its line."""
    with pytest.raises(bt.XmlError) as caught:
        read_xml(xml.format(**PARTS))
    assert caught.value.line == line
    assert message in caught.value.reason


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("foo", "unknown encoding: foo"),
        ("euc-jp", "multi-byte encodings are not supported"),
        ("base64", "'base64' is not a text encoding"),
        ("utf-16", "encoding specified in XML declaration is incorrect"),
    ],
)
def test_encodings_that_cannot_be_read(tmp_path, encoding, message):
    """They are errors of that file."""
    file = tmp_path / "a.xml"
    file.write_text(f'<?xml version="1.0" encoding="{encoding}"?>{tree("<Running/>")}')
    with pytest.raises(bt.XmlError, match=message) as caught:
        read_xml_file(file)
    assert (caught.value.file, caught.value.line) == (str(file), 1)
    assert read_xml(file.read_text()).name == "Running"  # a str is decoded already


def test_files_that_fill_the_memory(tmp_path):
    """All files together have a limit, that of an include is told by its line."""
    large = tmp_path / "large.xml"
    large.write_text('<root BTCPP_format="4"/>' + "\n" * 3_000_000)
    main = tmp_path / "main.xml"
    include = '\n<include path="large.xml"/>'
    main.write_text(f'<root BTCPP_format="4">{2 * include}{MAIN}</root>')
    assert read_xml_file(main).name == "Running"
    main.write_text(f'<root BTCPP_format="4">{3 * include}{MAIN}</root>')
    with pytest.raises(bt.XmlError, match=r"large\.xml: all files together have more") as caught:
        read_xml_file(main)
    assert (caught.value.file, caught.value.line) == (str(main), 4)
    text = large.read_text() * 3
    large.write_text(text)
    for read in (lambda: read_xml_file(large), lambda: read_xml(text)):
        with pytest.raises(bt.XmlError, match="1: all files together have more than 8388608 bytes"):
            read()


MAIN = '<BehaviorTree ID="Main"><Running/></BehaviorTree>'


def circle(folder) -> str:
    (folder / "circle.xml").symlink_to("circle.xml")
    return "circle.xml"


def pipe(folder) -> str:
    os.mkfifo(folder / "pipe.xml")
    return "pipe.xml"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_no_tree(tmp_path):
    """Opening it would wait for ever."""
    with pytest.raises(bt.XmlError, match=r"pipe\.xml:1: it is no regular file"):
        read_xml_file(tmp_path / pipe(tmp_path))


INCLUDED = [
    (lambda folder: "/dev/zero", "cannot include /dev/zero: it is no regular file"),
    (pipe, r"cannot include .*pipe\.xml: it is no regular file"),
    (lambda folder: ".", "cannot include .*: it is no regular file"),
    (circle, r"cannot include .*circle\.xml: "),
    (lambda folder: "a" * 5000, "cannot include .*: File name too long"),
]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
@pytest.mark.parametrize(("make", "message"), INCLUDED, ids=[m[:50] for _, m in INCLUDED])
def test_includes_of_what_is_no_file(tmp_path, make, message):
    """They are refused, rather than read without end, by the line that includes them."""
    main = tmp_path / "main.xml"
    main.write_text(f'<root BTCPP_format="4">\n<include path="{make(tmp_path)}"/>{MAIN}</root>')
    with pytest.raises(bt.XmlError, match=message) as caught:
        read_xml_file(main)
    assert (caught.value.file, caught.value.line) == (str(main), 2)


def chain(links: int, body: str) -> str:
    """Trees of which each holds the next one; a line for each."""
    trees = [
        f'<BehaviorTree ID="{n}">{body.format(next=n + 1)}</BehaviorTree>' for n in range(links)
    ]
    last = f'<BehaviorTree ID="{links}"><Running/></BehaviorTree>'
    return "\n".join(['<root BTCPP_format="4">', *trees, last, "</root>"])


TWICE = '<Sequence><SubTree ID="{next}"/><SubTree ID="{next}"/></Sequence>'


def test_trees_that_grow_without_end():
    """Subtrees that use each other twice, thirty times, stop at the limit: file, line and chain."""
    with pytest.raises(bt.XmlError, match="more than 100000 nodes, those of a SubTree") as caught:
        read_xml(chain(30, TWICE), tree="0")
    assert caught.value.file == "<text>"
    assert 2 <= caught.value.line <= 32
    assert "here in 0 > 1 > 2 > " in caught.value.reason
    assert len(list(read_xml(chain(10, TWICE), tree="0").walk())) == 4 * 2**10 - 3


def test_a_chain_of_trees():
    """Levels count across trees: one more is refused by name, not by Python's recursion limit."""
    inside = '<SubTree ID="{next}"/>'
    assert len(list(read_xml(chain(199, inside), tree="0").walk())) == 200
    with pytest.raises(bt.XmlError, match="more than 200 levels deep, those of Sub") as caught:
        read_xml(chain(200, inside), tree="0")
    assert caught.value.line == 202


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ({"Go": len}, TypeError, "Go must be a class of nodes, from @action for example"),
        ({"Go": partial(bt.Action)}, TypeError, r"Go lacks its function: partial\(Action, funct"),
        ({"two words": Say}, ValueError, "'two words' cannot be a tag"),
        ([partial(drive, 1.0)], ValueError, "cannot be a tag: register it in a mapping"),
    ],
)
def test_wrong_nodes(nodes, error, message):
    """What cannot be registered is named."""
    with pytest.raises(error, match=message):
        read_xml(tree("<Running/>"), nodes)


class Forgetful(bt.Behaviour):
    def __init__(self, colour: str):
        super().__init__()

    def update(self):
        return Status.SUCCESS


def yes() -> bool:
    return True


def room(**given) -> bt.SubTree:
    return bt.SubTree(bt.Success(), "room", tree_id="T", **given)


NO_ENTRY = "room: XML has no SubTree with an entry called"
NOT_WRITTEN = [
    (room(values={"name": "x"}), f"{NO_ENTRY} 'name': rename it"),
    (room(values={"ID": "x"}), f"{NO_ENTRY} 'ID'"),
    (room(remap={"name": "x"}), f"{NO_ENTRY} 'name'"),
    (room(values={"_p": 1}), f"{NO_ENTRY} '_p'"),
    (room(values={"a b": 1}), f"{NO_ENTRY} 'a b'"),
    (room(values={"1x": 1}), f"{NO_ENTRY} '1x'"),
    (room(remap={'x="" y': "a"}), f"{NO_ENTRY} 'x=\"\" y'"),
    (room(values={"\ud800": 1}), NO_ENTRY),
    (room(remap={"x": "="}), "room: cannot write x: an entry called = would be read as another"),
    (bt.SetEntry("x", bt.key("=")), "SetEntry: cannot write value: an entry called ="),
    (bt.Action(len, name="go"), r"go: Action lacks its function: partial\(Action, function\)"),
    (bt.Guard(bt.Success(), condition=yes), "Guard: cannot write condition: a function has no"),
    (drive(object()), "drive: cannot write speed: a object has no text here: add it to format"),
    (drive(True), "drive: cannot write speed: the text of True would be read as something else"),
    (Say(text="{a}"), "Say: cannot write text: the text of '{a}' would be read as something else"),
    (bt.SetEntry("x", "42"), "SetEntry: cannot write value: the text of '42' would be read as"),
    (bt.SetEntry("x", None), "SetEntry: cannot write value: a NoneType has no text here"),
    (Forgetful("red"), "Forgetful: the arguments of Forgetful cannot be read back"),
    (bt.Success("a\0b"), "has a character that XML cannot hold"),
    (bt.Switch({"a": bt.Success()}, on=yes), "Switch: XML has a Switch with 2 to 6 cases, on a"),
    (bt.Switch({"a": bt.Success()}, on=bt.key("v")), "Switch: XML has a Switch with 2 to 6 cases"),
    (
        bt.Sequence([bt.SubTree(node(), tree_id="Door") for node in (bt.Success, bt.Failure)]),
        r"Sequence/Door\[1\]/Failure: the tree Door is written already and differs",
    ),
]


@pytest.mark.parametrize(("root", "message"), NOT_WRITTEN, ids=[m[:30] for _, m in NOT_WRITTEN])
def test_what_cannot_be_written(root, message):
    """The node and the argument are named."""
    with pytest.raises(bt.XmlError, match=message):
        write_xml(root)


def test_classes_of_one_name():
    """They need tags of their own."""
    other = type("Say", (Say,), {})
    root = bt.Sequence([Say(text="a"), other(text="b")])
    with pytest.raises(bt.XmlError, match="two classes are called Say: use nodes="):
        write_xml(root)
    assert "<Louder" in write_xml(root, {"Say": Say, "Louder": other})
