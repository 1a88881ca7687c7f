# SPDX-License-Identifier: Apache-2.0
"""From the rule of a node to the body of its function, for a `Template`."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

from deepsim_btree.rules.expressions import UnknownError
from deepsim_btree.rules.flow import CHECKED, NO_STATUS, Flow
from deepsim_btree.rules.loops import child_list, loop_of
from deepsim_btree.rules.rule import NoRuleError, is_self, is_tick
from deepsim_btree.rules.translator import Translator, untranslatable, variable
from deepsim_btree.status import INVALID, RUNNING, Status

from .leaf_call import condition_call
from .text import block, lines

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers
    from deepsim_btree.rules.loops import Loop

    from .compiler import Compiler

UNROLLED = 16
"""So many children, or fewer, are ticked without a loop where a run goes on."""


class Control(Translator[None]):
    """Writes the function of one node.

    Loops over children are unrolled. A rule that asks whether the node is RUNNING is written
    twice: for ticks that begin a run, and for the others.

    Args:
        compiler: Knows slots and names.
        node: The node.

    Attributes:
        answers: What the function may return, once it is written.

    Raises:
        NoRuleError: The source of the rule is not at hand.
    """

    AND, OR = "and", "or"

    def __init__(self, compiler: Compiler, node: Behaviour) -> None:
        super().__init__(node)
        self._compiler = compiler
        self._slots: dict[str, str] = {}
        asks = self.rule.mentions(True, "status")
        self._flag = compiler.run_slot(False) if asks else ""
        watches = self.rule.mentions(False, "status")
        self._statuses = [compiler.run_slot(INVALID) for _ in node.children if watches]
        self._parts = compiler.parts(node)
        self._functions = self._halter = ""
        self._marks: dict[str, str] = {}
        self.answers: Answers = frozenset()

    def body(self) -> str:
        """Returns the statements of the function.

        Raises:
            NoRuleError: The rule uses more of Python than can be translated.
        """
        fresh = self._written(INVALID)
        if not self._flag or RUNNING not in self.answers:
            return fresh
        return lines(block(f"if {self._flag}:", self._written(RUNNING)), fresh)

    def _written(self, status: Status) -> str:
        flow = Flow(self.node, self.rule)
        flow.known["self.status"] = status
        text, end = self._block(self.statements, flow)
        if end is not None:
            raise NoRuleError("its update() does not always return a Status")
        return text

    def _block(self, statements: list[ast.stmt], flow: Flow) -> tuple[str, Flow | None]:
        """Returns the text of statements, and what holds after them; None if they return."""
        texts = []
        end: Flow | None = flow
        rest = list(statements)
        while rest and end is not None:
            statement = rest.pop(0)
            if self._statuses and isinstance(statement, ast.Assign) and is_tick(statement.value):
                rest = self._kept(statement, rest, end)
            write = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if write is None:
                raise untranslatable(statement)
            text, end = write(statement, end)
            texts.append(text)
        if end is None or not statements:
            return lines(*texts), end
        unresolved = end.unresolved()
        texts.append(self._check_all(end))
        is_refused = any(not end.answers[name] for name in unresolved)
        return lines(*texts), None if is_refused else end

    def _kept(self, tick: Any, rest: list[ast.stmt], flow: Flow) -> list[ast.stmt]:
        """Returns the statements after a tick, with one more that keeps the status of the child.

        A status that was RUNNING is written only where it is something else now.
        """
        (name,), (child,) = tick.targets, tick.value.args
        keep = ast.Assign([ast.Attribute(child, "status", ast.Store())], name)
        was_running = flow.known.pop(f"status {self.child(child, flow, None)}", None) is RUNNING
        following: Any = rest[0] if rest else None
        if not was_running or not isinstance(following, ast.If) or following.orelse:
            return [keep, *rest]
        if not flow.copy().is_other_than_running(following.test, name.id):
            return [keep, *rest]
        return [ast.If(following.test, [keep, *following.body], []), *rest[1:]]

    def _if(self, statement: ast.If, flow: Flow) -> tuple[str, Flow | None]:
        check = self._check_in(statement.test, flow)
        yes, no = flow.split(statement.test)
        test = self.text(statement.test, flow, None)
        for place, slot in enumerate(self._statuses):
            if yes is not None and test == f"({slot} is RUNNING)":
                yes.known[f"status {place}"] = RUNNING
        body, after = self._block(statement.body, yes) if yes is not None else ("", None)
        orelse, otherwise = self._block(statement.orelse, no) if no is not None else ("", None)
        if yes is None or no is None:
            return lines(check, body, orelse), after if no is None else otherwise
        end = otherwise.joined(after) if otherwise is not None else after
        if body or orelse:
            body = block(f"if {test}:", body or "pass")
            orelse = orelse and block("else:", orelse)
        return lines(check, body, orelse), end

    def _for(self, statement: ast.For, flow: Flow) -> tuple[str, Flow | None]:
        loop = loop_of(statement, self.orders)
        try:
            first = 0 if loop.start is None else flow.value(loop.start)
        except UnknownError:
            first = None
        if loop.order or (first is None and len(self._parts) > UNROLLED):
            return self._looped(statement, loop, flow)
        texts = []
        end: Flow | None = flow
        for place in range(first or 0, len(self._parts)):
            if end is None:
                break
            self.places[loop.child] = place
            position = ast.Constant(place, kind=None)
            if loop.position:
                end.assign(loop.position, position)
            if first is None and loop.start is not None:
                starts = ast.Compare(loop.start, [ast.LtE()], [position])
                text, end = self._if(ast.If(starts, statement.body, []), end)
            else:
                text, end = self._block(statement.body, end)
            texts.append(text)
        return lines(*texts), end

    def _looped(self, statement: ast.For, loop: Loop, flow: Flow) -> tuple[str, Flow]:
        """Writes a loop as a loop, where a variable says which children it ticks."""
        at = f"_{loop.position or 'at'}"
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

    def _assign(self, statement: ast.Assign, flow: Flow) -> tuple[str, Flow]:
        target: Any = statement.targets[0]
        value: Any = statement.value
        if isinstance(target, ast.Attribute) and not is_self(target.value):
            return f"{self._attribute(target, None)} = _{value.id}", flow
        name = variable(target)
        order = child_list(value, self.orders)
        if order is not None:
            self.orders[name] = order
            return "", flow
        if is_tick(value):
            return self._tick(name, value, flow), flow
        check = self._check_in(value, flow)
        text = self.text(value, flow, None)
        flow.assign(name, value)
        if self.rule.local_names.get(name) == 1 and (name in flow.known or flow.term(name)):
            return check, flow  # written where it is used
        written = f"_{name}" if isinstance(target, ast.Name) else self.state(target.attr, None)
        return lines(check, f"{written} = {text}"), flow

    def _tick(self, name: str, call: Any, flow: Flow) -> str:
        place = self.child(call.args[0], flow, None)
        check = self._check_all(flow)
        if isinstance(place, int):
            part = self._parts[place]
            text, answers, self._marks[name] = part.call, part.answers, part.mark
        elif self._statuses:
            raise untranslatable(call)
        else:
            self._functions = self._functions or self._compiler.functions(self._parts)
            text, answers = f"{self._functions}[{place}](a, s)", CHECKED
        flow.assign(name, answers)
        return lines(check, f"_{name} = {text}")

    def _expr(self, statement: ast.Expr, flow: Flow) -> tuple[str, Flow]:
        call: Any = statement.value
        if getattr(getattr(call, "func", None), "attr", "") != "halt":
            raise untranslatable(statement)
        place = self.child(call.func.value, flow, None)
        check = self._check_all(flow)
        for halted in range(len(self._parts)) if isinstance(place, str) else (place,):
            flow.known.pop(f"status {halted}", None)
        if isinstance(place, str):
            self._halter = self._halter or self._compiler.halter(self._parts)
            return lines(check, f"{self._halter}(s, {place})"), flow
        halt = self._parts[place].halt
        if self._statuses:
            slot = self._statuses[place]
            halt = block(f"if {slot} is RUNNING:", f"{slot} = INVALID", halt)
        return lines(check, halt), flow

    def _return(self, statement: ast.Return, flow: Flow) -> tuple[str, None]:
        value = statement.value
        if value is None:
            raise untranslatable(statement)
        check = self._check_all(flow)
        answers = flow.possible(value)
        self.check_answers(answers)
        self.answers |= answers
        text = self.text(value, flow, None)
        if not self._flag:
            return lines(check, f"return {text}"), None
        keep = ""
        is_resumed = flow.known["self.status"] is RUNNING
        if RUNNING not in answers or len(answers) == 1:
            if (RUNNING in answers) is not is_resumed:
                keep = f"{self._flag} = {not is_resumed}"
            return lines(check, keep, f"return {text}"), None
        if not text.isidentifier():
            check, text = lines(check, f"_result = {text}"), "_result"
        if is_resumed:
            keep = f"{self._flag} = {text} is RUNNING"
        else:
            keep = block(f"if {text} is RUNNING:", f"{self._flag} = True")
        return lines(check, keep, f"return {text}"), None

    def _check_all(self, flow: Flow) -> str:
        return lines(*(self._checked(name, flow) for name in flow.unresolved()))

    def _check_in(self, expression: ast.expr, flow: Flow) -> str:
        """Returns a check of the status in an expression, if it is needed first."""
        name = flow.unchecked(expression)
        return "" if name is None else self._checked(name, flow)

    def _checked(self, name: str, flow: Flow) -> str:
        """Returns a statement that raises an error unless a variable has a status."""
        flow.answers[name] -= {NO_STATUS}
        right = sorted(flow.answers[name], reverse=True)
        refuse = f"refuse(_{name}){self._marks[name]}"
        if not right:
            return refuse
        test = f"_{name} is SKIPPED or _{name}.__class__ is not Status"
        if len(right) <= 2:  # takes less time
            test = " and ".join(f"_{name} is not {status.name}" for status in right)
        return block(f"if {test}:", refuse)

    def literal(self, value: Any) -> str:
        """Returns the text of a number or a name, or the name of a constant."""
        if isinstance(value, Status):
            return value.name
        is_plain = value is None or isinstance(value, (bool, int))
        if is_plain or (isinstance(value, float) and math.isfinite(value)):
            return repr(value)
        return self._compiler.constant(value)

    def local(self, name: ast.Name, at: None) -> str:
        """Returns the name of a local variable."""
        return f"_{name.id}"

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

    def choice(self, test: str, yes: str, no: str) -> str:
        """Returns a conditional expression."""
        return f"({yes} if {test} else {no})"

    def users(self, name: str, at: None, *, is_condition: bool) -> str:
        """Returns a call with the agent in place of AGENT."""
        call = condition_call(self._compiler, self.node, getattr(self.node, name))
        return f"truth({call})" if is_condition else call

    def draw(self, at: None) -> str:
        """Returns a call that draws from the stream of the agent."""
        slot = self._compiler.stream_slot(self.node)
        return f"draw(s, {slot}, {len(self._parts)})"

    def pure(self, function: Any, arguments: list[str]) -> str:
        """Returns a call."""
        return f"{self.literal(function)}({', '.join(arguments)})"
