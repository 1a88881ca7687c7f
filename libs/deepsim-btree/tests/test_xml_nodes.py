# SPDX-License-Identifier: Apache-2.0
"""Each kind of node is read from its tag, and comes back from what is written."""

from __future__ import annotations

import pytest

import deepsim_btree as bt
from deepsim_btree import Status, key
from deepsim_btree.xml import read_xml, write_xml


@bt.condition
def ready(text: str) -> bool:
    return bool(text)


class Named(bt.Behaviour):
    """A leaf with a name of its own choice."""

    def __init__(self, name="anna", *, age: int = 3):
        super().__init__(name)
        self.age = age

    def update(self):
        return Status.SUCCESS


def leaf() -> bt.Behaviour:
    return bt.Running()


SWITCH = bt.Switch({"1": leaf(), "b": leaf()}, leaf(), on=key("v"))
# A tag with its attributes, and the Python of the same node; the children are all Running.
TAGS = [
    ("Sequence", bt.Sequence([leaf()])),
    ('Fallback name="x"', bt.Selector([leaf()], "x")),
    ("ReactiveSequence", bt.ReactiveSequence([leaf()])),
    ("ReactiveFallback", bt.ReactiveSelector([leaf()])),
    ('RandomSelector seed="4"', bt.RandomSelector([leaf()], seed=4)),
    ("Parallel", bt.Parallel([leaf()], eager=True)),
    (
        'Parallel success_count="2" failure_count="-2"',
        bt.Parallel([leaf(), leaf()], success=2, failure=-2, eager=True),
    ),
    ('Control ID="ParallelSelector" eager="1"', bt.ParallelSelector([leaf()], eager=True)),
    ("IfThenElse", bt.IfThenElse(leaf(), leaf())),
    ("WhileDoElse", bt.WhileDoElse(leaf(), leaf(), leaf())),
    ('Switch2 variable="{v}" case_1="1" case_2="b"', SWITCH),
    ("Inverter", bt.Inverter(leaf())),
    ("ForceSuccess", bt.Succeeder(leaf())),
    ("ForceFailure", bt.SuccessIsFailure(leaf())),
    ('Repeat num_cycles="3"', bt.Repeater(leaf(), repeat=3, on_failure="abort")),
    ('RetryUntilSuccessful num_attempts="-1"', bt.Retry(leaf(), attempts=-1)),
    ("KeepRunningUntilFailure", bt.UntilFail(leaf(), on_end=Status.FAILURE)),
    ('Timeout msec="1500"', bt.Timeout(leaf(), seconds=1.5)),
    ('Delay delay_msec="10"', bt.Delay(leaf(), seconds=0.01)),
    ('RunOnce then_skip="false"', bt.RunOnce(leaf())),
    ('Limit tick_limit="3" lifetime="true"', bt.Limit(leaf(), tick_limit=3, lifetime=True)),
    (
        'StatusCondition success_status="RUNNING" otherwise="INVALID"',
        bt.Condition(leaf(), success_status=Status.RUNNING, otherwise=Status.INVALID),
    ),
    ('Sleep msec="0"', bt.Wait(seconds=0.0)),
    ('SetBlackboard value="7" output_key="{x}"', bt.SetEntry("x", 7)),
    ('SetBlackboard value="{y}" output_key="x"', bt.SetEntry("x", key("y"))),
    ('UnsetBlackboard key="x"', bt.DeleteEntry("x")),
]
# More values of arguments, and nodes that need further trees or `nodes`.
OTHERS = [
    bt.Parallel([leaf(), leaf()], success=1, failure=2),
    bt.RandomSequence([leaf()], seed=3),
    bt.Condition(leaf(), success_status=Status.INVALID, otherwise=Status.SUCCESS),
    bt.UntilFail(leaf()),
    bt.UntilFail(leaf(), on_end=Status.RUNNING),
    bt.Repeater(leaf(), repeat=0),
    bt.Cooldown(leaf(), seconds=0.1),
    bt.Delay(leaf(), seconds=1e-7),
    bt.Switch({"a": leaf(), "2": leaf()}, leaf(), on=key("@mode")),
    bt.SetEntry("x", 1.5),
    bt.DeleteEntry("@x"),
    bt.SubTree(leaf(), "x", autoremap=True, tree_id="Door"),
    bt.SubTree(leaf(), remap={"a": "@b"}, values={"c": 1, "d": "text"}, tree_id="Door"),
    ready(text="a\nb\tc"),
    ready(text=key("x")),
    Named(),
    Named("bert", age=4),
    Named("Named"),
]


def looks(root):
    """Returns all that distinguishes nodes: classes, names and what was given to them."""
    hidden = {"_owner", "_children", "_scope", "_function"}

    def given(node):
        names = {n for cls in type(node).__mro__ for n in getattr(cls, "__slots__", ())}
        return {**{n: getattr(node, n) for n in names - hidden}, **getattr(node, "__dict__", {})}

    return [(node.path, type(node), given(node)) for node in root.walk()]


@pytest.mark.parametrize(("tag", "node"), TAGS, ids=[tag for tag, _ in TAGS])
def test_a_tag_makes_its_node(tag, node):
    """The class, the name and the arguments are those that the page says."""
    element = f"<{tag}>{'<Running/>' * len(node.children)}</{tag.split()[0]}>"
    root = read_xml(f'<root><BehaviorTree ID="Main">{element}</BehaviorTree></root>')
    assert looks(root) == looks(node)


@pytest.mark.parametrize("root", [*(node for _, node in TAGS), *OTHERS], ids=lambda root: root.name)
def test_nodes_come_back(root):
    """Classes, names and arguments are the same; writing again gives the same text."""
    xml = write_xml(root, [Named])
    again = read_xml(xml, [ready, Named], tree="Main")
    assert looks(again) == looks(root)
    assert write_xml(again, [Named]) == xml
