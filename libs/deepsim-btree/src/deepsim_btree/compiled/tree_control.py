# SPDX-License-Identifier: Apache-2.0
"""Translates the rule of a node to a function body, for the nodes of a `Tree`."""

from __future__ import annotations

import ast
from types import FunctionType, MemberDescriptorType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar

from deepsim_btree.blackboard.key import Key
from deepsim_btree.parent import Parent
from deepsim_btree.rules.expressions import UnknownError
from deepsim_btree.rules.flow import CHECKED, UNCHECKED, Flow
from deepsim_btree.rules.rule import NoRuleError, is_self, method_call
from deepsim_btree.status import RUNNING, SKIPPED, Status

from .control import Control
from .text import ANSWER, block, lines
from .translator import untranslatable

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.rules.flow import Answers
    from deepsim_btree.rules.loops import Loop
    from deepsim_btree.rules.rule import Rule

    from .translator import Child
    from .tree_compiler import TreeCompiler, TreePart

ANYTHING: Answers = UNCHECKED | {SKIPPED}
"""Possible answers of a node about which nothing is known."""
_FIXED = (int, float, tuple, type(None), FunctionType, MethodType)


class TreeControl(Control):
    """A writer of the function of one node, whose state stays in the nodes.

    Attributes that the rule only reads become constants. The function first tests whether one of
    them has changed; in that case the node runs uncompiled.

    Attributes:
        source: The statements of the function.

    Args:
        compiler: The compiler of the tree, which assigns names.
        node: The node.
        number: Number of the node.
        parts: The compiled children.

    Raises:
        NoRuleError: The rule uses more of Python than can be translated.
    """

    UNROLLED: ClassVar[int] = 64
    HAS_SKIPPED: ClassVar[bool] = True

    def __init__(
        self, compiler: TreeCompiler, node: Parent, number: int, parts: list[TreePart]
    ) -> None:
        super().__init__(node)
        if not _asks_only_if_running(self.statements):
            raise NoRuleError("its update() asks for another status of its own than RUNNING")
        for name in _global_names(self.rule):
            if not (isinstance(self.rule.names[name], Status) or callable(self.rule.names[name])):
                raise NoRuleError(f"its update() reads the global variable {name}")
        self._compiler = compiler
        self._number = number
        self._name = f"c{number}"
        self._children = node.children
        self._settings: dict[str, object] = {}
        self._parts = parts
        self._is_again = False
        self.source = self.body()
        changed = [
            f"{self._name}.{setting} is not {self._identical(value)}"
            for setting, value in self._settings.items()
        ]
        if changed:
            entry = "update" if node.has_hooks else "_entry"
            answer = f"status_of({self._name}, {self._name}.{entry}())"
            own = block(f"if {' or '.join(changed)}:", f"return {answer}")
            self.source, self.again = lines(own, self.source), lines(own, self.again)
            self.answers |= CHECKED | {SKIPPED}
        if not all(isinstance(answer, Status) for answer in self.answers):
            self.answers = ANYTHING

    def flow(self) -> Flow:
        """Returns the facts that are known at the start of the rule."""
        return Flow(self.node, self.rule, self._read, ANYTHING)

    def _read(self, node: Behaviour, name: str) -> Any:
        """Returns an attribute, and records it if it can be assigned to."""
        value = getattr(node, name)
        if name == "_children":
            return value
        kind = getattr(type(node), name, None)
        if isinstance(kind, FunctionType):
            if getattr(kind, "is_pure", False):
                for setting in _settings_of(node):
                    if setting not in self.rule.state:
                        self._read(node, setting)
            return value
        if isinstance(kind, MemberDescriptorType) or hasattr(node, "__dict__"):
            if not isinstance(value, _FIXED) or isinstance(value, Key):
                raise UnknownError
            self._settings[name] = value
        return value

    def in_run(self) -> str:
        """Returns an expression that is true during a run; "" if the rule does not read it."""
        return f"{self._name}.status is RUNNING" if self.rule.mentions(True, "status") else ""

    def constant(self, value: object) -> str:
        """Returns the name of a value in the generated code."""
        return self._compiler.constant(value)

    def _identical(self, value: object) -> str:
        """Returns an expression for the same object as a value."""
        return repr(value) if value is None or isinstance(value, bool) else self.constant(value)

    def check_answers(self, answers: Answers) -> None:
        """Accepts all answers, including SKIPPED."""

    def refusal(self, name: str) -> str:
        """Returns a statement that raises an error about a variable without a status."""
        part = self._parts[self._asked[name]]
        return f"raise {part.name}._no_status({self.variable(name)}){part.mark}"

    def looped(self, statement: ast.For, loop: Loop, flow: Flow) -> tuple[str, Flow]:
        """Refuses a loop whose children are not known.

        Raises:
            NoRuleError: Always.
        """
        raise NoRuleError(f"line {statement.lineno} of its update() has children in another order")

    def _if(self, statement: ast.If, flow: Flow) -> tuple[str, Flow | None]:
        """Writes a test; a test whether a child is RUNNING or SKIPPED becomes two tests."""
        test = self.text(statement.test, flow, None)
        for place, part in enumerate(self._parts):
            status = f"{part.name}.status"
            if test == f"(({status} is RUNNING) or ({status} is SKIPPED))":
                running = flow.copy()
                running.known[f"status {place}"] = RUNNING
                body, end = self._block(statement.body, running)
                orelse, other = self._block(statement.body, flow.copy())
                text = lines(
                    block(f"if {status} is RUNNING:", body),
                    block(f"elif {status} is SKIPPED:", orelse),
                )
                return text, flow.joined(end).joined(other)
        return super()._if(statement, flow)

    def tick(self, name: str, call: Any, flow: Flow) -> str:
        """Returns statements that tick a child and assign its answer."""
        place = self.child(call.args[0], flow, None)
        if isinstance(place, str):
            raise untranslatable(call)
        check = self.check_all(flow)
        part = self._parts[place]
        self._asked[name] = place
        self._is_again = flow.known.pop(f"status {place}", None) is RUNNING
        flow.assign(name, part.answers)
        text = part.again if self._is_again else part.tick
        return lines(check, text.replace(ANSWER, self.variable(name)))

    def keep(self, child: int, name: str, flow: Flow) -> str:
        """Returns statements that store the value of a variable as the status of a child."""
        part = self._parts[child]
        check = part.check if self._is_again else ""
        return lines(check, part.keep).replace(ANSWER, self.variable(name))

    def variable(self, name: str) -> str:
        """Returns the name of a local variable, unique to its node, whose code may be inlined."""
        return f"_{name}_{self._number}"

    def halt(self, child: Child, flow: Flow) -> str:
        """Returns statements that halt a child."""
        if isinstance(child, str):
            return f"{self.constant(self._children)}[{child}].halt()"
        name = self._parts[child].name
        return block(f"if {name}.status is RUNNING:", f"{name}.halt()")

    def returned(self, text: str, answers: Answers, flow: Flow) -> str:
        """Returns statements that end the tick with an answer."""
        return f"return {text}"

    def state(self, attribute: str, at: None) -> str:
        """Returns an expression for an attribute of the node."""
        return f"{self._name}.{attribute}"

    def status_of(self, child: int, at: None) -> str:
        """Returns an expression for the status of a child."""
        return f"{self._parts[child].name}.status"

    def now(self) -> str:
        """Returns an expression for the tree's time; without a clock it raises an error."""
        return "(tree._now if tree._now is not None else tree.now)"

    def users(self, name: str, at: None, *, is_condition: bool) -> str:
        """Returns a call of a user function."""
        call = f"{self._name}.{name}()"
        return f"truth({call})" if is_condition else call

    def draw(self, at: None) -> str:
        """Refuses a random order.

        Raises:
            NoRuleError: Always.
        """
        raise NoRuleError("its update() draws random numbers")

    def _attribute(self, e: ast.Attribute, at: None) -> str:
        if is_self(e.value):
            return self.state(e.attr, at)
        return super()._attribute(e, at)

    def _call(self, e: ast.Call, flow: Flow, at: None) -> str:
        name = method_call(e)
        if name and getattr(getattr(type(self.node), name, None), "is_query", False):
            return f"{self._name}.{name}()"
        return super()._call(e, flow, at)


