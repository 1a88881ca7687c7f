# SPDX-License-Identifier: Apache-2.0
"""XML documents: parses untrusted text without entities or network, within bounds."""

from __future__ import annotations

import re
import stat
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from lxml import etree

from deepsim_spawn.errors import ModelFormatError, ModelFormatWarning
from deepsim_spawn.search_path import SearchPath

from .element import Element

_Kind: TypeAlias = tuple[type[ModelFormatWarning], str, str]
"""Category, kind and cure of findings that are reported once."""


class Findings:
    """The warnings of one load, collected and issued once per kind."""

    def __init__(self) -> None:
        self._first: dict[_Kind, tuple[str, str, int | None]] = {}
        self._count: Counter[_Kind] = Counter()

    def add(
        self,
        category: type[ModelFormatWarning],
        kind: str,
        place: tuple[str, int | None],
        consequence: str,
        cure: str = "",
    ) -> None:
        """Records a finding; findings of one category, kind and cure are reported once.

        Args:
            category: The class of the warning.
            kind: The kind of finding, such as ``parent/tag``.
            place: File and line of the finding.
            consequence: What is wrong in this place, with its consequence if `cure` is empty.
            cure: What is done about it, in words that are the same for all findings of a kind.
        """
        message = f"{kind}: {consequence}" + (cure and f"; {cure}")
        self._first.setdefault((category, kind, cure), (message, *place))
        self._count[category, kind, cure] += 1

    def emit(self, stacklevel: int) -> None:
        """Issues all findings as Python warnings at the given level of the call stack."""
        for kind, (message, file, line) in self._first.items():
            count = self._count[kind]
            times = f" ({count} times in this load)" if count > 1 else ""
            warnings.warn(kind[0](message + times, file=file, line=line), stacklevel=stacklevel + 1)


MAX_ELEMENTS = 500_000
"""Limit of elements in one load; stops files that include one another endlessly."""

MAX_LOAD_BYTES = 64 * 1024 * 1024
"""Limit of text in one load, which costs time even without elements."""


