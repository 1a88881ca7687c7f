# SPDX-License-Identifier: Apache-2.0
"""Entries of the blackboard are converted for the typed port or argument that reads them.

The expected values are those of BehaviorTree.CPP 4.10, whose ports convert texts by
`convertFromString` and numbers by `Any::cast` when they are read.
"""

from __future__ import annotations

import enum
from functools import partial
from typing import NamedTuple, Union

import pytest

import deepsim_btree as bt
from deepsim_btree import Key, Status, key
from deepsim_btree.tag import Attribute, Milliseconds, Tag
from deepsim_btree.xml import XmlError, read_xml, write_nodes_model, write_xml


class Cell(NamedTuple):
    row: int
    column: int


class Lid(enum.Enum):
    SHUT = 0
    OPEN = 1


def cell(text):
    row, column = text.split("/")
    return Cell(int(row), int(column))


def document(body):
    return f'<root BTCPP_format="4"><BehaviorTree>{body}</BehaviorTree></root>'


def reader(type_):
    """Returns a class of leaves that append what their port of a type reads to ``seen``."""

    class Read(bt.PortLeaf):
        value = bt.Input(type_)
        seen = bt.InOut(list)

        def update(self):
            self.seen = [*self.seen, self.value]
            return Status.SUCCESS

    return Read


def seen_by(type_, before, value="{v}"):
    """Returns what a leaf with a port of a type reads after the nodes in the text `before`."""
    text = f"""<root BTCPP_format="4" main_tree_to_execute="Main">
      <BehaviorTree ID="Main"><Sequence>{before}</Sequence></BehaviorTree>
      <BehaviorTree ID="Inner"><Read value="{value}" seen="{{@seen}}"/></BehaviorTree>
    </root>"""
    root = read_xml(text, [reader(type_)], parsers={Cell: cell})
    tree = bt.Tree(root, blackboard={"seen": []})
    tree.tick()
    (value,) = tree.blackboard["seen"]
    return value


SUBTREE = '<SubTree ID="Inner" v="{}"/>'
ENTRY = '<SetBlackboard value="{}" output_key="v"/><SubTree ID="Inner" v="{{v}}"/>'
SCRIPT = '<Script code="v := \'{}\'"/><SubTree ID="Inner" v="{{v}}"/>'


@pytest.mark.parametrize("way", [SUBTREE, ENTRY, SCRIPT])
@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (Cell, "4/-2", Cell(4, -2)),
        (int, "12", 12),
        (float, "-.5", -0.5),
        (float, "3", 3.0),
        (bool, "true", True),
        (bool, "0", False),
        (str, "1.10", "1.10"),
        (str, "007", "007"),
        (str, "8", "8"),
        (str, "true", "true"),
        (Lid, "OPEN", Lid.OPEN),
    ],
)
def test_a_text_becomes_what_the_port_takes(way, type_, text, value):
    """Whoever wrote it: an attribute of a SubTree, SetBlackboard or a script."""
    found = seen_by(type_, way.format(text))
    assert found == value
    assert type(found) is type(value) or type_ is float


@pytest.mark.parametrize(
    ("type_", "number", "value"),
    [(int, "12 / 4", 3), (bool, "true", True), (bool, "0", False), (Lid, "1", Lid.OPEN)],
)
def test_a_number_of_a_script_becomes_what_the_port_takes(type_, number, value):
    """Scripts know numbers and texts only; true is 1 there."""
    found = seen_by(type_, f'<Script code="v := {number}"/><SubTree ID="Inner" v="{{v}}"/>')
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("type_", "text", "reason"),
    [
        (Cell, "4", "not enough values"),
        (int, "1.5", "invalid literal"),
        (Lid, "AJAR", "must be one of SHUT, OPEN"),
        (bool, "2", "must be true or false"),
    ],
)
def test_a_text_that_does_not_fit_names_node_and_entry(type_, text, reason):
    """The error says which entry holds which text."""
    message = rf"node Sequence/Inner/Read: ValueError: {{v}} holds the text '{text}': .*{reason}"
    with pytest.raises(bt.TickError, match=message):
        seen_by(type_, SCRIPT.format(text))


class Word(str):
    """A class of texts."""


