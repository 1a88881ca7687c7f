# SPDX-License-Identifier: Apache-2.0
"""A node that goes wrong is named, and the tree is clean at the next tick."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from functools import partial

import pytest

import deepsim_btree as bt
from deepsim_btree import Status

PARENTS = {
    "Sequence": lambda child: bt.Sequence([child]),
    "Selector": lambda child: bt.Selector([bt.Failure(), child]),
    "ReactiveSequence": lambda child: bt.ReactiveSequence([bt.Success(), child]),
    "RandomSelector": lambda child: bt.RandomSelector([child]),
    "ParallelSelector": lambda child: bt.ParallelSelector([bt.Running(), child]),
    "Inverter": bt.Inverter,
    "Retry": lambda child: bt.Retry(child, attempts=3),
    "Guard": lambda child: bt.Guard(child, condition=lambda: True),
}


@pytest.fixture(params=sorted(PARENTS))
def parent(request):
    """Each kind of parent in turn, as a function of the child."""
    return PARENTS[request.param]


def test_exception_names_node_and_tick(leaf, log, parent):
    """The error has the path, the tick and the cause; the tree is halted and goes on cleanly."""
    tree = bt.Tree(bt.Sequence([parent(leaf("RES", "arm"))], "root"))
    tree.tick()
    message = r"^tick 2, node root/\w+/arm: ValueError: scripted$"
    with pytest.raises(bt.TickError, match=message) as caught:
        tree.tick()
    assert (caught.value.tick, caught.value.path.split("/")[-1]) == (2, "arm")
    assert isinstance(caught.value.__cause__, ValueError)
    assert log[-1] == ("arm", "end I")
    assert all(node.status is not Status.RUNNING for node in tree.root.walk())
    tree.tick()
    assert log[-3:] == [("arm", "start"), ("arm", "S"), ("arm", "end S")]


@pytest.mark.parametrize("with_hooks", [False, True])
@pytest.mark.parametrize("value", [None, "SUCCESS", 2, True])
def test_bad_answers_are_named(parent, value, with_hooks):
    """Whatever update returns that is no Status is shown; numbers and names are none."""

    class Bad(bt.Behaviour):
        def update(self):
            return value

    class BadWithHooks(Bad):
        def initialize(self):
            pass

    node = BadWithHooks("bad") if with_hooks else Bad("bad")
    tree = bt.Tree(parent(node))
    with pytest.raises(bt.TickError, match=f"bad: update.* must return a Status, got {value!r}$"):
        tree.tick()
    assert node.status is Status.INVALID


class Hooked(bt.Behaviour):
    """Raises in the hook whose name it was given, as often as its failures last."""

    def __init__(self, hook: str, failures: int = 1) -> None:
        super().__init__(hook)
        self.hook = hook
        self.failures = failures
        self.calls: list[str] = []

    def called(self, hook: str) -> None:
        self.calls.append(hook)
        if hook == self.hook and self.failures:
            self.failures -= 1
            raise RuntimeError(hook)

    def initialize(self) -> None:
        self.called("initialize")

    def update(self) -> Status:
        self.called("update")
        return Status.RUNNING if len(self.calls) < 3 else Status.SUCCESS

    def terminate(self, new_status: Status) -> None:
        self.called("terminate")


HOOKS = {"initialize": ["initialize"], "update": ["initialize", "update", "terminate"]}


@pytest.mark.parametrize(("hook", "calls"), HOOKS.items())
def test_terminate_follows_a_finished_initialize(hook, calls):
    """A failed start is not ended; a failed update is, once."""
    node = Hooked(hook)
    with pytest.raises(bt.TickError, match=f"node Sequence/{hook}: RuntimeError: {hook}"):
        bt.Tree(bt.Sequence([node])).tick()
    assert node.calls == calls


def test_terminate_that_raises_is_called_once():
    """In a tick and in a halt alike, and the node is named."""
    node = Hooked("terminate", failures=2)
    tree = bt.Tree(bt.Sequence([node]))
    tree.tick()
    with pytest.raises(bt.TickError, match="tick 1, node Sequence/terminate: RuntimeError"):
        tree.halt()
    assert tree.status is Status.INVALID
    tree.halt()
    with pytest.raises(bt.TickError, match="tick 2, node Sequence/terminate: RuntimeError"):
        tree.tick()
    assert node.calls.count("terminate") == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda leaf, child: bt.ReactiveSelector([leaf("FR"), child]),
        lambda leaf, child: bt.Limit(child, tick_limit=1),
        lambda leaf, child: bt.RunningIsFailure(child),
        lambda leaf, child: bt.ParallelSelector([child, leaf("S")]),
    ],
)
def test_terminate_that_raises_inside_a_tick_names_its_own_node(leaf, make):
    """The node that failed is blamed, not the one that halted it."""
    tree = bt.Tree(make(leaf, Hooked("terminate")))
    message = r"node \w+/terminate: RuntimeError: terminate"
    with pytest.raises(bt.TickError, match=message):
        [tree.tick() for _ in range(2)]


def test_errors_while_halting_are_kept():
    """When the clean-up after an error fails as well, both are reported and all is halted."""
    nodes = [Hooked("terminate"), Hooked("terminate")]
    tree = bt.Tree(bt.ParallelSequence([*nodes, bt.Action(lambda: 1 / 0, name="bad")], "root"))
    with pytest.raises(bt.TickError) as caught:
        tree.tick()
    error = caught.value
    assert error.path == "root/bad"
    assert [each.path for each in error.while_halting] == ["root/terminate[0]", "root/terminate[1]"]
    assert "then, while halting, tick 1, node root/terminate[0]: RuntimeError" in str(error)
    assert isinstance(error.while_halting[0].__cause__, RuntimeError)
    assert all(node.status is not Status.RUNNING for node in tree.root.walk())


def test_interrupts_are_not_wrapped(log, leaf):
    """Ctrl-C stays what it is, whatever an observer raises, but the tree is halted."""

    def interrupt():
        raise KeyboardInterrupt

    tree = bt.Tree(bt.ParallelSequence([leaf("R", "a"), bt.Action(interrupt)]))
    tree.subscribe(lambda call, error: 1 // 0)
    with pytest.raises(KeyboardInterrupt):
        tree.tick()
    assert log[-1] == ("a", "end I")
    assert tree.is_busy is False


def test_tick_errors_can_be_pickled():
    """So that worker processes can hand them on."""
    error = bt.TickError("a/b", 3, "no good")
    twin = pickle.loads(pickle.dumps(error))
    assert (twin.path, twin.tick, twin.reason, str(twin)) == ("a/b", 3, "no good", str(error))


def test_an_observer_hears_nothing_once_it_has_left():
    """Others still do; it can come back, and whoever does not observe cannot leave."""
    first, second = [], []
    tree = bt.Tree(bt.Success())
    hear = [lambda call, error, heard=heard: heard.append(call) for heard in (first, second)]
    for each in hear:
        tree.subscribe(each)
    tree.tick()
    tree.unsubscribe(hear[0])
    tree.tick()
    assert (first, second) == (["tick"], ["tick", "tick"])
    with pytest.raises(ValueError, match="is not subscribed to"):
        tree.unsubscribe(hear[0])
    tree.subscribe(hear[0])
    tree.tick()
    assert first == ["tick", "tick"]


def test_an_observer_that_raises_does_not_hide_the_error_of_the_node():
    """All observers are called, and their errors are told with that of the leaf."""
    calls = []

    def bad(call, error):
        calls.append(call)
        raise KeyError("lost")

    tree = bt.Tree(bt.Action(lambda: 1 // 0, name="divide"))
    tree.subscribe(bad)
    tree.subscribe(lambda call, error: calls.append(error.path))
    with pytest.raises(bt.TickError, match=r"node divide: .*then an observer raised KeyError: '"):
        tree.tick()
    assert calls == ["tick", "divide"]
    quiet = bt.Tree(bt.Success())
    quiet.subscribe(bad)
    quiet.subscribe(lambda call, error: calls.append("second"))
    with pytest.raises(KeyError, match="lost"):
        quiet.tick()
    assert calls[-1] == "second"


def local_function():
    """Returns a function that pickle does not find by its name."""

    def local() -> bt.Status:
        return bt.Status.SUCCESS

    return local


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (bt.Action(local_function(), name="n"), "root/n .*function: local_function.<locals>.local"),
        (bt.Action(print, local_function(), name="n"), "root/n cannot be pickled: args: local"),
        (bt.Guard(bt.Success(), "n", condition=lambda: True), "root/n .*condition: <lambda> is"),
        (bt.Check(partial(isinstance, 1, type("C", (), {})), name="n"), "root/n .*function: C is"),
    ],
)
def test_errors_of_pickle_name_the_node(node, message):
    """And its attribute, where a function or a class is not found by its name."""
    tree = bt.Tree(bt.Sequence([bt.Success(), node], "root"))
    with pytest.raises(pickle.PicklingError, match=message):
        pickle.dumps(tree)
    assert copy.deepcopy(tree).root.children[1].name == "n"


def test_picklers_that_can_do_more_are_not_stopped(monkeypatch):
    """Such as cloudpickle, which pickles functions themselves; the node must not refuse them."""
    tree = bt.Tree(bt.Action(local_function()))
    monkeypatch.setitem(sys.modules, "vendored.cloudpickle", sys)
    with pytest.raises((pickle.PicklingError, AttributeError), match="local_function"):
        pickle.dumps(tree)  # that of pickle itself


def test_errors_of_copies_name_the_node():
    """An object of the operating system cannot be copied; the message says where it is."""
    tree = bt.Tree(bt.Sequence([bt.Action(print, threading.Lock(), name="locked")], "root"))
    with pytest.raises(TypeError, match=r"root/locked cannot be copied: args: cannot pickle"):
        copy.deepcopy(tree)
    with pytest.raises(TypeError, match=r"root/locked cannot be copied: args: cannot pickle"):
        tree.root.copy()
