# SPDX-License-Identifier: Apache-2.0
"""Documents in XML: elements that know their file and line, and trees and models of some files."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from deepsim_btree.errors import XmlError

from .texts import to_value

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


MAX_INCLUDES = 200
"""Limits chains of files without trees, which may be included, and read, again and again."""

MAX_BYTES = 8 * 1024 * 1024
"""Limit for all files together, each counted as often as it is included. In memory they take up to
a hundred times as much.
"""

_TOO_LARGE = f"all files together have more than {MAX_BYTES} bytes"
_CATEGORIES = (*EXPLICIT, "SubTree", "SubTreePlus")
_PORTS = ("input_port", "output_port", "inout_port")
_NOTES = ("MetadataFields", "description")


class Document:
    """The contents of a file and its included files."""

    def __init__(self, roots: list[Element], size: int, included: tuple[Path, ...] = ()) -> None:
        names_main = [root for root in roots if "main_tree_to_execute" in root.attributes]
        self._root = (names_main or roots)[0]
        self._room = MAX_BYTES - size
        self._trees: dict[str, Element] = {}
        self._models: dict[str, Element] = {}
        self._includes = 0
        for root in roots:
            for element in root.children:
                self._add(element, included)

    def main(self, tree_id: str | None) -> Element:
        """Returns the main BehaviorTree element, or raises XmlError.

        Args:
            tree_id: ID of the tree; None for the one that the file names, or its only one.
        """
        if tree_id is None:
            tree_id = self._root.attributes.get("main_tree_to_execute")
        if tree_id is not None:
            return self.tree(tree_id, self._root)
        if len(self._trees) == 1:
            return next(iter(self._trees.values()))
        raise self._root.error(
            f"the file has {len(self._trees)} trees ({', '.join(self._trees)}): choose one with "
            "tree= or main_tree_to_execute"
        )

    def tree(self, tree_id: str, user: Element) -> Element:
        """Returns the BehaviorTree element with an ID, or raises XmlError."""
        if tree_id not in self._trees:
            known = ", ".join(self._trees) or "none"
            raise user.error(f"there is no BehaviorTree {tree_id}; the trees: {known}")
        return self._trees[tree_id]

    def elements(self) -> Iterator[Element]:
        """Yields the elements of all nodes in the trees, each before its children."""
        elements = [child for tree in self._trees.values() for child in tree.children][::-1]
        while elements:
            element = elements.pop()
            yield element
            elements.extend(reversed(element.children))

    def category(self, node_id: str) -> str | None:
        """Returns the kind of a node by TreeNodesModel, such as "Action"; None if unknown."""
        return self._models[node_id].tag if node_id in self._models else None

    def defaults(self, node_id: str) -> dict[str, str]:
        """Returns the defaults of a node's ports in TreeNodesModel, by port name."""
        if node_id not in self._models:
            return {}
        ports = (child.attributes for child in self._models[node_id].children)
        return {port["name"]: port["default"] for port in ports if port.get("default")}

    def _add(self, element: Element, included: tuple[Path, ...]) -> None:
        if element.tag == "BehaviorTree":
            self._add_named(element, self._trees)
        elif element.tag == "TreeNodesModel":
            for model in element.children:
                if model.tag not in _CATEGORIES:
                    raise model.error(f"<{model.tag}> is not expected in <TreeNodesModel>")
                self._add_model(model)
        elif element.tag == "include":
            self._include(element, included)
        else:
            raise element.error(
                f"<{element.tag}> is not expected here: BehaviorTree, TreeNodesModel or include"
            )

    def _add_named(self, element: Element, elements: dict[str, Element]) -> None:
        tree_id = element.attributes.get("ID")
        if not tree_id:
            raise element.error(f"<{element.tag}> needs an ID")
        if tree_id in elements:
            first = elements[tree_id]
            raise element.error(f"{tree_id} is there already, at {first.file}:{first.line}")
        elements[tree_id] = element

    def _add_model(self, model: Element) -> None:
        for port in model.children:
            if port.tag not in (*_PORTS, *_NOTES):
                raise port.error(f"<{port.tag}> is not expected in the model of a node")
            if port.tag in _PORTS and not port.attributes.get("name"):
                raise port.error(f"<{port.tag}> needs a name")
        ports = [port for port in model.children if port.tag in _PORTS]
        self._add_named(model._replace(children=ports), self._models)

    def _include(self, element: Element, included: tuple[Path, ...]) -> None:
        if "ros_pkg" in element.attributes:
            raise element.error("include with ros_pkg is not supported: give the path")
        if "path" not in element.attributes:
            raise element.error("<include> needs a path")
        if not included:
            raise element.error("a text cannot include files: use read_xml_file")
        self._includes += 1
        if self._includes > MAX_INCLUDES:
            raise element.error(
                f"more than {MAX_INCLUDES} files are included, each as often as used"
            )
        path = included[-1].parent / element.attributes["path"]
        try:
            if path.resolve() in (file.resolve() for file in included):
                raise element.error(f"{path} includes itself")
            if not stat.S_ISREG(path.stat().st_mode):
                raise element.error(f"cannot include {path}: it is no regular file")
            content = read_bytes(path, self._room)
        except OSError as error:
            raise element.error(f"cannot include {path}: {error.strerror}") from error
        except RuntimeError as error:
            raise element.error(f"cannot include {path}: {error}") from error
        if len(content) > self._room:
            raise element.error(f"{path}: {_TOO_LARGE}")
        self._room -= len(content)
        for child in _read_root(content, str(path)).children:
            self._add(child, (*included, path))


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Returns the contents of a file, but not more than ``limit + 1`` bytes, or raises OSError."""
    with path.open("rb") as file:
        return file.read(limit + 1)


def read_file(path: Path) -> Document:
    """Reads a file and its included files, or raises XmlError or OSError."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise XmlError("it is no regular file", str(path), 1)
    content = read_bytes(path)
    if len(content) > MAX_BYTES:
        raise XmlError(_TOO_LARGE, str(path), 1)
    return Document([_read_root(content, str(path))], len(content), (path,))