class Side(str, enum.Enum):
    LEFT = "l"


@pytest.mark.parametrize("value", [Word("x"), Side.LEFT, Lid.OPEN, True])
def test_a_value_of_the_type_stays_what_it_is(value):
    """Also one whose class is a class of texts."""
    root = read_xml(document('<Read value="{v}" seen="{seen}"/>'), [reader(type(value))])
    tree = bt.Tree(root, blackboard={"v": value, "seen": []})
    tree.tick()
    assert tree.blackboard["seen"][0] is value


def test_numbers_are_not_rounded():
    """A whole number is read as an int, others are refused, as a port of Python refuses both."""
    with pytest.raises(bt.TickError, match=r"port value of .* takes int, got 2.5"):
        seen_by(int, '<Script code="v := 2.5"/><SubTree ID="Inner" v="{v}"/>')
    leaf = reader(int)(value=key("v"), seen=key("seen"))
    tree = bt.Tree(leaf, blackboard={"v": "3", "seen": []})
    with pytest.raises(bt.TickError, match="takes int, got '3'"):
        tree.tick()


def test_every_reader_of_a_text_gets_its_own_type():
    """The entry itself stays as it was written."""
    got = []

    @bt.action
    def take(number: int, text: str, cell: Cell, anything):
        got.append((number, text, cell, anything))
        return Status.SUCCESS

    body = """<Sequence>
        <SetBlackboard value="5/6" output_key="c"/> <SetBlackboard value="05" output_key="n"/>
        <Take number="{n}" text="{n}" cell="{c}" anything="{n}"/>
        <RetryUntilSuccessful num_attempts="{n}"><Sleep msec="{n}"/></RetryUntilSuccessful>
      </Sequence>"""
    root = read_xml(document(body), {"Take": take}, parsers={Cell: cell})
    now = [0.0]
    tree = bt.Tree(root, clock=lambda: now[0])
    assert tree.tick() is Status.RUNNING
    now[0] = 0.005
    assert tree.tick() is Status.SUCCESS
    assert got == [(5, "05", Cell(5, 6), "05")]
    assert tree.blackboard["n"] == "05"
    assert write_xml(root, {"Take": take}).count('="{n}"') == 5


def test_control_nodes_of_a_user_are_converted_for_too():
    """An argument that is annotated with a type and Key reads values of that type."""
    got = []

    class At(bt.Decorator):
        def __init__(self, child, name=None, *, place: Union[Cell, Key]):  # noqa: UP007 - evaluated on Python 3.8
            super().__init__(child, name)
            self.place = place

        def update(self):
            got.append(self.place.read(self))
            return self.tick_child(self.child)

    body = """<Sequence><Script code="p := '1/2'"/><At place="{p}"><AlwaysSuccess/></At>
      </Sequence>"""
    assert bt.Tree(read_xml(document(body), [At], parsers={Cell: cell})).tick() is Status.SUCCESS
    assert got == [Cell(1, 2)]


class Stamp(bt.PortLeaf):
    cell = bt.Input(Cell)

    def update(self):
        self.feedback_message = f"{self.cell.row}"
        return Status.SUCCESS


def test_a_tree_that_converts_can_be_copied_and_pickled(twin_of):
    """With parsers that pickle finds; the copy converts as well."""
    root = read_xml(document('<Stamp cell="{c}"/>'), [Stamp], parsers={Cell: cell})
    twin = twin_of(bt.Tree(root, blackboard={"c": "7/8"}))
    assert twin.tick() is Status.SUCCESS
    assert twin.root.feedback_message == "7"


