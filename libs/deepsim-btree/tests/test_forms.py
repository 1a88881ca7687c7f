# SPDX-License-Identifier: Apache-2.0
"""Trees of objects, templates and batches do the same, on random trees of all nodes."""

from __future__ import annotations

import copy
import pickle
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import AGENT, Status, Template

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
        self.actors = actors

    def act(self, numbers, leaf: int):
        assert len(numbers) > 0
        return numpy.array([One.act(self.actors[number], leaf) for number in numbers])

    def ask(self, numbers, leaf: int):
        return numpy.array([One.ask(self.actors[number], leaf) for number in numbers])

    def choose(self, numbers, leaf: int):
        return numpy.array([One.choose(self.actors[number], leaf) for number in numbers])


class Own(bt.Behaviour):
    """A leaf with hooks: each agent of a template has a copy of it."""

    def __init__(self, actor: Actor, leaf: int) -> None:
        super().__init__(f"own {leaf}")
        self.actor = actor
        self.leaf = leaf

    def initialize(self) -> None:
        self.actor.log.append((self.leaf, "start"))

    def update(self) -> Status:
        return One.act(self.actor, self.leaf)

    def terminate(self, new_status: Status) -> None:
        self.actor.log.append((self.leaf, f"end {new_status}"))


SCRIPTS = st.text("SFRI", min_size=1, max_size=4)
FUNCTIONS = st.sampled_from(["act", "act", "ask"])
FRAGILE = st.one_of(SCRIPTS, st.text("SFRRRIEN", min_size=1, max_size=4))
LEAF_KINDS = st.sampled_from(["act", "act", "ask", "own", "own"])
CONSTANTS = st.sampled_from([bt.Success, bt.Failure, bt.Running])
THRESHOLD = st.sampled_from([-2, -1, 1, 2])
SPAN = st.sampled_from([0.0, 1.0, 2.5])
PLAIN = [
    bt.Inverter,
    bt.Succeeder,
    bt.UntilFail,
    bt.RunningIsFailure,
    bt.RunningIsSuccess,
    bt.FailureIsSuccess,
    bt.FailureIsRunning,
    bt.SuccessIsFailure,
    bt.SuccessIsRunning,
    bt.RunOnce,
]
SERIAL = [bt.Sequence, bt.Selector, bt.ReactiveSequence, bt.ReactiveSelector]
SERIAL += [bt.RandomSequence, bt.RandomSelector]


def fixed(**options):
    return st.fixed_dictionaries(options)


# A spec is (class or kind of leaf, options, children).
DECORATORS = st.one_of(
    st.tuples(st.sampled_from(PLAIN), fixed()),
    st.tuples(st.just(bt.Limit), fixed(tick_limit=st.integers(0, 3), lifetime=st.booleans())),
    st.tuples(
        st.just(bt.Repeater),
        fixed(repeat=st.integers(-1, 3), on_failure=st.sampled_from(["continue", "abort"])),
    ),
    st.tuples(st.just(bt.Retry), fixed(attempts=st.sampled_from([-1, 1, 2, 3]))),
    st.tuples(st.just(bt.Condition), fixed(success_status=STATUSES, otherwise=STATUSES)),
    st.tuples(st.just(bt.UntilFail), fixed(on_end=STATUSES)),
    st.tuples(st.sampled_from([bt.Timeout, bt.Delay, bt.Cooldown]), fixed(seconds=SPAN)),
    st.tuples(st.just(bt.Guard), fixed()),
)
COMPOSITES = st.one_of(
    st.tuples(st.sampled_from(SERIAL), fixed()),
    st.tuples(
        st.sampled_from([bt.ParallelSequence, bt.ParallelSelector]), fixed(eager=st.booleans())
    ),
    st.tuples(
        st.just(bt.Parallel), fixed(success=THRESHOLD, failure=THRESHOLD, eager=st.booleans())
    ),
)
BRANCHES = st.sampled_from([bt.IfThenElse, bt.WhileDoElse, bt.Switch])


SUB_TREE = st.tuples(st.just(bt.SubTree), fixed())
# Every agent of a template has a copy of these; a batch refuses them.
COPIED_DECORATORS = st.one_of(
    st.tuples(st.just(bt.Loop), fixed(queue=st.just((1, 2)))),
    st.tuples(st.just(bt.RunOnce), fixed(then_skip=st.booleans())),
)
COPIED_COMPOSITES = st.tuples(
    st.sampled_from(
        [
            bt.AsyncSequence,
            bt.AsyncSelector,
            bt.SequenceWithMemory,
            bt.TryCatch,
            bt.WeightedSelector,
            bt.UtilitySelector,
        ]
    ),
    fixed(),
)


