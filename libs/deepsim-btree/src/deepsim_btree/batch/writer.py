# SPDX-License-Identifier: Apache-2.0
"""Translates the rule of a node to numpy code for many agents."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from deepsim_btree.compiled.text import block, lines
from deepsim_btree.compiled.translator import Translator, untranslatable, variable
from deepsim_btree.rules.expressions import UnknownError
from deepsim_btree.rules.flow import CHECKED, Flow
from deepsim_btree.rules.loops import child_list, loop_of
from deepsim_btree.rules.rule import NoRuleError, is_tick
from deepsim_btree.status import FAILURE, INVALID, Status

from .call import Call

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

    from .node import Node


class Place(NamedTuple):
    """A `Group` of agents in the generated code."""

    name: str
    """Name of the group."""
    above: Place | None
    """The group that it is a part of; None for the group of all agents and for unions."""
    chosen: str
    """Name of its indices in the group above."""

    @property
    def numbers(self) -> str:
        """An expression for the numbers of the agents."""
        return f"{self.name}.numbers"


class Writer(Translator[Place]):
    """A writer of the numpy function for the rule of one node.

    Every `if` splits a group of agents in two, every `return` writes the answers of a group, and
    loops over children are unrolled. The state of the agents is in arrays.

    Args:
        owner: The node of the batch, which keeps the arrays.
        node: The node in the user's tree.

    Attributes:
        names: Values of the names in the code.
        statuses: Array (count,) with 1 for agents for which the node is RUNNING, otherwise 0; None
            if the rule does not read its status.
        default: The answer of agents for which the code writes none.

    Raises:
        NoRuleError: The source of the rule is not available.
    """

    AND, OR = "&", "|"
    SIGNS: ClassVar = {"is": "==", "is not": "!=", "not": "negated"}

    def __init__(self, owner: Node, node: Behaviour) -> None:
        super().__init__(node)
        self._owner = owner
        self.names: dict[str, Any] = {"owner": owner, "team": owner.team}
        self.names.update({f"child{n}": child for n, child in enumerate(owner.children)})
        asks = self.rule.mentions(True, "status")
        self.statuses = owner.run_state(int(INVALID), np.uint8) if asks else None
        self._watches = self.rule.mentions(False, "status")
        if self._watches:
            count = len(owner.children)
            self.names["statuses"] = owner.run_state(int(INVALID), np.uint8, count)
        self._count = 0
        self._returned: Counter[int] = Counter({int(FAILURE): 0})
        self.default = -1
        self.function(is_fresh=True)  # counts the returned answers
        self.default = self._returned.most_common(1)[0][0]

    def function(self, *, is_fresh: bool) -> str:
        """Returns the text of the function for ticks in which all agents begin runs, or for others.

        Raises:
            NoRuleError: The rule uses more of Python than can be translated.
        """
        # By variable, the group whose agents have a value in it; None if every row has one.
        self._groups: dict[str, Place | None] = {}
        self._everyone = Place("g0", None, "")
        flow = Flow(self.node, self.rule)
        if is_fresh:
            flow.known["self.status"] = INVALID
        body, after = self._block(self.statements, flow, self._everyone)
        if after is not None:
            raise NoRuleError("its update() does not always return a Status")
        return block("def rule(g0, answers, was):", body or "pass")

    def _part(self, place: Place | None = None) -> Place:
        """Returns a new group, which is a part of the group at `place`, if given."""
        self._count += 1
        return Place(f"g{self._count}", place, "" if place is None else f"k{self._count}")

    def _block(
        self, statements: list[ast.stmt], flow: Flow, place: Place
    ) -> tuple[str, tuple[Flow, Place] | None]:
        """Returns the text of statements for a group."""
        texts = []
        statement: Any
        for number, statement in enumerate(statements):
            rest = statements[number + 1 :]
            if rest and _always_returns(statement):  # the rest is for other agents
                statement, rest = ast.If(statement.test, statement.body, rest), []
            write = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if write is None:
                raise untranslatable(statement)
            text, after = write(statement, flow, place)
            texts.append(text)
            if after is None:
                return lines(*texts), None
            flow, remaining = after
            if rest and remaining is not place:
                text, after = self._block(rest, flow, remaining)
                texts.append(self._guarded(text, remaining, after))
                rest = []
            if not rest:
                return lines(*texts), after
        return lines(*texts), (flow, place)

    def _guarded(self, text: str, place: Place, after: tuple[Flow, Place] | None) -> str:
        """Returns statements that run only if a group has agents."""
        if not text or place is self._everyone:
            return text
        defined = f"{after[1].name} = {place.name}" if after and after[1] is not place else ""
        return lines(defined, block(f"if {place.name}.size:", text))

    def _if(
        self, statement: ast.If, flow: Flow, place: Place
    ) -> tuple[str, tuple[Flow, Place] | None]:
        yes, no = flow.split(statement.test)
        if yes is None or no is None:
            branch, left = (statement.orelse, no) if yes is None else (statement.body, yes)
            return self._block(branch, left or flow, place)
        test = self.text(statement.test, flow, place)
        first, second = self._part(place), self._part(place)
        groups = dict(self._groups)
        body, after = self._block(statement.body, yes, first)
        self._groups, groups = groups, self._groups
        orelse, otherwise = self._block(statement.orelse, no, second)
        after_both: tuple[Flow, Place] | None
        if after is None or otherwise is None:
            self._groups = groups if otherwise is None else self._groups
            after_both = otherwise if after is None else after
        else:
            both = self._groups.items()
            self._groups = {name: group for name, group in both if groups.get(name, 0) is group}
            returned = after[1] is not first or otherwise[1] is not second
            after_both = otherwise[0].joined(after[0]), self._part() if returned else place
        goes_on = after_both is not None and after_both[1] is not place
        has_first = bool(body) or (goes_on and after is not None)
        has_second = bool(orelse) or (goes_on and otherwise is not None)
        texts = []
        if has_first and has_second:
            texts.append(f"{first.chosen}, {second.chosen} = split({test})")
        elif has_first:
            texts.append(f"{first.chosen} = where({test})")
        elif has_second:
            texts.append(f"{second.chosen} = where(negated({test}))")
        if has_first:
            texts.append(f"{first.name} = {place.name}.part({first.chosen})")
            texts.append(self._guarded(body, first, after))
        if has_second:
            texts.append(f"{second.name} = {place.name}.part({second.chosen})")
            texts.append(self._guarded(orelse, second, otherwise))
        if goes_on and after is not None and otherwise is not None and after_both is not None:
            others, some = otherwise[1].name, after[1].name
            texts.append(f"{after_both[1].name} = {others}.union({some})")
        return lines(*texts), after_both

    def _for(
        self, statement: ast.For, flow: Flow, place: Place
    ) -> tuple[str, tuple[Flow, Place] | None]:
        loop = loop_of(statement, self.orders)
        texts, everyone, entry = [], place, flow.copy()
        first, starts = 0, ""
        after: tuple[Flow, Place] | None = flow, place
        try:
            first = 0 if loop.start is None else flow.value(loop.start)
        except UnknownError:
            starts = self.text(loop.start, flow, place)  # type: ignore[arg-type]
            after = None
        for position in range(first, len(self._owner.children)):
            if starts:
                before = "nobody" if after is None else after[1].name
                flow = entry.copy() if after is None else after[0].joined(entry)
                place = self._part()
                added = f"starting({starts}, {position}, {everyone.name})"
                texts.append(f"{place.name} = {before}.{added}")
            elif after is None:
                break
            else:
                flow, place = after
            self.places[loop.child] = position
            if loop.order:
                order = self.state(loop.order.attr, everyone).split("[")[0]
                self.places[loop.child] = f"{order}[{{}}, {position}]"
            if loop.position:
                flow.assign(loop.position, ast.Constant(position, kind=None))
            text, after = self._block(statement.body, flow, place)
            texts.append(self._guarded(text, place, after))
        return lines(*texts), after

    def _assign(
        self, statement: ast.Assign, flow: Flow, place: Place
    ) -> tuple[str, tuple[Flow, Place] | None]:
        target: Any = statement.targets[0]
        value: Any = statement.value
        name = variable(target)
        order = child_list(value, self.orders)
        if order is not None:
            self.orders[name] = order
            return "", (flow, place)
        if is_tick(value):
            return self._tick(name, value, flow, place), (flow, place)
        text = self.text(value, flow, place)
        flow.assign(name, value)
        if isinstance(target, ast.Attribute):
            return f"{self.state(target.attr, place)} = {text}", (flow, place)
        if self.rule.local_names[name] == 1:
            self._groups[name] = place
            is_written = name not in flow.known and flow.term(name) is None
            return f"_{name} = {text}" if is_written else "", (flow, place)
        old = f"_{name}" if self._groups.get(name, place) is None else "None"
        self._groups[name] = None
        if old == "None" and name in flow.known and place is self._everyone:
            return f"_{name} = {text}", (flow, place)
        return f"_{name} = {place.name}.written({old}, {text}, g0.size)", (flow, place)

    def _tick(self, name: str, call: Any, flow: Flow, place: Place) -> str:
        child = self.child(call.args[0], flow, place)
        self._groups[name] = place
        if isinstance(child, str):
            flow.assign(name, CHECKED)
            return f"_{name} = owner.tick_chosen({place.numbers}, {child.format(place.numbers)})"
        flow.assign(name, self._owner.children[child].answers)
        keep = f"{self.status_of(child, place)} = _{name}" if self._watches else ""
        return lines(f"_{name} = child{child}.tick({place.numbers})", keep)

    def _expr(
        self, statement: ast.Expr, flow: Flow, place: Place
    ) -> tuple[str, tuple[Flow, Place] | None]:
        call: Any = statement.value
        if getattr(getattr(call, "func", None), "attr", "") != "halt":
            raise untranslatable(statement)
        child = self.child(call.func.value, flow, place)
        if isinstance(child, str):
            text = f"owner.halt_chosen({place.numbers}, {child.format(place.numbers)})"
        elif self._watches:
            text = f"owner.halt_running(statuses, {place.numbers}, {child})"
        else:
            halts = self._owner.children[child].run_states
            text = f"child{child}.halt({place.numbers})" if halts else ""
        return text, (flow, place)

    def _return(self, statement: ast.Return, flow: Flow, place: Place) -> tuple[str, None]:
        if statement.value is None:
            raise untranslatable(statement)
        self.check_answers(flow.possible(statement.value))
        text = self.text(statement.value, flow, place)
        if text.isdigit():
            self._returned[int(text)] += 1
            if int(text) == self.default:
                return "", None
        return f"{place.name}.put(answers, {text})", None

    def literal(self, value: Any) -> str:
        """Returns the text of a number, or the name of a constant."""
        if isinstance(value, Status):
            return str(int(value))
        if isinstance(value, (bool, int)):
            return repr(value)
        if isinstance(value, tuple):
            value = np.array(value, np.uint8)
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def local(self, name: ast.Name, at: Place) -> str:
        """Returns an expression for the values of a local variable in a group."""
        text = f"_{name.id}"
        group = self._groups.get(name.id, at)
        if name.id not in self._groups:
            raise NoRuleError(f"line {name.lineno} of its update() reads a variable after branches")
        if group is None or group is self._everyone:
            return f"{at.name}.of({text})"
        chosen = []
        here: Place | None = at
        while here is not group:
            if here is None:
                raise NoRuleError(f"line {name.lineno} of its update() reads a variable too late")
            chosen.append(here.chosen)
            here = here.above
        for indices in reversed(chosen):
            text = f"pick({text}, {indices})"
        return text

    def state(self, attribute: str, at: Place) -> str:
        """Returns an expression for the values of an attribute in a group."""
        if attribute == "status":
            return f"{at.name}.of(was)"
        name = f"state{attribute}"
        if name not in self.names:
            initial = getattr(self.node, attribute)
            if isinstance(initial, tuple):  # an order
                array = self._owner.lasting_state(0, np.intp, len(self._owner.children))
            elif isinstance(initial, Status):
                array = self._owner.lasting_state(int(initial), np.uint8)
            else:
                kinds: dict[type, type] = {bool: np.bool_, int: np.int32, float: np.float64}
                array = self._owner.lasting_state(initial, kinds[type(initial)])
            self.names[name] = array
        return f"{name}[{at.numbers}]"

    def status_of(self, child: int, at: Place) -> str:
        """Returns an expression for the statuses of a child."""
        return f"statuses[{at.numbers}, {child}]"

    def now(self) -> str:
        """Returns an expression for the time, which all agents share."""
        return "team.now"

    def choice(self, test: str, yes: str, no: str) -> str:
        """Returns a call that chooses for each agent."""
        return f"choose({test}, lambda: {yes}, lambda: {no})"

    def users(self, name: str, at: Place, *, is_condition: bool) -> str:
        """Returns a call of a user function with the agents' numbers in place of AGENT."""
        call = Call(self._owner.path, self._owner.team, getattr(self.node, name))
        return f"{self.literal(call)}.{'ask' if is_condition else 'read'}({at.numbers})"

    def draw(self, at: Place) -> str:
        """Returns a call that draws an order of the children from the stream of each agent."""
        if "streams" not in self.names:
            node: Any = self.node
            self.names["streams"] = self._owner.team.streams(node)
        return f"streams.draw_orders({at.numbers}, {len(self._owner.children)})"

    def pure(self, function: Any, arguments: list[str]) -> str:
        """Returns an expression that calls a pure function once for each different value."""
        (argument,) = arguments
        return f"mapped({self.literal(function)}, {argument})"


def _always_returns(statement: ast.stmt) -> bool:
    """Returns whether a statement is an `if` without `else` that ends with a return."""
    is_if = isinstance(statement, ast.If) and not statement.orelse
    return is_if and isinstance(statement.body[-1], ast.Return)  # type: ignore[attr-defined]
