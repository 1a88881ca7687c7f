# SPDX-License-Identifier: Apache-2.0
"""The tree as a whole: ticks, clock, seed, reset and what validate finds."""

from __future__ import annotations

import copy
import pickle

import pytest

import deepsim_btree as bt
from deepsim_btree import Problem, Status


def test_tick_counts_and_answers(leaf):
    """The answer of the root is the answer of the tree."""
    tree = bt.Tree(leaf("RSF", "a"))
    assert (tree.status, tree.tick_count) == (Status.INVALID, 0)
    assert [tree.tick().name for _ in range(3)] == ["RUNNING", "SUCCESS", "FAILURE"]
    assert (tree.status, tree.tick_count, tree.is_busy) == (Status.FAILURE, 3, False)
    assert repr(tree) == "<Tree 'a' tick 3 FAILURE>"


def test_a_root_is_free():
    """A root has no parent and one tree."""
    root = bt.Inverter(bt.Success())
    with pytest.raises(bt.StructureError, match="has a parent, Inverter"):
        bt.Tree(root.child)
    bt.Tree(root)
    with pytest.raises(bt.StructureError, match=r"root of a Tree already: use its copy\(\)"):
        bt.Tree(root)


def test_time_is_read_once_per_tick():
    """All nodes of one tick see the same instant."""
    readings = iter([1.0, 2.5])
    seen = []

    class Leaf(bt.Behaviour):
        def update(self):
            seen.append(self.tree.now)
            return Status.SUCCESS

    tree = bt.Tree(bt.Sequence([Leaf(), Leaf()]), clock=lambda: next(readings))
    tree.tick()
    tree.tick()
    assert seen == [1.0, 1.0, 2.5, 2.5]


def test_a_tree_without_clock_has_no_time():
    """Wall time is never a default: a timer without a clock is an error that says so."""
    tree = bt.Tree(bt.Timeout(bt.Running(), seconds=1))
    message = r"node Timeout: .*the tree has no time: give it a clock"
    with pytest.raises(bt.TickError, match=message):
        tree.tick()


@pytest.mark.parametrize("bad", [4.0, float("nan")])
def test_time_never_goes_back(bad):
    """A clock that was reset is an error until the tree is reset too, rather than a long wait."""
    time = [5.0]
    tree = bt.Tree(bt.Timeout(bt.Running(), seconds=1), clock=lambda: time[0])
    tree.tick()
    time[0] = bad
    for _ in range(2):
        with pytest.raises(bt.BtreeError, match=r"from 5.0 s to .*call reset\(\)"):
            tree.tick()
    assert tree.tick_count == 1
    time[0] = 0.0
    tree.reset()
    assert tree.tick() is Status.RUNNING
    assert tree.now == 0.0


def test_reset_takes_a_new_seed_or_keeps_the_old():
    """The seed stays until another one is given."""
    tree = bt.Tree(bt.Success(), seed=4)
    tree.reset()
    assert tree.seed == 4
    tree.reset(9)
    assert tree.seed == 9


def test_reset_calls_the_nodes():
    """Leaves of one's own can forget too."""

    class Counter(bt.Behaviour):
        count = 0

        def update(self):
            self.count += 1
            self.feedback_message = f"tick {self.count}"
            return Status.SUCCESS

        def reset(self):
            super().reset()
            self.count = 0

    leaf = Counter()
    tree = bt.Tree(leaf)
    tree.tick()
    tree.reset()
    assert (leaf.count, leaf.feedback_message, leaf.status, tree.tick_count) == (0, "", 0, 0)


@pytest.mark.parametrize("call", ["tick", "halt", "reset"])
def test_a_tree_is_not_called_from_inside(call):
    """A node that ticks, halts or resets its own tree gets an error, and the tree stays usable."""
    calls = []

    class Meddler(bt.Behaviour):
        def update(self):
            if not calls:
                calls.append(call)
                getattr(self.tree, call)()
            return Status.SUCCESS

    tree = bt.Tree(bt.Sequence([Meddler()], "root"))
    with pytest.raises(bt.TickError, match=r"node root/Meddler: BusyError: .* inside a tick"):
        tree.tick()
    assert tree.tick() is Status.SUCCESS


