# SPDX-License-Identifier: Apache-2.0
"""Batches: their own rules; that they do what trees do is in test_batch_random.py."""

from __future__ import annotations

import pickle

import pytest

import deepsim_btree as bt
from deepsim_btree import AGENT, Status

np = pytest.importorskip("numpy")
from deepsim_btree.batch import Batch  # noqa: E402 - needs numpy


class Herd:
    """Food of all animals."""

    def __init__(self, food) -> None:
        self.food = np.array(food)


@bt.condition
def hungry(herd: Herd, numbers):
    return herd.food[numbers] < 2


@bt.action
def eat(herd: Herd, numbers, amount: int):
    herd.food[numbers] += amount
    return np.where(herd.food[numbers] < 3, Status.RUNNING, Status.SUCCESS)


def feeding(food, **options) -> tuple[Herd, Batch]:
    herd = Herd(food)
    root = bt.Sequence([hungry(herd, AGENT), eat(herd, AGENT, amount=1)], "feed")
    return herd, Batch(root, len(food), **options)


def test_agents_go_their_own_ways():
    """Answers are codes of Status; some agents can be ticked more often than others."""
    herd, batch = feeding([0, 1, 5])
    assert batch.tick().tolist() == [Status.RUNNING, Status.RUNNING, Status.FAILURE]
    assert batch.tick([1, 0]).tolist() == [Status.SUCCESS, Status.RUNNING]
    assert herd.food.tolist() == [2, 3, 5]
    assert batch.status.tolist() == [Status.RUNNING, Status.SUCCESS, Status.FAILURE]
    assert (len(batch), batch.tick_count, batch.tick([]).tolist()) == (3, 2, [])


def test_one_status_is_an_answer_for_all():
    """Functions need not return arrays."""
    root = bt.Sequence([bt.Check(lambda: True), bt.Action(lambda: Status.RUNNING)])
    assert Batch(root, 2).tick().tolist() == [Status.RUNNING] * 2


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "must return a Status or an array of 2 status codes, got None"),
        ([2], "an array of 2 status codes, got"),
        ([2, 4], "an array of 2 status codes, got"),
        ([2, -1], "an array of 2 status codes, got"),
        ([2.0, 2.0], "an array of 2 status codes, got"),
        ([True, False], "an array of 2 status codes, got"),
    ],
)
def test_bad_answers_of_actions(value, message):
    """The node, the tick and the value are named."""
    batch = Batch(bt.Sequence([bt.Action(lambda: value, name="act")], "root"), 2)
    with pytest.raises(bt.TickError, match=f"tick 1, node root/act: .*{message}"):
        batch.tick()


@pytest.mark.parametrize("value", [None, 1, [True], np.array([1, 0]), Status.SUCCESS])
def test_bad_answers_of_conditions(value):
    """Only bools are answers."""
    batch = Batch(bt.Check(lambda: value, name="ask"), 2)
    with pytest.raises(bt.TickError, match="tick 1, node ask: "):
        batch.tick()


def test_after_an_error_all_agents_start_afresh():
    """The error names the node and the tick and has a cause."""
    herd, batch = feeding([0, 0])
    batch.tick()
    herd.food = "gone"
    with pytest.raises(bt.TickError, match="tick 2, node feed/eat: ") as caught:
        batch.tick()
    assert caught.value.__cause__ is not None
    assert batch.status.tolist() == [Status.INVALID] * 2
    herd.food = np.array([0, 9])
    assert batch.tick().tolist() == [Status.RUNNING, Status.FAILURE]


def test_a_function_cannot_tick_its_own_batch():
    """It gets a BusyError, for ticks and halts."""
    batches: list[Batch] = []
    for call in (lambda: batches[0].tick(), lambda: batches[0].halt()):
        batches[:] = [Batch(bt.Action(call, name="call"), 1)]
        with pytest.raises(bt.TickError, match="BusyError"):
            batches[0].tick()


def test_time_starts_again_when_all_are_reset():
    """Otherwise it may not go back."""
    time = [5.0]
    batch = Batch(bt.Delay(bt.Success(), seconds=2), 2, clock=lambda: time[0])
    batch.tick()
    time[0] = 1.0
    with pytest.raises(bt.BtreeError, match=r"went from 5.0 s to 1.0 s"):
        batch.tick()
    batch.reset([0])
    with pytest.raises(bt.BtreeError, match=r"went from 5.0 s to 1.0 s"):
        batch.tick()
    batch.reset()
    assert batch.tick().tolist() == [Status.RUNNING] * 2


def shared_leaf(numbers):
    return np.where(numbers % 2 == 0, Status.RUNNING, Status.FAILURE)


