# SPDX-License-Identifier: Apache-2.0
"""Properties of random trees, and their comparison with an oracle made of generators."""

from __future__ import annotations

import copy
import itertools
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt

# A spec is (kind, argument, children); the argument of a leaf is its script.
LEAVES = st.tuples(st.just("leaf"), st.text("SFRI", min_size=1, max_size=4), st.just(()))
RAISING = st.tuples(st.just("leaf"), st.text("SFRRIE", min_size=1, max_size=4), st.just(()))
PLAIN = ["Inverter", "Succeeder", "UntilFail", "RunningIsFailure", "RunningIsSuccess"]
PLAIN += ["FailureIsSuccess", "FailureIsRunning", "SuccessIsFailure", "SuccessIsRunning", "RunOnce"]
COUNTS = {"Limit": (0, 3, "tick_limit"), "Repeater": (0, 3, "repeat"), "Retry": (1, 3, "attempts")}
SERIAL = ["Sequence", "Selector", "ReactiveSequence", "ReactiveSelector"]
PARALLEL = ["ParallelSequence", "ParallelSelector"]
SHUFFLED = ["RandomSequence", "RandomSelector"]
THRESHOLDS = st.tuples(st.sampled_from([-2, -1, 1, 2]), st.sampled_from([-2, -1, 1, 2]))


def specs(leaves, composites=SERIAL):
    """Return a strategy of trees."""

    def deeper(children):
        one = st.tuples(children)
        some = st.lists(children, max_size=4).map(tuple)
        return st.one_of(
            st.tuples(st.sampled_from(composites), st.none(), some),
            st.tuples(st.sampled_from(PARALLEL), st.booleans(), some),
            st.tuples(st.just("Parallel"), THRESHOLDS, some),
            st.tuples(st.sampled_from(PLAIN), st.none(), one),
            st.sampled_from(sorted(COUNTS)).flatmap(
                lambda kind: st.tuples(st.just(kind), st.integers(*COUNTS[kind][:2]), one)
            ),
            st.tuples(st.just("Condition"), st.sampled_from(["SF", "RF", "FR", "IF"]), one),
        )

    return st.recursive(leaves, deeper, max_leaves=12)


def build(spec, leaf_class, log):
    """Make the nodes of a spec; leaves are numbered from the left."""
    numbers = itertools.count()
    letters = {status.name[0]: status for status in bt.Status}

    def make(spec):
        kind, argument, children = spec
        if kind == "leaf":
            return leaf_class(argument, str(next(numbers)), log)
        nodes = [make(child) for child in children]
        cls = getattr(bt, kind)
        if kind in COUNTS:
            return cls(nodes[0], **{COUNTS[kind][2]: argument})
        if kind == "Condition":
            target, otherwise = (letters[letter] for letter in argument)
            return cls(nodes[0], success_status=target, otherwise=otherwise)
        if kind == "Parallel":
            return cls(nodes, success=argument[0], failure=argument[1])
        if kind in PARALLEL:
            return cls(nodes, eager=argument)
        return cls(nodes[0]) if kind in PLAIN else cls(nodes)

    return make(spec)