def test_a_halt_is_not_disturbed_either():
    """A node that ticks its tree or changes it while it is halted gets an error; all are halted."""

    class Meddler(bt.Running):
        def terminate(self, new_status):
            self.tree.tick()

    class Adder(bt.Running):
        def terminate(self, new_status):
            self.parent.add_child(bt.Success())

    tree = bt.Tree(bt.ParallelSequence([Meddler(), Adder(), bt.Running()], "root"))
    tree.tick()
    with pytest.raises(bt.TickError, match=r"Meddler: BusyError: .* inside .* a halt") as caught:
        tree.halt()
    (other,) = caught.value.while_halting
    assert (other.path, other.tick) == ("root/Adder", 1)
    assert {node.status for node in tree.root.walk()} == {Status.INVALID}
    assert len(tree.root.children) == 3


def test_a_tree_is_not_copied_from_inside():
    """Half a tick cannot be saved."""

    class Copier(bt.Behaviour):
        def update(self):
            copy.deepcopy(self.tree)
            return Status.SUCCESS

    with pytest.raises(bt.TickError, match="inside a tick: copy or pickle it between two ticks"):
        bt.Tree(Copier()).tick()


def test_validate_lists_all_problems():
    """Every problem is reported at once, with the path of its node."""

    class Forgotten(bt.Behaviour):
        pass

    root = bt.Selector(
        [
            bt.Sequence(name="empty"),
            bt.Sequence([bt.Failure("never"), bt.Success()], "cut"),
            bt.Timeout(bt.Parallel([bt.Success()], "few", success=2, failure=-3), seconds=1),
            bt.RandomSequence([bt.Failure(), bt.Success()]),
            bt.Running("idle"),
            Forgotten(),
        ],
        "root",
    )
    tree = bt.Tree(root)
    assert tree.validate() == [
        Problem("root", "children after idle never run: it always answers RUNNING"),
        Problem("root/empty", "Sequence has no children"),
        Problem("root/cut", "children after never never run: it always answers FAILURE"),
        Problem("root/Timeout", "Timeout needs a clock: Tree(root, clock=...)"),
        Problem("root/Timeout/few", "success=2 does not fit its 1 children"),
        Problem("root/Timeout/few", "failure=-3 does not fit its 1 children"),
        Problem(
            "root/Forgotten", "Forgotten has no update() of its own and always answers INVALID"
        ),
    ]
    assert str(tree.validate()[1]) == "root/empty: Sequence has no children"


class Walker(bt.Behaviour):
    """A leaf with state of its own, importable so that it can be pickled."""

    def __init__(self, board: list[int]) -> None:
        super().__init__()
        self.board = board

    def update(self) -> Status:
        self.board.append(self.tree.tick_count)
        return Status.RUNNING


@bt.action
def advance(robot, step=1):
    """Move a robot, which is a list of one number."""
    robot[0] += step
    return Status.SUCCESS if robot[0] > 3 else Status.RUNNING


@bt.condition
def is_near(robot, limit):
    return robot[0] < limit


def test_pickle_keeps_what_nodes_share():
    """Objects that two nodes share are shared in the copy too, and no longer with the original."""
    robot = [0]
    root = bt.Sequence([is_near(robot, limit=9), advance(robot), advance(robot, step=5)])
    tree = bt.Tree(root, blackboard={"robot": robot})
    tree.tick()
    twin = pickle.loads(pickle.dumps(tree))
    assert [twin.tick().name for _ in range(3)] == ["RUNNING", "RUNNING", "SUCCESS"]
    assert twin.blackboard["robot"] == [9]
    assert twin.root.children[2].args[0] is twin.blackboard["robot"]
    assert robot == [1]


def test_pickle_starting_at_any_node():
    """A pickle of one node carries its tree along and is whole, wherever it starts."""
    tree = bt.Tree(bt.Sequence([bt.Success(), bt.Inverter(Walker([]))]))
    tree.tick()
    for node in tree.root.walk():
        twin = pickle.loads(pickle.dumps(node))
        assert twin.path == node.path
        assert twin.tree.tick() is Status.RUNNING
        leaf = list(twin.tree.root.walk())[-1]
        assert leaf.board == [1, 2]


def test_str_draws_the_tree():
    """Printing a tree shows it."""
    tree = bt.Tree(bt.Success())
    tree.tick()
    assert str(tree) == bt.render_text(tree.root) == "[✓] Success"


