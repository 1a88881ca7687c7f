# SPDX-License-Identifier: Apache-2.0
"""Compiles the nodes of a `Tree` to one Python function that ticks them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.leaves.constant import Constant
from deepsim_btree.leaves.function import Action, Check, FunctionLeaf
from deepsim_btree.parent import Parent
from deepsim_btree.rules.flow import CHECKED, NO_STATUS
from deepsim_btree.rules.rule import NoRuleError, find_rule
from deepsim_btree.status import FAILURE, SKIPPED, SUCCESS, Status

from .branch_compiler import BranchCompiler
from .leaf_call import CHECK, has_keys
from .program import line_of
from .text import ANSWER, block, function, lines, owners, written_out
from .tree_control import ANYTHING, TreeControl

if TYPE_CHECKING:
    from deepsim_btree.rules.flow import Answers
    from deepsim_btree.tree import Tree

    from .branch_compiler import Begun


class TreePart(NamedTuple):
    """The code with which a node's function ticks one of its children."""

    name: str
    """Name of the child."""
    tick: str
    """Statements that tick the child and assign its answer to `ANSWER`."""
    again: str
    """Like `tick`, for a child that is RUNNING."""
    check: str
    """Statements after `again`, which check the answer of a child with hooks."""
    keep: str
    """Statements that store the answer as the status of the child."""
    mark: str
    """A comment that attributes errors on a line to the child."""
    answers: Answers
    """The possible answers of the child."""


class TreeProgram(NamedTuple):
    """The compiled form of a `Tree`."""

    source: str
    """Text of the functions, for debugging."""
    filename: str
    """File name of this text in tracebacks."""
    tick: Callable[[int], Status]
    """Ticks the root, given the number of the tick."""
    owners: tuple[Behaviour, ...]
    """The node that each line of the text belongs to."""

    def culprit(self, error: Exception) -> Behaviour:
        """Returns the node whose code raised `error`."""
        return self.owners[line_of(error, self.filename) - 1]


class TreeCompiler(BranchCompiler[TreeControl, TreePart]):
    """A compiler of one `Tree`.

    Every control node becomes a function such as ``n3(t)`` of the tick number. All state stays in
    the nodes, so that compiled and ordinary ticks may alternate.

    Args:
        tree: The tree.
    """

    # Either a NoRuleError, or an error of user code (pure functions, properties, operators) with
    # the settings of a node, which may be wrong in any way. The node and those below run
    # uncompiled, and their ticks raise that error.
    UNTRANSLATABLE = Exception

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree.root, {"tree": tree})

    def compile(self) -> TreeProgram:
        """Returns the compiled tree."""
        part = self._branch()
        name = "n0"
        if f"= {name}(t)" not in part.tick or self._root.has_hooks or NO_STATUS in part.answers:
            name = "tick"
            wrong = f"raise c0._no_status(_answer){part.mark}"
            check = block("if _answer.__class__ is not Status:", wrong)
            ticked = lines(part.tick, part.keep).replace(ANSWER, "_answer")
            ticked = lines(ticked, check, "return _answer")
            self._functions.append(function(name, "t", ticked, 0))
        source = "\n".join(self._functions) + "\n"
        filename = f"<compiled {self._root.name}>"
        return TreeProgram(
            source,
            filename,
            self._execute(source, filename)[name],
            tuple(self._nodes[number] for number in owners(source)),
        )

    def _check(self, node: Behaviour) -> None:
        """Checks a node before those below it are compiled."""
        if not isinstance(node, Parent) or type(node).tick is not Behaviour.tick:
            raise NoRuleError("")
        if len(node.children) > TreeControl.UNROLLED:
            raise NoRuleError("it has too many children to write each of them out")
        find_rule(type(node))

    def _control(self, node: Any, begun: Begun, parts: list[TreePart]) -> TreeControl:
        """Returns a node's `TreeControl`, which has the statements of its function."""
        return TreeControl(self, node, begun.number, parts)

    def _part(self, node: Behaviour, begun: Begun, control: TreeControl | None) -> TreePart:
        """Returns the code with which the parent of a node ticks it."""
        number = begun.number
        name, mark = f"c{number}", f"  # @{number}"
        self._names[name] = node
        if control is None:
            call, answers = self._leaf(node, number)
            called = again = f"{ANSWER} = {call}{mark}"
        else:
            answers = control.answers
            called = "" if node is self._root else written_out(control.source, number)
            again = called and written_out(control.again, number)
            if not called:
                self._functions.append(function(f"n{number}", "t", control.source, number))
                called = again = f"{ANSWER} = n{number}(t){mark}"
        last_tick = f"{name}.last_tick = t"
        check = ends = ""
        if node.has_hooks and type(node).tick is Behaviour.tick:
            called, check, ends = self._hooked(node, name, called, mark)
            answers = CHECKED | {SKIPPED}
        return TreePart(
            name=name,
            tick=lines(last_tick, called),
            again=lines(last_tick, again),
            check=check,
            keep=lines(f"{name}.status = {ANSWER}", ends),
            mark=mark,
            answers=answers,
        )

    def _leaf(self, node: Any, number: int) -> tuple[str, Answers]:
        """Returns an expression that calls the `update` of a node, and its possible answers."""
        kind = type(node)
        if node.has_hooks:
            # Only the method; `_hooked` writes the hooks around its call.
            entry = kind.update if kind.tick is Behaviour.tick else kind.tick
        elif isinstance(node, Constant) and kind.update is Constant.update:
            return node.answer.name, frozenset({node.answer})
        elif isinstance(node, FunctionLeaf) and not (has_keys(node) or node.kwargs):
            values = ", ".join(self.argument(value) for value in node.args)
            call = f"{self.constant(node.function)}({values})"
            if kind.update is Action.update:
                return call, ANYTHING
            if kind.update is Check.update:
                return CHECK.format(call), frozenset({SUCCESS, FAILURE})
            entry = kind._entry
        else:
            entry = kind._quick_entry() if isinstance(node, Parent) else kind._entry
        self._names[f"u{number}"] = entry.__get__(node)
        return f"u{number}()", ANYTHING

    def _hooked(self, node: Behaviour, name: str, called: str, mark: str) -> tuple[str, str, str]:
        """Returns the statements of `Behaviour.tick` around a call, inline.

        These are the statements with the call, the check of an answer of a node that was RUNNING,
        and the end of a run.
        """
        kind = type(node)
        starts = ends = ""
        if kind.initialize is not Behaviour.initialize:
            starts = block(f"if {name}.status is not RUNNING:", f"{name}.initialize(){mark}")
        if kind.terminate is not Behaviour.terminate:
            ends = block("if ANSWER is not RUNNING:", f"{name}.terminate({ANSWER}){mark}")
        # These comparisons are quick, and show that most answers are a Status.
        test = "if ANSWER is not RUNNING and ANSWER is not SUCCESS and ANSWER is not FAILURE:"
        is_wrong = "if ANSWER.__class__ is not Status:"
        error, is_open = f"{name}._no_status({ANSWER}){mark}", f"{name}.status = RUNNING"
        check = block(test, block(is_wrong, f"raise {error}"))
        tick = lines(
            starts,
            block("try:", called, check),
            block("except BaseException:", is_open, f"raise{mark}"),
        )
        return tick, block(is_wrong, f"_error = {error}", is_open, f"raise _error{mark}"), ends
