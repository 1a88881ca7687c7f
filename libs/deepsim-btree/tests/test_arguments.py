# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments are refused when an object is made, by an error that names them."""

from __future__ import annotations

import math

import pytest

import deepsim_btree as bt
from deepsim_btree import key


class Drive(bt.PortLeaf):
    speed = bt.Input(float, default=1.0)
    news = bt.Output(str)


def leaf() -> bt.Behaviour:
    return bt.Success()


def pair() -> list[bt.Behaviour]:
    return [bt.Success(), bt.Failure()]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Tree("x"), "root must be a Behaviour, got 'x'"),
        (lambda: bt.Tree(leaf(), clock=3.0), "clock must be a function that returns seconds, got"),
        (lambda: bt.Tree(leaf(), seed=1.5), "seed must be an int, got 1.5"),
        (lambda: bt.Tree(leaf(), seed=None), "seed must be an int, got None"),
        (lambda: bt.Tree(leaf()).reset("9"), "seed must be an int, got '9'"),
        (lambda: bt.RandomSelector(seed="x"), "seed must be an int, got 'x'"),
        (lambda: bt.Limit(leaf(), tick_limit=1.5), "tick_limit must be an int, got 1.5"),
        (lambda: bt.Limit(leaf(), tick_limit=True), "tick_limit must be an int, got True"),
        (lambda: bt.Repeater(leaf(), repeat="3"), "repeat must be an int, got '3'"),
        (lambda: bt.Parallel([], success="all"), "success must be an int, got 'all'"),
        (lambda: bt.Parallel([], failure="all"), "failure must be an int, got 'all'"),
        (lambda: bt.UntilFail(leaf(), on_end="S"), "on_end must be a Status, got 'S'"),
        (lambda: bt.Condition(leaf(), success_status=2), "success_status must be a Status, got 2"),
        (lambda: bt.Condition(leaf(), otherwise=None), "otherwise must be a Status, got None"),
        (lambda: bt.WhenUpdated(leaf(), entry="a", otherwise="b"), "must be a Status, got 'b'"),
        (lambda: bt.WeightedSelector(pair(), weights=[1, "2"]), "weight must be a number, got '2'"),
        (lambda: bt.WeightedSelector(pair(), weights=[1, True]), "weight must be a number, got Tr"),
        (lambda: bt.UtilitySelector([leaf()], utilities=["1"]), "must be a function, a key or a"),
        (lambda: bt.Switch({"a": leaf()}, on="mode"), "on must be a function or a key such as"),
        (lambda: bt.Action("drive"), "function must be callable, got 'drive'"),
        (lambda: bt.Check("drive"), "function must be callable, got 'drive'"),
        (lambda: bt.Guard(leaf(), condition=True), "condition must be callable, got True"),
        (lambda: bt.InThread(3), "function must be callable, got 3"),
        (lambda: key(3), "name of a key must be a str, got 3"),
        (lambda: bt.WasUpdated(3), "name of a key must be a str, got 3"),
        (lambda: bt.SubTree(leaf(), remap={"x": 3}), "name of a key must be a str, got 3"),
        (lambda: bt.Input("float"), "type of a port must be a class, got 'float'"),
        (lambda: Drive(sped=1.0), "Drive has no port sped; its ports: speed, news"),
        (lambda: Drive(speed="fast"), "port speed of Drive takes float, got 'fast'"),
        (lambda: Drive(news="x"), r"port news of Drive is an output and needs a key, such as key"),
        (lambda: Drive(name=3), "name must be a str, got 3"),
        (lambda: bt.Success(3), "name must be a str, got 3"),
        (lambda: setattr(leaf(), "name", 3), "name must be a str, got 3"),
        (lambda: bt.Sequence(leaf(), leaf()), "name must be a str, .*: children go into one list"),
        (lambda: bt.Sequence(bt.Success("go")), r"an iterable of nodes: write \[go\]"),
    ],
)
def test_wrong_types(make, message):
    """The message has the argument, the type that it must have, and the value."""
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Limit(leaf(), tick_limit=-1), "tick_limit must be at least 0, got -1"),
        (lambda: bt.Repeater(leaf(), repeat=-2), "repeat must be at least -1, got -2"),
        (lambda: bt.Repeater(leaf(), repeat=1, on_failure="stop"), "'continue' or 'abort', got"),
        (lambda: bt.Retry(leaf(), attempts=0), "attempts must be at least 1, or -1 for no end"),
        (lambda: bt.Retry(leaf(), attempts=-2), "attempts must be at least -1, got -2"),
        (lambda: bt.Parallel([], success=0), r"success must be 1, 2 .* or -1 \(all\).*got 0"),
        (lambda: bt.Parallel([], failure=0), r"failure must be 1, 2 .* or -1 \(all\).*got 0"),
        (lambda: bt.WeightedSelector(pair(), weights=[1]), "one for each of 2 children, got 1"),
        (lambda: bt.WeightedSelector(pair(), weights=[1, 0]), "finite and above 0, got 0"),
        (lambda: bt.WeightedSelector(pair(), weights=[1, math.inf]), "finite and above 0, got inf"),
        (lambda: bt.WeightedSelector(pair(), weights=[1, math.nan]), "finite and above 0, got nan"),
        (lambda: bt.UtilitySelector([leaf()], utilities=[1, 2]), "one for each of 1 children, got"),
        (lambda: bt.ReactiveUtilitySelector([], utilities=[], margin=-1), "margin must be >= 0"),
        (lambda: bt.SubTree(leaf(), "Door", remap={"x": "y"}, values={"x": 1}), "'x' of Door"),
        (lambda: key(""), "must be a word without braces, got"),
        (lambda: key("@"), "must be a word without braces, got"),
        (lambda: key("{goal}"), "must be a word without braces, got"),
        (lambda: key(" goal"), "must be a word without braces, got"),
    ],
)
def test_wrong_values(make, message):
    """The message has the argument, the values that it may have, and the one given."""
    with pytest.raises(ValueError, match=message):
        make()


TIMERS = [
    bt.Timeout,
    bt.Delay,
    bt.Cooldown,
    lambda _, seconds: bt.Wait(seconds=seconds),
    lambda child, seconds: bt.Service(bt.Running(), child, seconds=seconds),
]


@pytest.mark.parametrize("timer", TIMERS)
@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, None, "soon", "1", b"1", True])
def test_wrong_times(timer, seconds):
    """Spans of time are finite numbers that are not negative; texts and truth values are none."""
    is_number = type(seconds) in (int, float)
    must_be = "must be a finite number >= 0" if is_number else "must be a number"
    with pytest.raises(ValueError if is_number else TypeError, match=f"seconds {must_be}, got"):
        timer(bt.Success(), seconds=seconds)
