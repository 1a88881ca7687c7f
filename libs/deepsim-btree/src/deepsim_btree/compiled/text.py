# SPDX-License-Identifier: Apache-2.0
"""Text of Python statements."""

from __future__ import annotations

import re
from textwrap import indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER = "ANSWER"
"""Stands for the variable that gets the answer of a node, until it is known."""
LONG = 80
"""A body with more lines is called as a function."""
NESTED = 15
"""A body with as many loops and handlers within each other is called: Python takes 20 of them."""
OFTEN = 40
"""A status that is asked for more often in a function is a local name there."""


def lines(*statements: str) -> str:
    """Puts statements below each other; empty ones are left out."""
    return "\n".join(filter(None, statements))


def block(header: str, *statements: str) -> str:
    """Puts statements below a header that ends with a colon or a bracket."""
    return f"{header}\n{indent(lines(*statements), '    ')}"


def owners(source: str) -> Iterator[int]:
    """Yields, for each line of a text, the number of the node that is at work there.

    A comment such as ``# @3`` says so; lines without one belong to the function that they are in.
    """
    owner = 0
    for line in source.splitlines():
        mark = re.search(r"  # @(\d+)$", line)
        number = int(mark.group(1)) if mark else owner
        if line.startswith("def"):
            owner = number
        yield number


def function(name: str, parameters: str, body: str, number: int) -> str:
    """Returns the function of a node; a long one has the statuses it asks for as local names."""
    local = "".join(
        f", {status}={status}"
        for status in ("RUNNING", "SUCCESS")
        if body.count(f" is {status}") > OFTEN
    )
    return block(f"def {name}({parameters}{local}):  # @{number}", body)


def written_out(body: str, number: int) -> str:
    """Returns statements that give ``ANSWER`` what a function of this body would return.

    They are a loop, which is left where the function would return. It returns "" if the body has
    a loop of its own, or is so long that the call of a function does not matter.
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
    """Returns how many loops and handlers of exceptions stand within each other."""
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