def _settings_of(node: Behaviour) -> list[str]:
    """Returns the names of the attributes of a node that `Parent` does not have."""
    kinds = type(node).__mro__
    slots = [
        slot for kind in kinds[: kinds.index(Parent)] for slot in vars(kind).get("__slots__", ())
    ]
    return [*slots, *getattr(node, "__dict__", ())]


def _global_names(rule: Rule) -> set[str]:
    """Returns the global names that a rule reads."""
    names = {
        part.id
        for statement in rule.statements
        for part in ast.walk(statement)
        if isinstance(part, ast.Name)
    }
    return names & set(rule.names) - set(rule.local_names)


def _asks_only_if_running(statements: list[ast.stmt]) -> bool:
    """Returns whether a rule only compares the status of its own node with RUNNING."""
    asked, compared = 0, 0
    for statement in statements:
        for part in ast.walk(statement):
            if isinstance(part, ast.Attribute) and part.attr == "status" and is_self(part.value):
                asked += 1
            if isinstance(part, ast.Compare) and isinstance(part.left, ast.Attribute):
                left, right = part.left, part.comparators[0]
                is_own = left.attr == "status" and is_self(left.value)
                is_running = isinstance(right, ast.Name) and right.id == "RUNNING"
                compared += is_own and is_running
    return asked == compared