def test_a_status_is_neither_true_nor_false():
    """`if tree.tick():` would pass for FAILURE."""
    with pytest.raises(TypeError, match=r"write `status is Status.FAILURE`"):
        bool(bt.Tree(bt.Failure()).tick())


class Idle(bt.Decorator):
    def update(self):
        return self.child.status


class Eager(bt.Decorator):
    def update(self):
        return self.tick_child(self.child)


class Source(bt.PortLeaf):
    out = bt.Output(int)

    def update(self):
        self.out = 1
        return Status.SUCCESS


class Sink(bt.PortLeaf):
    text = bt.Input(str)
    number = bt.Input(float, default=0.0)

    def update(self):
        return Status.SUCCESS


@bt.action
def drive(speed):
    return Status.SUCCESS


def test_validate_looks_at_arguments_and_connections():
    """Before anything runs."""
    root = bt.Sequence(
        [
            Idle(bt.Success()),
            Eager(bt.Success()),
            Source(out=bt.key("n")),
            Sink(text=bt.key("n"), number=bt.key("n")),
            bt.SubTree(Sink("inner", text=bt.key("t")), remap={"t": "lost"}),
            drive(),
            drive(bt.key("n")),
        ],
        "root",
    )
    assert [str(problem) for problem in bt.Tree(root).validate()] == [
        "root/Idle: update() of Idle never ticks its child: self.tick_child(self.child)",
        "root/drive[5]: its function cannot be called with these arguments: missing a required "
        "argument: 'speed'",
        "root/Sink: port text reads str from {n}, where root/Source writes int",
        "root/SubTree/inner: reads {t}, which no node writes and the blackboard lacks",
    ]


def test_validate_does_not_guess_what_leaves_of_other_classes_write():
    """They may write any entry."""

    class Teacher(bt.Behaviour):
        def update(self):
            self.blackboard["lesson"] = "one"
            return Status.SUCCESS

    assert bt.Tree(bt.Sequence([Teacher(), Sink(text=bt.key("lesson"))])).validate() == []


def test_a_wrapper_is_called_around_each_tick(leaf):
    """Of every node, the innermost first to answer; it may change the answer."""
    heard = []

    def hear(node, tick):
        status = tick()
        heard.append((node.name, status.name))
        return Status.SUCCESS if node.name == "b" else status

    root = bt.Sequence([leaf("S", "a"), bt.Inverter(leaf("S", "c"), "b")], "root")
    tree = bt.Tree(root)
    tree.wrap(hear)
    assert tree.tick() is Status.SUCCESS
    assert heard == [("a", "SUCCESS"), ("c", "SUCCESS"), ("b", "FAILURE"), ("root", "SUCCESS")]
    assert root.children[1].status is Status.SUCCESS
    twins = copy.deepcopy(tree), bt.Tree(root.copy()), pickle.loads(pickle.dumps(bt.Tree(deep())))
    heard.clear()
    assert [twin.tick() for twin in twins] == [Status.FAILURE, Status.FAILURE, Status.FAILURE]
    assert heard == []


def deep() -> bt.Behaviour:
    tree = bt.Tree(bt.Inverter(bt.Sequence([bt.Success()])))
    tree.wrap(print_nothing)
    return tree.root.copy()


def print_nothing(node, tick):
    return tick()


def test_wrappers_follow_the_nodes(leaf):
    """Nodes that are added later are wrapped, those that leave are not; wrappers are nested."""
    heard = []

    def hear(mark):
        def wrapper(node, tick):
            heard.append(mark + node.name)
            return tick()

        return wrapper

    first, second = hear("1"), hear("2")
    root = bt.Sequence([leaf("S", "a")], "root")
    tree = bt.Tree(root)
    tree.wrap(first)
    tree.wrap(second)
    branch = bt.Selector([leaf("S", "c")], "b")
    root.add_child(branch)
    tree.tick()
    assert heard == ["2root", "1root", "2a", "1a", "2b", "1b", "2c", "1c"]
    tree.unwrap(second)
    root.remove_child(branch)
    heard.clear()
    assert (tree.tick(), bt.Tree(branch).tick()) == (Status.SUCCESS, Status.SUCCESS)
    assert heard == ["1root", "1a"]
    tree.unwrap(first)
    tree.tick()
    assert heard == ["1root", "1a"]
