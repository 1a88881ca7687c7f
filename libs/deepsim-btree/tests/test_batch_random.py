# SPDX-License-Identifier: Apache-2.0
"""A batch does for each agent what a tree does, on random trees of all nodes."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import AGENT, Status

numpy = pytest.importorskip("numpy")
from deepsim_btree.batch import Batch  # noqa: E402 - needs numpy

LETTERS = {status.name[0]: status for status in list(Status)[:4]}
STATUSES = st.sampled_from(list(Status)[:4])


class Actor:
    """An agent: what its leaves answer, over and over, and a log of what was done to them."""

    def __init__(self, scripts: dict[int, str], skip: int = 0) -> None:
        self.scripts = scripts
        self.positions = dict.fromkeys(scripts, skip)
        self.log: list[tuple[int, str]] = []
        self.time = 0.0

    def next(self, leaf: int) -> str:
        script = self.scripts[leaf]
        letter = script[self.positions[leaf] % len(script)]
        self.positions[leaf] += 1
        self.log.append((leaf, letter))
        if letter == "E":
            raise ValueError(f"scripted {leaf}")
        return letter


class One:
    """The functions of leaves for one agent."""

    @staticmethod
    def act(actor: Actor, leaf: int) -> Status:
        return LETTERS.get(actor.next(leaf))  # an N is a forgotten return

    @staticmethod
    def ask(actor: Actor, leaf: int) -> bool:
        return actor.next(leaf) in "SR"

    @staticmethod
    def choose(actor: Actor, leaf: int) -> str:
        return actor.next(leaf)

    @staticmethod
    def rate(actor: Actor, leaf: int) -> float:
        return "SFRI".index(actor.next(leaf))


class Many:
    """The same functions for numbers of agents."""

    def __init__(self, actors: list[Actor]) -> None:
        def of_many(function):
            def answer(numbers, leaf: int):
                assert len(numbers) > 0
                return numpy.array([function(actors[number], leaf) for number in numbers])

            return answer

        self.act, self.ask = of_many(One.act), of_many(One.ask)
        self.choose, self.rate = of_many(One.choose), of_many(One.rate)


class Alternate(bt.Composite):
    """A user's control node: ticks one child in each run, in turn; fails without children."""

    def __init__(self, children) -> None:
        super().__init__(children)
        self.turn = -1

    def update(self) -> Status:
        if not self.children:
            return Status.FAILURE
        if self.status is not Status.RUNNING:
            self.turn = (self.turn + 1) % len(self.children)
        return self.tick_child(self.children[self.turn])

    def update_many(self, many, agents):
        turn = many.state("turn", -1)
        begins = agents[many.status[agents] != Status.RUNNING]
        turn[begins] = (turn[begins] + 1) % max(len(self.children), 1)
        codes = numpy.full(len(agents), Status.FAILURE, numpy.uint8)
        for position in range(len(self.children)):
            here = turn[agents] == position
            codes[here] = many.tick_child(position, agents[here])
        return codes

    def reset(self) -> None:
        super().reset()
        self.turn = -1


class Race(bt.Composite):
    """Another one: ticks all unfinished children until the first has finished."""

    def update(self) -> Status:
        is_fresh = self.status is not Status.RUNNING
        runs = [child for child in self.children if is_fresh or child.status is Status.RUNNING]
        answers = [self.tick_child(child) for child in runs]
        ended = [answer for answer in answers if answer is not Status.RUNNING]
        if not ended:
            return Status.RUNNING
        for child in self.children:
            child.halt()
        return ended[0]

    def update_many(self, many, agents):
        codes = numpy.full(len(agents), Status.RUNNING, numpy.uint8)
        is_fresh = many.status[agents] != Status.RUNNING
        for position in range(len(self.children)):
            runs = is_fresh | (many.child_status[position, agents] == Status.RUNNING)
            answers = many.tick_child(position, agents[runs])
            rows = numpy.flatnonzero(runs)[answers != Status.RUNNING]
            rows = rows[codes[rows] == Status.RUNNING]
            codes[rows] = many.child_status[position, agents[rows]]
        for position in range(len(self.children)):
            many.halt_child(position, agents[codes != Status.RUNNING])
        return codes


