# SPDX-License-Identifier: Apache-2.0
"""Names of ours in backticks exist, on all pages."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
OBJECTS = {"world": "World", "environment": "Environment", "pool": "RolloutPool"}
"""Classes of objects that have one name on all pages."""
OTHERS = ("coming-from.md", "conventions.md", "from-the-original.md", "migration.md", "robotlab.md")
"""Pages on which names of other software stand beside ours, and look alike."""
PLAIN = {"ABC", "Enum", "Generic", "IntEnum", "NamedTuple", "Protocol"}
"""Bases whose own members no page names."""
NO_MODULES = {"deepsim.backends", "deepsim_scenes.model"}
"""A group of entry points, and a library of Scenic."""

SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<![\w./@{-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/]|\.\w)")
FILE = re.compile(r"\.(h|hpp|md|msg|py|scenic|urdf|xml|yaml)$")
TEST = re.compile(r"\btest_\w+(?![\w.])")


class Source:
    """What the source of the libraries defines.

    Args:
        reference: The public names.
    """

    def __init__(self, reference: Any) -> None:
        self.modules = reference.collection
        self.classes: dict[str, list[Any]] = defaultdict(list)
        for library in reference.libraries:
            for each in _classes(self.modules[library]):
                self.classes[each.name].append(each)
        files = [*ROOT.glob("libs/*/*/**/*.py"), *ROOT.glob("tests/**/*.py")]
        texts = [file.read_text("utf-8") for file in files]
        self.tests = {file.stem for file in files}.union(
            *(re.findall(r"def (test_\w+)", each) for each in texts)
        )

    def stale(self, span: str, *, beside_others: bool = False) -> Iterator[str]:
        """Yields what the text between two backticks says and the source does not have."""
        for name in NAME.findall(span):
            head, *rest = name.split(".")
            if name in NO_MODULES or FILE.search(name):
                continue
            if head in self.modules.members:
                top = "deepsim.names" if (head, len(rest)) == ("deepsim", 1) else head
                if not (_has(self.modules[top], rest) or _has(self.modules[head], rest)):
                    yield name
            elif not beside_others:
                found = self.classes.get(OBJECTS.get(head, head), [])
                if found and not any(_has(each, rest) for each in found):
                    yield name
        yield from (name for name in TEST.findall(span) if name not in self.tests)
        if not beside_others:
            yield from self._arguments(span)

    def _arguments(self, span: str) -> Iterator[str]:
        """Yields arguments by name that no constructor of the class has."""
        try:
            tree = ast.parse(re.sub(r"(?<!=)\.\.\.", "*()", span))
        except SyntaxError:
            return
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                found = self.classes.get(call.func.id, [])
                for given in [each.arg for each in call.keywords if each.arg]:
                    if found and not any(_takes(each, given) for each in found):
                        yield f"{call.func.id}({given}=)"


def _classes(module: Any) -> Iterator[Any]:
    for each in module.members.values():
        if not each.is_alias and each.is_class:
            yield each
        elif not each.is_alias and each.is_module:
            yield from _classes(each)


def _is_whole(found: Any) -> bool:
    """Whether all members of a class, its bases included, are known here."""
    bases = {str(base).partition("[")[0] for base in found.bases} - PLAIN
    return len(bases) == len(found.resolved_bases) and all(map(_is_whole, found.resolved_bases))


def _has(found: Any, parts: list[str]) -> bool:
    """Whether a module or class has this name; whoever inherits from others may have it."""
    found = found.final_target if found.is_alias else found
    if not parts or not (found.is_module or found.is_class):
        return True
    if found.is_class:
        return parts[0] in found.all_members or not _is_whole(found)
    return parts[0] in found.members and _has(found.members[parts[0]], parts[1:])


def _takes(found: Any, argument: str) -> bool:
    """Whether the constructor of a class has an argument, or may have, as above."""
    own = found.all_members.get("__init__")
    if own is None or not _is_whole(found):
        return True
    return any(each.name == argument or each.kind.name == "var_keyword" for each in own.parameters)


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    """The source of the libraries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        from website.reference import Reference  # noqa: PLC0415

        yield Source(Reference(ROOT))


def test_names_on_pages_exist(source: Source) -> None:
    """Those of modules, of classes and their members, of arguments, and of tests."""
    from website.links import pages  # noqa: PLC0415

    stale = []
    for page in pages(ROOT):
        if page.endswith("CHANGELOG.md"):  # which speaks of what was
            continue
        text = FENCE.sub(
            lambda match: "\n" * match[0].count("\n"), (ROOT / page).read_text("utf-8")
        )
        for number, line in enumerate(text.splitlines(), 1):
            for span in SPAN.findall(line):
                for name in source.stale(span, beside_others=page.endswith(OTHERS)):
                    stale.append(f"{page}:{number}: {name}")
    assert not stale, "\n".join(stale)


@pytest.mark.parametrize(
    "span",
    ["deepsim.World", "deepsim_btree.xml.read_xml", "World.tick", "world.joints.select", "a.b.c",
     "Limit(child, tick_limit=2)", "Limit(..., tick_limit=...)", "test_names", "area.py"],
)  # fmt: skip
def test_what_exists_passes(source: Source, span: str) -> None:
    assert list(source.stale(span)) == []


@pytest.mark.parametrize(
    ("span", "found"),
    [
        ("deepsim.NoSuchName", "deepsim.NoSuchName"),
        ("deepsim_btree.xml.read", "deepsim_btree.xml.read"),
        ("a call of `World.tack()`", "World.tack"),
        ("world.joint.select(0)", "world.joint.select"),
        ("Limit(child, ticks=2)", "Limit(ticks=)"),
        ("test_that_never_was", "test_that_never_was"),
    ],
)
def test_what_does_not_exist_is_found(source: Source, span: str, found: str) -> None:
    assert list(source.stale(span)) == [found]
