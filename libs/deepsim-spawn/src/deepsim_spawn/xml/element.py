# SPDX-License-Identifier: Apache-2.0
"""An XML element with checked values and a record of the parts that were read.

Parsers of values raise a ValueError that says what was expected and what was given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from lxml import etree

from deepsim_math import Color, Vector3
from deepsim_spawn.description.checks import LARGEST
from deepsim_spawn.description.sdf_paths import sdf_fields
from deepsim_spawn.errors import ModelFormatError, ModelFormatWarning, UnsupportedElementWarning

if TYPE_CHECKING:
    from .document import Document

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def word(text: str) -> str:
    """Returns the text, which must not be empty."""
    if not text:
        raise ValueError("expected text, got nothing")
    return text


def boolean(text: str) -> bool:
    """Returns True for ``true`` and ``1``, False for ``false`` and ``0``, in any case."""
    try:
        return _TRUTH[text.lower()]
    except KeyError:
        raise ValueError(f"expected true or false, got {_shown(text)}") from None


def numbers(text: str, *counts: int) -> list[float]:
    """Returns finite numbers separated by blanks; their number must be one of the counts."""
    # stricter than float(), which also reads nan, 1_000 and digits of other scripts
    values = [float(word) if _NUMBER.fullmatch(word) else math.nan for word in text.split()]
    if len(values) not in counts or not all(map(math.isfinite, values)):
        many = " or ".join(map(str, counts)) + " finite numbers"
        expected = "a finite number" if counts == (1,) else many
        hint = ", separated by blanks, not commas" if "," in text and counts != (1,) else ""
        raise ValueError(f"expected {expected}{hint}, got {_shown(text)}")
    if any(abs(value) > LARGEST for value in values):
        raise ValueError(f"expected numbers up to {LARGEST:g}, got {_shown(text)}")
    return values


def number(text: str) -> float:
    """Returns one finite number."""
    return numbers(text, 1)[0]


def limit(text: str) -> float:
    """Returns one number or ``inf`` or ``-inf``; numbers from 1e16 on are infinite."""
    if not (_NUMBER.fullmatch(text) or _INFINITY.fullmatch(text)):
        raise ValueError(f"expected a number or inf, got {_shown(text)}")
    value = float(text)
    return math.copysign(math.inf, value) if abs(value) >= 1e16 else value


def integer(text: str) -> int:
    """Returns an integer, decimal or hexadecimal with the prefix ``0x``."""
    if not re.fullmatch(r"[+-]?(\d+|0[xX][0-9a-fA-F]+)", text, re.ASCII) or len(text) > 20:
        raise ValueError(f"expected an integer, got {_shown(text)}")
    return int(text, 16) if "x" in text.lower() else int(text)


def pair(text: str) -> tuple[float, float]:
    """Returns two finite numbers."""
    first, second = numbers(text, 2)
    return first, second


def vector(text: str) -> Vector3:
    """Returns three finite numbers as a vector."""
    return Vector3(*numbers(text, 3))


def factors(text: str) -> list[float]:
    """Returns one, three or four finite numbers."""
    return numbers(text, 1, 3, 4)


def color(text: str) -> Color:
    """Returns red, green, blue, and alpha (default 1), each in 0..1."""
    return Color(*numbers(text, 3, 4))


PARSERS: Mapping[Any, Callable[[str], Any]] = {
    float: number,
    int: integer,
    bool: boolean,
    bool | None: boolean,
    Vector3: vector,
    Color: color,
    tuple[float, float]: pair,
}
"""Parsers of the fields of descriptions by type; `word` is that of other types."""


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


P = ParamSpec("P")
T = TypeVar("T")

_MOST_ATTRIBUTES = 100
"""Limit for one element, since lxml's time grows with the square of their number."""

_TOO_MANY_ATTRIBUTES = f"has more than {_MOST_ATTRIBUTES} attributes"

_OPTIONAL = re.compile(r"\$\(optenv\s\w+\s([^()]*)\)")
"""A substitution of ROS with a default, which files that were expanded by hand still have."""

