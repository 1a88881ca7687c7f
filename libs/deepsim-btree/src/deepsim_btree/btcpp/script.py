# SPDX-License-Identifier: Apache-2.0
"""Script: a parsed text such as ``n := 3; ready = battery > 20 && mode == 'auto'``.

The grammar, from the loosest to the tightest operators::

    script      [statement {";" statement}]
    statement   name (":=" | "=" | "+=" | "-=" | "*=" | "/=") choice | choice
    choice      logic ["?" statement ":" logic]
    logic       comparison {("&&" | "||") comparison}       of one precedence, from the left
    comparison  operand {("==" | "!=" | "<" | ">" | "<=" | ">=") operand}         a < b < c chains
    operand     sum {".." sum} | bits
    sum         product {("+" | "-") product}
    product     unary {("*" | "/") unary}
    bits        flags {("|" | "^") flags}
    flags       flag {"&" flag}
    unary       {"-"} atom
    flag        {"!" | "~"} atom
    atom        number | 'text' | "text" | true | false | name | "(" statement ")"

Arithmetic uses floating-point numbers, true and false are 1 and 0, and both sides of ``&&`` and
``||`` are always evaluated. Scripts cannot run Python code.
"""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Mapping, Union

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key
from deepsim_btree.decorators.subtree import SubTree
from deepsim_btree.pickling import keys_of

Evaluate = Callable[[Behaviour], Any]
Apply = Callable[[Any, Any, str], Any]