@pytest.mark.parametrize(
    ("tag", "text", "elements"),
    [
        ("LoopInt", "4;5", [4, 5]),
        ("LoopDouble", "1;2.5", [1.0, 2.5]),
        ("LoopBool", "true;false", [True, False]),
        ("LoopString", "in;out", ["in", "out"]),
        ("LoopInt", "", []),
    ],
)
@pytest.mark.parametrize("way", [SUBTREE, ENTRY, SCRIPT])
def test_a_queue_that_is_a_text_is_split_and_converted(way, tag, text, elements):
    """At each run anew, since the text stays on the blackboard."""
    got = []

    @bt.action
    def visit(value):
        got.append(value)
        return Status.SUCCESS

    before = way.format(text)
    document = f"""<root BTCPP_format="4" main_tree_to_execute="Main">
      <BehaviorTree ID="Main"><Sequence>{before}</Sequence></BehaviorTree>
      <BehaviorTree ID="Inner"><{tag} queue="{{v}}" value="{{e}}"><Visit value="{{e}}"/></{tag}>
      </BehaviorTree></root>"""
    root = read_xml(document, {"Visit": visit})
    tree = bt.Tree(root)
    for run in (1, 2):
        answers = [tree.tick() for _ in range(len(elements) + 1)]
        assert answers == [Status.RUNNING] * len(elements) + [Status.SUCCESS]
        assert got == run * elements
        assert [type(one) for one in got] == [type(one) for one in run * elements]
    assert f'<{tag} queue="{{v}}"' in write_xml(root, {"Visit": visit})


def test_a_text_is_no_queue_elsewhere():
    """Its characters would pass for elements."""
    with pytest.raises(TypeError, match="queue must be the elements, got the text '1;2'"):
        bt.Loop(bt.Success(), queue="1;2")
    tree = bt.Tree(bt.Loop(bt.Success(), queue=key("q")), blackboard={"q": "1;2"})
    with pytest.raises(bt.TickError, match="queue must be the elements, got the text '1;2'"):
        tree.tick()


ASSIGN = """<root BTCPP_format="4" main_tree_to_execute="Main">
  <BehaviorTree ID="Main"><Sequence><Script code="{}"/>{}</Sequence></BehaviorTree>
  <BehaviorTree ID="Inner"><Read value="{{v}}" seen="{{@seen}}"/></BehaviorTree></root>"""


@pytest.mark.parametrize(
    "later",
    [
        '<Read value="{x}" seen="{seen}"/>',
        '<SubTree ID="Inner" v="{x}"/>',
        '<Repeat num_cycles="{x}"><Read value="{x}" seen="{seen}"/></Repeat>',
    ],
)
def test_an_entry_that_a_port_names_can_be_assigned(later):
    """BehaviorTree.CPP makes such entries when it reads the file, so that `=` finds them."""
    root = read_xml(ASSIGN.format("x = '1'", later), [reader(int)])
    tree = bt.Tree(root, blackboard={"seen": []})
    assert tree.tick() is Status.SUCCESS
    assert tree.blackboard["seen"] == [1]


@pytest.mark.parametrize(
    ("code", "later"),
    [
        ("x = 1", '<Read value="{y}" seen="{seen}"/>'),
        ("x = 1", '<SubTree ID="Inner" x="{x}"/>'),
        ("x += 1", '<Read value="{x}" seen="{seen}"/>'),
        ("x = y", '<Read value="{y}" seen="{seen}"/>'),
    ],
)
def test_an_entry_that_no_port_names_cannot_be_assigned(code, later):
    """An entry of that name in an inner tree is another one, and += needs a value."""
    tree = bt.Tree(read_xml(ASSIGN.format(code, later), [reader(int)]), blackboard={"seen": []})
    with pytest.raises(bt.TickError, match=r"nothing named '[xy]'"):
        tree.tick()


class Guarded(bt.Decorator):
    """Keeps its arguments as a node must whose base has attributes of these names."""

    def __init__(self, child, name=None, *, path: Union[str, Key], status: str = "new"):  # noqa: UP007 - evaluated on Python 3.8
        super().__init__(child, name)
        self._path, self._status = path, status

    def update(self):
        self.blackboard["seen"] = (self._path.read(self), self._status)
        return self.tick_child(self.child)


class Follow(bt.PortLeaf):
    path = bt.Input(str)
    name = bt.Input(str, default="none")
    status = bt.Output(str)

    def update(self):
        self.ports.status = f"{self.ports.name} on {self.ports.path}"
        return Status.SUCCESS


@bt.action
def hail(name: str, parent: str):
    return Status.SUCCESS if (name, parent) == ("Ann", "Bob") else Status.FAILURE


