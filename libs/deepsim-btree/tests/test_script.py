# SPDX-License-Identifier: Apache-2.0
"""The language of scripts, the nodes that run them, and what becomes of SKIPPED."""

from __future__ import annotations

import contextlib
import copy
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.btcpp.script import Script
from deepsim_btree.btcpp.script_nodes import Conditions, Precondition, RunScript, ScriptCheck
from deepsim_btree.testing import Scripted, play

VALUES = [
    ("a := 1", 1),
    ("a := 1; a + 2", 3.0),
    ("a := 3; a += 2; a", 5),
    ("a := 1; a /= 4; a", 0.25),
    ("a := 's'; a += 't'; a", "st"),
    ("'x' .. 1", "x1"),
    ("'x' .. 1.5", "x1.500000"),
    ("1 || 0 && 0", 0.0),
    ("3 > 2 > 1", 1.0),
    ("3 > 2 > 2", 0.0),
    ("1 ? 2 : 3", 2),
    ("0 ? 2 : 3", 3),
    ("'1' == 1", 1.0),
    ("'true' == 1", 1.0),
    ("'b' < 'c'", 1.0),
    ("1.00000001 == 1", 1.0),
    ("0x1F", 31),
    ("1.5e-1", 0.15),
    ("~5", -6.0),
    ("7 ^ 2 | 8", 13.0),
    ("(1 + 2) & 3", 3.0),
    ("!0 && !!1", 1.0),
    ("--1", 1),
    ("-3 * -2 + 1", 7.0),
    ("1 / 0", math.inf),
    ("RED + 1", 3.0),
    ("a := (b := 3) + 1; a - b", 1.0),
    ("@top := 4; @top == 4", 1.0),
    ("true", 1),
    ("", 0),
    ("a := 1;\n a", 1),
]
ERRORS = [
    ("a", KeyError, "nothing named 'a'"),
    ("a = 1", KeyError, "create it by :=, not ="),
    ("'a' - 1", TypeError, "- takes numbers, got 'a'"),
    ("1 .. 2", TypeError, ".. joins texts"),
    ("1.5 & 1", TypeError, "& takes whole numbers"),
    ("'x' == 1", TypeError, "'x' is no number"),
    ("a := 'x'; a = 3", TypeError, "a holds the text 'x'"),
    ("a := 1; a = 'x'", TypeError, "'x' is no number"),
    ("!'a'", TypeError, "! takes numbers"),
]


@pytest.mark.parametrize(("code", "value"), VALUES)
def test_values(code, value):
    """As in BehaviorTree.CPP, where they were tried."""
    tree = bt.Tree(bt.Success())
    found = Script(code, {"RED": 2}).run(tree.root)
    assert found == pytest.approx(value) if isinstance(value, float) else found == value


@pytest.mark.parametrize(("code", "error", "message"), ERRORS)
def test_errors(code, error, message):
    """They say what is wrong with which value."""
    tree = bt.Tree(bt.Success())
    with pytest.raises(error) as caught:
        Script(code).run(tree.root)
    assert message in str(caught.value)


@pytest.mark.parametrize("code", ["1 +", "a b", "1 := 2", "a;", "$", "'a", "(1", "1 + 2 & 3", "1a"])
def test_what_is_no_script(code):
    """It is refused before anything runs."""
    with pytest.raises(ValueError, match="script"):
        Script(code)


@pytest.mark.parametrize("code", ["(" * 10_000, "-" * 10_000 + "1", "!" * 10_000 + "1"])
def test_scripts_cannot_exhaust_the_stack(code):
    """Files may come from strangers."""
    with pytest.raises(ValueError, match=r"script|parentheses"):
        Script(code)


def sums(children):
    return st.builds("({} {} {})".format, children, st.sampled_from("+-*"), children)


@given(st.recursive(st.integers(-9, 9).map(lambda n: f"({n})"), sums, max_leaves=12))
def test_arithmetic_is_that_of_python(code):
    """Where numbers are small, floating point makes no difference."""
    tree = bt.Tree(bt.Success())
    assert Script(code).run(tree.root) == eval(code)


@given(st.text(max_size=20))
def test_any_text_is_a_script_or_a_value_error(code):
    """Nothing else is raised for what strangers write."""
    with contextlib.suppress(ValueError):
        Script(code)


def test_leaves():
    """One runs a script, the other asks it; both can be copied and pickled."""
    root = bt.Sequence([RunScript("n := RED + 1", enums={"RED": 2}), ScriptCheck("n == 3")])
    for tree in (bt.Tree(root.copy()), pickle.loads(pickle.dumps(bt.Tree(root.copy())))):
        assert tree.tick() is Status.SUCCESS
        assert copy.deepcopy(tree).tick() is Status.SUCCESS
    with pytest.raises(bt.TickError, match="node RunScript: KeyError"):
        bt.Tree(RunScript("a = 1")).tick()


def conditioned(script, **scripts):
    child = Scripted(script)
    tree = bt.Tree(Conditions(child, scripts=scripts), blackboard={"n": 0})
    return tree, child.log