class Oracle:
    """Runs a spec with one generator per run of a node: it yields when RUNNING, returns the end.

    Memory, restarts and halts come from Python itself: local variables, new generators, close().
    """

    def __init__(self, spec, log):
        self.log = log
        self.once = {}
        numbers = itertools.count()

        def number(spec):
            kind, argument, children = spec
            if kind == "leaf":
                return kind, (str(next(numbers)), itertools.cycle(argument)), ()
            return kind, argument, tuple(number(child) for child in children)

        self.spec = number(spec)
        self.root = None

    def tick(self):
        if self.root is None:
            self.root = self.run(self.spec)
        answer = self.step(self.root)
        if answer != "R":
            self.root = None
        return answer

    def halt(self):
        if self.root is not None:
            self.root.close()
            self.root = None

    def run(self, spec):
        kind, argument, children = spec
        if kind == "leaf":
            return self.leaf(*argument)
        if kind in ("Sequence", "Selector"):
            return self.serial("S" if kind == "Sequence" else "F", children)
        if kind in ("ReactiveSequence", "ReactiveSelector"):
            return self.reactive("S" if kind == "ReactiveSequence" else "F", children)
        if kind == "Parallel":
            return self.parallel(*argument, False, children)
        if kind == "ParallelSequence":
            return self.parallel(len(children), 1, argument, children)
        if kind == "ParallelSelector":
            return self.parallel(1, len(children), argument, children)
        return getattr(self, kind.lower(), self.mapped)(spec)

    @staticmethod
    def step(generator):
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value
        return "R"

    def leaf(self, name, script):
        self.log.append((name, "start"))
        end = "I"
        try:
            for letter in script:
                self.log.append((name, letter))
                if letter != "R":
                    end = letter
                    return letter
                yield
        finally:
            self.log.append((name, f"end {end}"))

    def serial(self, go_on, children):
        for child in children:
            answer = yield from self.run(child)
            answer = "F" if answer == "I" else answer
            if answer != go_on:
                return answer
        return go_on

    def reactive(self, go_on, children):
        running, generator = None, None
        try:
            while True:
                for child in children:
                    fresh = child is not running
                    current = self.run(child) if fresh else generator
                    answer = self.step(current)
                    if not fresh and answer != "R":
                        running, generator = None, None
                    answer = "F" if answer == "I" else answer
                    if answer != go_on:
                        break
                else:
                    return go_on
                if answer != "R":
                    return answer
                if fresh:
                    if generator is not None:
                        generator.close()
                    running, generator = child, current
                yield
        finally:
            if generator is not None:
                generator.close()

    def parallel(self, success, failure, eager, children):
        count = len(children)
        success = success if success >= 0 else count + 1 + success
        failure = failure if failure >= 0 else count + 1 + failure
        running = {index: self.run(child) for index, child in enumerate(children)}
        ended = []
        try:
            while True:
                for index in list(running):
                    answer = self.step(running[index])
                    if answer != "R":
                        ended.append(answer)
                        del running[index]
                    if eager and self.outcome(count, success, failure, ended) is not None:
                        break
                outcome = self.outcome(count, success, failure, ended)
                if outcome is not None:
                    return outcome
                yield
        finally:
            for generator in running.values():
                generator.close()

    @staticmethod
    def outcome(count, success, failure, ended):
        good = ended.count("S")
        bad = len(ended) - good
        if good >= success:
            return "S"
        return "F" if bad >= failure or bad > count - success else None

    def mapped(self, spec):
        kind, argument, (child,) = spec
        table = {
            "Inverter": "S>F F>S",
            "Succeeder": "F>S I>S",
            "UntilFail": "S>R F>S I>R",
            "RunningIsFailure": "R>F",
            "RunningIsSuccess": "R>S",
            "FailureIsSuccess": "F>S",
            "FailureIsRunning": "F>R",
            "SuccessIsFailure": "S>F",
            "SuccessIsRunning": "S>R",
        }
        if kind == "Condition":
            target, otherwise = argument
            rules = dict.fromkeys("SFRI", otherwise)
            rules[target] = "S"
        else:
            rules = dict(rule.split(">") for rule in table[kind].split())
        generator = self.run(child)
        try:
            while True:
                answer = self.step(generator)
                translated = rules.get(answer, answer)
                if translated != "R":
                    return translated
                yield
                if answer != "R":
                    generator = self.run(child)
        finally:
            generator.close()

    def runonce(self, spec):
        if id(spec) not in self.once:
            self.once[id(spec)] = yield from self.run(spec[2][0])
        return self.once[id(spec)]

    def limit(self, spec):
        generator = self.run(spec[2][0])
        try:
            for _ in range(spec[1]):
                answer = self.step(generator)
                if answer != "R":
                    return answer
                yield
            return "F"
        finally:
            generator.close()

    def repeater(self, spec):
        answer = "S"
        for number in range(spec[1]):
            if number:
                yield
            answer = yield from self.run(spec[2][0])
        return "S" if answer == "S" else "F"

    def retry(self, spec):
        for number in range(spec[1]):
            if number:
                yield
            if (yield from self.run(spec[2][0])) == "S":
                return "S"
        return "F"


CALLS = st.lists(st.sampled_from(["tick"] * 5 + ["halt"]), min_size=1, max_size=12)
ANY_LEAVES = st.one_of(LEAVES, RAISING)


def state(tree):
    """Return all that can be seen of a tree from outside."""
    return [(node.path, node.status, node.last_tick) for node in tree.root.walk()]


def tick_quietly(tree):
    """Tick and return the answer, or the message of the TickError."""
    try:
        return tree.tick()
    except bt.TickError as error:
        return str(error)


@settings(max_examples=400, deadline=None)
@given(spec=specs(LEAVES), calls=CALLS)
def test_trees_agree_with_the_oracle(scripted_class, spec, calls):
    """Answers, and every start, update and end of every leaf in order, are the oracle's."""
    log, oracle_log = [], []
    tree = bt.Tree(build(spec, scripted_class, log))
    oracle = Oracle(spec, oracle_log)
    for call in calls:
        if call == "halt":
            tree.halt()
            oracle.halt()
        else:
            assert tree.tick().name[0] == oracle.tick()
        assert log == oracle_log
    oracle.halt()


