# SPDX-License-Identifier: Apache-2.0
"""Text of Python statements."""

from __future__ import annotations

import re
from collections import Counter
from textwrap import indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER = "ANSWER"
"""Placeholder for the variable that gets the answer of a node."""
LONG = 80
"""Number of lines from which a body is called as a function rather than inlined."""
NESTED = 15
"""Depth of loops and handlers from which a body is not inlined; Python allows 20."""
OFTEN = 8
"""Number of uses above which a status, a node or a constant becomes a local name of a function.

A local name is read in half the time of a global one, but each takes some time at every call.
"""
_NAME = re.compile(r"(?<![\w.])(?:[ck]\d+|INVALID|RUNNING|SUCCESS|FAILURE|SKIPPED)\b")


def lines(*statements: str) -> str:
    """Joins the statements that are not empty, one below the other."""
    return "\n".join(filter(None, statements))


def block(header: str, *statements: str) -> str:
    """Indents statements below a header that ends with a colon or a bracket."""
    return f"{header}\n{indent(lines(*statements), '    ')}"


def owners(source: str) -> Iterator[int]:
    """Yields, for each line of a text, the number of the node that it belongs to.

    A comment such as ``# @3`` gives this number; a line without one belongs to the node of its
    function.
    """
    owner = 0
    for line in source.splitlines():
        mark = re.search(r"  # @(\d+)$", line)
        number = int(mark.group(1)) if mark else owner
        if line.startswith("def"):
            owner = number
        yield number


def function(name: str, parameters: str, body: str, number: int) -> str:
    """Returns the function of a node, in which names that it uses often are local."""
    counts = Counter(_NAME.findall(body))
    local = "".join(f", {used}={used}" for used, count in counts.items() if count > OFTEN)
    return block(f"def {name}({parameters}{local}):  # @{number}", body)


def written_out(body: str, number: int) -> str:
    """Returns a function body as inline statements that assign its result to ``ANSWER``.

    The statements are a loop that ends where the function would return. The result is "" if the
    body contains a loop, or is so long that a function call does not matter.
    """
    if body.count("\n") >= LONG or re.search(r"^ *for ", body, re.MULTILINE):
        return ""
    if _levels(body) >= NESTED:
        return ""
    mark = f"  # @{number}"
    text = []
    for line in body.splitlines():
        before, returns, answer = line.partition("return ")
        if returns and not before.strip():
            answer, comment, owner = answer.partition("  # @")
            text.append(f"{before}{ANSWER} = {answer}{comment or mark}{owner}")
            text.append(f"{before}break")
        else:
            text.append(line if "  # @" in line else line + mark)
    return block("while True:", *text)


def _levels(body: str) -> int:
    """Returns the largest depth of nested loops and exception handlers."""
    open_at: list[int] = []
    deepest = 0
    for line in body.splitlines():
        indent = len(line) - len(line.lstrip())
        while open_at and indent <= open_at[-1]:
            open_at.pop()
        if line.startswith(("while True:", "try:"), indent):
            open_at.append(indent)
            deepest = max(deepest, len(open_at))
    return deepest
