# SPDX-License-Identifier: Apache-2.0
"""Compiles nodes to Python functions: assigns names and slots, and collects the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from deepsim_btree.blackboard.key import Key
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.leaves.wait import Wait
from deepsim_btree.levels import all_paths
from deepsim_btree.parent import Parent
from deepsim_btree.pickling import attributes
from deepsim_btree.rules.flow import NO_STATUS
from deepsim_btree.rules.rule import NoRuleError

from .agent_control import AgentControl
from .leaf_call import leaf_call
from .own_node import OwnNode, skipping
from .program import Program
from .runtime import RUNTIME
from .text import block, function, owners, written_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers

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


class Compiler:
    """A compiler of one tree for the agents of a `Template`.

    Every control node becomes a function such as ``n3(a, s)`` of an agent and its state, a list.
    *Run slots* are ``s[0]``, ``s[1]`` and so on; those of a branch are adjacent, and are reset when
    the branch is halted. *Lasting slots* survive halts; they are ``s[-1]``, which holds the time,
    ``s[-2]`` and so on.

    Args:
        root: The node at the top.
    """

    def __init__(self, root: Behaviour) -> None:
        self._root = root
        self._all_paths = all_paths(root)
        self._paths: list[str] = []
        self._functions: list[str] = []
        self._run_slots: list[object] = []
        self._lasting_slots: list[object] = [None]
        self._streams: list[tuple[int, int | None, str]] = []
        self._own: list[OwnNode] = []
        self._skipping = skipping(root)
        self._reasons: dict[int, str] = {}
        self._names: dict[str, Any] = dict(RUNTIME)
        self._constants: dict[int, str] = {}

    def compile(self) -> Program:
        """Returns the functions and the initial state of an agent."""
        part = self.part(self._root)
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
        # The text has only generated words and numbers; user values have names in it.
        exec(compile(source, filename, "exec"), self._names)
        return Program(
            source,
            filename,
            tuple(self._paths[number] for number in owners(source)),
            self._names["n0"],
            tuple(self._run_slots),
            tuple(reversed(self._lasting_slots)),
            tuple(self._streams),
            tuple(self._own),
        )

    def part(self, node: Behaviour) -> Part:
        """Compiles a branch and returns the code with which its parent ticks and halts it."""
        number = len(self._paths)
        self._paths.append(self._all_paths[id(node)])
        mark = f"  # @{number}"
        first_slot, first_own = len(self._run_slots), len(self._own)
        before = body = ""
        control = self._control(node, number)
        if control is None:
            call, answers = leaf_call(self, node)
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

    def parts(self, node: Behaviour) -> list[Part]:
        """Compiles all branches below a node."""
        return [self.part(child) for child in node.children]

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
        self._streams.append((slot, node.seed, self._all_paths[id(node)]))
        return slot

    def own_slot(self, node: Behaviour) -> str:
        """Reserves a slot for a copy of a leaf or a branch; returns its expression."""
        slot = self.lasting_slot()
        number = len(self._paths) - 1
        place = -len(self._lasting_slots)
        reason = self._reasons.get(id(node), "")
        self._own.append(OwnNode(place, node, self._paths[number], number, reason))
        return slot

    def constant(self, value: object) -> str:
        """Returns a name for a value."""
        # The value is kept with its name, so that no later value can have the same id.
        if value is not None and id(value) in self._constants:
            return self._constants[id(value)]
        name = f"c{len(self._names)}"
        self._names[name] = value
        self._constants[id(value)] = name
        return name

    def functions(self, parts: Iterable[Part]) -> str:
        """Returns a name for a tuple of functions ``(a, s)`` that tick the children."""
        name = self.constant(None)
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
        name = self.constant(None)
        halts = [block(f"if place == {n}:", p.halt) for n, p in enumerate(parts) if p.halt]
        self._functions.append(block(f"def {name}(s, place):", *halts, "return"))
        return name

    def _control(self, node: Behaviour, number: int) -> tuple[str, Answers] | None:
        """Returns the body of a node's function and its answers, or None if it gets no function."""
        if not isinstance(node, (Parent, Wait)):
            return None
        lists: tuple[list[Any], ...] = (self._paths, self._functions, self._run_slots)
        lists += (self._lasting_slots, self._streams, self._own)
        lengths = [len(one) for one in lists]
        try:
            if node.has_hooks:
                raise NoRuleError("it has hooks of its own")
            if id(node) in self._skipping:
                raise NoRuleError("it, or a node below, may answer SKIPPED")
            if any(isinstance(value, Key) for _, value in attributes(node)):
                raise NoRuleError("it reads a blackboard")
            control = AgentControl(self, node, number)
            if isinstance(node, SubTree) and len(self._own) > lengths[-1]:
                raise NoRuleError("nodes below it may use its blackboard")
            return control.body(), control.answers
        except NoRuleError as error:  # Each agent gets a copy of the branch.
            for one, length in zip(lists, lengths):
                del one[length:]
            self._reasons[id(node)] = str(error)
            return None
