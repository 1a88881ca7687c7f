# SPDX-License-Identifier: Apache-2.0
"""Templates: their own rules; that they do what trees of objects do is in test_forms.py."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import pytest

import deepsim_btree as bt
from deepsim_btree import AGENT, Status, Template


class Animal:
    """An agent."""

    def __init__(self, food: int = 0) -> None:
        self.food = food
        self.log: list[str] = []


@bt.condition
def hungry(animal: Animal, limit: int = 2) -> bool:
    return animal.food < limit


@bt.action
def eat(animal: Animal, amount: int) -> Status:
    animal.food += amount
    return Status.RUNNING if animal.food < 3 else Status.SUCCESS


@bt.action
def fail(animal: Animal) -> Status:
    raise ValueError("no teeth")


@bt.action
def sing(animal: Animal):
    animal.log.append("la")
    yield
    animal.log.append("li")


class Sleep(bt.Behaviour):
    """A leaf with hooks and with an agent among its attributes."""

    def __init__(self, animal: Animal) -> None:
        super().__init__()
        self.animal = animal

    def initialize(self) -> None:
        self.animal.log.append("lie down")

    def update(self) -> Status:
        return Status.RUNNING

    def terminate(self, new_status: Status) -> None:
        self.animal.log.append(f"get up {new_status}")


class Stubborn(Sleep):
    """A leaf that cannot be halted."""

    def terminate(self, new_status: Status) -> None:
        raise ValueError("no")


def test_agents_share_the_nodes_but_nothing_else():
    """Each agent is where its own ticks have brought it."""
    template = Template(bt.Sequence([hungry(AGENT), eat(AGENT, amount=1)]))
    animals = [Animal(), Animal(1), Animal(5)]
    herd = template.spawn_all(animals)
    assert [tree.tick().name for tree in herd] == ["RUNNING", "RUNNING", "FAILURE"]
    assert [tree.tick().name for tree in herd[:2]] == ["RUNNING", "SUCCESS"]
    assert [animal.food for animal in animals] == [2, 3, 5]
    assert [tree.tick_count for tree in herd] == [2, 2, 1]
    assert all(tree.template is template for tree in herd)


def test_an_agent_takes_few_bytes():
    """A tree of 40 nodes takes less than 10 bytes per node for each agent."""
    branches = [bt.Sequence([eat(AGENT, 1) for _ in range(12)]) for _ in range(3)]
    template = Template(bt.Sequence(branches))
    agents = [Animal() for _ in range(100)]
    template.spawn(Animal()).tick()  # what Python makes at the first one does not count
    tracemalloc.start()
    trees = template.spawn_all(agents)
    for tree in trees:
        tree.tick()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(trees) < 400


def test_agent_number_i_has_seed_plus_i():
    """spawn_all gives each agent the random numbers of the Tree with the next seed."""

    def root():
        return bt.RandomSelector([bt.Action(answer, AGENT, n, name=f"{n}") for n in range(6)])

    def answer(log: list[int], number: int) -> Status:
        log.append(number)
        return Status.FAILURE

    logs: list[list[int]] = [[], [], []]
    for tree in Template(root()).spawn_all(logs, seed=7):
        tree.tick()
    for number, log in enumerate(logs):
        nodes = [bt.Action(answer, expected, n, name=f"{n}") for expected in [[]] for n in range(6)]
        bt.Tree(bt.RandomSelector(nodes), seed=7 + number).tick()
        assert nodes[0].args[0] == log
    assert logs[0] != logs[1] != logs[2]


def test_leaves_with_hooks_are_copied_for_each_agent():
    """A halt reaches the copy of that agent only, with the agent in place of AGENT."""
    animals = [Animal(), Animal()]
    root = bt.ReactiveSequence([bt.Inverter(hungry(AGENT)), Sleep(AGENT)])
    herd = Template(root).spawn_all(animals)
    for animal in animals:
        animal.food = 9
    for tree in herd:
        tree.tick()
    animals[0].food = 0
    assert [tree.tick().name for tree in herd] == ["FAILURE", "RUNNING"]
    assert [animal.log for animal in animals] == [["lie down", "get up INVALID"], ["lie down"]]


def test_leaves_that_pause_and_keys_work_too():
    """Routines are copied; entries are those of the agent's own blackboard."""
    animal = Animal()
    food = bt.Action(eat.function, AGENT, bt.key("meal"), name="eat")
    tree = Template(bt.Sequence([sing(AGENT), food])).spawn(animal)
    tree.blackboard["meal"] = 4
    assert [tree.tick().name, tree.tick().name] == ["RUNNING", "SUCCESS"]
    assert (animal.log, animal.food) == (["la", "li"], 4)


def test_an_error_names_the_node_and_the_tick():
    """The tree is halted, the next tick starts afresh."""
    template = Template(bt.Sequence([eat(AGENT, 2), bt.Inverter(fail(AGENT))], "life"))
    tree = template.spawn(Animal())
    tree.tick()
    with pytest.raises(bt.TickError, match="tick 2, node life/Inverter/fail: ValueError: no teeth"):
        tree.tick()
    assert (tree.status, tree.tick_count, tree.is_busy) == (Status.INVALID, 2, False)
    with pytest.raises(bt.TickError, match="tick 3"):
        tree.tick()