_SECOND_POINT = re.compile(r"(\d\.\d+)\.(?!\S)")

_NAMED = 5
"""Number of existing children that the message about a missing child lists."""


class Element:
    """An XML element of a document.

    Every look-up marks the elements that it finds as read; `warn_of_unread` then reports the unread
    ones, so that nothing in a file is ignored silently and no list of known tags can go stale.

    Paths such as ``"surface/friction/ode/mu"`` follow the first matching child at each step.
    Look-ups raise a ModelFormatError for missing or malformed values, with file and line.

    Attributes:
        tag: Name of the element; ``{namespace}name`` for elements in a namespace.
        attributes: Attributes, without surrounding blanks.
        text: Text before the first child, without surrounding blanks.
        line: Line in its file, counted from 1.
        parent: Parent element; None for the root.
        children: Child elements, in the order of the file.
        document: The document that it belongs to.
    """

    __slots__ = (
        "_read",
        "_read_attributes",
        "_xml",
        "attributes",
        "children",
        "document",
        "line",
        "parent",
        "tag",
        "text",
    )

    def __init__(
        self, xml: etree._Element, parent: Element | None, document: Document, first_line: int
    ) -> None:
        self._xml = xml
        self._read = parent is None
        self._read_attributes: set[str] = set()
        self.tag = str(xml.tag)
        self.attributes = {str(name): str(value).strip() for name, value in xml.attrib.items()}
        self.text = (xml.text or "").strip()
        self.line = first_line + cast(int, xml.sourceline)
        self.parent = parent
        self.children: list[Element] = []
        self.document = document

    @classmethod
    def tree(cls, xml: etree._Element, document: Document, first_line: int = 0) -> Element:
        """Returns the elements of a parsed tree, whose line numbers are offset by `first_line`."""
        if len(xml.attrib) > _MOST_ATTRIBUTES:
            raise ModelFormatError(
                _TOO_MANY_ATTRIBUTES, file=document.label, line=cast(int, xml.sourceline)
            )
        root = cls(xml, None, document, first_line)
        pending = [root]
        while pending:
            element = pending.pop()
            for child in element._xml:
                if not isinstance(child.tag, str):
                    raise element.error("XML entities are not supported")
                if "/xacro}" in child.tag:
                    raise element.error(
                        "xacro, which is code, is only expanded in files with the suffix .xacro "
                        "that a program itself loads"
                    )
                if len(child.attrib) > _MOST_ATTRIBUTES:
                    raise element.error(f"<{child.tag[:40]}> {_TOO_MANY_ATTRIBUTES}")
                element.children.append(cls(child, element, document, first_line))
            pending += element.children
            document.load.elements_left -= 1
            if document.load.elements_left < 0:
                raise element.error("too many elements in one load")
        return root

    # location

    @property
    def place(self) -> str:
        """Location as ``file:line``."""
        return f"{self.document.label}:{self.line}"

    @property
    def path(self) -> str:
        """Path from the root, with names: ``sdf/model[ball]/link[base]``."""
        name = self.attributes.get("name")
        own = self.tag if name is None else f"{self.tag}[{name}]"
        return own if self.parent is None else f"{self.parent.path}/{own}"

    @property
    def root(self) -> Element:
        """Root element of the document."""
        return self if self.parent is None else self.parent.root

    # errors and warnings

    def error(self, message: str) -> ModelFormatError:
        """Returns an error about this element, for the caller to raise."""
        return ModelFormatError(f"{self.path}: {message}", file=self.document.label, line=self.line)

    def make(self, factory: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a factory, turning its ValueError or OSError into a ModelFormatError."""
        try:
            return factory(*args, **kwargs)
        except (ValueError, OSError) as error:
            raise self.error(str(error)) from error

    def warn(self, message: str, cure: str = "") -> None:
        """Records that a value of this element was repaired or approximated; see `Findings.add`."""
        place = self.document.label, self.line
        self.document.load.findings.add(ModelFormatWarning, self._kind, place, message, cure)

    def repair(self, problem: str, cure: str) -> None:
        """Records the repair of an error that other tools accept; raises it in a strict load."""
        if self.document.load.strict:
            raise self.error(problem)
        self.warn(problem, cure)

    def warn_unsupported(self, message: str, detail: str = "") -> None:
        """Records that this element has no effect; each `detail` is a kind of its own."""
        findings = self.document.load.findings
        place = self.document.label, self.line
        findings.add(UnsupportedElementWarning, self._kind + detail, place, message)

    @property
    def _kind(self) -> str:
        return self.tag if self.parent is None else f"{self.parent.tag}/{self.tag}"

    def warn_of_unread(self, harmless: Collection[str]) -> None:
        """Records every unread element and attribute at or below this one.

        Args:
            harmless: ``tag``, ``parent/tag`` and ``tag/@attribute`` without effect on descriptions.
        """
        pending = [self]
        while pending:
            element = pending.pop()
            if element.tag in harmless or element._kind in harmless or "}" in element.tag:
                continue
            if element._read:
                for name, value in element.attributes.items():
                    known = name in element._read_attributes or "}" in name or not value
                    if not known and f"{element.tag}/@{name}" not in harmless:
                        element.warn_unsupported("not supported, ignored", f"/@{name}")
                pending += reversed(element.children)
            elif element.text or element.attributes or element.children:
                element.warn_unsupported("not supported, ignored")

    # descriptions

    def read_fields(self, description: type) -> dict[str, Any]:
        """Returns the values of a description's fields whose elements exist, by name.

        Args:
            description: A dataclass; its fields have `sdf` metadata, and types that select parsers.
        """
        values: dict[str, Any] = {}
        for field in sdf_fields(description):
            parse = PARSERS.get(field.type, word)
            if field.default is MISSING:
                values[field.name] = self.require(field.path).value(parse)
            elif (found := self.find(field.path)) is None:
                continue
            elif field.nested:
                values[field.name] = found.read_description(field.type)
            else:
                values[field.name] = found.value_or(parse, field.default)
        return values

    def read_description(self, description: type[T], **others: Any) -> T:
        """Returns a description with the fields of this element; `others` lack `sdf` metadata."""
        return self.make(description, **others, **self.read_fields(description))

    # descendants

    def find(self, path: str) -> Element | None:
        """Returns the element at a path, or None."""
        element = self
        for tag in path.split("/"):
            for child in element.children:
                if child.tag == tag:
                    break
            else:
                return None
            child._read = True
            element = child
        return element

    def require(self, path: str) -> Element:
        """Returns the element at a path, which must exist."""
        found = self.find(path)
        if found is None:
            tags = dict.fromkeys(f"<{child.tag[:40]}>" for child in self.children)
            more = f"; it has {', '.join([*tags][:_NAMED])}" if tags else ""
            raise self.error(f"<{path}> is missing{more}")
        return found

    def find_all(self, *tags: str) -> list[Element]:
        """Returns all children with one of these tags, in the order of the file."""
        found = []
        for child in self.children:
            if child.tag in tags:
                child._read = True
                found.append(child)
        return found

    def skip(self, *tags: str) -> None:
        """Marks the children with these tags, and their descendants, as read."""
        for child in self.find_all(*tags):
            child.mark_read()

    def mark_read(self) -> None:
        """Marks the element and its descendants as read."""
        pending = [self]
        while pending:
            element = pending.pop()
            element._read = True
            element._read_attributes.update(element.attributes)
            pending += element.children

    def to_xml(self) -> str:
        """Returns the element as XML text, and marks it and its descendants as read."""
        self.mark_read()
        return etree.tostring(self._xml, encoding="unicode", with_tail=False)

    # values

    def value(self, parse: Callable[[str], T]) -> T:
        """Returns the text as a value; `parse` is a function of `values`, or `str`."""
        return self._parsed(self.text, parse)

    def _parsed(self, text: str, parse: Callable[[str], T], owner: str = "") -> T:
        try:
            return parse(text)
        except ValueError as error:
            problem = f"{owner}{error}"
            for cure, mended in _mended(text, paint=cast(object, parse) is color):
                try:
                    value = parse(mended)
                except ValueError:
                    continue
                self.repair(problem, cure)
                return value
            raise self.error(problem) from error

    def value_or(self, parse: Callable[[str], T], default: T) -> T:
        """Returns the text as a value, or a default for empty text unless the load is strict."""
        if self.document.load.strict or self.text or cast(object, parse) is str:
            return self.value(parse)
        self.repair("is empty", "the default is used")
        return default

    def file(self, uri: str) -> Path:
        """Returns the file or folder of a URI or path in this element; see `SearchPath.find`."""
        return self.make(self.document.load.search_path.find, uri, self.document.path)

    def get(self, path: str, parse: Callable[[str], T], default: T) -> T:
        """Returns the value of the element at a path, or a default."""
        found = self.find(path)
        return default if found is None else found.value_or(parse, default)

    def attribute(self, name: str, parse: Callable[[str], T], default: T) -> T:
        """Returns the value of an attribute, or a default."""
        return default if name not in self.attributes else self.require_attribute(name, parse)

    def attribute_of(self, path: str, name: str, parse: Callable[[str], T], default: T) -> T:
        """Returns the value of an attribute of the element at a path, or a default."""
        found = self.find(path)
        return default if found is None else found.attribute(name, parse, default)

    def require_attribute(self, name: str, parse: Callable[[str], T]) -> T:
        """Returns the value of an attribute, which must exist."""
        self._read_attributes.add(name)
        if name not in self.attributes:
            raise self.error(f"the attribute {name!r} is missing")
        return self._parsed(self.attributes[name], parse, f"attribute {name!r}: ")


def unique_names(elements: Sequence[Element]) -> None:
    """Refuses missing and duplicate names."""
    first: dict[str, Element] = {}
    for element in elements:
        name = element.require_attribute("name", word)
        if name in first:
            raise element.error(_taken(name, first[name]))
        first[name] = element


def number_names(elements: Sequence[Element]) -> None:
    """Appends a number to each duplicate name, for names that nothing refers to.

    A strict load refuses duplicates.
    """
    first: dict[str, Element] = {}
    taken = {element.attributes.get("name", "") for element in elements}
    numbers = {name: count(2) for name in taken}
    for element in elements:
        name = element.attributes.get("name", "")
        if name and name in first:
            element.repair(_taken(name, first[name]), "duplicate names are numbered")
            free = (f"{name}_{number}" for number in numbers[name])
            element.attributes["name"] = name = next(each for each in free if each not in taken)
            taken.add(name)
        first[name] = element


def _taken(name: str, element: Element) -> str:
    return f"the name {name!r} is already used at {element.place}"


def _mended(text: str, *, paint: bool) -> Iterator[tuple[str, str]]:
    """Yields descriptions and results of the repairs that other tools apply to malformed text.

    A colour is only paint: whatever it is, it becomes some colour.
    """
    if "," in text:
        yield "commas are read as blanks", text.replace(",", " ")
    words = text.split()
    if len(words) == 4:
        yield "the fourth of three numbers is ignored", " ".join(words[:3])
    if substitution := _OPTIONAL.fullmatch(text):
        yield "the default of $(optenv) is read", substitution[1]
    if _SECOND_POINT.search(text):
        yield "the second point of a number is ignored", _SECOND_POINT.sub(r"\1", text)
    if paint:
        yield "numbers after the fourth of a colour are ignored", " ".join(words[:4])
        levels = [min(max(float(each), 0.0), 1.0) for each in words[:4] if _NUMBER.fullmatch(each)]
        yield "colours are limited to 0..1", " ".join(map(str, levels))
        yield "the colour becomes white", "1 1 1 1"
