# SPDX-License-Identifier: Apache-2.0
"""Conversion between values and texts in XML attributes: numbers, statuses, keys and others."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import partial
from typing import Any, Callable, Mapping

from deepsim_btree.arguments import read_number
from deepsim_btree.blackboard import ConvertedKey, Key, MillisecondsKey, key
from deepsim_btree.tag import EntryName, EntryValue, Literal, Milliseconds, OutputEntry, Queue

Parsers = Mapping[type, Callable[[str], Any]]
Formatters = Mapping[type, Callable[[Any], str]]


class TypedKey(ConvertedKey):
    """The key of an entry that is converted for a node as BehaviorTree.CPP does.

    Texts become values of the type of the node's port or argument, and numbers become texts, bools,
    whole numbers or members of an enumeration, where the node takes these.

    Attributes:
        value_type: The type that the node takes.
    """

    value_type: Any
    _parse: Callable[[str], Any]

    def converted(self, value: Any) -> Any:
        """Returns a value of the entry as the node takes it, or raises ValueError."""
        if isinstance(self.value_type, type) and isinstance(value, self.value_type):
            return value
        if self.value_type is str:
            return _text(value, str) if isinstance(value, (bool, int, float)) else value
        if isinstance(value, str):
            try:
                return self._parse(value)
            except (TypeError, ValueError, ArithmeticError, LookupError) as error:
                raise ValueError(f"{{{self.name}}} holds the text {value!r}: {error}") from error
        if isinstance(value, (int, float)) and not isinstance(value, Enum):
            if self.value_type is bool and value in (0, 1):
                return bool(value)
            if self.value_type is int and isinstance(value, float) and value.is_integer():
                return int(value)
            if _is_enum(self.value_type) and any(value == one.value for one in self.value_type):
                return self.value_type(value)
        return value


def to_value(text: str, type_: Any, parsers: Parsers) -> Any:
    """Converts a text to a value of a type, or raises ValueError or TypeError."""
    if type_ in parsers:
        return parsers[type_](text)
    if type_ is str:
        return text
    if type_ is bool:
        return _bool(text)
    if type_ is int:
        return int(_plain(text))
    if type_ is float:
        return float(_plain(text))
    if type_ is Milliseconds:
        return _seconds(_plain(text))
    if type_ is Literal or type_ is object:
        return _literal(text)
    if type_ is EntryValue:
        value = _literal(text)
        return value if _text(value, EntryValue) == text else text
    if type_ is OutputEntry:
        named = key_of(text)
        if named is None:
            raise ValueError("must be an entry such as {goal}")
        return named.name
    if type_ is EntryName:
        return (key_of(text) or key(text)).name
    if isinstance(type_, Queue):
        return [to_value(part, type_.element, {}) for part in text.split(";")] if text else []
    if _is_enum(type_):
        if text not in type_.__members__:
            raise ValueError(f"must be one of {', '.join(type_.__members__)}")
        return type_[text]
    raise TypeError(f"a {type_.__name__} has no text here: add it to parsers=, or use a key")


def to_text(value: Any, type_: Any, formatters: Formatters) -> str:
    """Returns the text that `to_value` converts to `value`, or raises TypeError."""
    if type(value) in formatters:
        return formatters[type(value)](value)
    if isinstance(value, MillisecondsKey) != (type_ is Milliseconds and isinstance(value, Key)):
        raise TypeError("a file has milliseconds where the node has seconds: use MillisecondsKey")
    if isinstance(value, Key):
        return _braces(value.name)
    if isinstance(type_, Queue):
        texts = [to_text(element, type_.element, {}) for element in value]
        if any(";" in text for text in texts):
            raise TypeError("elements with a semicolon would be read as two")
        return ";".join(texts)
    text = _text(value, type_)
    try:
        is_same = (key_of(text) is None or type_ is OutputEntry) and bool(
            to_value(text, type_, {}) == value
        )
    except ValueError:
        is_same = False
    if not is_same and type_ is not EntryName:
        raise TypeError(f"the text of {value!r} would be read as something else")
    return text


def _text(value: object, type_: Any) -> str:
    if type_ is OutputEntry:
        return _braces(str(value))
    if type_ is EntryName:  # braces would mean an entry that contains the name
        return str(value)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _milliseconds(float(value)) if type_ is Milliseconds else repr(value)
    if isinstance(value, str):
        return value
    raise TypeError(f"a {type(value).__name__} has no text here: add it to formatters=")


def _braces(name: str) -> str:
    if name == "=":  # {=} means the entry with the name of the attribute
        raise TypeError("an entry called = would be read as another one")
    return f"{{{name}}}"


def key_of(text: str) -> Key | None:
    """Returns the key for a text such as ``{goal}``; None if the text has no braces around it."""
    bare = text.strip(" ")
    if bare[:1] == "{" and bare[-1:] == "}":
        named: Key = key(bare[1:-1])
        return named
    return None


def typed_key(name: str, type_: Any, parsers: Parsers) -> Key:
    """Returns the key of an attribute that takes values of a type."""
    if type_ is Milliseconds:
        return MillisecondsKey(name)
    if type_ in (Literal, EntryValue, object):
        return Key(name)
    # Only the parser that is used, so that a tree can be pickled whatever the others are.
    typed = TypedKey(name)
    typed.value_type = type_
    typed._parse = parsers.get(type_) or partial(to_value, type_=type_, parsers={})
    return typed


def _is_enum(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Enum)


def _bool(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0"):
        raise ValueError("must be true or false")
    return text.lower() in ("true", "1")


def _plain(text: str) -> str:
    """Returns a text, which must not have digits or underscores that only Python accepts."""
    if not text.isascii() or "_" in text:
        raise ValueError("must be a number, in the digits 0 to 9")
    return text


def _literal(text: str) -> int | float | bool | str:
    if text in ("true", "false"):
        return text == "true"
    number = read_number(text)
    return text if number is None else number


def _milliseconds(seconds: float) -> str:
    text = f"{Decimal(repr(seconds)).scaleb(3):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _seconds(milliseconds: str) -> float:
    try:
        return float(Decimal(milliseconds).scaleb(-3))
    except InvalidOperation:
        raise ValueError("must be a number of milliseconds") from None