SCRIPTS = st.text("SFRI", min_size=1, max_size=4)
FUNCTIONS = st.sampled_from(["act", "act", "ask"])
CONSTANTS = st.sampled_from([bt.Success, bt.Failure, bt.Running])
THRESHOLD = st.sampled_from([-2, -1, 1, 2])
EAGER = st.booleans()
SPAN = st.sampled_from([0.0, 1.0, 2.5])
PLAIN = [bt.Inverter, bt.Succeeder, bt.UntilFail, bt.RunOnce, bt.RunningIsFailure]
PLAIN += [bt.RunningIsSuccess, bt.FailureIsSuccess, bt.FailureIsRunning, bt.SuccessIsFailure]
PLAIN += [bt.SuccessIsRunning]
SERIAL = [bt.Sequence, bt.Selector, bt.ReactiveSequence, bt.ReactiveSelector]
SERIAL += [bt.RandomSequence, bt.RandomSelector, bt.WeightedSelector, bt.UtilitySelector]
SERIAL += [bt.AsyncSequence, bt.AsyncSelector, bt.SequenceWithMemory, bt.TryCatch]
SERIAL += [Alternate, Race]


def fixed(**options):
    return st.fixed_dictionaries(options)


# Of each class of nodes, the options that specs draw.
SINGLE = {
    **dict.fromkeys([*PLAIN, bt.Guard, bt.SubTree], fixed()),
    **dict.fromkeys([bt.Timeout, bt.Delay, bt.Cooldown], fixed(seconds=SPAN)),
    bt.Limit: fixed(tick_limit=st.integers(0, 3), lifetime=st.booleans()),
    bt.Repeater: fixed(
        repeat=st.integers(-1, 3), on_failure=st.sampled_from(["continue", "abort"])
    ),
    bt.Retry: fixed(attempts=st.sampled_from([-1, 1, 2, 3])),
    bt.Condition: fixed(success_status=STATUSES, otherwise=STATUSES),
    bt.UntilFail: fixed(on_end=STATUSES),
}
MANY = {
    **dict.fromkeys(SERIAL, fixed()),
    **dict.fromkeys([bt.ParallelSequence, bt.ParallelSelector], fixed(eager=EAGER)),
    bt.Parallel: fixed(success=THRESHOLD, failure=THRESHOLD, eager=EAGER),
    bt.ParallelAll: fixed(max_failures=THRESHOLD),
    bt.ReactiveUtilitySelector: fixed(margin=st.sampled_from([0.0, 1.0])),
}
BRANCHES = dict.fromkeys([bt.IfThenElse, bt.WhileDoElse, bt.Switch, bt.Service], fixed())
# A spec is (class or kind of leaf, options, children).
LEAVES = st.one_of(
    st.tuples(st.tuples(FUNCTIONS, SCRIPTS), st.just(())),
    st.tuples(st.tuples(CONSTANTS, fixed()), st.just(())),
    st.tuples(st.tuples(st.just(bt.Wait), fixed(seconds=SPAN)), st.just(())),
)


def above(cls, children, least, most):
    """Specs of a class of nodes over children, of which a composite has so many."""
    options = {**SINGLE, **MANY, **BRANCHES}[cls]
    if cls in SINGLE:
        below = st.tuples(children)
    elif cls in BRANCHES:
        below = st.lists(children, min_size=2, max_size=3).map(tuple)
    else:
        below = st.lists(children, min_size=least, max_size=most).map(tuple)
    return st.tuples(st.tuples(st.just(cls), options), below).map(fitting)


def specs():
    def deeper(children):
        kinds = (
            [above(cls, children, 0, 10) for cls in group] for group in (SINGLE, MANY, BRANCHES)
        )
        return st.one_of(*map(st.one_of, kinds))

    return st.recursive(LEAVES, deeper, max_leaves=15)


def fitting(spec):
    """Return the spec of a composite, with thresholds that its children can reach."""
    (cls, options), children = spec
    if len(children) < 2:
        names = {"success", "failure", "max_failures"} & set(options)
        thresholds = {name: options[name] for name in names}
        options = {**options, **{name: max(-1, min(1, n)) for name, n in thresholds.items()}}
    return (cls, options), children