def test_copies_go_on_as_the_original_does(twin_of):
    """In the middle of runs, random numbers included."""
    leaves = [bt.Action(shared_leaf, AGENT, name=name) for name in "ab"]
    batch = Batch(bt.RandomSelector([*leaves, bt.Limit(bt.Running(), tick_limit=2)]), 50, seed=3)
    for _ in range(3):
        batch.tick(range(40))
    twin = twin_of(batch)
    for _ in range(5):
        assert twin.tick().tolist() == batch.tick().tolist()
    assert twin.tick_count == batch.tick_count == 8


@bt.action
def decorated(numbers):
    return shared_leaf(numbers)


class Opposite:
    """Has an attribute of the name under which an ``@action`` keeps its function."""

    def __init__(self, function) -> None:
        self.function = function

    def __call__(self, numbers):
        return ~self.function(numbers)


def is_even(numbers):
    return numbers % 2 == 0


@pytest.mark.parametrize("leaf", [decorated(AGENT), bt.Check(Opposite(is_even), AGENT)])
def test_leaves_are_pickled_with_their_functions(leaf):
    """Also one that pickle does not find by its name, and an object with a function inside."""
    batch = Batch(leaf, 3)
    assert pickle.loads(pickle.dumps(batch)).tick().tolist() == batch.tick().tolist()


def test_settings_may_be_changed_between_ticks():
    """As in a tree; the paths from which random numbers come are those that the nodes had."""
    log = []

    def fail(number):
        log.append(number)
        return Status.FAILURE

    root = bt.RandomSelector([bt.Action(fail, n, name=f"{n}") for n in range(9)])
    repeater = bt.Repeater(root, repeat=3)
    batch = Batch(repeater, 1)
    assert batch.tick().tolist() == [Status.RUNNING]
    root.name, repeater.repeat = "other", 1
    batch.reset()
    assert batch.tick().tolist() == [Status.FAILURE]
    assert log[:9] == log[9:]


@pytest.mark.parametrize("agents", [None, [2, 0]])
def test_a_function_cannot_change_which_agents_are_ticked(agents):
    """Their numbers are read-only: the nodes above go on with them."""

    def act(numbers):
        numbers += 1
        return Status.SUCCESS

    batch = Batch(bt.Sequence([bt.Action(act, AGENT)], "root"), 3)
    for tick in (1, 2):
        with pytest.raises(bt.TickError, match=f"tick {tick}, node root/act: .*read-only"):
            batch.tick(agents)
    chosen = np.array([2, 0])
    Batch(bt.Check(lambda numbers: numbers > 1, AGENT), 3).tick(chosen)
    chosen += 1  # those of the caller are not touched


class Own(bt.Behaviour):
    """A leaf of a class of its own."""

    def update(self) -> Status:
        return Status.SUCCESS


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Sequence([Own()]), "Sequence/Own has no form for many agents at once"),
        (lambda: bt.Action(eat, bt.key("x"), name="eat"), "eat reads a blackboard"),
        (lambda: bt.Tree(bt.Success()).root, "part of a tree already"),
        (lambda: bt.Wait(seconds=1), r"Wait needs a clock: Batch\(root"),
        (lambda: bt.SetEntry("x", 1), "SetEntry reads a blackboard"),
        (lambda: bt.WasUpdated("x"), "WasUpdated reads a blackboard"),
        (lambda: bt.Loop(bt.Success(), queue=[1]), "Loop has no form for many agents at once"),
        (lambda: bt.RunOnce(bt.Success(), then_skip=True), "RunOnce"),
        (lambda: bt.TryCatch([bt.Success()], catch_on_halt=True), "TryCatch"),
        (lambda: bt.Condition(bt.Success(), otherwise=Status.SKIPPED), "Condition"),
    ],
)
def test_what_has_no_form_for_many_agents_is_refused(make, message):
    """The node is named."""
    with pytest.raises(bt.StructureError, match=message):
        Batch(make(), 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Batch(3, 3), TypeError, "root must be a Behaviour"),
        (lambda: Batch(bt.Success(), 0), ValueError, "count must be at least 1"),
        (lambda: Batch(bt.Success(), 2, seed=1.5), TypeError, "seed must be an int"),
        (lambda: Batch(bt.Success(), 2).tick([0, 2]), IndexError, "agents must be from 0 to 1"),
        (lambda: Batch(bt.Success(), 2).tick([-1]), IndexError, "agents must be from 0 to 1"),
        (lambda: Batch(bt.Success(), 2).tick([1, 1]), ValueError, "different from each other"),
        (lambda: Batch(bt.Success(), 2).tick(1), ValueError, "must be a list of numbers"),
        (lambda: Batch(bt.Success(), 2).halt([True, False]), TypeError, "use np.flatnonzero"),
    ],
)
def test_wrong_arguments(call, error, message):
    """Types and values are checked."""
    with pytest.raises(error, match=message):
        call()