Value = Union[int, float, str]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]*[A-Za-z_]))
    |(?P<text>'[^']*'|"[^"]*")
    |(?P<name>[^\W\d][\w]*|@\w+)
    |(?P<sign>:=|\+=|-=|\*=|/=|==|!=|<=|>=|&&|\|\||\.\.|[-+*/&|^~!<>=?:;()])
    )""",
    re.VERBOSE,
)
_EPSILON = 2.0**-23  # the largest difference of numbers that count as equal
_MAX_DEPTH = 50
_ASSIGNMENTS = (":=", "=", "+=", "-=", "*=", "/=")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: _is_same(a, b),
    "!=": lambda a, b: not _is_same(a, b),
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    "<=": lambda a, b: bool(a <= b),
    ">=": lambda a, b: bool(a >= b),
}


class Script:
    """A parsed script that reads and writes the blackboard of a node.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(Success())
    >>> Script("n := 3; n += 4; n * 2 > 13 ? 'far' : 'near'").run(tree.root)
    'far'
    >>> tree.blackboard
    Blackboard({'n': 7})

    Args:
        text: The text of the script.
        enums: Values of names for numbers.

    Raises:
        ValueError: The text is not a script; the message names the wrong part.
    """

    __slots__ = ("_statements", "enums", "text")

    def __init__(self, text: str, enums: Mapping[str, int] | None = None) -> None:
        self.text = text
        self.enums = dict(enums or {})
        self._statements = _Parser(text, self.enums).script()

    def __repr__(self) -> str:
        return f"Script({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Script) and (self.text, self.enums) == (other.text, other.enums)

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return Script, (self.text, self.enums)

    def run(self, node: Behaviour) -> Value:
        """Runs the script on the blackboard of a node and returns the value of the last statement.

        Raises:
            KeyError: The script reads an entry that has no value, or assigns with ``=`` one that
                has none and that no other node of the tree names.
            TypeError: An operator does not accept the given values.
        """
        value: Value = 0
        for statement in self._statements:
            value = statement(node)
        return value

    def holds(self, node: Behaviour) -> bool:
        """Runs the script and returns whether its value is a number other than 0.

        Raises:
            TypeError: The value is a text that is not a number.
        """
        return bool(_number(self.run(node), self.enums))


class _Parser:
    def __init__(self, text: str, enums: Mapping[str, int]) -> None:
        self._text = text
        self._enums = enums
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0
        self._has_arithmetic = False

    def script(self) -> tuple[Evaluate, ...]:
        if not self._tokens:
            return ()
        statements = [self._statement()]
        while self._take(";"):
            statements.append(self._statement())
        if self._sign() or self._at < len(self._tokens):
            raise self._error("an operator or the end")
        return tuple(statements)

    def _statement(self) -> Evaluate:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ValueError(f"more than {_MAX_DEPTH} parentheses in each other: {self._text!r}")
        start = self._at
        value = self._choice()
        sign = self._sign()
        if sign in _ASSIGNMENTS:
            if self._at != start + 1 or self._tokens[start][0] != "name":
                raise self._error("one name left of an assignment, or an operator")
            self._at += 1
            name = self._tokens[start][1]
            if name in self._enums:
                raise ValueError(f"{name} is a number in {self._text!r} and cannot be assigned")
            value = _assignment(Key(name), sign, self._choice(), self._enums)
        self._depth -= 1
        return value

    def _choice(self) -> Evaluate:
        condition = self._logic()
        if not self._take("?"):
            return condition
        yes = self._statement()
        self._expect(":")
        no = self._logic()
        return lambda node: yes(node) if condition(node) else no(node)

    def _logic(self) -> Evaluate:
        return self._operation(self._comparison(), ("&&", "||"), self._comparison, _logic)

    def _operation(
        self, left: Evaluate, signs: tuple[str, ...], operand: Callable[[], Evaluate], apply: Apply
    ) -> Evaluate:
        while (sign := self._sign()) in signs:
            self._at += 1
            self._has_arithmetic = self._has_arithmetic or apply is _combine
            left = _applied(apply, left, operand(), sign)
        return left

    def _comparison(self) -> Evaluate:
        first = self._operand()
        others = []
        while (sign := self._sign()) in _COMPARISONS:
            self._at += 1
            others.append((_COMPARISONS[sign], self._operand()))
        return _chain(first, others, self._enums) if others else first

    def _operand(self) -> Evaluate:
        if self._sign() in ("!", "~"):
            return self._bits(self._flag())
        self._has_arithmetic = False
        left = self._sum()
        if self._sign() in ("&", "|", "^"):
            if self._has_arithmetic:
                raise self._error("parentheses, where arithmetic and bits are mixed,")
            return self._bits(left)
        return self._operation(left, ("..",), self._sum, _concat)

    def _sum(self) -> Evaluate:
        return self._operation(self._product(), ("+", "-"), self._product, _combine)

    def _product(self) -> Evaluate:
        return self._operation(self._unary(), ("*", "/"), self._unary, _combine)

    def _unary(self) -> Evaluate:
        signs = self._prefixes("-")
        if not signs:
            return self._atom()
        self._has_arithmetic = True
        factor = (-1) ** len(signs)
        if self._at < len(self._tokens) and self._tokens[self._at][0] == "number":
            return _constant(factor * self._literal())
        value = self._atom()
        return lambda node: factor * float(_only_number(value(node), "-"))

    def _prefixes(self, *signs: str) -> list[str]:
        found: list[str] = []
        while self._sign() in signs:
            if len(found) == _MAX_DEPTH:
                raise self._error("a value")
            found.append(self._sign())
            self._at += 1
        return found

    def _bits(self, left: Evaluate) -> Evaluate:
        left = self._operation(left, ("&",), self._flag, _bitwise)
        return self._operation(left, ("|", "^"), self._ands, _bitwise)

    def _ands(self) -> Evaluate:
        return self._operation(self._flag(), ("&",), self._flag, _bitwise)

    def _flag(self) -> Evaluate:
        signs = self._prefixes("!", "~")
        value = self._atom()
        for sign in reversed(signs):
            value = _flipped(value, sign)
        return value

    def _atom(self) -> Evaluate:
        if self._take("("):
            value = self._statement()
            self._expect(")")
            self._has_arithmetic = False
            return value
        if self._at == len(self._tokens):
            raise self._error("a value")
        kind, text = self._tokens[self._at]
        if kind == "sign":
            raise self._error("a value")
        if kind == "number":
            return _constant(self._literal())
        self._at += 1
        if kind == "text":
            return _constant(text[1:-1])
        constant = {"true": 1, "false": 0, **self._enums}.get(text)
        if constant is not None:
            return _constant(constant)
        return Key(text).read

    def _literal(self) -> int | float:
        text = self._tokens[self._at][1]
        self._at += 1
        if text[:2] in ("0x", "0X"):
            return int(text, 16)
        return int(text) if text.isdigit() else float(text)

    def _sign(self) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at][0] == "sign":
            return self._tokens[self._at][1]
        return ""

    def _take(self, sign: str) -> bool:
        if self._sign() != sign:
            return False
        self._at += 1
        return True

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(sign)

    def _error(self, expected: str) -> ValueError:
        found = self._tokens[self._at][1] if self._at < len(self._tokens) else "the end"
        return ValueError(f"expected {expected}, got {found} in the script {self._text!r}")


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens = []
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ValueError(f"{text[at:].strip()[:20]!r} cannot be read in the script {text!r}")
        tokens.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return tokens


def _constant(value: Value) -> Evaluate:
    return lambda _: value


def _assignment(key: Key, sign: str, value: Evaluate, enums: Mapping[str, int]) -> Evaluate:
    def assign(node: Behaviour) -> Value:
        new = value(node)
        try:
            old = key.read(node)
        except KeyError:
            if sign != ":=" and not (sign == "=" and _is_named(key, node)):
                raise KeyError(
                    f"nothing named {key.name!r} on the blackboard: create it by :=, not {sign}"
                ) from None
            old = None
        if sign not in (":=", "="):
            new = _combine(old, new, sign[0])
        if isinstance(old, str) and not isinstance(new, str):
            raise TypeError(f"{key.name} holds the text {old!r} and cannot become {new!r}")
        if isinstance(new, str) and _is_number(old):
            new = _number(new, enums)
        if _is_whole(old) and isinstance(new, float) and new.is_integer():
            new = int(new)
        key.write(node, new)
        assigned: Value = new
        return assigned

    return assign


def _is_named(key: Key, node: Behaviour) -> bool:
    """Returns whether a node of the tree, other than a script, names the entry of a key.

    There such entries exist, without a value, from the time when the file is read.
    """
    entry = key.entry(node)
    return any(
        named.entry(other) is entry
        for other in node.tree.root.walk()
        if not isinstance(other, SubTree)  # whose remaps name no entries there
        for named in keys_of(other)
    )


def _applied(apply: Apply, left: Evaluate, right: Evaluate, sign: str) -> Evaluate:
    return lambda node: apply(left(node), right(node), sign)


def _combine(a: Any, b: Any, sign: str) -> Value:
    if isinstance(a, str) and isinstance(b, str) and sign == "+":
        return a + b
    x, y = float(_only_number(a, sign)), float(_only_number(b, sign))
    if sign == "+":
        return x + y
    if sign == "-":
        return x - y
    if sign == "*":
        return x * y
    if y == 0:  # the IEEE 754 results
        return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x)
    return x / y


def _concat(a: Any, b: Any, sign: str) -> str:
    if not isinstance(a, str) and not isinstance(b, str):
        raise TypeError(f"{sign} joins texts, got {a!r} and {b!r}")
    return _text(a) + _text(b)


def _bitwise(a: Any, b: Any, sign: str) -> float:
    x, y = _whole(a, sign), _whole(b, sign)
    return float(x & y if sign == "&" else x | y if sign == "|" else x ^ y)


def _flipped(value: Evaluate, sign: str) -> Evaluate:
    if sign == "!":
        return lambda node: float(not _only_number(value(node), sign))
    return lambda node: float(~_whole(value(node), sign))


def _logic(a: Any, b: Any, sign: str) -> float:
    x, y = bool(_only_number(a, sign)), bool(_only_number(b, sign))
    return float(x and y if sign == "&&" else x or y)


def _chain(
    first: Evaluate,
    others: list[tuple[Callable[[Any, Any], bool], Evaluate]],
    enums: Mapping[str, int],
) -> Evaluate:
    def chain(node: Behaviour) -> float:
        left = first(node)
        for compare, operand in others:
            right = operand(node)
            both_texts = isinstance(left, str) and isinstance(right, str)
            pair = (left, right) if both_texts else (_number(left, enums), _number(right, enums))
            if not compare(*pair):
                return 0.0
            left = right
        return 1.0

    return chain


def _is_same(a: Any, b: Any) -> bool:
    return bool(a == b if isinstance(a, str) else abs(a - b) <= _EPSILON)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _only_number(value: Any, sign: str) -> float:
    if not _is_number(value):
        raise TypeError(f"{sign} takes numbers, got {value!r}")
    number: float = value
    return number


def _whole(value: Any, sign: str) -> int:
    number = _only_number(value, sign)
    if number != int(number):
        raise TypeError(f"{sign} takes whole numbers, got {value!r}")
    return int(number)


def _number(value: Any, enums: Mapping[str, int]) -> float:
    """Returns a number, or the number that a text stands for."""
    if _is_number(value):
        number: float = value
        return number
    known = {"true": 1, "false": 0, **enums}
    try:
        return known[value] if value in known else float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{value!r} is no number") from None


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:f}"
    return str(int(value)) if isinstance(value, bool) else str(value)