class Builder:
    """Makes the nodes of a spec for one agent, or for AGENT; leaves are numbered from the left."""

    def __init__(self, spec, actor, functions=One) -> None:
        self.scripts: dict[int, str] = {}
        self.actor = actor
        self.functions = functions
        self.root = self.make(spec)

    def leaf(self, script: str) -> int:
        number = len(self.scripts)
        self.scripts[number] = script
        return number

    def make(self, spec):
        (kind, options), children = spec
        if isinstance(kind, str):
            number = self.leaf(options)
            if kind == "act":
                return bt.Action(self.functions.act, self.actor, leaf=number, name="act")
            return bt.Check(self.functions.ask, self.actor, number, name=f"ask {number}")
        nodes = [self.make(child) for child in children]
        if kind is bt.Guard:
            options = {"condition": partial(self.functions.ask, self.actor, self.leaf("SSF"))}
        if kind is bt.Switch:
            on = partial(self.functions.choose, self.actor, leaf=self.leaf("SSFRI"))
            return bt.Switch(dict(zip("SF", nodes)), *nodes[2:], on=on)
        if kind in (bt.IfThenElse, bt.WhileDoElse):
            return kind(*nodes)
        if kind is bt.Service:
            return kind(*nodes[:2], seconds=1.0)
        if kind is bt.WeightedSelector:
            return kind(nodes, weights=range(1, len(nodes) + 1))
        if kind in (bt.UtilitySelector, bt.ReactiveUtilitySelector):
            rate = partial(self.functions.rate, self.actor)
            scripts = (["SFRI", "RI", "FSR"] * 9)[: len(nodes)]
            rates = [partial(rate, self.leaf(script)) for script in scripts]
            return kind(nodes, utilities=[0.5, *rates[1:]][: len(nodes)], **options)
        if issubclass(kind, bt.Decorator):
            return kind(nodes[0], **options)
        return kind(nodes, **options) if issubclass(kind, bt.Composite) else kind(**options)


def check(spec, seed, alone, together, calls):
    """Plays trees of one agent each, and a batch of all, by pairs of a method and agents."""
    time = [0.0]
    roots = [Builder(spec, actor).root for actor in alone]
    trees = [bt.Tree(root, clock=lambda: time[0], seed=seed + n) for n, root in enumerate(roots)]
    root = Builder(spec, AGENT, Many(together)).root
    batch = Batch(root, len(alone), clock=lambda: time[0], seed=seed)
    for call, chosen in calls:
        codes = getattr(batch, call)(chosen)
        answers = [
            getattr(trees[n], call)() for n in (range(len(trees)) if chosen is None else chosen)
        ]
        if call == "tick":
            assert codes.tolist() == answers
        assert batch.status.tolist() == [tree.status for tree in trees]
        assert [actor.log for actor in together] == [actor.log for actor in alone]
        time[0] += 1.0


CALLS = ["tick"] * 6 + ["halt", "reset"]
AGENTS = st.one_of(st.none(), st.lists(st.integers(0, 3), unique=True, max_size=4))


@settings(max_examples=400, deadline=None)
@given(
    spec=specs(),
    seed=st.integers(0, 99),
    calls=st.lists(st.tuples(st.sampled_from(CALLS), AGENTS), min_size=1, max_size=12),
)
def test_a_batch_does_what_the_objects_do(spec, seed, calls):
    """Every agent answers, and is treated in the same order, as by a tree of its own."""
    scripts = Builder(spec, None).scripts
    # Each agent begins at another place of its scripts.
    alone, together = [[Actor(scripts, skip) for skip in range(4)] for _ in range(2)]
    check(spec, seed, alone, together, calls)


ACT, ASK = (("act", "S"), ()), (("ask", "S"), ())
FEW = st.sampled_from([((bt.Sequence, {}), (ACT, ACT)), ACT, ASK])


@pytest.mark.parametrize("cls", [*SINGLE, *MANY, *BRANCHES], ids=lambda cls: cls.__name__)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_each_node_does_what_its_object_does(cls, data, seed):
    """Over leaves that answer at random, and sequences of them, for 40 agents and 15 calls."""
    spec = data.draw(above(cls, FEW, 2, 3))
    draw = Random(seed)
    leaves = len(Builder(spec, None).scripts)
    scripts = [
        {leaf: "".join(draw.choices("SFRI", k=7)) for leaf in range(leaves)} for _ in range(40)
    ]
    alone, together = [[Actor(each) for each in scripts] for _ in range(2)]
    calls = [(draw.choice(CALLS), draw.sample(range(40), draw.choice([20, 40]))) for _ in range(15)]
    check(spec, seed, alone, together, calls)