def read_texts(texts: tuple[str, ...]) -> Document:
    """Reads texts as one document, or raises XmlError or ValueError."""
    if not texts:
        raise ValueError("there is no text to read")
    labels = ["<text>"] if len(texts) == 1 else [f"<text {n + 1}>" for n in range(len(texts))]
    size = sum(len(text) for text in texts)
    if size > MAX_BYTES:
        raise XmlError(_TOO_LARGE, labels[0], 1)
    return Document([_read_root(text, label) for text, label in zip(texts, labels)], size)


def _read_root(content: str | bytes, label: str) -> Element:
    root = parse(content, label)
    if root.tag != "root":
        raise root.error(f"the file must start with <root>, got <{root.tag}>")
    version = root.attributes.get("BTCPP_format")
    if version not in ("3", "4", None):  # without it BehaviorTree.CPP assumes version 4
        raise root.error(f'BTCPP_format must be "3" or "4", got {version!r}')
    if version == "3":
        root = _upgraded(root)
    trees = [child for child in root.children if child.tag == "BehaviorTree"]
    if len(trees) == 1:
        trees[0].attributes.setdefault("ID", f"BehaviorTree of {label}")
    for name in root.attributes:
        is_schema = name == "xmlns" or ":" in name  # such as xsi:noNamespaceSchemaLocation
        if name not in ("BTCPP_format", "main_tree_to_execute", "project_name") and not is_schema:
            raise root.error(f"<root> has no attribute {name}")
    return root


# Documents of BehaviorTree.CPP 3.
_NEW_TAGS = {
    "SequenceStar": "SequenceWithMemory",
    "RetryUntilSuccesful": "RetryUntilSuccessful",
    "SubTreePlus": "SubTree",
}
_NEW_ATTRIBUTES = {
    "Parallel": {"success_threshold": "success_count", "failure_threshold": "failure_count"},
    "SubTreePlus": {"__autoremap": "_autoremap"},
}
_ONLY_OF = {"__autoremap": "SubTreePlus", "__shared_blackboard": "SubTree"}


def _upgraded(element: Element) -> Element:
    """Returns an element, with all elements inside it, in the form of version 4."""
    for name, tag in _ONLY_OF.items():
        if name in element.attributes and element.tag != tag:
            raise element.error(f"{element.node_id} has no attribute {name}: only {tag} has it")
    names = _NEW_ATTRIBUTES.get(element.node_id, {})
    attributes = {names.get(name, name): text for name, text in element.attributes.items()}
    if element.tag == "SubTree":
        attributes = _of_subtree(element)
    elif "ID" in attributes:
        attributes["ID"] = _NEW_TAGS.get(attributes["ID"], attributes["ID"])
    children = [_upgraded(child) for child in element.children]
    if element.tag == "TreeNodesModel":  # which only editors read there
        children = [child._replace(children=[]) for child in children]
    tag = _NEW_TAGS.get(element.tag, element.tag)
    return element._replace(tag=tag, attributes=attributes, children=children)


def _of_subtree(element: Element) -> dict[str, str]:
    attributes = dict(element.attributes)
    text = attributes.pop("__shared_blackboard", "false")
    try:
        shared = to_value(text, bool, {})
    except ValueError as error:
        raise element.error(f'SubTree __shared_blackboard="{text}": {error}') from error
    kept = {name: text for name, text in attributes.items() if name in ("ID", "name")}
    if shared:
        return {**kept, "_autoremap": "true"}
    remaps = {name: f"{{{text.strip(' {}')}}}" for name, text in attributes.items()}
    return {**remaps, **kept}
