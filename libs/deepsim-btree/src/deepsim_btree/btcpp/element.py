# SPDX-License-Identifier: Apache-2.0
"""XML elements that know their file and line, with a parser and a writer."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers import expat

from deepsim_btree.errors import XmlError

EXPLICIT = ("Action", "Condition", "Control", "Decorator")
MAX_LEVELS = 200
"""Limit of nested elements: deeper trees come near Python's recursion limit when ticked."""

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}
_ESCAPES["\r"] = "&#13;"
ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""A character that XML cannot hold."""


# Matches comments too, to leave them alone; quotes matter only inside tags.
_TAG = re.compile(r"""<!--(?:.*?-->|.*)|<[A-Za-z_/](?:[^<>"']|"[^"]*"|'[^']*')*>""", re.DOTALL)
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_LOOSE = re.compile(r"<|&(?!(?:\w+|#\w+);)")


class Element(NamedTuple):
    """An XML element with its tag, attributes and contents."""

    tag: str
    attributes: dict[str, str]
    children: list[Element]
    file: str = ""
    line: int = 0
    text: str = ""
    """Text to write inside the element instead of children; the parser ignores it."""

    @property
    def node_id(self) -> str:
        """The tag of the node; for an ``<Action ID="Drive"/>``, this is its ID."""
        return self.attributes.get("ID", "") if self.tag in EXPLICIT else self.tag

    def error(self, reason: str) -> XmlError:
        """Returns an error with the file and line of this element."""
        return XmlError(reason, self.file, self.line)

    def to_lines(self, indent: str = "") -> list[str]:
        """Returns the lines of the element in a file."""
        attributes = "".join(f' {name}="{escape(text)}"' for name, text in self.attributes.items())
        if self.text:
            return [f"{indent}<{self.tag}{attributes}>{escape(self.text)}</{self.tag}>"]
        if not self.children:
            return [f"{indent}<{self.tag}{attributes}/>"]
        inside = [line for child in self.children for line in child.to_lines(indent + "  ")]
        return [f"{indent}<{self.tag}{attributes}>", *inside, f"{indent}</{self.tag}>"]


def escape(text: str) -> str:
    """Escapes a text for an attribute or for the place between tags, or raises XmlError."""
    if ILLEGAL.search(text):
        raise XmlError(f"{text!r} has a character that XML cannot hold")
    return re.sub('[&<>"\n\t\r]', lambda match: _ESCAPES[match.group()], text)


def is_name(text: str) -> bool:
    """Returns whether a text can be the name of an attribute."""
    # The parser decides: it knows other letters than `re` and than the newest XML standard.
    try:
        return list(parse(f'<a {text}=""/>', "").attributes) == [text]
    except XmlError:
        return False


def parse(text: str | bytes, file: str) -> Element:
    """Returns the outermost element of a document, or raises XmlError.

    Like BehaviorTree.CPP, and unlike the XML standard, accepts an unescaped ``<`` or ``&`` in an
    attribute, as in ``code="a < b && c"``, and text before the document.

    Refuses document types, and with them entities: a tree needs none, and with them a small file
    could fill the memory. Ignores text between elements.
    """
    try:
        return _parse(text, file)
    except XmlError:
        plain = text.decode("utf-8-sig", "replace") if isinstance(text, bytes) else text
        before = plain.partition("<")[0]
        repaired = "\n" * before.count("\n") + _TAG.sub(_escape_tag, plain[len(before) :])
        if repaired == plain:
            raise
    return _parse(repaired, file)


def _escape_tag(tag: re.Match[str]) -> str:
    if tag[0].startswith("<!--"):
        return tag[0]
    return _QUOTED.sub(lambda text: _LOOSE.sub(lambda sign: _ESCAPES[sign[0]], text[0]), tag[0])


def _parse(text: str | bytes, file: str) -> Element:
    parser = expat.ParserCreate()
    outside = Element("", {}, [])
    stack = [outside]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_LEVELS:
            reason = f"elements are nested more than {MAX_LEVELS} levels deep"
            raise XmlError(reason, file, parser.CurrentLineNumber)
        element = Element(tag, attributes, [], file, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def refuse(*_: object) -> None:
        raise XmlError(
            "a document type (<!DOCTYPE ...>) is not supported: remove it",
            file,
            parser.CurrentLineNumber,
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        reason = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise XmlError(reason, file, error.lineno) from error
    except XmlError:
        raise
    except UnicodeEncodeError as error:  # half of a surrogate pair in a str
        line = error.object.count("\n", 0, error.start) + 1
        raise XmlError(f"not well-formed XML: {error}", file, line) from error
    except (LookupError, ValueError) as error:  # an unknown encoding
        raise XmlError(str(error), file, parser.CurrentLineNumber) from error
    return outside.children[0]
