# SPDX-License-Identifier: Apache-2.0
"""Leaves that follow a script and write down what is done to them, and random trees of them."""

from __future__ import annotations

import copy
import itertools
import pickle

import pytest
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Behaviour, Status

STATUSES = {status.name[0]: status for status in list(Status)[:4]}


class Scripted(Behaviour):
    """Answers the letters of a script in turn, over and over; an E raises ValueError.

    The log gets (name, event) at each call: ``"start"``, the letter of an answer, ``"end S"``.
    """

    def __init__(self, script: str, name: str = "leaf", *, log: list[tuple[str, str]]) -> None:
        super().__init__(name)
        self.script = script
        self.log = log
        self.position = 0

    def initialize(self) -> None:
        self.log.append((self.name, "start"))

    def update(self) -> Status:
        letter = self.script[self.position % len(self.script)]
        self.position += 1
        if letter == "E":
            raise ValueError("scripted")
        self.log.append((self.name, letter))
        return STATUSES[letter]

    def terminate(self, new_status: Status) -> None:
        self.log.append((self.name, f"end {new_status.name[0]}"))


@pytest.fixture(scope="session")
def scripted_class() -> type[Scripted]:
    return Scripted


@pytest.fixture
def log() -> list[tuple[str, str]]:
    """The log that `leaf` leaves share in one test."""
    return []


@pytest.fixture
def leaf(log):
    """Make a scripted leaf: ``leaf("RRS", "a")``."""

    def make(script: str, name: str = "leaf") -> Scripted:
        return Scripted(script, name, log=log)

    return make


# A random tree comes from a spec: (kind, argument, children); the argument of a leaf is its script.
PLAIN = ["SubTree", "Inverter", "Succeeder", "UntilFail", "RunningIsFailure", "RunningIsSuccess"]
PLAIN += ["FailureIsSuccess", "FailureIsRunning", "SuccessIsFailure", "SuccessIsRunning", "RunOnce"]
COUNTS = {"Limit": (0, 3, "tick_limit"), "Repeater": (0, 3, "repeat"), "Retry": (1, 3, "attempts")}
SERIAL = ["Sequence", "Selector", "ReactiveSequence", "ReactiveSelector"]
PARALLEL = ["ParallelSequence", "ParallelSelector"]
SHUFFLED = ["RandomSequence", "RandomSelector"]
THRESHOLDS = st.tuples(*[st.sampled_from([-2, -1, 1, 2])] * 2, st.booleans())


BRANCHING = ["IfThenElse", "WhileDoElse"]


def random_specs(letters="SFRI", composites=SERIAL, min_children=0):
    """Return a strategy of specs; an E among the letters of scripts raises an exception."""
    scripts = st.text(letters, min_size=1, max_size=4)
    leaves = st.tuples(st.just("leaf"), scripts, st.just(()))

    def deeper(children):
        one = st.tuples(children)
        some = st.lists(children, min_size=min_children, max_size=4).map(tuple)
        branches = st.lists(children, min_size=2, max_size=3).map(tuple)
        return st.one_of(
            st.tuples(st.sampled_from(composites), st.none(), some),
            st.tuples(st.sampled_from(PARALLEL), st.booleans(), some),
            st.tuples(st.just("Parallel"), THRESHOLDS, some).map(fitting),
            st.tuples(st.sampled_from(BRANCHING), st.none(), branches),
            st.tuples(st.sampled_from(PLAIN), st.none(), one),
            st.sampled_from(sorted(COUNTS)).flatmap(
                lambda kind: st.tuples(st.just(kind), st.integers(*COUNTS[kind][:2]), one)
            ),
            st.tuples(st.just("Condition"), st.sampled_from(["SF", "RF", "FR", "IF"]), one),
        )

    return st.recursive(leaves, deeper, max_leaves=12)


def fitting(spec):
    """Return the spec of a Parallel with thresholds that its children can reach."""
    kind, (success, failure, eager), children = spec
    if len(children) < 2:
        success, failure = max(-1, min(1, success)), max(-1, min(1, failure))
    return kind, (success, failure, eager), children


def build_nodes(spec, log):
    """Make the nodes of a spec; leaves are numbered from the left."""
    numbers = itertools.count()

    def make(spec):
        kind, argument, children = spec
        if kind == "leaf":
            return Scripted(argument, str(next(numbers)), log=log)
        nodes = [make(child) for child in children]
        cls = getattr(bt, kind)
        if kind in COUNTS:
            return cls(nodes[0], **{COUNTS[kind][2]: argument})
        if kind == "Condition":
            target, otherwise = (STATUSES[letter] for letter in argument)
            return cls(nodes[0], success_status=target, otherwise=otherwise)
        if kind == "Parallel":
            return cls(nodes, success=argument[0], failure=argument[1], eager=argument[2])
        if kind in PARALLEL:
            return cls(nodes, eager=argument)
        return cls(*nodes) if kind in PLAIN + BRANCHING else cls(nodes)

    return make(spec)


@pytest.fixture(scope="session")
def specs():
    return random_specs


@pytest.fixture(scope="session")
def build():
    return build_nodes


@pytest.fixture(params=[copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], scope="session")
def twin_of(request):
    """Copy something in both ways in turn."""
    return request.param


@pytest.fixture(scope="session")
def tick_quietly():
    """Tick a tree and return the answer, or the message of the TickError."""

    def tick(tree):
        try:
            return tree.tick()
        except bt.TickError as error:
            return str(error)

    return tick


@pytest.fixture(scope="session")
def state():
    """Return all that can be seen of a tree from outside."""

    def look(tree):
        return [(node.path, node.status, node.last_tick) for node in tree.root.walk()]

    return look