def test_errors_while_halting_are_kept():
    """Every leaf is halted, the errors are together."""
    root = bt.ParallelSequence([Stubborn(AGENT), Sleep(AGENT), Stubborn(AGENT)], "bed")
    animal = Animal()
    tree = Template(root).spawn(animal)
    tree.tick()
    with pytest.raises(bt.TickError, match=r"bed/Stubborn\[0\].*then, while.*bed/Stubborn\[2\]"):
        tree.halt()
    assert animal.log[-1] == "get up INVALID"
    tree.halt()


def test_a_leaf_cannot_tick_its_own_tree():
    """It gets a BusyError, for ticks, halts and copies."""
    trees: list[bt.LightTree] = []
    calls = [lambda: trees[0].tick(), lambda: trees[0].halt(), lambda: copy.deepcopy(trees[0])]
    for call in calls:
        trees[:] = [Template(bt.Action(call, name="call")).spawn(None)]
        with pytest.raises(bt.TickError, match="BusyError"):
            trees[0].tick()


def test_reset_starts_everything_again():
    """Counts that last are set back too, and the seed can be another."""
    tree = Template(bt.RunOnce(eat(AGENT, 5))).spawn(Animal(), seed=1)
    tree.tick()
    tree.tick()
    assert tree.agent.food == 5
    tree.reset(seed=2)
    assert (tree.status, tree.tick_count, tree.seed) == (Status.INVALID, 0, 2)
    tree.tick()
    assert tree.agent.food == 10


def test_time_is_that_of_the_clock():
    """It is read once per agent and tick, and may not go back."""
    times = iter([1.0, 3.0, 2.0])
    tree = Template(bt.Delay(bt.Success(), seconds=2), clock=lambda: next(times)).spawn(None)
    with pytest.raises(bt.StructureError, match="has no time"):
        _ = tree.now
    assert [tree.tick().name, tree.now, tree.tick().name] == ["RUNNING", 1.0, "SUCCESS"]
    with pytest.raises(bt.BtreeError, match=r"the clock of .* went from 3.0 s to 2.0 s"):
        tree.tick()


def test_a_template_can_be_pickled_with_its_agents():
    """Agents that are pickled together share one template afterwards."""
    template = Template(bt.Sequence([hungry(AGENT), eat(AGENT, amount=1)]))
    herd = pickle.loads(pickle.dumps(template.spawn_all([Animal(), Animal()])))
    assert herd[0].template is herd[1].template
    assert [tree.tick().name for tree in herd] == ["RUNNING", "RUNNING"]
    assert copy.deepcopy(AGENT) is pickle.loads(pickle.dumps(AGENT)) is AGENT