class Last(bt.Composite):
    """A control node of a user."""

    def update(self) -> Status:
        return self.tick_child(self.children[-1])

    def update_many(self, many, agents):
        return many.tick_child(-1, agents)


class Named(Last):
    """Inherits both forms and changes neither."""

    def __init__(self, children) -> None:
        super().__init__(children, "named")


class Counted(Last):
    """Changes one form only."""

    def update(self) -> Status:
        return Status.FAILURE


class Hooked(Last):
    """Has hooks that the other form does not know."""

    def terminate(self, new_status: Status) -> None:
        pass


class Logged(bt.Sequence):
    """A node of the library with an overridden method, and no other form."""

    def tick_child(self, child):
        return super().tick_child(child)


class Drawn(bt.RandomSelector):
    """One that decides itself in which order its children run."""

    def decide(self):
        return (1, 0)


class Plain(bt.Sequence):
    """One that only has another constructor."""

    def __init__(self, *children) -> None:
        super().__init__(children)


def test_nodes_of_users_join_a_batch():
    """By `update_many`, which subclasses inherit together with `update`."""
    for make in (Last, Named, lambda children: Plain(*children)):
        root = make([bt.Success(), bt.Action(shared_leaf, AGENT)])
        assert Batch(root, 2).tick().tolist() == [Status.RUNNING, Status.FAILURE]


@pytest.mark.parametrize("cls", [Counted, Hooked, Logged, Drawn])
def test_a_node_whose_rule_is_unknown_is_refused(cls):
    """Also if a base has a rule: the error names the node, and the method that the batch needs."""
    root = bt.Inverter(cls([bt.Success(), bt.Failure()]))
    message = f"Inverter/{cls.__name__} has no form for many agents.*update_many.*{cls.__name__}"
    with pytest.raises(bt.StructureError, match=message):
        Batch(root, 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, r"update_many\(\) must return a Status or an array of 2 status codes, got None"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_errors_of_users_nodes(value, message):
    """They name the node and the tick, and end all runs."""

    class Faulty(bt.Decorator):
        def update_many(self, many, agents):
            many.tick_child(0, agents)
            if isinstance(value, Exception):
                raise value
            return value

    batch = Batch(Faulty(bt.Running(), "faulty"), 2)
    with pytest.raises(bt.TickError, match=f"tick 1, node faulty: .*{message}"):
        batch.tick()
    assert batch.status.tolist() == [Status.INVALID] * 2


class Patient(bt.Decorator):
    """Answers RUNNING for two ticks, and halts its child; counts all its runs."""

    def update_many(self, many, agents):
        ticks, runs = many.run_state("ticks", 0), many.state("runs", 0)
        runs[agents[many.status[agents] != Status.RUNNING]] += 1
        ticks[agents] += 1
        many.tick_child(0, agents)
        ended = agents[ticks[agents] == 3]
        many.halt_child(0, ended)
        ticks[ended] = 0
        Patient.seen = runs.copy(), many.child_status.copy(), many.now, many.count
        return np.where(np.isin(agents, ended), Status.SUCCESS, Status.RUNNING)


def test_state_of_users_nodes():
    """`run_state` ends with a halt, `state` with a reset; a halted child is INVALID."""
    time = [0.0]
    batch = Batch(Patient(bt.Running()), 3, clock=lambda: time[0])
    batch.tick()
    batch.tick([0, 1])
    batch.halt([1])
    time[0] = 2.0
    answers = batch.tick().tolist()
    assert answers == [Status.SUCCESS, Status.RUNNING, Status.RUNNING]
    runs, children, now, count = Patient.seen
    assert (runs.tolist(), now, count) == ([1, 2, 1], 2.0, 3)
    assert children.tolist() == [[Status.INVALID, Status.RUNNING, Status.RUNNING]]
    batch.reset([1])
    batch.tick()
    assert Patient.seen[0].tolist() == [2, 1, 1]


def test_an_error_below_a_users_node_ends_the_runs_there():
    """Also of nodes that began in the tick with the error, so that the next tick starts afresh."""
    faults = iter([True])

    def act(numbers):
        if next(faults, False):
            raise ValueError("once")
        return Status.RUNNING

    limit = bt.Limit(bt.Running(), tick_limit=2)
    batch = Batch(Last([bt.ParallelSequence([limit, bt.Action(act, AGENT)])]), 2)
    with pytest.raises(bt.TickError, match="once"):
        batch.tick()
    answers = [batch.tick().tolist() for _ in range(3)]
    assert answers == [[Status.RUNNING] * 2, [Status.RUNNING] * 2, [Status.FAILURE] * 2]