@pytest.mark.parametrize(("n", "answer"), [(1, "F"), (2, "S"), (0, "K"), (-1, "R")])
def test_conditions_are_asked_in_order_before_a_run(n, answer):
    """The first that holds is the answer, and the child is left alone."""
    tree, log = conditioned("R", failure_if="n == 1", success_if="n > 0", skip_if="n > -1")
    tree.blackboard["n"] = n
    play(tree, answer)
    assert bool(log) == (answer == "R")


def test_while_true_halts_the_child():
    """The node answers SKIPPED, and on_halted runs once."""
    tree, log = conditioned("R", while_true="n == 0", on_halted="h := n + 5", post="p := 1")
    play(tree, "R")
    tree.blackboard["n"] = 1
    play(tree, "K")
    assert log == ["start", "R", "end I"]
    assert tree.blackboard["h"] == 6
    assert "p" not in tree.blackboard


def test_scripts_after_a_run():
    """That of the answer, then post; and on_halted at a halt."""
    ends = {"on_success": "s := 1", "on_failure": "f := 1", "on_halted": "h := 1"}
    tree, _ = conditioned("SFR", post="n = n + 1", **ends)
    play(tree, "S")
    assert dict(tree.blackboard) == {"n": 1, "s": 1}
    play(tree, "F")
    assert dict(tree.blackboard) == {"n": 2, "s": 1, "f": 1}
    play(tree, "R")
    tree.halt()
    assert tree.blackboard["h"] == 1


def test_precondition_asks_once_per_run():
    """While the child is RUNNING it goes on."""
    child = Scripted("RS")
    root = Precondition(child, condition="n == 0", otherwise=Status.RUNNING)
    tree = bt.Tree(root, blackboard={"n": 0})
    play(tree, "R")
    tree.blackboard["n"] = 1
    play(tree, "SR")
    assert child.log == ["start", "R", "S", "end S"]


def test_a_script_with_another_name_is_refused():
    """The names are listed."""
    with pytest.raises(ValueError, match=r"scripts must be named failure_if, .*, got 'after'"):
        Conditions(bt.Success(), scripts={"after": "1"})


@pytest.mark.parametrize(
    ("make", "answer"),
    [
        (lambda *nodes: bt.Sequence(nodes), "SUCCESS"),
        (lambda *nodes: bt.Selector(nodes), "SUCCESS"),
        (lambda *nodes: bt.ReactiveSequence(nodes), "SUCCESS"),
        (lambda *nodes: bt.ReactiveSelector(nodes), "SUCCESS"),
        (lambda *nodes: bt.RandomSequence(nodes), "SUCCESS"),
        (lambda *nodes: bt.AsyncSequence(nodes), "SUCCESS"),
        (lambda *nodes: bt.SequenceWithMemory(nodes), "SUCCESS"),
        (lambda *nodes: bt.TryCatch([*nodes, bt.Failure()]), "SUCCESS"),
        (lambda *nodes: bt.ParallelAll(nodes), "SUCCESS"),
        (lambda *nodes: bt.Parallel(nodes, success=2, failure=2), "RUNNING"),
    ],
)
def test_composites_go_on_as_if_skipped_children_were_not_there(make, answer):
    """They are SKIPPED themselves if all their children are."""
    assert bt.Tree(make(Scripted("K"), bt.Success())).tick().name == answer
    assert bt.Tree(make(Scripted("K"), Scripted("K"))).tick() is Status.SKIPPED


def test_a_parallel_node_counts_skipped_children_as_if_they_had_succeeded():
    """If it wants all of them but so many."""
    assert bt.Tree(bt.Parallel([Scripted("K"), Scripted("K")])).tick() is Status.SUCCESS
    assert bt.Tree(bt.Parallel([Scripted("K"), bt.Running()])).tick() is Status.RUNNING


@pytest.mark.parametrize(
    "make",
    [
        bt.Inverter,
        bt.Succeeder,
        bt.SuccessIsFailure,
        bt.RunOnce,
        bt.SubTree,
        lambda child: bt.Repeater(child, repeat=2),
        lambda child: bt.Retry(child, attempts=2),
        lambda child: bt.Limit(child, tick_limit=2),
    ],
)
def test_decorators_pass_skipped_on(make):
    """A run that did not take place is neither good nor bad."""
    assert bt.Tree(make(Scripted("K"))).tick() is Status.SKIPPED


def test_numbers_of_control_nodes_come_from_the_blackboard():
    """They are read when they are needed."""
    repeater = bt.Repeater(bt.Success(), repeat=bt.key("n"))
    root = bt.Sequence([repeater, bt.Wait(seconds=bt.key("t"))])
    times = iter(range(100))
    tree = bt.Tree(root, clock=lambda: next(times), blackboard={"n": 2, "t": 2.0})
    assert [tree.tick().name for _ in range(4)] == ["RUNNING", "RUNNING", "RUNNING", "SUCCESS"]
    tree.blackboard["n"] = "two"
    with pytest.raises(bt.TickError, match="repeat must be an int, got 'two'"):
        tree.tick()