class Count(bt.Behaviour):
    """Succeeds at the third tick of a run, and remembers all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.ticks: list[int] = []

    def initialize(self) -> None:
        self.left = 3

    def update(self) -> Status:
        self.left -= 1
        self.ticks.append(self.left)
        return Status.RUNNING if self.left else Status.SUCCESS


def names(tree: bt.LightTree, ticks: int = 3) -> list[str]:
    return [tree.tick().name for _ in range(ticks)]


THIRD = ["RUNNING", "RUNNING", "SUCCESS"]


def test_the_nodes_can_be_run_by_a_tree_as_well():
    """The runs of a Tree of the same nodes, and the other way round, do not meet."""
    root = bt.Sequence([Count()])
    template = Template(root)
    tree = bt.Tree(root)
    tree.tick()
    assert names(template.spawn(None)) == THIRD
    assert names(Template(tree.root.copy()).spawn(None)) == THIRD
    assert bt.Tree(template.root).tick() is Status.RUNNING
    light = template.spawn(None)
    assert names(light) == THIRD
    assert [tree.tick().name for _ in range(2)] == THIRD[1:]
    assert root.children[0].ticks == [2, 1, 0]


def change(root: bt.Sequence) -> None:
    """Change all that can be changed."""
    root.add_child(bt.Failure())
    root.name = "other"
    root.children[1].seed = 5


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_later_changes_do_not_reach_the_template(twin_of):
    """Neither its agents, nor those that are spawned, copied or pickled afterwards."""
    leaves = [bt.Action(note, AGENT, n, name=f"{n}") for n in range(6)]
    root = bt.Sequence([Count(), bt.RandomSelector(leaves)])
    template = Template(root)
    first, before = template.spawn_all([[], []], seed=0)
    assert names(first) == ["RUNNING", "RUNNING", "FAILURE"]
    change(root)
    change(template.root)
    for light in (twin_of(template).spawn([]), template.spawn([]), twin_of(template.spawn([]))):
        assert names(light) == ["RUNNING", "RUNNING", "FAILURE"]
        assert light.agent == first.agent
        assert repr(light) == "<LightTree 'Sequence' tick 3 FAILURE>"
    assert names(twin_of(before)) == names(before)
    assert [node.name for node in template.root.children] == ["Count", "RandomSelector"]
    assert template.root.children[0] is not root.children[0]


def note(agent: list[int], number: int) -> Status:
    agent.append(number)
    return Status.FAILURE


def test_the_nodes_of_a_template_can_be_looked_at():
    """They are a copy, whose functions have the same arguments, and whose subtrees are its own."""
    world = [1]
    root = bt.SubTree(bt.Check(len, world), values={"x": 1})
    twin = Template(root).root
    root.scope["x"] = 2
    assert (twin.scope["x"], twin.child.blackboard) == (1, twin.scope)
    assert (twin.parent, twin.child.parent) == (None, twin)
    assert twin.child.args[0] is world


class Simulation:
    """Has a clock."""

    now = 0.0

    def time(self) -> float:
        return self.now


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_the_clock_is_copied_with_its_agents(twin_of):
    """A simulation and its agents that are copied together go on together."""
    sim = Simulation()
    sim.herd = Template(bt.Wait(seconds=1), clock=sim.time).spawn_all([1, 2])
    assert [tree.tick().name for tree in sim.herd] == ["RUNNING", "RUNNING"]
    for twin in (twin_of(sim), twin_of(sim.herd)[0].clock.__self__):
        twin.now = 10.0
        assert [tree.tick().name for tree in twin.herd] == ["SUCCESS", "SUCCESS"]
        assert twin.herd[0].template is twin.herd[1].template
    assert [tree.tick().name for tree in sim.herd] == ["RUNNING", "RUNNING"]


class Clocked(bt.Behaviour):
    """A leaf that says that it needs a clock."""

    needs_clock = True

    def update(self) -> Status:
        return Status.SUCCESS if self.tree.now > 0 else Status.FAILURE


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bt.Tree(bt.Success()).root, "part of a tree already: use its copy"),
        (lambda: bt.Sequence([bt.Success()]).children[0], "part of a tree already"),
        (lambda: bt.Inverter(bt.Wait(seconds=1)), r"Inverter/Wait needs a clock: Template\(root"),
        (lambda: bt.Sequence([Clocked()]), r"Sequence/Clocked needs a clock: Template\(root"),
    ],
)
def test_what_cannot_be_compiled_is_refused(make, message):
    """The node is named, and what to do."""
    with pytest.raises(bt.StructureError, match=message):
        Template(make())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Template(Animal()), "root must be a Behaviour"),
        (lambda: Template(bt.Success(), clock=1), "clock must be a function"),
        (lambda: Template(bt.Success()).spawn(None, seed="x"), "seed must be an int"),
        (lambda: Template(bt.Success()).spawn_all([1], seed=1.0), "seed must be an int"),
    ],
)
def test_wrong_arguments(call, message):
    """Types are checked."""
    with pytest.raises(TypeError, match=message):
        call()


def test_the_agent_can_be_a_keyword_argument():
    """Also beside others, and under a name that is no identifier."""
    seen = []
    leaf = bt.Action(
        lambda **kwargs: seen.append(kwargs) or Status.SUCCESS, **{"a-b": AGENT, "n": 1}
    )
    Template(leaf).spawn("robot").tick()
    assert seen == [{"a-b": "robot", "n": 1}]


def test_generated_functions_can_be_read():
    """The source of the functions is there, for debuggers and people."""
    source = Template(bt.Sequence([hungry(AGENT), eat(AGENT, 1)])).program.source
    assert "def n0(a, s" in source


class Counter(bt.PortLeaf):
    """Counts its ticks on the blackboard."""

    count = bt.InOut(int, default=0)

    def update(self) -> Status:
        self.count += 1
        return Status.SUCCESS


def test_ports_and_blackboards_of_agents():
    """Each agent has a blackboard, and subtrees have theirs; arguments are shared, not copied."""
    world = {"sum": 0}

    def add(agent, n, world):
        world["sum"] += agent * n
        return Status.SUCCESS

    counted = bt.Sequence(
        [Counter(count=bt.key("n")), bt.Action(add, AGENT, bt.key("n"), world, name="add")]
    )
    root = bt.Sequence(
        [bt.SubTree(counted, remap={"n": "ticks"}), bt.Repeater(bt.Success(), repeat=1)]
    )
    one, ten = Template(root).spawn_all([1, 10])
    one.blackboard["ticks"] = 0
    ten.blackboard["ticks"] = 5
    assert [tree.tick().name for tree in (one, one, ten)] == ["SUCCESS"] * 3
    assert (one.blackboard["ticks"], ten.blackboard["ticks"]) == (2, 6)
    assert world == {"sum": 1 * (1 + 2) + 10 * 6}


def test_branches_that_are_copied_are_few():
    """Only those that need it; their paths and reasons are known."""
    root = bt.Sequence(
        [
            bt.Inverter(bt.Success()),
            bt.Selector([bt.AsyncSequence([bt.Success()], "async"), Counter()]),
        ],
        "root",
    )
    own = Template(root).program.own
    assert [node.path for node in own] == ["root/Selector/async", "root/Selector/Counter"]
    assert own[0].reason.startswith("line ")
    assert own[1].reason == ""