@settings(max_examples=150, deadline=None)
@given(spec=specs(ANY_LEAVES, SERIAL + SHUFFLED), calls=CALLS)
def test_runs_are_closed(scripted_class, spec, calls):
    """One end per start; nothing is RUNNING below a node that is not, errors or not."""
    log = []
    tree = bt.Tree(build(spec, scripted_class, log))
    for call in [*calls, "halt"]:
        if call == "halt":
            tree.halt()
        else:
            tick_quietly(tree)
        for node in tree.root.walk():
            open_runs = 0
            for name, event in log:
                if node.name == name and event[:3] in ("sta", "end"):
                    open_runs += 1 if event == "start" else -1
                    assert open_runs in (0, 1)
            if not node.children:
                assert open_runs == (node.status is bt.Status.RUNNING)
            if node.parent is not None and node.status is bt.Status.RUNNING:
                assert node.parent.status is bt.Status.RUNNING


@settings(max_examples=100, deadline=None)
@given(spec=specs(ANY_LEAVES, SERIAL + SHUFFLED), ticks=st.integers(0, 6))
def test_halting_twice_is_halting_once(scripted_class, spec, ticks):
    """The second halt calls nobody and changes nothing."""
    log = []
    tree = bt.Tree(build(spec, scripted_class, log))
    for _ in range(ticks):
        tick_quietly(tree)
    tree.halt()
    seen, after = list(log), state(tree)
    tree.halt()
    tree.root.halt()
    assert (log, state(tree)) == (seen, after)
    assert all(node.status is not bt.Status.RUNNING for node in tree.root.walk())


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@settings(max_examples=100, deadline=None)
@given(
    spec=specs(ANY_LEAVES, SERIAL + SHUFFLED),
    ticks=st.integers(0, 6),
    seed=st.integers(0, 1000),
)
def test_copies_go_on_as_the_original_does(scripted_class, duplicate, spec, ticks, seed):
    """A tree copied between two ticks answers and logs like the original from then on."""
    log = []
    tree = bt.Tree(build(spec, scripted_class, log), seed=seed)
    for _ in range(ticks):
        tick_quietly(tree)
    twin = duplicate(tree)
    leaves = (node for node in twin.root.walk() if isinstance(node, scripted_class))
    twin_log = next((leaf.log for leaf in leaves), [])
    for _ in range(6):
        assert state(twin) == state(tree)
        assert tick_quietly(twin) == tick_quietly(tree)
    assert twin_log == log


@settings(max_examples=100, deadline=None)
@given(spec=specs(ANY_LEAVES, SHUFFLED), seed=st.integers(0, 1000))
def test_the_seed_alone_decides(scripted_class, spec, seed):
    """Same seed, same trace; the program's global random numbers neither matter nor change."""
    traces = []
    for global_seed in (1, 2):
        random.seed(global_seed)
        before = random.getstate()
        log = []
        tree = bt.Tree(build(spec, scripted_class, log), seed=seed)
        answers = [tick_quietly(tree) for _ in range(8)]
        assert random.getstate() == before
        traces.append((answers, log))
    assert traces[0] == traces[1]


@settings(max_examples=100, deadline=None)
@given(spec=specs(LEAVES, SERIAL + SHUFFLED), ticks=st.integers(0, 6), seed=st.integers(0, 9))
def test_a_reset_tree_is_as_good_as_new(scripted_class, spec, ticks, seed):
    """After reset(seed) a tree does what a new one with that seed does."""
    log = []
    tree = bt.Tree(build(spec, scripted_class, log), seed=3)
    for _ in range(ticks):
        tree.tick()
    tree.reset(seed)
    for node in tree.root.walk():
        if isinstance(node, scripted_class):
            node.position = 0
    new_log = []
    new = bt.Tree(build(spec, scripted_class, new_log), seed=seed)
    assert state(tree) == state(new)
    del log[:]
    for _ in range(6):
        assert tree.tick() is new.tick()
    assert log == new_log


@settings(max_examples=100, deadline=None)
@given(
    kind=st.sampled_from(PARALLEL),
    children=st.lists(LEAVES, min_size=1, max_size=4),
    shuffler=st.randoms(use_true_random=False),
)
def test_order_does_not_matter_in_parallel(scripted_class, kind, children, shuffler):
    """A parallel node answers the same, whatever the order of its children."""
    shuffled = list(children)
    shuffler.shuffle(shuffled)
    trees = [bt.Tree(build((kind, False, c), scripted_class, [])) for c in (children, shuffled)]
    for _ in range(6):
        assert trees[0].tick() is trees[1].tick()
