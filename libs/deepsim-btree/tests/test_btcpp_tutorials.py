# SPDX-License-Identifier: Apache-2.0
"""The subjects of BehaviorTree.CPP's tutorials 1 to 15, with typed leaves.

The documents are of a greenhouse. The expected answers are those that BehaviorTree.CPP 4.10 gives
with leaves of the same types.
"""

from __future__ import annotations

import enum
from functools import partial
from typing import NamedTuple

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, key
from deepsim_btree.xml import read_xml, write_nodes_model, write_xml


class Plot(NamedTuple):
    row: int
    bed: int


def plot(text):
    """Returns the plot that a text such as ``4|2`` names."""
    row, bed = text.split("|")
    return Plot(int(row), int(bed))


def document(main, **trees):
    """Returns a file with a tree called Main and others."""
    trees = {"Main": main, **trees}
    body = "".join(f'<BehaviorTree ID="{i}">{text}</BehaviorTree>' for i, text in trees.items())
    return f'<root BTCPP_format="4" main_tree_to_execute="Main">{body}</root>'


class House:
    """The leaves of a greenhouse, which write down what they do."""

    def __init__(self, moist=(), steps=0):
        self.log = []
        self.moist = iter(moist)
        house = self

        class Note(bt.PortLeaf):
            text = bt.Input(str)

            def update(self):
                house.log.append(self.text)
                return Status.SUCCESS

        class Measure(bt.PortLeaf):
            plot = bt.Output(Plot)

            def update(self):
                self.plot = Plot(4, 2)
                return Status.SUCCESS

        class Water(bt.PortLeaf):
            plot = bt.Input(Plot)
            litres = bt.Input(float, default=1.0)

            def initialize(self):
                self.left = steps
                house.log.append((self.plot, self.litres))

            def update(self):
                self.left -= 1
                return Status.RUNNING if self.left >= 0 else Status.SUCCESS

            def terminate(self, new_status):
                if new_status is Status.INVALID:
                    house.log.append("halted")

        class Count(bt.PortLeaf):
            numbers = bt.InOut(list, default=[])
            item = bt.Input(int)

            def update(self):
                self.numbers = [*self.numbers, self.item]
                return Status.SUCCESS

        @bt.condition
        def is_moist():
            return next(house.moist)

        leaves = [Note, Measure, Water, Count]
        self.nodes = {**{leaf.__name__: leaf for leaf in leaves}, "IsMoist": is_moist}

    def tree(self, text, **options):
        """Returns the tree of a text with these leaves."""
        return bt.Tree(read_xml(text, self.nodes, parsers={Plot: plot}, **options))

    def run(self, text, **options):
        """Returns the tree of a text after a run that has succeeded."""
        tree = self.tree(text, **options)
        assert run(tree) is Status.SUCCESS
        return tree


def run(tree, ticks=50):
    """Ticks a tree to the end of its run and returns the status."""
    for _ in range(ticks):
        status = tree.tick()
        if status is not Status.RUNNING:
            return status
    raise AssertionError("the tree still runs")


def test_t01_a_first_tree():
    """A Sequence runs its leaves in turn, conditions among them."""
    text = document('<Sequence><IsMoist/><Note name="a" text="one"/><Note text="two"/></Sequence>')
    house = House(moist=[True])
    house.run(text)
    assert house.log == ["one", "two"]
    assert run(House(moist=[False]).tree(text)) is Status.FAILURE


def test_t02_ports():
    """A leaf reads a text of the file, or an entry that another one wrote."""

    @bt.action
    def say(text: str):
        house.log.append(f"say {text}")
        return Status.SUCCESS

    class Think(bt.PortLeaf):
        answer = bt.Output(str)

        def update(self):
            self.answer = "9 degrees"
            return Status.SUCCESS

    house = House()
    house.nodes.update(Say=say, Think=Think)
    body = """<Sequence><Note text="good morning"/><Say text="all well"/>
      <Think answer="{degrees}"/><Note text="{degrees}"/><Say text="{degrees}"/></Sequence>"""
    house.run(document(body))
    assert house.log == ["good morning", "say all well", "9 degrees", "say 9 degrees"]


