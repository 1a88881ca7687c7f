# SPDX-License-Identifier: Apache-2.0
"""Ticking behaviour trees beside py_trees and behaviortreepy, interleaved in one run.

Most leaves do next to nothing, so the figures are the cost of the trees themselves: the more the
leaves do, the less the library matters, which a tree with leaves of 5 us shows. Leaves are
subclasses with an `update`, as fast as they can be, and functions with ``@action``, as the README
teaches them. py_trees is ticked by `tick_once`, its fastest way. Needs ``py_trees==2.6.0``,
``behaviortreepy``, ``numpy`` and ``matplotlib``.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from time import process_time_ns
from typing import Any, NamedTuple

import behaviortreepy
import numpy as np
import py_trees
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from report import RESULTS, write

import deepsim_btree as bt
from deepsim_btree import AGENT, Status
from deepsim_btree.batch import Batch
from deepsim_btree.trace import Trace

AGENTS = 10_000
# Of py_trees and of our trees of objects at most so many are timed.
OBJECT_TREES = 1000
LIMIT = 0.97  # so many of the questions get a yes
# Bound to names, because looking them up takes a leaf as long as the rest of its work.
SUCCESS, FAILURE = Status.SUCCESS, Status.FAILURE
THEIR_SUCCESS, THEIR_FAILURE = py_trees.common.Status.SUCCESS, py_trees.common.Status.FAILURE


def interleaved(
    calls: Mapping[str, Callable[[], object]], rounds: int, repeats: int
) -> dict[str, float]:
    """Microseconds per call as `report.interleaved`, but of the processor.

    Wall-clock time would favour the short calls while other programs run, and the long ones are
    those of py_trees.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = process_time_ns()
            for _ in range(repeats):
                call()
            times[name].append((process_time_ns() - start) / repeats / 1000)
    return {name: median(values) for name, values in times.items()}


class TheirLeaf(py_trees.behaviour.Behaviour):
    """Answers at once."""

    def __init__(self, answer: str, number: int) -> None:
        super().__init__("leaf")
        self.answer = py_trees.common.Status[answer]

    def update(self) -> py_trees.common.Status:
        return self.answer


class OurLeaf(bt.Behaviour):
    """Answers at once."""

    __slots__ = ("answer",)

    def __init__(self, answer: str, number: int) -> None:
        super().__init__("leaf")
        self.answer = Status[answer]

    def update(self) -> Status:
        return self.answer


class TheirQuestion(py_trees.behaviour.Behaviour):
    """Looks at one number of an agent."""

    def __init__(self, agent: Sequence[float], number: int) -> None:
        super().__init__("leaf")
        self.agent = agent
        self.number = number

    def update(self) -> py_trees.common.Status:
        return THEIR_SUCCESS if self.agent[self.number] < LIMIT else THEIR_FAILURE


class OurQuestion(bt.Behaviour):
    """Looks at one number of an agent."""

    __slots__ = ("agent", "number")

    def __init__(self, agent: Sequence[float], number: int) -> None:
        super().__init__("leaf")
        self.agent = agent
        self.number = number

    def update(self) -> Status:
        return SUCCESS if self.agent[self.number] < LIMIT else FAILURE


@bt.action
def question(agent: Sequence[float], number: int) -> Status:
    return SUCCESS if agent[number] < LIMIT else FAILURE


class Library(NamedTuple):
    """What trees are made of."""

    sequence: Callable[..., Any]
    selector: Callable[..., Any]
    leaf: Callable[[int], Any]


def theirs(leaf: Callable[[int], Any]) -> Library:
    return Library(
        lambda children, name: py_trees.composites.Sequence(name, True, children),
        lambda children, name: py_trees.composites.Selector(name, True, children),
        leaf,
    )


def ours(leaf: Callable[[int], Any]) -> Library:
    return Library(bt.Sequence, bt.Selector, leaf)


def forty(make: Library) -> Any:
    """A sequence of 3 sequences of 12 leaves."""
    branches = [
        make.sequence([make.leaf(12 * i + j) for j in range(12)], "branch") for i in range(3)
    ]
    return make.sequence(branches, "root")


def sequence_of(count: int, make: Library) -> Any:
    return make.sequence([make.leaf(number) for number in range(count)], "root")


def sequence_1000(make: Library) -> Any:
    return sequence_of(1000, make)


