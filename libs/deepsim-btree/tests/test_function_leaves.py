# SPDX-License-Identifier: Apache-2.0
"""Leaves made of functions."""

from __future__ import annotations

import gc
import sys
from functools import partial

import pytest

import deepsim_btree as bt
from deepsim_btree import Status


@bt.action
def drive(robot, speed=1.0):
    """Drive on."""
    robot.append(speed)
    return Status.RUNNING


@bt.condition
def has_moved(robot):
    return len(robot) > 0


def stop(robot):
    robot.clear()
    return Status.SUCCESS


def test_decorated_functions_are_node_classes():
    """Each call makes a node; its class, name and docstring are the function's."""
    robot = []
    tree = bt.Tree(bt.Sequence([drive(robot, speed=0.5)]))
    assert tree.tick() is Status.RUNNING
    assert robot == [0.5]
    node = tree.root.children[0]
    assert isinstance(node, bt.Action)
    assert (node.name, type(node).__doc__, type(node).__name__) == ("drive", "Drive on.", "drive")
    assert node.function([]) is Status.RUNNING
    assert isinstance(has_moved(robot), bt.Check)


LEAVES = [drive([]), has_moved([]), bt.Action(stop, [], name="halt"), bt.Check(bool, 1)]


@pytest.mark.parametrize("node", LEAVES)
def test_copies(node, twin_of):
    """Function leaves can be pickled and copied if their functions are importable."""
    twin = twin_of(node)
    assert (twin.name, type(twin), twin.args) == (node.name, type(node), node.args)
    assert twin.tick() is node.tick()


def echo(*args, **kwargs):
    return Status.SUCCESS if (args, kwargs) == EXPECTED.pop() else Status.FAILURE


EXPECTED = []
CALLS = [((), {}), ((None,), {}), ((1, 2), {}), ((1, {"a": 2}), {}), ((1, 2, 3), {})]
CALLS += [((), {"a": 1}), ((1,), {"a": {}, "b": 2})]


@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_arguments(args, kwargs, twin_of):
    """However many there are, and named or not, they are handed over and can be read back."""
    original = bt.Action(echo, *args, **kwargs)
    for node in (original, twin_of(original)):
        assert (node.args, node.kwargs) == (args, kwargs)
        EXPECTED.append((args, kwargs))
        assert node.tick() is Status.SUCCESS


@pytest.mark.parametrize("kwargs", [{}, {"speed": bt.key("speed")}])
def test_keys_in_copies(twin_of, kwargs):
    """A copy looks its entries up as the original does."""
    node = twin_of(drive(bt.key("robot"), **kwargs))
    assert (node.args, node.kwargs) == ((bt.key("robot"),), kwargs)
    board = {"robot": [], "speed": 3.0}
    bt.Tree(node, blackboard=board).tick()
    assert board["robot"] == [3.0 if kwargs else 1.0]


@pytest.mark.parametrize("make", [partial(bt.Action, drive.function), drive, has_moved])
def test_a_leaf_takes_few_bytes(make):
    """It is one object of ten slots, a tuple and an empty dict."""
    node = make([], 2.5)
    own = [node, *(one for one in gc.get_referents(node) if type(one) in (tuple, dict))]
    slots = 10 * 8 + 16  # the last for the gc
    assert sum(map(sys.getsizeof, own)) <= slots + sum(map(sys.getsizeof, (object(), (1, 2), {})))


@pytest.mark.parametrize(
    ("function", "name"),
    [(stop, "stop"), (partial(stop, []), "partial"), (lambda: Status.SUCCESS, "<lambda>")],
)
def test_names(function, name):
    """The name is that of the function where it has one, unless given."""
    assert bt.Action(function).name == name
    assert bt.Action(function, name="given").name == "given"


@pytest.mark.parametrize(("value", "answer"), [(True, "SUCCESS"), (False, "FAILURE")])
@pytest.mark.parametrize("convert", [bool, int, lambda v: [0] * v])
def test_check_answers_by_truth(convert, value, answer):
    """Any truth value will do."""
    assert bt.Check(lambda: convert(value)).tick().name == answer


@pytest.mark.parametrize("value", [None, Status.FAILURE, Status.INVALID])
@pytest.mark.parametrize("make", [bt.Check, lambda ask: bt.Guard(bt.Success(), condition=ask)])
def test_conditions_must_answer(make, value):
    """A forgotten return and a Status are mistakes, not answers."""
    tree = bt.Tree(make(lambda: value))
    with pytest.raises(bt.TickError, match="a condition must return True or False, got"):
        tree.tick()


def test_wrong_arguments_name_the_node():
    """They show at the first tick."""
    with pytest.raises(bt.TickError, match="node Sequence/drive: TypeError: drive"):
        bt.Tree(bt.Sequence([drive()])).tick()


def test_subclasses_of_action():
    """Hooks and an update of one's own are honoured."""
    calls = []

    class Logged(bt.Action):
        def initialize(self):
            calls.append("start")

    class Louder(bt.Action):
        def update(self):
            calls.append("update")
            return super().update()

    tree = bt.Tree(bt.Sequence([Logged(stop, []), Louder(stop, [])]))
    assert tree.tick() is Status.SUCCESS
    assert calls == ["start", "update"]