def test_t03_types_of_ports():
    """A value of a class passes as it is, a text of a script is converted."""
    house = House()
    body = """<Sequence><Measure plot="{dry}"/><Water plot="{dry}" litres="2"/>
      <Script code="other = '7|-1'"/><Water plot="{other}"/></Sequence>"""
    house.run(document(body))
    assert house.log == [(Plot(4, 2), 2.0), (Plot(7, -1), 1.0)]


@pytest.mark.parametrize(("kind", "asked"), [("Sequence", 1), ("ReactiveSequence", 4)])
def test_t04_reactive_sequence(kind, asked):
    """It asks its first child at each tick; a Sequence asks once."""
    house = House(moist=[True] * 4, steps=3)
    body = (
        '<IsMoist/><Sequence><Note text="start"/><Water plot="0|0"/><Note text="end"/></Sequence>'
    )
    tree = house.tree(document(f"<{kind}>{body}</{kind}>"))
    assert [tree.tick() for _ in range(4)] == [Status.RUNNING] * 3 + [Status.SUCCESS]
    assert house.log == ["start", (Plot(0, 0), 1.0), "end"]
    assert len(list(house.moist)) == 4 - asked


def test_t04_a_reactive_sequence_halts():
    """When its condition fails, a child that runs is halted."""
    house = House(moist=[True, False], steps=3)
    text = '<ReactiveSequence><IsMoist/><Water plot="0|0"/></ReactiveSequence>'
    tree = house.tree(document(text))
    assert [tree.tick(), tree.tick()] == [Status.RUNNING, Status.FAILURE]
    assert house.log == [(Plot(0, 0), 1.0), "halted"]


@pytest.mark.parametrize(
    ("shut", "locked", "turns", "log"),
    [
        (False, True, 9, ["through"]),
        (True, False, 9, ["open", "through"]),
        (True, True, 3, ["open", "pick", "pick", "pick", "through"]),
        (True, True, 9, ["open", *["pick"] * 5, "smash", "through"]),
    ],
)
def test_t05_a_door(shut, locked, turns, log):
    """Fallback, Inverter, Retry and a tree of its own."""
    found = []
    picks = iter(range(1, 99))

    @bt.action
    def open_door():
        found.append("open")
        return Status.FAILURE if locked else Status.SUCCESS

    @bt.action
    def pick_lock():
        found.append("pick")
        return Status.SUCCESS if next(picks) >= turns else Status.FAILURE

    @bt.action
    def do(what: str):
        found.append(what)
        return Status.SUCCESS

    nodes = {"Shut": bt.condition(lambda: shut), "Open": open_door, "Pick": pick_lock, "Do": do}
    text = document(
        """<Sequence><Fallback><Inverter><Shut/></Inverter><SubTree ID="Door"/>
             </Fallback><Do what="through"/></Sequence>""",
        Door="""<Fallback><Open/><RetryUntilSuccessful num_attempts="5"><Pick/>
             </RetryUntilSuccessful><Do what="smash"/></Fallback>""",
    )
    assert run(bt.Tree(read_xml(text, nodes))) is Status.SUCCESS
    assert found == log


def test_t06_remapped_ports_of_a_tree():
    """Entries cross the border of a tree by their remaps only, texts among them."""
    house = House(steps=2)
    text = document(
        """<Sequence><Script code=" goal='5|6' "/>
          <SubTree ID="Go" where="{goal}" result="{outcome}"/><Note text="{outcome}"/>
          </Sequence>""",
        Go="""<Fallback><Sequence><Water plot="{where}"/>
          <Script code=" result:='watered'; inside:=1 "/></Sequence>
          <ForceFailure><Script code=" result:='dry' "/></ForceFailure></Fallback>""",
    )
    tree = house.run(text)
    assert house.log == [(Plot(5, 6), 1.0), "watered"]
    assert set(tree.blackboard) == {"goal", "outcome"}