def specs(scripts, kinds=LEAF_KINDS, *, copied=False):
    decorators = st.one_of(DECORATORS, SUB_TREE)
    composites, branch_kinds = COMPOSITES, BRANCHES
    if copied:
        decorators = st.one_of(decorators, COPIED_DECORATORS)
        composites = st.one_of(composites, COPIED_COMPOSITES)
        branch_kinds = st.one_of(branch_kinds, st.just(bt.Service))

    def deeper(children):
        return st.one_of(
            st.tuples(decorators, st.tuples(children)),
            st.tuples(composites, st.lists(children, max_size=10).map(tuple)).map(fitting),
            st.tuples(
                st.tuples(branch_kinds, fixed()),
                st.lists(children, min_size=2, max_size=3).map(tuple),
            ),
        )

    leaves = st.one_of(
        st.tuples(st.tuples(kinds, scripts), st.just(())),
        st.tuples(st.tuples(CONSTANTS, fixed()), st.just(())),
        st.tuples(st.tuples(st.just(bt.Wait), fixed(seconds=SPAN)), st.just(())),
    )
    return st.recursive(leaves, deeper, max_leaves=15)


def fitting(spec):
    """Return the spec of a composite, with thresholds that its children can reach."""
    (cls, options), children = spec
    if len(children) < 2:
        thresholds = {name: options[name] for name in ("success", "failure") if name in options}
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
            if kind == "own":
                return Own(self.actor, number)
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
        if kind is bt.UtilitySelector:
            rate = partial(self.functions.rate, self.actor)
            return kind(nodes, utilities=[partial(rate, self.leaf("SFRI")) for _ in nodes])
        if issubclass(kind, bt.Decorator):
            return kind(nodes[0], **options)
        return (
            kind(nodes, **options) if nodes or issubclass(kind, bt.Composite) else kind(**options)
        )


def quietly(tree, call: str = "tick"):
    """Call a method and return what it returns, or the message of its TickError."""
    try:
        return getattr(tree, call)()
    except bt.TickError as error:
        return str(error), type(error.__cause__)


CALLS = st.lists(st.sampled_from(["tick"] * 6 + ["halt", "reset"]), min_size=1, max_size=15)
SEEDS = st.integers(0, 99)


@settings(max_examples=300, deadline=None)
@given(
    spec=st.one_of(specs(FRAGILE), specs(FRAGILE, FUNCTIONS), specs(FRAGILE, copied=True)),
    calls=CALLS,
    seed=SEEDS,
)
@example(spec=((bt.UtilitySelector, {}), ((("act", "F"), ()),)), calls=["tick"], seed=0)
def test_a_template_does_what_the_objects_do(spec, calls, seed):
    """Answers, errors, and all that happens to every leaf in order, are the same."""
    scripts = Builder(spec, None).scripts
    actors = Actor(scripts), Actor(scripts)
    clocks = [lambda actor=actor: actor.time for actor in actors]
    tree = bt.Tree(Builder(spec, actors[0]).root, clock=clocks[0], seed=seed)
    light = Template(Builder(spec, AGENT).root, clock=clocks[1]).spawn(actors[1], seed=seed)
    for call in calls:
        assert quietly(light, call) == quietly(tree, call)
        assert actors[1].log == actors[0].log
        assert (light.status, light.tick_count) == (tree.status, tree.tick_count)
        for actor in actors:
            actor.time += 1.0


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@settings(max_examples=100, deadline=None)
@given(spec=specs(FRAGILE, copied=True), ticks=st.integers(0, 6), seed=SEEDS)
def test_copies_of_light_trees_go_on_as_the_original_does(duplicate, spec, ticks, seed):
    """A light tree copied between two ticks answers, and treats its agent, like the original."""
    builder = Builder(spec, AGENT)
    light = Template(builder.root, clock=stopped_clock).spawn(Actor(builder.scripts), seed=seed)
    for _ in range(ticks):
        quietly(light)
    twin = duplicate(light)
    for _ in range(6):
        assert quietly(twin) == quietly(light)
    assert twin.agent is not light.agent
    assert twin.agent.log == light.agent.log


def stopped_clock() -> float:
    """A clock that pickle finds."""
    return 0.0


def which(count: int):
    """Which of some agents a call is for; None is all of them."""
    numbers = st.lists(st.integers(0, count - 1), unique=True, max_size=count)
    return st.one_of(st.none(), numbers)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), spec=specs(SCRIPTS, FUNCTIONS), seed=SEEDS)
def test_a_batch_does_what_the_objects_do(data, spec, seed):
    """Every agent answers, and is treated in the same order, as by a tree of its own."""
    count = 4
    scripts = Builder(spec, None).scripts
    rotated = [
        {
            leaf: script[i % len(script) :] + script[: i % len(script)]
            for leaf, script in scripts.items()
        }
        for i in range(count)
    ]
    alone, together = [[Actor(scripts) for scripts in rotated] for _ in range(2)]
    time = [0.0]
    trees = [
        bt.Tree(Builder(spec, actor).root, clock=lambda: time[0], seed=seed + number)
        for number, actor in enumerate(alone)
    ]
    root = Builder(spec, AGENT, Many(together)).root
    batch = Batch(root, count, clock=lambda: time[0], seed=seed)
    for _ in range(data.draw(st.integers(1, 12))):
        call = data.draw(st.sampled_from(["tick"] * 6 + ["halt", "reset"]))
        chosen = data.draw(which(count))
        codes = getattr(batch, call)(chosen)
        answers = [getattr(trees[n], call)() for n in (range(count) if chosen is None else chosen)]
        if call == "tick":
            assert codes.tolist() == answers
        assert batch.status.tolist() == [tree.status for tree in trees]
        assert [actor.log for actor in together] == [actor.log for actor in alone]
        time[0] += 1.0
