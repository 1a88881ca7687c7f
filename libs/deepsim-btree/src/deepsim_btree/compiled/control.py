# SPDX-License-Identifier: Apache-2.0
"""Translates the rule of a node to a function body: the part that all compiled trees share."""

from __future__ import annotations

import ast
import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from deepsim_btree.rules.expressions import UnknownError
from deepsim_btree.rules.flow import NO_STATUS, Flow
from deepsim_btree.rules.loops import child_list, loop_of
from deepsim_btree.rules.rule import NoRuleError, is_self, is_tick
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status

from .text import block, lines
from .translator import Translator, untranslatable, variable

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers
    from deepsim_btree.rules.loops import Loop

    from .translator import Child


_USUAL_FIRST = (SUCCESS, FAILURE, RUNNING, INVALID, SKIPPED)


class Control(Translator[None]):
    """The base of writers of the function of one node.

    Loops over children are unrolled. A rule that reads whether the node is RUNNING is written
    twice: for ticks that begin a run, and for other ticks.

    Args:
        node: The node.

    Attributes:
        answers: The values that the function may return, known after `body`.
        again: The statements for ticks that continue a run, known after `body`.

    Raises:
        NoRuleError: The source of the rule is not available.
    """

    AND, OR = "and", "or"
    UNROLLED: ClassVar[int] = 16
    """Up to this number of children, the loop of a continued run is unrolled."""

    def __init__(self, node: Behaviour) -> None:
        super().__init__(node)
        self._asked: dict[str, int] = {}  # by variable, the child whose answer it holds
        self.answers: Answers = frozenset()
        self.again = ""

    @abstractmethod
    def flow(self) -> Flow:
        """Returns the facts that are known at the start of the rule."""

    @abstractmethod
    def in_run(self) -> str:
        """Returns an expression that is true during a run; "" if the rule does not read it."""

    @abstractmethod
    def constant(self, value: object) -> str:
        """Returns the name of a value in the generated code."""

    @abstractmethod
    def refusal(self, name: str) -> str:
        """Returns a statement that raises an error about a variable without a status."""

    def body(self) -> str:
        """Returns the statements of the function.

        Raises:
            NoRuleError: The rule uses more of Python than can be translated.
        """
        fresh = self.again = self._written(INVALID)
        in_run = self.in_run()
        if not in_run or RUNNING not in self.answers:
            return fresh
        self.again = self._written(RUNNING)
        return lines(block(f"if {in_run}:", self.again), fresh)

    def _written(self, status: Status) -> str:
        flow = self.flow()
        flow.known["self.status"] = status
        text, end = self._block(self.statements, flow)
        if end is not None:
            raise NoRuleError("its update() does not always return a Status")
        return text

    def _block(self, statements: list[ast.stmt], flow: Flow) -> tuple[str, Flow | None]:
        """Returns the text of statements and the facts after them, or None if they return."""
        texts = []
        end: Flow | None = flow
        rest = list(statements)
        while rest and end is not None:
            statement = rest.pop(0)
            if isinstance(statement, ast.Assign) and is_tick(statement.value):
                rest = self.kept(statement, rest, end)
            if self._is_overwritten(statement, rest, end):
                continue
            write = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if write is None:
                raise untranslatable(statement)
            text, end = write(statement, end)
            texts.append(text)
        if end is None or not statements:
            return lines(*texts), end
        unresolved = end.unresolved()
        texts.append(self.check_all(end))
        is_refused = any(not end.answers[name] for name in unresolved)
        return lines(*texts), None if is_refused else end

    def _is_overwritten(self, statement: ast.stmt, rest: list[ast.stmt], flow: Flow) -> bool:
        """Returns whether a loop over children follows and first assigns the same variable."""
        loop: Any = rest[0] if rest and self.node.children else None
        if not isinstance(statement, ast.Assign) or not isinstance(loop, ast.For):
            return False
        start, first = loop_of(loop, self.orders).start, loop.body[0]
        if start is not None and flow.decide(start) is not False:  # it may begin past the end
            return False
        if not isinstance(first, ast.Assign) or not is_tick(first.value):
            return False
        is_name = isinstance(statement.value, ast.Name)
        return is_name and variable(statement.targets[0]) == variable(first.targets[0])

    def kept(self, tick: Any, rest: list[ast.stmt], flow: Flow) -> list[ast.stmt]:
        """Returns the statements after a tick, with one more that stores the status of the child.

        A status that was RUNNING is stored only where it has changed.
        """
        (name,), (child,) = tick.targets, tick.value.args
        keep = ast.Assign([ast.Attribute(child, "status", ast.Store())], name)
        was_running = flow.known.get(f"status {self.child(child, flow, None)}") is RUNNING
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
        if yes is not None:
            self.learn(test, yes)
        body, after = self._block(statement.body, yes) if yes is not None else ("", None)
        orelse, otherwise = self._block(statement.orelse, no) if no is not None else ("", None)
        if yes is None or no is None:
            return lines(check, body, orelse), after if no is None else otherwise
        end = otherwise.joined(after) if otherwise is not None else after
        if body or orelse:
            body = block(f"if {test}:", body or "pass")
            orelse = orelse and block("else:", orelse)
        return lines(check, body, orelse), end

    def learn(self, test: str, flow: Flow) -> None:
        """Records what follows from a true test; nothing by default."""

    def _for(self, statement: ast.For, flow: Flow) -> tuple[str, Flow | None]:
        loop = loop_of(statement, self.orders)
        try:
            first = 0 if loop.start is None else flow.value(loop.start)
        except UnknownError:
            first = None
        if loop.order or (first is None and len(self.node.children) > self.UNROLLED):
            return self.looped(statement, loop, flow)
        texts = []
        end: Flow | None = flow
        for place in range(first or 0, len(self.node.children)):
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

    @abstractmethod
    def looped(self, statement: ast.For, loop: Loop, flow: Flow) -> tuple[str, Flow]:
        """Writes a loop over children as a Python loop over their positions."""

    def _assign(self, statement: ast.Assign, flow: Flow) -> tuple[str, Flow]:
        target: Any = statement.targets[0]
        value: Any = statement.value
        if isinstance(target, ast.Attribute) and not is_self(target.value):
            place: Any = self.child(target.value, flow, None)
            return self.keep(place, value.id, flow), flow
        name = variable(target)
        order = child_list(value, self.orders)
        if order is not None:
            self.orders[name] = order
            return "", flow
        if is_tick(value):
            return self.tick(name, value, flow), flow
        check = self._check_in(value, flow)
        text = self.text(value, flow, None)
        flow.assign(name, value)
        if self.rule.local_names.get(name) == 1 and (name in flow.known or flow.term(name)):
            return check, flow  # its value is written where it is used
        is_local = isinstance(target, ast.Name)
        written = self.variable(name) if is_local else self.state(target.attr, None)
        return lines(check, f"{written} = {text}"), flow

    @abstractmethod
    def tick(self, name: str, call: Any, flow: Flow) -> str:
        """Returns a statement that ticks a child and assigns its answer."""

    @abstractmethod
    def keep(self, child: int, name: str, flow: Flow) -> str:
        """Returns statements that store the value of a variable as the status of a child."""

    @abstractmethod
    def halt(self, child: Child, flow: Flow) -> str:
        """Returns statements that halt a child."""

    @abstractmethod
    def returned(self, text: str, answers: Answers, flow: Flow) -> str:
        """Returns statements that end the tick with an answer."""

    def _expr(self, statement: ast.Expr, flow: Flow) -> tuple[str, Flow]:
        call: Any = statement.value
        if getattr(getattr(call, "func", None), "attr", "") != "halt":
            raise untranslatable(statement)
        place = self.child(call.func.value, flow, None)
        return lines(self.check_all(flow), self.halt(place, flow)), flow

    def _return(self, statement: ast.Return, flow: Flow) -> tuple[str, None]:
        value = statement.value
        if value is None:
            raise untranslatable(statement)
        check = self.check_all(flow)
        answers = flow.possible(value)
        self.check_answers(answers)
        self.answers |= answers
        return lines(check, self.returned(self.text(value, flow, None), answers, flow)), None

    def check_all(self, flow: Flow) -> str:
        """Returns checks of all statuses that have not been checked yet."""
        return lines(*(self._checked(name, flow) for name in flow.unresolved()))

    def _check_in(self, expression: ast.expr, flow: Flow) -> str:
        """Returns a check of the status in an expression; empty if no check is needed."""
        name = flow.unchecked(expression)
        return "" if name is None else self._checked(name, flow)

    def _checked(self, name: str, flow: Flow) -> str:
        """Returns a statement that raises an error unless a variable has a status."""
        flow.narrow(name, flow.answers[name] - {NO_STATUS})
        refuse = self.refusal(name)
        if not flow.answers[name]:
            return refuse
        variable = self.variable(name)
        right = [status for status in _USUAL_FIRST if status in flow.answers[name]]
        # Mostly one or two comparisons, which take less time than a test of its class.
        test = " and ".join(f"{variable} is not {status.name}" for status in right)
        return block(f"if {test}:", refuse)

    def looked_up(self, table: Any, index: ast.expr, flow: Flow, at: None) -> str:
        """Returns an expression for an element of a constant; a status index is compared."""
        if not isinstance(index, ast.Name):
            return super().looked_up(table, index, flow, at)
        answers = flow.answers.get(index.id, frozenset())
        if not answers or not all(isinstance(one, Status) for one in answers):
            return super().looked_up(table, index, flow, at)
        by_answer: dict[Any, list[Any]] = {}
        for answer in sorted(answers, key=_USUAL_FIRST.index):
            same = table[answer] is answer
            by_answer.setdefault(None if same else table[answer], []).append(answer)
        variable = self.local(index, at)
        text = variable if by_answer.pop(None, ()) else self.literal(by_answer.popitem()[0])
        for found, given in reversed(list(by_answer.items())):
            test = " or ".join(f"{variable} is {answer.name}" for answer in given)
            text = f"({self.literal(found)} if {test} else {text})"
        return text

    def literal(self, value: Any) -> str:
        """Returns a simple value as text, or the name of a constant."""
        if isinstance(value, Status):
            return value.name
        is_plain = value is None or isinstance(value, (bool, int))
        if is_plain or (isinstance(value, float) and math.isfinite(value)):
            return repr(value)
        return self.constant(value)

    def local(self, name: ast.Name, at: None) -> str:
        """Returns the name of a local variable."""
        return self.variable(name.id)

    @abstractmethod
    def variable(self, name: str) -> str:
        """Returns the name that a local variable of the rule has in the function."""

    def choice(self, test: str, yes: str, no: str) -> str:
        """Returns a conditional expression."""
        return f"({yes} if {test} else {no})"

    def pure(self, function: Any, arguments: list[str]) -> str:
        """Returns a call of a pure function."""
        return f"{self.literal(function)}({', '.join(arguments)})"