def test_t07_several_files():
    """Texts are read together, and any tree can be the main one."""
    house = House()
    trees = {
        "A": '<Note text="A"/>',
        "B": '<Note text="B"/>',
        "Both": '<Sequence><Note text="both"/><SubTree ID="A"/><SubTree ID="B"/></Sequence>',
    }
    texts = [f'<root><BehaviorTree ID="{i}">{trees[i]}</BehaviorTree></root>' for i in trees]
    house.run(texts, tree="Both")
    house.run(texts, tree="A")
    assert house.log == ["both", "A", "B", "A"]


def test_t08_arguments_that_have_no_text():
    """Objects are given by a partial, or set in a node after reading."""

    class Lamp(bt.Behaviour):
        def __init__(self, watts: int, room: str, lamps: list):
            super().__init__()
            self.state = [watts, room]
            self.lamps = lamps

        def update(self):
            self.lamps.append(self.state)
            return Status.SUCCESS

    lamps = []
    text = document('<Sequence><A/><Lamp watts="7"/></Sequence>')
    nodes = {"A": partial(Lamp, 60, "hall", lamps), "Lamp": partial(Lamp, room="?", lamps=lamps)}
    root = read_xml(text, nodes)
    root.children[1].state[1] = "attic"
    assert run(bt.Tree(root)) is Status.SUCCESS
    assert lamps == [[60, "hall"], [7, "attic"]]


class Colour(enum.IntEnum):
    GREEN = 1
    RIPE = 2


@pytest.mark.parametrize(
    ("heat", "log"), [("2.5", ["2.5", "tomato", Colour.RIPE]), ("-30", ["late"])]
)
def test_t09_scripts(heat, log):
    """Numbers, texts and names of numbers; a Precondition asks at the start."""

    @bt.action
    def show(colour: Colour):
        house.log.append(colour)
        return Status.SUCCESS

    house = House()
    house.nodes["Show"] = show
    text = document(
        f"""<Fallback><Sequence><Script code="what:='tomato'; heat:={heat}; colour:=RIPE"/>
          <Precondition if="heat > -LIMIT && colour != GREEN" else="FAILURE"><Sequence>
            <Note text="{{heat}}"/><Note text="{{what}}"/><Show colour="{{colour}}"/>
          </Sequence></Precondition></Sequence><Note text="late"/></Fallback>"""
    )
    house.run(text, enums={"LIMIT": 25, "GREEN": 1, "RIPE": 2})
    assert house.log == log


def test_t10_an_observer():
    """Each node keeps its answer and the tick, and has a path of its own at each use of a tree."""
    text = document(
        """<Sequence><Fallback><AlwaysFailure name="bad"/><SubTree ID="A" name="upper"/></Fallback>
          <AlwaysSuccess name="last"/></Sequence>""",
        A='<Sequence><SubTree ID="B" name="lower"/><SubTree ID="B"/></Sequence>',
        B='<AlwaysSuccess name="b"/>',
    )
    tree = House().run(text)
    assert {node.last_tick for node in tree.root.walk()} == {1}
    assert [f"{node.status.name[0]} {node.path}" for node in tree.root.walk()] == [
        "S Sequence",
        "S Sequence/Selector",
        "F Sequence/Selector/bad",
        "S Sequence/Selector/upper",
        "S Sequence/Selector/upper/Sequence",
        "S Sequence/Selector/upper/Sequence/lower",
        "S Sequence/Selector/upper/Sequence/lower/b",
        "S Sequence/Selector/upper/Sequence/B",
        "S Sequence/Selector/upper/Sequence/B/b",
        "S Sequence/last",
    ]


def test_t11_models_for_an_editor():
    """Ports are written with their types and descriptions, and the tree can be read again."""
    nodes = House().nodes
    model = write_nodes_model(nodes)
    assert '<output_port name="plot" type="Plot"/>' in model
    assert '<input_port name="litres" type="double" default="1.0"/>' in model
    text = document('<Sequence><Measure plot="{p}"/><Water plot="{p}"/></Sequence>')
    root = read_xml(text, nodes, parsers={Plot: plot})
    written = write_xml(root, nodes)
    assert write_xml(read_xml(written, nodes, parsers={Plot: plot}), nodes) == written


