# SPDX-License-Identifier: Apache-2.0
"""Elements of XML that know their file and line: parsing them and writing them."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers import expat

from deepsim_btree.errors import XmlError

MAX_LEVELS = 200
"""Deeper trees come near Python's recursion limit when they are ticked."""

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;"}
_ESCAPES["\r"] = "&#13;"
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


# Comments and the like are stepped over; quotes count inside of tags only.
_TAG = re.compile(r"""<!--(?:.*?-->|.*)|<[A-Za-z_/](?:[^<>"']|"[^"]*"|'[^']*')*>""", re.DOTALL)
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_LOOSE = re.compile(r"<|&(?!(?:\w+|#\w+);)")


class Element(NamedTuple):
    """An element: its tag, its attributes and its content."""

    tag: str
    attributes: dict[str, str]
    children: list[Element]
    file: str = ""
    line: int = 0
    text: str = ""
    """What is written inside instead of children; not kept when a file is read."""

    def error(self, reason: str) -> XmlError:
        """Returns an error about this element."""
        return XmlError(reason, self.file, self.line)

    def to_lines(self, indent: str = "") -> list[str]:
        """Returns the lines of the element, as a file shows them."""
        attributes = "".join(f' {name}="{escape(text)}"' for name, text in self.attributes.items())
        if self.text:
            return [f"{indent}<{self.tag}{attributes}>{escape(self.text)}</{self.tag}>"]
        if not self.children:
            return [f"{indent}<{self.tag}{attributes}/>"]
        inside = [line for child in self.children for line in child.to_lines(indent + "  ")]
        return [f"{indent}<{self.tag}{attributes}>", *inside, f"{indent}</{self.tag}>"]


def escape(text: str) -> str:
    """Returns `text` as it stands in an attribute or between tags.

    Raises:
        XmlError: It has a character that XML cannot hold.
    """
    if _ILLEGAL.search(text):
        raise XmlError(f"{text!r} has a character that XML cannot hold")
    return re.sub('[&<>"\n\t\r]', lambda match: _ESCAPES[match.group()], text)


def is_name(text: str) -> bool:
    """Returns whether an attribute can be called `text`."""
    # The parser knows: its letters are neither those of `re` nor those of the newest XML.
    try:
        return list(parse(f'<a {text}=""/>', "").attributes) == [text]
    except XmlError:
        return False


def parse(text: str | bytes, file: str) -> Element:
    """Returns the outermost element of a document.

    A ``<`` and a ``&`` in an attribute may stand for themselves, as in ``code="a < b && c"``, and
    text may stand before the document, which XML forbids, but BehaviorTree.CPP reads and people
    write.

    Document types, and with them entities, are refused: a tree needs none, and they can make a
    small file fill the memory. The text between elements is not kept.

    Raises:
        XmlError: It is not well-formed XML, is written in an unknown encoding, has a document type
            or too many levels.
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
        reason = f"no well-formed XML: {expat.ErrorString(error.code)}"
        raise XmlError(reason, file, error.lineno) from error
    except XmlError:
        raise
    except UnicodeEncodeError as error:  # half of a surrogate pair, in a str
        line = error.object.count("\n", 0, error.start) + 1
        raise XmlError(f"no well-formed XML: {error}", file, line) from error
    except (LookupError, ValueError) as error:  # an encoding that it cannot read
        raise XmlError(str(error), file, parser.CurrentLineNumber) from error
    return outside.children[0]