def test_attributes_may_be_called_like_attributes_of_all_nodes():
    """Above all `path`, which most nodes of Nav2 have."""
    body = """<Sequence><Script code="p := 'road'"/>
      <Guarded path="{p}" status="old"><Follow path="{p}" name="car" status="{s}"/></Guarded>
      <Hail name="Ann" parent="Bob"/></Sequence>"""
    nodes = {"Guarded": Guarded, "Follow": Follow, "Hail": hail}
    root = read_xml(document(body), nodes)
    again = write_xml(root, nodes)
    assert 'path="{p}" status="old">' in again
    assert '<Follow path="{p}" name="car" status="{s}"/>' in again
    assert '<Hail name="Ann" parent="Bob"/>' in again
    for each in (root, read_xml(again, nodes)):
        tree = bt.Tree(each)
        assert tree.tick() is Status.SUCCESS
        assert dict(tree.blackboard) == {"p": "road", "seen": ("road", "old"), "s": "car on road"}
        assert [node.name for node in each.walk()][2:4] == ["Guarded", "Follow"]


class OwnPath(bt.Decorator):
    def __init__(self, child, name=None, *, path: str):
        super().__init__(child, name)
        self.path = path


class OwnStatus(bt.Decorator):
    def __init__(self, child, name=None, *, status: str):
        super().__init__(child, name)
        self.status = status


@pytest.mark.parametrize(
    ("node", "argument", "reason"),
    [
        (OwnPath, "path", "keep path in an attribute called _path"),
        (OwnStatus, "status", "its constructor must not write status: call that attribute _status"),
    ],
)
def test_a_constructor_that_overwrites_the_node_is_named_with_its_line(node, argument, reason):
    """Python's own error has neither the file nor the line, and for a status there is none."""
    body = f'\n<{node.__name__} {argument}="a"><AlwaysSuccess/></{node.__name__}>'
    with pytest.raises(XmlError, match=f"<text>:2: {node.__name__}: .*{reason}"):
        read_xml(document(body), [node])


def test_a_function_of_an_action_takes_no_name_from_a_file():
    """`Action` has a name itself; for a class made by @action it is free."""

    def greet(name: str):
        return Status.SUCCESS

    with pytest.raises(TypeError, match="Action takes a name for itself: use @action"):
        read_xml("<root/>", {"Greet": partial(bt.Action, greet)})


class Linger(bt.Behaviour):
    """Has two tags, one with a fixed argument, and an attribute of another name and type."""

    xml_tags = (
        Tag("LingerOnce", fixed={"times": 1}, seconds=Attribute("msec", Milliseconds)),
        Tag("LingerOften", seconds=Attribute("msec", Milliseconds)),
    )

    def __init__(self, seconds, times: int = 2, name=None):
        super().__init__(name)
        self.seconds, self.times = seconds, times

    def update(self):
        return Status.SUCCESS


def test_a_class_may_say_its_tags_itself():
    """As those of the library do; then it needs no names in `nodes`."""
    body = '<Sequence><LingerOnce msec="1500"/><LingerOften msec="20" times="3"/></Sequence>'
    root = read_xml(document(body), [Linger])
    assert [(node.seconds, node.times) for node in root.children] == [(1.5, 1), (0.02, 3)]
    fixed = {"LingerOften": partial(Linger, seconds=4.0)}
    node = read_xml(document("<LingerOften/>"), fixed)
    assert (node.seconds, node.times) == (4.0, 2)
    written = write_xml(root)
    assert '<LingerOnce msec="1500"/>' in written
    assert '<LingerOften msec="20" times="3"/>' in written
    assert '<input_port name="msec" type="unsigned"/>' in written
    assert write_xml(read_xml(written, [Linger])) == written
    assert '<input_port name="queue" type="std::string"/>' in write_nodes_model([bt.Loop])


def test_values_of_other_types_are_written_as_their_formatter_says():
    """What was written is read as the same tree; without the formatter it is refused."""
    written = write_xml(
        Stamp(cell=Cell(3, 4)), [Stamp], formatters={Cell: lambda each: f"{each.row}/{each.column}"}
    )
    assert 'cell="3/4"' in written
    root = read_xml(written, [Stamp], parsers={Cell: cell})
    bt.Tree(root).tick()
    assert root.feedback_message == "3"
    with pytest.raises(XmlError, match="formatters"):
        write_xml(Stamp(cell=Cell(3, 4)), [Stamp])