def test_t12_defaults_of_ports():
    """A value, an entry of another name, and an entry of the same name."""

    class Defaults(bt.PortLeaf):
        given = bt.Input(Plot)
        value = bt.Input(Plot, default=Plot(1, 2))
        entry = bt.Input(Plot, default=key("where"))
        same = bt.Input(Plot, default=key("same"))

        def update(self):
            house.log += [self.given, self.value, self.entry, self.same]
            return Status.SUCCESS

    house = House()
    house.nodes["Defaults"] = Defaults
    body = """<Sequence><Script code="where:='3|4'"/><SetBlackboard value="7|8" output_key="same"/>
      <Defaults given="-1|-2"/></Sequence>"""
    tree = house.run(document(body))
    assert house.log == [Plot(-1, -2), Plot(1, 2), Plot(3, 4), Plot(7, 8)]
    again = write_xml(tree.root, house.nodes, formatters={Plot: lambda p: f"{p.row}|{p.bed}"})
    assert '<Defaults given="-1|-2"/>' in again


def test_t13_a_port_that_is_read_and_written():
    """Each leaf adds to the list in the entry."""
    items = "".join(f'<Count numbers="{{list}}" item="{item}"/>' for item in (3, 5, 7))
    tree = House().tree(document(f"<Sequence>{items}</Sequence>"))
    tree.blackboard["list"] = []
    assert run(tree) is Status.SUCCESS
    assert tree.blackboard["list"] == [3, 5, 7]


def test_t14_a_model_of_a_tree():
    """Its ports have defaults, which are remaps or values."""
    model = """<TreeNodesModel><SubTree ID="Sow"><input_port name="depth" default="12"/>
      <input_port name="plant"/><output_port name="done" default="{sown}"/>
      <output_port name="state"/></SubTree></TreeNodesModel>"""
    text = document(
        """<Sequence><Script code="what := 'leek' "/>
          <SubTree ID="Sow" plant="{what}" state="{state}"/>
          <ScriptCondition code=" sown==31 && state=='ACTIVE' "/></Sequence>""",
        Sow="""<Sequence><ScriptCondition code="depth==12 && plant=='leek'"/>
          <Script code="done:=31; state:='ACTIVE'"/></Sequence>""",
    ).replace("</root>", f"{model}</root>")
    tree = bt.Tree(read_xml(text))
    assert run(tree) is Status.SUCCESS
    assert dict(tree.blackboard) == {"what": "leek", "sown": 31, "state": "ACTIVE"}


def test_t15_nodes_replaced_for_a_test():
    """Any node of a tree can be replaced after reading, by its path, or by another class."""
    house = House()
    text = document(
        """<Sequence><Note name="talk" text="hello"/><SubTree ID="Sub" name="sub"/>
          <Script name="set" code="msg:= 'original' "/><Note text="{msg}"/>
          <Sequence name="counting"><Note text="1"/><Note text="2"/></Sequence></Sequence>""",
        Sub='<Sequence><AlwaysSuccess name="one"/><AlwaysSuccess name="two"/></Sequence>',
    )
    house.run(text)
    assert house.log == ["hello", "original", "1", "2"]

    @bt.action
    def log(text):
        house.log.append(text)
        return Status.SUCCESS

    house.log.clear()
    root = read_xml(text, {**house.nodes, "Note": log})
    for path in ("sub/Sequence/one", "sub/Sequence/two"):
        old = root.find(path)
        old.parent.replace_child(old, log(text=path))
    root.replace_child(root.find("set"), bt.SetEntry("msg", "substituted"))
    root.replace_child(root.find("counting"), bt.Success("counting"))
    assert run(bt.Tree(root)) is Status.SUCCESS
    assert house.log == ["hello", "sub/Sequence/one", "sub/Sequence/two", "substituted"]
