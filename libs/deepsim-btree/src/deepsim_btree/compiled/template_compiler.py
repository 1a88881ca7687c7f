# SPDX-License-Identifier: Apache-2.0
"""Compiles the nodes of a `Template` to Python functions that tick them for an agent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Tuple

from deepsim_btree.blackboard.key import Key
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.leaves.wait import Wait
from deepsim_btree.levels import all_paths
from deepsim_btree.parent import Parent
from deepsim_btree.pickling import attributes
from deepsim_btree.rules.flow import NO_STATUS
from deepsim_btree.rules.rule import NoRuleError, find_rule

from .branch_compiler import BranchCompiler
from .leaf_call import leaf_call
from .own_node import OwnNode, skipping
from .program import Program
from .template_control import TemplateControl
from .text import block, function, owners, written_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers

    from .branch_compiler import Begun

# Inline, because a function call takes longer.
CHECKED = "(v if (v := {}).__class__ is Status else checked(v))"


class Part(NamedTuple):
    """The code with which a node's function ticks and halts one of its children."""

    call: str
    """Expression that ticks the child, with a comment that attributes errors on the line to it."""
    checked: str
    """Like `call`, with a check that the value is a `Status`."""
    halt: str
    """Statements that halt the child; empty if there is nothing to halt."""
    mark: str
    """The same comment, for other lines."""
    answers: Answers
    """The values that `call` may have."""
    before: str
    """Statements that assign the answer of a short child to `ANSWER`, in place of the call."""
    body: str
    """Body of the child's function; empty for a leaf."""


class TemplateCompiler(BranchCompiler[Tuple[str, "Answers"], Part]):
    """A compiler of one tree for the agents of a `Template`.

    Every control node becomes a function such as ``n3(a, s)`` of an agent and its state, a list.
    *Run slots* are ``s[0]``, ``s[1]`` and so on; those of a branch are adjacent, and are reset when
    the branch is halted. *Lasting slots* survive halts; they are ``s[-1]``, which holds the time,
    ``s[-2]`` and so on.

    Args:
        root: The node at the top.
    """

    def __init__(self, root: Behaviour) -> None:
        super().__init__(root, {})
        self._paths = all_paths(root)
        self._run_slots: list[object] = []
        self._lasting_slots: list[object] = [None]
        self._streams: list[tuple[int, int | None, str]] = []
        self._own: list[OwnNode] = []
        self._lists += [self._run_slots, self._lasting_slots, self._streams, self._own]
        self._skipping = skipping(root)

    def compile(self) -> Program:
        """Returns the functions and the initial state of an agent."""
        part = self._branch()
        if not self._functions:  # The root is a leaf.
            self._functions.append(block("def n0(a, s):  # @0", f"return {part.checked}"))
        size = len(self._run_slots) + len(self._lasting_slots)
        # Python finds elements by indices from the front faster: in 5 rather than 20 ns.
        source = re.sub(
            r"\bs\[-(\d+)\]",
            lambda slot: f"s[{size - int(slot[1])}]",
            "\n".join(self._functions) + "\n",
        )
        filename = f"<compiled {self._root.name}>"
        return Program(
            source,
            filename,
            tuple(self._path(number) for number in owners(source)),
            self._execute(source, filename)["n0"],
            tuple(self._run_slots),
            tuple(reversed(self._lasting_slots)),
            tuple(self._streams),
            tuple(self._own),
        )

    def _path(self, number: int) -> str:
        return self._paths[id(self._nodes[number])]

    def _part(self, node: Behaviour, begun: Begun, control: tuple[str, Answers] | None) -> Part:
        """Returns the code with which the parent of a node ticks and halts it."""
        number = begun.number
        mark = f"  # @{number}"
        _, first_slot, _, _, first_own = begun.lengths
        before = body = ""
        if control is None:
            call, answers = leaf_call(self, node, begun)
        else:
            body, answers = control
            before = "" if node is self._root else written_out(body, number)
            if not before:
                self._functions.append(function(f"n{number}", "a, s", body, number))
            call = f"n{number}(a, s)"
        halts = []
        slots = self._run_slots[first_slot:]
        if slots:
            values = self.constant(tuple(slots))
            halts.append(f"s[{first_slot}:{first_slot + len(slots)}] = {values}")
        for own in self._own[first_own:]:
            halts.append(f"s[{own.slot}].halt()  # @{own.number}")
        return Part(
            call=call + mark,
            checked=(CHECKED.format(call) if NO_STATUS in answers else call) + mark,
            halt="\n".join(halts),
            mark=mark,
            answers=answers,
            before=before,
            body=body,
        )

    def run_slot(self, initial: object = None) -> str:
        """Reserves a slot that is reset when the branch is halted; returns its expression."""
        self._run_slots.append(initial)
        return f"s[{len(self._run_slots) - 1}]"

    def lasting_slot(self, initial: object = None) -> str:
        """Reserves a slot that survives halts; returns its expression."""
        self._lasting_slots.append(initial)
        return f"s[{-len(self._lasting_slots)}]"

    def stream_slot(self, node: Any) -> int:
        """Reserves a slot for the stream of a node with random numbers; returns its index."""
        self.lasting_slot()
        slot = -len(self._lasting_slots)
        self._streams.append((slot, node.seed, self._paths[id(node)]))
        return slot

    def own_slot(self, node: Behaviour, begun: Begun) -> str:
        """Reserves a slot for a copy of a leaf or a branch; returns its expression."""
        slot = self.lasting_slot()
        place, path = -len(self._lasting_slots), self._paths[id(node)]
        self._own.append(OwnNode(place, node, path, begun.number, begun.reason or ""))
        return slot

    def functions(self, parts: Iterable[Part]) -> str:
        """Returns a name for a tuple of functions ``(a, s)`` that tick the children."""
        name = self._function_name()
        lines = []
        for part in parts:
            text, number = part.checked.split("  # @")
            if part.before:
                self._functions.append(function(f"n{number}", "a, s", part.body, int(number)))
            ticks = f"n{number}" if part.body else f"lambda a, s: {text}"
            lines.append(f"{ticks},  # @{number}")
        self._functions.append(block(f"{name} = (", *lines) + "\n)")
        return name

    def halter(self, parts: Iterable[Part]) -> str:
        """Returns a name for a function ``(s, place)`` that halts one of the children."""
        name = self._function_name()
        halts = [block(f"if place == {n}:", p.halt) for n, p in enumerate(parts) if p.halt]
        self._functions.append(block(f"def {name}(s, place):", *halts, "return"))
        return name

    def _function_name(self) -> str:
        return f"f{len(self._functions)}_"

    def _check(self, node: Behaviour) -> None:
        """Checks a node before those below it are compiled."""
        if not isinstance(node, (Parent, Wait)):
            raise NoRuleError("")
        if node.has_hooks:
            raise NoRuleError("it has hooks of its own")
        if id(node) in self._skipping:
            raise NoRuleError("it, or a node below, may answer SKIPPED")
        if any(isinstance(value, Key) for _, value in attributes(node)):
            raise NoRuleError("it reads a blackboard")
        find_rule(type(node))

    def _control(self, node: Any, begun: Begun, parts: list[Part]) -> tuple[str, Answers]:
        """Returns the body of a node's function and its answers."""
        control = TemplateControl(self, node, begun.number, parts)
        if isinstance(node, SubTree) and len(self._own) > begun.lengths[-1]:
            raise NoRuleError("nodes below it may use its blackboard")
        return control.body(), control.answers
