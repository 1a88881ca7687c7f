# SPDX-License-Identifier: Apache-2.0
"""Translates the rule of a node to a function body, for the agents of a `Template`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from deepsim_btree.rules.flow import CHECKED, Flow
from deepsim_btree.rules.rule import is_tick
from deepsim_btree.status import INVALID, RUNNING

from .control import Control
from .leaf_call import condition_call
from .text import ANSWER, block, lines
from .translator import untranslatable, variable

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers
    from deepsim_btree.rules.loops import Loop

    from .template_compiler import Part, TemplateCompiler
    from .translator import Child


class TemplateControl(Control):
    """A writer of the function of one node, whose state is in the slots of an agent.

    Args:
        compiler: The compiler of the tree, which assigns slots and names.
        node: The node.
        number: Number of the node.
        parts: The compiled children.

    Raises:
        NoRuleError: The source of the rule is not available.
    """

    def __init__(
        self, compiler: TemplateCompiler, node: Behaviour, number: int, parts: list[Part]
    ) -> None:
        super().__init__(node)
        self._compiler = compiler
        self._number = number
        self._slots: dict[str, str] = {}
        asks = self.rule.mentions(True, "status")
        self._flag = compiler.run_slot(False) if asks else ""
        watches = self.rule.mentions(False, "status")
        self._statuses = [compiler.run_slot(INVALID) for _ in node.children if watches]
        self._parts = parts
        self._functions = self._halter = ""

    def flow(self) -> Flow:
        """Returns the facts that are known at the start of the rule."""
        return Flow(self.node, self.rule)

    def in_run(self) -> str:
        """Returns the slot that is true during a run; "" if the rule does not read it."""
        return self._flag

    def constant(self, value: object) -> str:
        """Returns a name for a value."""
        return self._compiler.constant(value)

    def refusal(self, name: str) -> str:
        """Returns a statement that raises an error about a variable that is not a status."""
        return f"refuse({self.variable(name)}){self._parts[self._asked[name]].mark}"

    def kept(self, tick: Any, rest: list[ast.stmt], flow: Flow) -> list[ast.stmt]:
        """Returns the statements after a tick; only rules that read statuses store them."""
        return super().kept(tick, rest, flow) if self._statuses else rest

    def learn(self, test: str, flow: Flow) -> None:
        """Records the status of a child, if a test that it is RUNNING is true."""
        for place, slot in enumerate(self._statuses):
            if test == f"({slot} is RUNNING)":
                flow.known[f"status {place}"] = RUNNING

    def looped(self, statement: ast.For, loop: Loop, flow: Flow) -> tuple[str, Flow]:
        """Writes a loop over children as a Python loop over their positions."""
        at = self.variable(loop.position or "at")
        self.places[loop.child] = f"{self.text(loop.order, flow, None)}[{at}]" if loop.order else at
        start = "0" if loop.start is None else self.text(loop.start, flow, None)
        for node in ast.walk(statement):
            if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
                flow.forget(variable(node))
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign) and is_tick(node.value):
                flow.assign(variable(node.targets[0]), CHECKED)
        text, after = self._block(statement.body, flow.copy())
        return block(f"for {at} in range({start}, {len(self._parts)}):", text), flow.joined(after)

    def tick(self, name: str, call: Any, flow: Flow) -> str:
        """Returns a statement that ticks a child and assigns its answer."""
        place = self.child(call.args[0], flow, None)
        check, instead = self.check_all(flow), ""
        if isinstance(place, int):
            part = self._parts[place]
            text, answers, self._asked[name] = part.call, part.answers, place
            instead = part.before.replace(ANSWER, self.variable(name))
        elif self._statuses:
            raise untranslatable(call)
        else:
            self._functions = self._functions or self._compiler.functions(self._parts)
            text, answers = f"{self._functions}[{place}](a, s)", CHECKED
        flow.known.pop(f"status {place}", None)
        flow.assign(name, answers)
        return lines(check, instead or f"{self.variable(name)} = {text}")

    def variable(self, name: str) -> str:
        """Returns the name of a local variable, unique to its node, whose code may be inlined."""
        return f"_{name}_{self._number}"

    def keep(self, child: int, name: str, flow: Flow) -> str:
        """Returns a statement that stores the value of a variable as the status of a child."""
        return f"{self._statuses[child]} = {self.variable(name)}"

    def halt(self, child: Child, flow: Flow) -> str:
        """Returns statements that halt a child."""
        for halted in range(len(self._parts)) if isinstance(child, str) else (child,):
            flow.known.pop(f"status {halted}", None)
        if isinstance(child, str):
            self._halter = self._halter or self._compiler.halter(self._parts)
            return f"{self._halter}(s, {child})"
        halt = self._parts[child].halt
        if self._statuses:
            slot = self._statuses[child]
            halt = block(f"if {slot} is RUNNING:", f"{slot} = INVALID", halt)
        return halt

    def returned(self, text: str, answers: Answers, flow: Flow) -> str:
        """Returns statements that end the tick with an answer."""
        if not self._flag:
            return f"return {text}"
        keep = first = ""
        is_resumed = flow.known["self.status"] is RUNNING
        if RUNNING not in answers or len(answers) == 1:
            if (RUNNING in answers) is not is_resumed:
                keep = f"{self._flag} = {not is_resumed}"
            return lines(keep, f"return {text}")
        if not text.isidentifier():
            result = self.variable("result")
            first, text = f"{result} = {text}", result
        if is_resumed:
            keep = f"{self._flag} = {text} is RUNNING"
        else:
            keep = block(f"if {text} is RUNNING:", f"{self._flag} = True")
        return lines(first, keep, f"return {text}")

    def state(self, attribute: str, at: None) -> str:
        """Returns the slot of an attribute."""
        if attribute not in self._slots:
            initial = getattr(self.node, attribute)
            self._slots[attribute] = self._compiler.lasting_slot(initial)
        return self._slots[attribute]

    def status_of(self, child: int, at: None) -> str:
        """Returns the slot of the status of a child."""
        return self._statuses[child]

    def now(self) -> str:
        """Returns the slot of the time."""
        return "s[-1]"

    def users(self, name: str, at: None, *, is_condition: bool) -> str:
        """Returns a call of a user function with the agent in place of AGENT."""
        call = condition_call(self._compiler, getattr(self.node, name))
        return f"truth({call})" if is_condition else call

    def draw(self, at: None) -> str:
        """Returns a call that draws an order of the children from the stream of the agent."""
        slot = self._compiler.stream_slot(self.node)
        return f"draw(s, {slot}, {len(self._parts)})"