def selector_1000(make: Library) -> Any:
    return make.selector([make.leaf(number) for number in range(1000)], "root")


def ten(make: Library) -> Any:
    """Two sequences of 3 leaves, or else another leaf; most ticks end after the first sequence."""
    branches = [make.sequence([make.leaf(3 * i + j) for j in range(3)], "branch") for i in range(2)]
    return make.selector([*branches, make.leaf(6)], "root")


@bt.action
def answer(status: Status, _number: int) -> Status:
    return status


class TheirHooked(TheirLeaf):
    """Answers at once, and has hooks."""

    def initialise(self) -> None:
        pass

    def terminate(self, new_status: py_trees.common.Status) -> None:
        pass


class OurHooked(OurLeaf):
    """Answers at once, and has hooks."""

    __slots__ = ()

    def initialize(self) -> None:
        pass

    def terminate(self, new_status: Status) -> None:
        pass


def nested(leaf: Callable[[str], bt.Behaviour]) -> bt.Behaviour:
    """50 sequences of 8 children, each in the one before."""
    node: bt.Behaviour = bt.Sequence([leaf("SUCCESS") for _ in range(8)])
    for _ in range(49):
        node = bt.Sequence([*(leaf("SUCCESS") for _ in range(7)), node])
    return node


def chain(leaf: Callable[[str], bt.Behaviour]) -> bt.Behaviour:
    node = leaf("SUCCESS")
    for _ in range(100):
        node = bt.Inverter(node)
    return node


def game(leaf: Callable[[str], bt.Behaviour]) -> bt.Behaviour:
    """Reactive nodes, a Parallel and decorators; RUNNING at every tick."""
    parallel = bt.Parallel(
        [leaf("RUNNING"), bt.Repeater(leaf("SUCCESS"), repeat=-1), bt.Inverter(leaf("RUNNING"))]
    )
    urgent = bt.ReactiveSequence([leaf("FAILURE"), leaf("SUCCESS")])
    plan = bt.Sequence([leaf("SUCCESS"), parallel])
    return bt.ReactiveSelector([urgent, plan, leaf("RUNNING")])


SHAPES: dict[str, Callable[[Callable[[str], bt.Behaviour]], bt.Behaviour]] = {
    "40 nodes": lambda leaf: forty(ours(lambda _: leaf("SUCCESS"))),
    "1000-leaf sequence": lambda leaf: sequence_1000(ours(lambda _: leaf("SUCCESS"))),
    "1000-leaf selector": lambda leaf: selector_1000(ours(lambda _: leaf("FAILURE"))),
    "50 nested sequences of 8": nested,
    "100 decorators": chain,
    "parallel of 50 that are RUNNING": lambda leaf: bt.Parallel(
        [leaf("RUNNING") for _ in range(50)]
    ),
    "reactive, parallel and decorators": game,
    "resumed, 3 levels": lambda leaf: bt.Selector(
        [bt.Sequence([leaf("SUCCESS"), leaf("SUCCESS"), leaf("RUNNING")]), leaf("SUCCESS")]
    ),
}


def theirs_of(node: bt.Behaviour, leaf: type[TheirLeaf]) -> py_trees.behaviour.Behaviour:
    """The same tree in py_trees."""
    if isinstance(node, OurLeaf):
        return leaf(node.answer.name, 0)
    children = [theirs_of(child, leaf) for child in node.children]
    all_of_them = py_trees.common.ParallelPolicy.SuccessOnAll(synchronise=True)
    make: dict[type, Callable[[], py_trees.behaviour.Behaviour]] = {
        bt.Sequence: lambda: py_trees.composites.Sequence("node", True, children),
        bt.Selector: lambda: py_trees.composites.Selector("node", True, children),
        bt.ReactiveSequence: lambda: py_trees.composites.Sequence("node", False, children),
        bt.ReactiveSelector: lambda: py_trees.composites.Selector("node", False, children),
        bt.Parallel: lambda: py_trees.composites.Parallel("node", all_of_them, children),
        bt.Inverter: lambda: py_trees.decorators.Inverter("node", children[0]),
        bt.Succeeder: lambda: py_trees.decorators.FailureIsSuccess("node", children[0]),
        bt.Repeater: lambda: py_trees.decorators.Repeat("node", children[0], -1),
    }
    return make[type(node)]()


