# SPDX-License-Identifier: Apache-2.0
"""Names of ours in backticks on pages exist; public names are in a test or an example."""

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

HOOKS = """
    add_base add_robot allocate allow_collisions assemble before_simulation_step call_all
    changes_in_time check_property checked_factors checked_requests checked_worlds
    close_extras compile_again counts_skipped deaths dribble dribble_on encoding_of
    find_part first_seed follow_at forget_reward from_parent go_back halt_where has_default
    has_dribbled has_runs is_attacker is_driven is_keeper is_none is_pressed is_resized
    is_stateless is_timed keeps_place lobbed losses more_steps move_ball needs_clock
    next_speed no_step_because notify noun of_arrays of_attributes of_json of_type
    on_backend on_gazebo openings play_pass push_on reach_ball require_finite require_fit
    require_single rotate_ball sees_free_mate sees_goal sees_lob sees_mate step_async
    step_terms step_wait take_reward tick_where turn_to_ball viewfinder watch_subscribers
    while_observing world_seeds wrapped_places
"""
"""Members that modules of ours call in each other, and users do not; tests see what they do."""
WALKED = """
    ball_inertia field_width hold_height hold_in_3d ik_damping wheel_acceleration wheel_arm
    wheel_braking
"""
"""Fields that tests take from their class: all of a dialect, all settings of a controller."""

SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<![\w./@{-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/]|\.\w)")
FILE = re.compile(r"\.(h|hpp|md|msg|py|scenic|urdf|xml|yaml)$")
DOCTEST = re.compile(r"(?m)^ *(?:>>>|\.\.\.) (.*)")
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
def reference() -> Iterator[Any]:
    """The public names of the libraries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        from website.reference import Reference  # noqa: PLC0415

        yield Reference(ROOT)


@pytest.fixture(scope="module")
def source(reference: Any) -> Source:
    """The source of the libraries."""
    return Source(reference)


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


def public(reference: Any) -> Iterator[tuple[str, str]]:
    """Yields public functions, members and arguments that are given by name, and their words.

    A class stands for its members, and so does one that is inherited; a protocol has none.
    """
    for module in reference.modules:
        if module.startswith("deepsim_conformance"):  # tests themselves
            continue
        for name in reference.names(module):
            if name.target.is_function:
                yield name.name, name.name
                yield from _arguments(name.target, name.name)
            elif name.target.is_class and "Protocol" not in str(name.target.bases):
                for each in (name.target, *name.target.mro()):
                    yield from _members(each)


def _members(found: Any) -> Iterator[tuple[str, str]]:
    for name, member in found.members.items():
        if name == "__init__" and not member.is_alias:
            yield from _arguments(member, found.name, by_place=True)
        elif not name.startswith("_") and not member.is_alias:
            yield f"{found.name}.{name}", name
            yield from _arguments(member, f"{found.name}.{name}")


def _arguments(found: Any, path: str, *, by_place: bool = False) -> Iterator[tuple[str, str]]:
    for each in found.parameters if found.is_function else ():
        if each.name != "self" and (by_place or each.kind.name == "keyword_only"):
            yield f"{path}({each.name}=)", each.name


@pytest.fixture(scope="module")
def tried() -> set[str]:
    """All words of tests, examples, doctests, and code on pages."""
    from website.links import pages  # noqa: PLC0415

    folders = ["libs/*/tests", "tests", "examples", "libs/*/examples", "docs/tutorials"]
    folders += ["libs/deepsim-conformance/src", "libs/deepsim-tasks/src"]
    files = [file for each in folders for file in ROOT.glob(f"{each}/**/*")]
    texts = [
        file.read_text("utf-8")
        for file in files
        if file.suffix in (".py", ".ipynb") and file != Path(__file__)
    ]
    sources = [file.read_text("utf-8") for file in ROOT.glob("libs/*/src/**/*.py")]
    texts += [line for text in sources for line in DOCTEST.findall(text)]
    found = [(ROOT / page).read_text("utf-8") for page in pages(ROOT)]
    texts += [code for text in found for code in FENCE.findall(text)]
    return set(re.findall(r"\w+", "\n".join(texts)))


def test_public_names_are_tried(reference: Any, tried: set[str]) -> None:
    """Each is in a test, an example or a doctest, at least by its word."""
    names = set(public(reference))
    assert len(names) > 4000
    known = {*HOOKS.split(), *WALKED.split()}
    assert sorted(path for path, word in names if word not in tried | known) == []
    assert sorted(known - ({word for _, word in names} - tried)) == [], "take these from the lists"
