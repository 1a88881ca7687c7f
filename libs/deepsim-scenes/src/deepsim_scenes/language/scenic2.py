# SPDX-License-Identifier: Apache-2.0
"""Tells scenarios in Scenic 2 from those in Scenic 3, and rewrites them to the syntax of 3."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator
from io import StringIO

OURS = "deepsim_scenes.model"
THEIRS = "gzscenic.model"

_IMPORT = re.compile(r"^\s*(?:from|import|model)\s+(gzscenic\.model|deepsim_scenes\.model)\b", re.M)
_CLASS = re.compile(r"^\s*class\s+(\w+)", re.M)
_BUILT_IN = ("Object", "OrientedPoint", "Point")
_SPECIFIERS = frozenset((
    "above", "ahead", "apparently", "at", "behind", "below", "beyond", "contained", "facing",
    "following", "in", "left", "not", "offset", "on", "right", "using", "visible", "with",
))  # fmt: skip
_NO_OBJECT = frozenset(("new", "class", "import", "as", "is", "def", "override", "."))
_BLANK = frozenset((tokenize.COMMENT, tokenize.NL, tokenize.ENCODING))


def imported_library(source: str) -> str | None:
    """Returns the module of models that a scenario imports: `OURS`, `THEIRS` or None."""
    found = _IMPORT.search(source)
    return found[1] if found else None


def with_library(source: str) -> tuple[str, int]:
    """Adds ``from gzscenic.model import *`` to a scenario that does not import the models.

    The scenarios in the paper on GzScenic have no such import.

    Returns:
        The scenario, and the number of lines that were inserted above it.
    """
    if imported_library(source) is not None:
        return source, 0
    return f"from {THEIRS} import *\n{source}", 1


def with_new(source: str, classes: Iterable[str]) -> str:
    """Writes ``new`` before the class of each object, as Scenic 3 requires.

    A class makes an object if a specifier follows it (``Car at 0 @ 0``), or if it is a whole
    statement or the whole right side of an assignment (``ego = Car``).

    Args:
        source: The scenario; Scenic 3 stays unchanged.
        classes: The names of classes that the scenario imports.
    """
    known = {*classes, *_BUILT_IN, *_CLASS.findall(source)}
    lines = source.splitlines(keepends=True)
    for row, column in reversed([*_objects(source, known)]):
        line = lines[row - 1]
        lines[row - 1] = f"{line[:column]}new {line[column:]}"
    return "".join(lines)


def scenic_3_construct(source: str) -> str:
    """Returns the first construct that only Scenic 3 has, with its line; without one, ''.

    The constructs are ``new``, ``on`` and ``facing`` with three angles. (Scenic 2 takes ``on`` for
    ``in``.)
    """
    tokens = [token for token in _tokens(source) if token.type not in _BLANK]
    for number, token in enumerate(tokens):
        name, follows = token.string, [each.string for each in tokens[number + 1 :]]
        if token.type != tokenize.NAME or not follows:
            continue
        named = tokens[number + 1].type == tokenize.NAME
        if name == "new" and named:
            return f"`new` on line {token.start[0]}"
        if name == "on" and (named or follows[0] == "("):
            return f"`on` on line {token.start[0]}"
        if name == "facing" and _is_triple(follows):
            return f"`facing` three angles on line {token.start[0]}"
    return ""


def _is_triple(words: list[str]) -> bool:
    """Returns whether words begin with a parenthesis that has three elements."""
    depth = commas = 0
    for word in words:
        depth += (word in {*"([{"}) - (word in {*")]}"})
        if depth == 0:
            break
        commas += depth == 1 and word == ","
    return commas == 2


def _objects(source: str, known: set[str]) -> Iterator[tuple[int, int]]:
    """Yields the line (from 1) and column of each class that makes an object."""
    tokens = [token for token in _tokens(source) if token.type not in _BLANK]
    starts = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for number, token in enumerate(tokens[:-1]):
        if token.type != tokenize.NAME or token.string not in known:
            continue
        before = tokens[number - 1] if number else None
        after = tokens[number + 1]
        if before is not None and before.string in _NO_OBJECT:
            continue
        begins = before is None or before.type in starts or before.string in ("=", ";", "return")
        ends = after.type in (tokenize.NEWLINE, tokenize.ENDMARKER) or after.string in (",", ";")
        if after.string in _SPECIFIERS or (begins and ends):
            yield token.start


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yields the tokens up to the first syntax error, which Scenic will report."""
    try:
        yield from tokenize.generate_tokens(StringIO(source).readline)
    except (tokenize.TokenError, SyntaxError):
        return