def one_agent() -> dict[str, float]:
    """Trees of several shapes, with leaves of several kinds."""
    figures = {}
    kinds: dict[str, tuple[Callable[[str], bt.Behaviour], type[TheirLeaf]]] = {
        "subclasses": (lambda answer: OurLeaf(answer, 0), TheirLeaf),
        "@action": (lambda name: answer(Status[name], 0), TheirLeaf),
        "hooks": (lambda answer: OurHooked(answer, 0), TheirHooked),
    }
    for name, build in SHAPES.items():
        template = build(lambda answer: OurLeaf(answer, 0))
        their = {leaf: theirs_of(template, leaf) for leaf in (TheirLeaf, TheirHooked)}
        calls: dict[str, Callable[[], object]] = {
            "py_trees": their[TheirLeaf].tick_once,
            "py_trees, hooks": their[TheirHooked].tick_once,
        }
        calls |= {kind: bt.Tree(build(leaf)).tick for kind, (leaf, _) in kinds.items()}
        # A turn of 30 calls of a small tree would measure the clock and cold caches, too.
        nodes = sum(1 for _ in template.walk())
        times = interleaved(calls, 15, max(10, 3000 // nodes))
        for kind, time in times.items():
            figures[f"{name}, {kind} [us]"] = time
        for kind, (_, leaf) in kinds.items():
            base = times["py_trees" if leaf is TheirLeaf else "py_trees, hooks"]
            figures[f"{name}, {kind}, x py_trees"] = base / times[kind]
    return figures


def work() -> float:
    """Takes about 5 us."""
    total = 0.0
    for i in range(140):
        total += i * 0.5
    return total


class TheirWorker(TheirLeaf):
    """Works for 5 us."""

    def update(self) -> py_trees.common.Status:
        work()
        return THEIR_SUCCESS


@bt.action
def worker(_number: int) -> Status:
    work()
    return SUCCESS


def forty_of_cpp(update: Callable[[object], object]) -> Callable[[], object]:
    """The tick of 40 nodes in BehaviorTree.CPP, whose leaves are Python functions."""
    factory = behaviortreepy.BehaviorTreeFactory()
    factory.register_simple_action("Leaf", update)
    branch = f"<Sequence>{'<Leaf/>' * 12}</Sequence>"
    factory.register_behavior_tree_from_text(
        f'<root BTCPP_format="4"><BehaviorTree ID="Main"><Sequence>{branch * 3}</Sequence>'
        "</BehaviorTree></root>"
    )
    tree: Any = factory.create_tree("Main")
    return tree.tick_exactly_once  # type: ignore[no-any-return]


def leaves_that_work() -> dict[str, float]:
    """40 nodes whose leaves do nothing, or work for 5 us, in three libraries."""
    cpp_success = behaviortreepy.NodeStatus.SUCCESS

    def cpp_worker(_node: object) -> object:
        work()
        return cpp_success

    calls: dict[str, Callable[[], object]] = {
        "bare calls of the work": lambda: [work() for _ in range(36)],
        "py_trees": forty(theirs(partial(TheirLeaf, "SUCCESS"))).tick_once,
        "behaviortreepy": forty_of_cpp(lambda _: cpp_success),
        "@action": bt.Tree(forty(ours(partial(answer, SUCCESS)))).tick,
        "py_trees, leaves of 5 us": forty(theirs(partial(TheirWorker, "SUCCESS"))).tick_once,
        "behaviortreepy, leaves of 5 us": forty_of_cpp(cpp_worker),
        "@action, leaves of 5 us": bt.Tree(forty(ours(worker))).tick,
    }
    times = interleaved(calls, 15, 60)
    return {f"40 nodes, three libraries, {name} [us]": time for name, time in times.items()}


def first_ticks() -> dict[str, float]:
    """The first tick of new trees of 10 nodes, the median of 200 of them."""
    trees = [bt.Tree(ten(ours(partial(answer, SUCCESS)))) for _ in range(200)]
    times = []
    for tree in trees:
        start = process_time_ns()
        tree.tick()
        times.append((process_time_ns() - start) / 1000)
    return {"first tick of 10 nodes [us]": median(times), "first tick of all [us]": times[0]}


class TheirCounter(py_trees.behaviour.Behaviour):
    """Reads an entry of the blackboard and writes one."""

    def __init__(self) -> None:
        super().__init__("leaf")
        self.client = self.attach_blackboard_client()
        self.client.register_key("count", py_trees.common.Access.WRITE)

    def update(self) -> py_trees.common.Status:
        self.client.count += 1.0
        return THEIR_SUCCESS


class OurCounter(bt.Behaviour):
    """Reads an entry of the blackboard and writes one."""

    def update(self) -> Status:
        board = self.blackboard
        board["count"] += 1.0
        return SUCCESS


class OurPort(bt.PortLeaf):
    """Reads an entry of the blackboard and writes one."""

    count = bt.InOut(float)

    def update(self) -> Status:
        self.count += 1.0
        return SUCCESS


@bt.action
def look(count: float) -> Status:
    return SUCCESS if count >= 0 else FAILURE


def entries() -> dict[str, float]:
    """What it takes to read and write an entry of the blackboard, the tick of its leaf aside."""
    leaves = 100

    def ours(leaf: Callable[[], bt.Behaviour], levels: int = 0, subtrees: int = 0) -> bt.Tree:
        node: bt.Behaviour = bt.Sequence([leaf() for _ in range(leaves)])
        for _ in range(levels):
            node = bt.Sequence([node])
        for _ in range(subtrees):
            node = bt.SubTree(node, remap={"count": "count"})
        return bt.Tree(node, blackboard={"count": 0.0})

    def plain() -> bt.Behaviour:
        return OurLeaf("SUCCESS", 0)

    def port() -> bt.Behaviour:
        return OurPort(count=bt.key("count"))

    kinds: dict[str, tuple[bt.Tree, bt.Tree]] = {
        "port": (ours(port), ours(plain)),
        "port, 20 levels deeper": (ours(port, 20), ours(plain, 20)),
        "port, below 5 subtrees": (ours(port, 0, 5), ours(plain, 0, 5)),
        "self.blackboard": (ours(OurCounter), ours(plain)),
        "self.blackboard, below 5 subtrees": (ours(OurCounter, 0, 5), ours(plain, 0, 5)),
        "key of a function, read only": (
            ours(lambda: look(bt.key("count"))),
            ours(lambda: look(0)),
        ),
    }
    py_trees.blackboard.Blackboard.set("count", 0.0)
    their = py_trees.composites.Sequence("root", True, [TheirCounter() for _ in range(leaves)])
    their_plain = sequence_of(leaves, theirs(partial(TheirLeaf, "SUCCESS")))
    calls = {"py_trees": their.tick_once, "py_trees, plain": their_plain.tick_once}
    for kind, (tree, other) in kinds.items():
        calls |= {kind: tree.tick, f"{kind}, plain": other.tick}
    times = interleaved(calls, 15, 20)
    return {
        f"entry read and written, {kind} [us]": (times[kind] - times[f"{kind}, plain"]) / leaves
        for kind in ("py_trees", *kinds)
    }


def per_agent(build: Callable[[Library], Any], count: int, rounds: int = 7) -> dict[str, float]:
    """Microseconds per agent and tick of each form, in which agents diverge.

    Every agent has numbers of its own, which its leaves look at.
    """
    numbers = np.random.default_rng(1).random((count, 36))
    columns = np.ascontiguousarray(numbers.T)
    agents = numbers.tolist()
    few = agents[:OBJECT_TREES]
    trees = {
        "py_trees": [build(theirs(partial(TheirQuestion, agent))) for agent in few],
        "objects": [bt.Tree(build(ours(partial(OurQuestion, agent)))) for agent in few],
        "@action": [bt.Tree(build(ours(partial(question, agent)))) for agent in few],
    }

    def questions(who: Any, number: int) -> Any:
        return columns[number][who] < LIMIT

    batch = Batch(build(ours(partial(bt.Check, questions, AGENT, name="leaf"))), count)

    def tick_theirs() -> None:
        for root in trees["py_trees"]:
            root.tick_once()

    def tick_all(form: str) -> None:
        for tree in trees[form]:
            tree.tick()

    calls = {
        "py_trees": tick_theirs,
        "objects": partial(tick_all, "objects"),
        "@action": partial(tick_all, "@action"),
        "batch": batch.tick,
    }
    repeats = max(1, 200 // count)
    times = interleaved(calls, rounds, repeats)
    answers = batch.status.tolist()
    for form in ("objects", "@action"):
        assert [tree.status for tree in trees[form]] == answers[: len(trees[form])]
    assert [Status[root.status.name] for root in trees["py_trees"]] == answers[: len(few)]
    ticked = {"py_trees": len(few), "objects": len(few), "@action": len(few), "batch": count}
    return {form: time / ticked[form] for form, time in times.items()}


def many_agents() -> dict[str, float]:
    """10,000 agents."""
    figures = {}
    for name, build in (("40 nodes", forty), ("10 nodes", ten)):
        times = per_agent(build, AGENTS)
        for form, time in times.items():
            figures[f"{AGENTS} agents, {name}, {form} [us per agent]"] = time
        for form in ("objects", "@action", "batch"):
            figures[f"{AGENTS} agents, {name}, {form}, x py_trees"] = (
                times["py_trees"] / times[form]
            )
    return figures


def bytes_per_tree(make: Callable[[], Any]) -> float:
    """Bytes that stay allocated for a tree after a tick, on average of 200 trees."""
    count = 200

    def make_all() -> list[Any]:
        trees = [make() for _ in range(count)]
        for tree in trees:
            tree.tick_once() if isinstance(tree, py_trees.behaviour.Behaviour) else tree.tick()
        return trees

    make_all()  # what the first ones create for all others does not count
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    trees = make_all()
    gc.collect()
    size = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert len(trees) == count
    return size / count


def memory() -> dict[str, float]:
    """Sizes of trees, everything included but the texts of names, which programs share."""
    figures = {}
    agent = [0.0] * 1000
    makers: dict[str, Callable[[Any], Any]] = {
        "py_trees": lambda build: build(theirs(partial(TheirLeaf, "SUCCESS"))),
        "objects": lambda build: bt.Tree(build(ours(partial(OurLeaf, "SUCCESS")))),
        "objects, leaves of functions": lambda build: bt.Tree(
            build(ours(partial(question, agent)))
        ),
    }
    for form, maker in makers.items():
        for name, build, nodes in (
            ("10", ten, 10),
            ("40", forty, 40),
            ("1001", sequence_1000, 1001),
        ):
            size = bytes_per_tree(partial(maker, build))
            figures[f"{name} nodes, {form} [bytes per node]"] = size / nodes
    return figures


class OurSwitch(bt.Behaviour):
    """Succeeds every other time."""

    __slots__ = ("answer",)

    def __init__(self) -> None:
        super().__init__("switch")
        self.answer = Status.SUCCESS

    def update(self) -> Status:
        self.answer = Status.FAILURE if self.answer is Status.SUCCESS else Status.SUCCESS
        return self.answer


def tracing() -> dict[str, float]:
    """What a trace that records changes costs, if there are none and if there are many."""
    figures = {}
    for name, special in (("nothing", 40), ("half of the tree", 18)):
        plain, traced = (
            bt.Tree(
                forty(ours(lambda n, s=special: OurSwitch() if n == s else OurLeaf("SUCCESS", n)))
            )
            for _ in range(2)
        )
        with Trace(traced, limit=100):
            times = interleaved({"off": plain.tick, "on": traced.tick}, 15, 200)
        figures[f"40 nodes, tracing while {name} changes, x off"] = times["on"] / times["off"]
    return figures


def sweep() -> dict[str, float]:
    """From which number of agents on a batch is faster than trees of objects; draws the figure."""
    counts = [1, 10, 100, 300, 1000, 3000, 10_000, 100_000]
    times = [per_agent(forty, count, rounds=3) for count in counts]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for form in times[0]:
        axes.loglog(counts, [row[form] for row in times], marker="o", label=form)
    axes.set(xlabel="agents", ylabel="microseconds per agent and tick", title="40-node trees")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    RESULTS.mkdir(exist_ok=True)
    FigureCanvasAgg(figure).print_png(RESULTS / "btree.png")
    return {
        f"{count} agents, 40 nodes, batch, x objects": row["objects"] / row["batch"]
        for count, row in zip(counts, times, strict=True)
    }


def main() -> None:
    """Measures everything."""
    figures = one_agent() | leaves_that_work() | first_ticks() | entries()
    figures |= many_agents() | memory() | tracing() | sweep()
    write("btree", figures, "py_trees", "behaviortreepy", "numpy")


if __name__ == "__main__":
    main()