@dataclass(slots=True)
class Load:
    """State of one call of a loader, shared by its documents.

    Attributes:
        search_path: Folders in which URIs are looked up.
        strict: Whether malformed values that other tools accept are refused.
        skip_missing_collisions: Whether a collision whose mesh is not found is left out.
        findings: Warnings to issue at the end.
        roots: Root elements of the documents read.
        included: Root elements of the included files; each is parsed once.
        elements_left: Number of elements that may still be read.
        bytes_left: Amount of text that may still be read.
        nesting: Files (None if not a file) of the models being read, outermost first.
    """

    search_path: SearchPath
    strict: bool = False
    skip_missing_collisions: bool = False
    findings: Findings = field(default_factory=Findings)
    roots: list[Element] = field(default_factory=list)
    included: dict[Path, Element] = field(default_factory=dict)
    elements_left: int = MAX_ELEMENTS
    bytes_left: int = MAX_LOAD_BYTES
    nesting: list[Path | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Document:
    """One XML text.

    Attributes:
        label: Its name in messages.
        path: Its resolved file, or None for XML given as text.
        load: State shared with the other documents of the load.
    """

    label: str
    path: Path | None
    load: Load


MAX_BYTES = 32 * 1024 * 1024
"""Limit for one file; the largest known worlds have a few MiB."""

_MOST_MENDED = 4 * 1024 * 1024

_DECLARATION = re.compile(r"\ufeff?\s*<\?xml\b[^>]*\?>")
_PLACE = re.compile(r", line \d+, column \d+( \(.*\))?$")
_VERSION = re.compile(rb"""\A(<\?xml\s+version\s*=\s*["'])[^"'<>]*""")
_TAG = re.compile(rb"<([\w:.-]+)")
# No token can fail once it has begun, so the time is linear in the length of the text.
_TOKEN = re.compile(
    r"""(?P<comment><!--.*?(?:-->|\Z))|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)"""
    r"""|<(?P<tag>[A-Za-z_][^\s<>"'/]*)(?P<rest>(?:[^<>"']|"[^"]*"?|'[^']*'?)*)>?"""
    r"""|(?P<ampersand>&)(?![\w#]+;)""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""([^\s="'<>/]+)\s*=\s*("[^"]*"?|'[^']*'?|(?:[^\s"'<>/]|/(?!\s*\Z))*)|[^\s="'<>/]+"""
)
"""An attribute, or a whole word without a value: by letters it would take the square of them."""
_BARE_AMPERSAND = re.compile(r"&(?![\w#]+;)")
_DECLARED = {"xml", "xmlns"}
_BEFORE_DECLARATION = re.compile(rb"\xef\xbb\xbf|\s+|<!--.*?-->", re.DOTALL)
_BEFORE_ROOT = re.compile(rb"\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)


def read_bytes(path: Path) -> bytes:
    """Returns the contents of a regular file of at most `MAX_BYTES`."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ModelFormatError("is not a regular file", file=str(path))
        if status.st_size > MAX_BYTES:
            raise ModelFormatError(f"must be <= {MAX_BYTES} bytes", file=str(path))
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise ModelFormatError(f"cannot be read: {reason}", file=str(path)) from error


def refuse_doctype(text: bytes, label: str) -> None:
    """Refuses text whose prolog has, or could hide, a DOCTYPE, before any parser sees it.

    A DOCTYPE can define entities, which can grow exponentially or read other files.
    """
    if b"\0" in text[:200]:
        raise ModelFormatError("is not text in UTF-8 or another 8-bit encoding", file=label, line=1)
    end = _skip(_BEFORE_ROOT, text)
    if text[end : end + 2] == b"<!":
        line = text.count(b"\n", 0, end) + 1
        raise ModelFormatError(
            "<!DOCTYPE> is not allowed: model files must not define entities", file=label, line=line
        )


def _skip(what: re.Pattern[bytes], text: bytes) -> int:
    """Returns the position after all matches of a pattern at the start of a text."""
    end = 0
    while part := what.match(text, end):
        end = part.end()
    return end


def is_xml(source: str | Path) -> bool:
    """Returns whether a source is XML as text, which starts with ``<``, and not a path."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")


def root_tag(source: str | Path) -> str:
    """Returns the tag of the root of a file or of XML as text; empty if it has or is none."""
    try:
        text = without_declaration(str(source)) if is_xml(source) else read_bytes(Path(source))
    except (ModelFormatError, ValueError):
        return ""
    found = _TAG.match(text, _skip(_BEFORE_ROOT, text))
    return found.group(1).decode() if found else ""


def without_declaration(text: str) -> bytes:
    """Encodes a string as UTF-8, without its XML declaration, which may name another encoding."""
    declaration = _DECLARATION.match(text)
    if declaration:
        blank = re.sub(r"\S", " ", declaration.group())  # keeps the line numbers
        text = blank + text[declaration.end() :]
    return text.encode("utf-8", "surrogatepass")


def parse(text: bytes, document: Document) -> Element:
    """Returns the root element of an XML text, in the declared encoding or UTF-8."""
    if len(text) > MAX_BYTES:
        raise ModelFormatError(f"must be <= {MAX_BYTES} bytes", file=document.label)
    load = document.load
    if len(text) > load.bytes_left:
        raise ModelFormatError("too much text in one load", file=document.label)
    load.bytes_left -= len(text)
    refuse_doctype(text, document.label)
    most = text.count(b"<") - sum(text.count(other) for other in (b"</", b"<!", b"<?"))
    if most > load.elements_left:  # before a parser takes memory for them
        raise ModelFormatError("too many elements in one load", file=document.label)
    # Gazebo accepts blanks and comments before the XML declaration, and any version in it; so we do
    leading = _skip(_BEFORE_DECLARATION, text)
    if not text.startswith(b"<?xml", leading):
        leading = 0
    first_line = text.count(b"\n", 0, leading)
    text = _VERSION.sub(rb"\g<1>1.0", text[leading:], count=1)
    try:
        root = plain_tree(text)
    except etree.XMLSyntaxError as error:
        line = first_line + (error.lineno or 0)
        said = _PLACE.sub("", " ".join(error.msg.split()))  # the error has file and line
        message = f"malformed XML: {said}" if text.strip() else "the file is empty"
        try:
            root = plain_tree(text if load.strict or len(text) > _MOST_MENDED else _mended(text))
        except etree.XMLSyntaxError:
            raise ModelFormatError(message, file=document.label, line=line) from error
        place = document.label, line
        load.findings.add(ModelFormatWarning, "xml", place, message, "read as Gazebo reads it")
    if root.getroottree().docinfo.internalDTD is not None:
        raise ModelFormatError(
            "<!DOCTYPE> is not allowed: model files must not define entities", file=document.label
        )
    return Element.tree(root, document, first_line)


def parse_file(path: Path, load: Load) -> Element:
    """Returns the root element of a file."""
    return parse(read_bytes(path), Document(str(path), path, load))


def plain_tree(text: bytes, *, huge: bool = False) -> etree._Element:
    """Returns the root of an XML text, whose entities are not resolved, without comments.

    Raises:
        etree.XMLSyntaxError: It is malformed or, unless `huge`, beyond lxml's limits of depth and
            of the length of a text.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=huge,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(text, parser)


def _mended(content: bytes) -> bytes:
    """Returns a text with the malformations repaired that Gazebo, ROS and Bullet accept.

    Line numbers stay the same. Comments may contain ``--``, attribute values may lack quotes or
    contain ``<`` and ``&``, an attribute may occur twice (the first counts), and namespace prefixes
    may be undeclared.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    prefixes: dict[str, bool] = {}
    """Whether each prefix is declared somewhere."""

    def token(match: re.Match[str]) -> str:
        whole = match.group()
        if match["comment"]:
            return "\n" * whole.count("\n")
        if match["ampersand"]:
            return "&amp;"
        return whole if match["tag"] is None else _mended_tag(match, prefixes)

    text = _TOKEN.sub(token, text.rstrip("\0"))
    unknown = [name for name, declared in prefixes.items() if not declared]
    added = "".join(f' xmlns:{name}="undeclared/{name}"' for name in unknown)
    root = re.compile(r"<[A-Za-z_][^\s<>/]*")
    return without_declaration(root.sub(lambda tag: tag.group() + added, text, count=1))


def _mended_tag(match: re.Match[str], prefixes: dict[str, bool]) -> str:
    rest = match["rest"].rstrip()
    attributes: dict[str, str] = {}
    for name, value in filter(any, _ATTRIBUTE.findall(rest)):
        bare = value[1:].rstrip(value[0]) if value[:1] in ("'", '"') else value
        bare = _BARE_AMPERSAND.sub("&amp;", bare).replace("<", "&lt;").replace('"', "&quot;")
        attributes.setdefault(name, bare)
    for name in (match["tag"], *attributes):
        prefix, colon, local = name.partition(":")
        if colon and prefix == "xmlns":
            prefixes[local] = True
        elif colon and prefix not in _DECLARED:
            prefixes.setdefault(prefix, False)
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    lines = "\n" * (rest.count("\n") - written.count("\n"))
    return f"<{match['tag']}{written}{lines}{'/' if rest.endswith('/') else ''}>"
