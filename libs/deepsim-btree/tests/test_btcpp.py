# SPDX-License-Identifier: Apache-2.0
"""Random documents do in BehaviorTree.CPP itself, by its Python binding, what they do here.

One tick here is its ``tickExactlyOnce``. What differs is listed in docs/xml.md and left out here.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deepsim_btree as bt
from deepsim_btree import Status
from deepsim_btree.xml import read_xml, write_xml

btcpp = pytest.importorskip("behaviortreepy")

LETTERS = {"R": Status.RUNNING, "S": Status.SUCCESS, "F": Status.FAILURE}
TICKS = 8

COMPOSITES = ["Sequence", "Fallback", "ReactiveSequence", "ReactiveFallback", "AsyncSequence"]
COMPOSITES += ["AsyncFallback", "SequenceWithMemory", "Parallel", "ParallelAll", "IfThenElse"]
COMPOSITES += ["Switch2"]
DECORATORS = ["Inverter", "ForceSuccess", "ForceFailure", "KeepRunningUntilFailure", "RunOnce"]
DECORATORS += ["Precondition", "LoopInt", "SkipUnlessUpdated", "WaitValueUpdate"]
CONDITIONS = ["n > 2", "m == 'a'", "n == 1 || m != 'a'", "!(n < 3)", "true", "false"]
CONDITIONS += ["n - 1 * 2 < 3"]
ACTIONS = ["n := n + 1", "n = 0", "m = 'b'", "m := 'a'", "n += 2; m = n > 3 ? 'a' : 'c'"]


class Document:
    """A random document and the scripts of its leaves.

    Args:
        draw: Draws from a strategy.
        hooks: Whether nodes have scripts before and after them.
    """

    def __init__(self, draw, hooks: bool) -> None:
        self.draw = draw
        self.hooks = hooks
        self.scripts: dict[str, str] = {}
        self.trees = ""
        body = self.node(4)
        self.text = (
            '<root BTCPP_format="4" main_tree_to_execute="Main"><BehaviorTree ID="Main">'
            f"""<Sequence><Script code="n := 1; m := 'a'"/>{body}</Sequence></BehaviorTree>"""
            f"{self.trees}</root>"
        )

    def node(self, depth: int, *, plain: bool = False) -> str:
        kind = self.one(["leaf"] if depth == 0 else ["leaf", "leaf", "many", "many", "one", "tree"])
        if kind == "leaf":
            return self.leaf(plain)
        if kind == "tree":
            return self.subtree(depth, plain)
        if kind == "one":
            tag = self.one(DECORATORS)
            # There a halt of these does not reach a child that is RUNNING.
            quick = tag in ("SkipUnlessUpdated", "WaitValueUpdate")
            child = self.quick_leaf(plain=False) if quick else self.node(depth - 1)
            return self.element(tag, [child], self.options(tag, 1), plain)
        tag = self.one(COMPOSITES)
        count = {"IfThenElse": 3, "Switch2": 3}.get(tag) or self.one([2, 3])
        # Of the children of a reactive node that have succeeded it asks no scripts there.
        quiet = tag.startswith("Reactive")
        children = [self.node(depth - 1, plain=quiet) for _ in range(count)]
        if tag == "IfThenElse":  # its condition keeps its answer there, if it is asynchronous
            children[0] = self.check()
        return self.element(tag, children, self.options(tag, count), plain)

    def options(self, tag: str, count: int) -> str:
        numbers = [*range(1, count + 1), -1]
        if tag == "Parallel":
            return f'success_count="{self.one(numbers)}" failure_count="{self.one(numbers)}"'
        if tag == "ParallelAll":
            return f'max_failures="{self.one([0, *numbers])}"'
        if tag == "Switch2":
            return 'variable="{m}" case_1="a" case_2="b"'
        if tag == "RunOnce":
            return self.one(['then_skip="false"', 'then_skip="true"', ""])
        if tag == "Precondition":
            answer = self.one(["SUCCESS", "FAILURE", "SKIPPED"])
            return f'if={quoteattr(self.one(CONDITIONS))} else="{answer}"'
        if tag in ("SkipUnlessUpdated", "WaitValueUpdate"):
            return f'entry="{self.one(["n", "m", "s", "unknown"])}"'
        if tag == "LoopInt":
            return self.one(['queue="1;2" value="{n}"', 'queue="1;2;3"'])
        return ""

    def leaf(self, plain: bool) -> str:
        if self.one([True, True, False, False, False, False, False]):
            tag = f"Leaf{len(self.scripts)}"
            self.scripts[tag] = self.draw(st.text("RSF", min_size=1, max_size=4))
            return self.element(tag, [], "", plain)
        return self.quick_leaf(plain)

    def quick_leaf(self, plain: bool) -> str:
        kind = self.one(["check", "script", "constant", "set", "updated"])
        if kind == "check":
            return self.check()
        if kind == "script":
            return self.element("Script", [], f"code={quoteattr(self.one(ACTIONS))}", plain)
        if kind == "updated":
            entry = self.one(["n", "m", "s"])
            return self.element("WasEntryUpdated", [], f'entry="{entry}"', plain)
        if kind == "set":
            return self.element("SetBlackboard", [], 'value="a" output_key="s"', plain)
        return self.element(self.one(["AlwaysSuccess", "AlwaysFailure"]), [], "", plain)

    def check(self) -> str:
        return f"<ScriptCondition code={quoteattr(self.one(CONDITIONS))}/>"

    def subtree(self, depth: int, plain: bool) -> str:
        tree_id = f"Tree{self.trees.count('</BehaviorTree>')}"
        self.trees += f'<BehaviorTree ID="{tree_id}">place</BehaviorTree>'
        body = self.node(depth - 1)
        self.trees = self.trees.replace(f'ID="{tree_id}">place', f'ID="{tree_id}">{body}')
        ports = self.one(['_autoremap="true"', 'n="{n}" m="{m}"'])
        return self.element("SubTree", [], f'ID="{tree_id}" {ports}', plain)

    def element(self, tag: str, children: list[str], options: str, plain: bool) -> str:
        hooks = ""
        if self.hooks and not plain and self.one([False, False, True]):
            name = self.one(["_skipIf", "_successIf", "_failureIf", "_while"])
            hooks = f" {name}={quoteattr(self.one(CONDITIONS))}"
        if self.hooks and self.one([False, False, False, True]):
            name = self.one(["_onSuccess", "_onFailure", "_onHalted", "_post"])
            hooks += f" {name}={quoteattr(self.one(ACTIONS))}"
        return f"<{tag} {options}{hooks}>{''.join(children)}</{tag}>"

    def one(self, choices):
        return self.draw(st.sampled_from(choices))


def play_there(text: str, scripts: dict[str, str]) -> list[object]:
    """Return the statuses and what happened to the leaves in BehaviorTree.CPP."""
    log: list[object] = []
    factory = btcpp.BehaviorTreeFactory()
    codes = {letter: btcpp.NodeStatus.__members__[LETTERS[letter].name] for letter in LETTERS}

    def register(tag: str, script: str) -> None:
        position = [0]

        def follow(_):
            letter = script[position[0] % len(script)]
            position[0] += 1
            log.append((tag, letter))
            return codes[letter]

        halt = lambda _: log.append((tag, "halt"))  # noqa: E731
        factory.register_simple_stateful_action(tag, follow, follow, halt)

    for tag, script in scripts.items():
        register(tag, script)
    factory.register_behavior_tree_from_text(text)
    tree = factory.create_tree("Main")
    for _ in range(TICKS):
        try:
            log.append(tree.tick_exactly_once().name)
        except RuntimeError:
            return [*log, "error"]
    return list(log)  # The tree halts its leaves when it is deleted.


def classes(scripted_class, scripts: dict[str, str], log: list[object]) -> dict[str, type]:
    def make(tag: str, script: str) -> type:
        def init(self) -> None:
            scripted_class.__init__(self, script, tag, log=log)

        return type(tag, (scripted_class,), {"__init__": init})

    return {tag: make(tag, script) for tag, script in scripts.items()}


def play_here(root: bt.Behaviour, log: list[object]) -> list[object]:
    """Return the statuses and what happened to the leaves here, in the words of `play_there`."""
    tree = bt.Tree(root, clock=lambda: 0.0)
    for _ in range(TICKS):
        try:
            log.append(("tree", tree.tick().name))
        except bt.TickError:
            log.append(("tree", "error"))
            break
    words = {"end I": "halt", "start": None, "end S": None, "end F": None}
    found = [(name, words.get(event, event)) for name, event in log]
    return [word if name == "tree" else (name, word) for name, word in found if word]


@st.composite
def documents(draw, hooks: bool = False):
    return Document(draw, hooks)


@settings(max_examples=150, deadline=None)
@given(documents())
def test_documents_do_what_they_do_there(scripted_class, document):
    """Statuses, leaves that are ticked, and leaves that are halted."""
    check(scripted_class, document)


@settings(max_examples=150, deadline=None)
@given(documents(hooks=True))
def test_documents_with_hooks_do_what_they_do_there(scripted_class, document):
    """Scripts before and after nodes, and SKIPPED."""
    check(scripted_class, document)


def check(scripted_class, document: Document) -> None:
    expected = play_there(document.text, document.scripts)
    log: list[object] = []
    nodes = classes(scripted_class, document.scripts, log)
    root = read_xml(document.text, nodes)
    written = write_xml(root, nodes, dialect="btcpp")
    got = play_here(root, log)
    assert got == expected, (document.text, document.scripts)
    assert play_there(written, document.scripts) == expected
