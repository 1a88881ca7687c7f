#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the libraries of the workspace agree with each other and with what they say.

    python tools/workspace.py [--root FOLDER]

Every problem is one line that names the file, what it says and what it should say; the exit status
is 1 when there is any. Each `check_...` function below is one rule.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

from allowed import ALLOWED, ROS_LIBRARY
from imports import foreign_imports
from libraries import ROOT, UMBRELLA, Library, read_libraries
from lists import derived_files
from notes import NoteError, note_files, read_notes

Libraries = dict[str, Library]
Problems = Iterator[str]


def check_sibling_ranges(root: Path, libraries: Libraries) -> Problems:
    """A sibling's range has a cap and contains the version that the sibling has now."""
    for library in libraries.values():
        for need in library.dependencies:
            if need.name not in libraries or library.name == UMBRELLA:
                continue
            file, version = _pyproject(root, library), libraries[need.name].version
            if not need.is_capped:
                yield f"{file}: {need.text!r} has no upper bound; add one, such as '<0.2'"
            if not need.admits(version):
                yield f"{file}: {need.text!r} excludes {need.name} {version}, the present version"


def check_umbrella_pins(root: Path, libraries: Libraries) -> Problems:
    """The umbrella pins every library to exactly the version that it has now."""
    umbrella = libraries.get(UMBRELLA)
    if umbrella is None:
        yield f"libs/{UMBRELLA}: the umbrella is missing"
        return
    file = _pyproject(root, umbrella)
    pins = {need.name: need for need in (*umbrella.dependencies, *umbrella.extras)}
    for library in libraries.values():
        if library.name == UMBRELLA:
            continue
        wanted = f"{library.name}=={library.version}"
        if library.name not in pins:
            yield f"{file}: omits {wanted!r}"
        elif pins[library.name].clauses != (("==", library.version),):
            yield (
                f"{file}: pins {pins[library.name].text!r}, should be {wanted!r}; run tools/pin.py"
            )


def check_files(root: Path, libraries: Libraries) -> Problems:
    """Each library has its documents: the root's licence, a changelog of its version, py.typed."""
    licence = (root / "LICENSE").read_bytes()
    for library in libraries.values():
        folder = library.folder.relative_to(root).as_posix()
        for wanted in ("README.md", "LICENSE", "CHANGELOG.md", f"src/{library.module}/py.typed"):
            if not (library.folder / wanted).is_file():
                yield f"{folder}/{wanted}: missing"
        copy, changelog = library.folder / "LICENSE", library.folder / "CHANGELOG.md"
        if copy.is_file() and copy.read_bytes() != licence:
            yield f"{folder}/LICENSE: differs from the LICENSE of the root; copy that one"
        if (
            changelog.is_file()
            and f"\n## [{library.version}]" not in changelog.read_text("utf-8")
            and not note_files(library)
        ):
            yield f"{folder}/CHANGELOG.md: lacks a section '## [{library.version}]'"


def check_notes(root: Path, libraries: Libraries) -> Problems:
    """Each note for the next release has a kind that the changelog has, and says something."""
    for library in libraries.values():
        try:
            read_notes(library)
        except NoteError as error:
            yield f"{(library.folder / 'changes').relative_to(root).as_posix()}: {error}"


def check_pythons(root: Path, libraries: Libraries) -> Problems:
    """requires-python, the classifiers and tox.ini name the same Pythons; siblings run on them."""
    for library in libraries.values():
        file = _pyproject(root, library)
        required = str(library.table["project"]["requires-python"])
        classified = library.minors
        if not classified:
            yield f"{file}: no classifier 'Programming Language :: Python :: 3.x'"
            continue
        if required != f">=3.{min(classified)}":
            yield (
                f"{file}: requires-python is {required!r} but the lowest classifier is"
                f" Python 3.{min(classified)}"
            )
        tox = library.folder / "tox.ini"
        tested = _tox_minors(tox)
        if tested != classified:
            yield (
                f"{tox.relative_to(root).as_posix()}: env_list tests {_pythons(tested)}"
                f" but the classifiers promise {_pythons(classified)}"
            )
        for need in library.dependencies:
            sibling = libraries.get(need.name)
            if sibling and _lowest_minor(sibling) > _lowest_minor(library):
                yield (
                    f"{file}: requires-python is {required!r} but {sibling.name} needs"
                    f" {sibling.table['project']['requires-python']!r}"
                )


def check_imports(root: Path, libraries: Libraries) -> Problems:
    """All that src/ imports is declared, all that is declared is imported; ROS only in Gazebo's."""
    for library in libraries.values():
        file = _pyproject(root, library)
        declared = {need.name for need in library.dependencies}
        optional = {need.name for need in library.extras}
        imported: set[str] = set()
        for found in foreign_imports(library):
            place = f"{found.file.relative_to(root).as_posix()}:{found.line}"
            if found.is_ros:
                if library.name != ROS_LIBRARY:
                    yield f"{place}: imports {found.module}; only {ROS_LIBRARY} may use ROS"
            elif found.distribution not in declared | optional | imported:
                yield f"{place}: imports {found.module}, but {file} does not declare it"
            imported.add(found.distribution)
        unused = declared - imported
        if library.name == UMBRELLA:
            unused -= libraries.keys()
        for name in sorted(unused):
            yield f"{file}: declares {name}, but nothing in src/ imports it"


def check_allowed(root: Path, libraries: Libraries) -> Problems:
    """No library depends on more than the design's table in tools/allowed.py admits."""
    for library in libraries.values():
        if library.name == UMBRELLA:
            continue
        if library.name not in ALLOWED:
            yield f"tools/allowed.py: says nothing about {library.name}"
            continue
        for need in library.dependencies:
            if need.name not in ALLOWED[library.name]:
                allowed = ", ".join(sorted(ALLOWED[library.name])) or "nothing"
                yield (
                    f"{_pyproject(root, library)}: declares {need.name}; tools/allowed.py admits"
                    f" {allowed}"
                )


def check_metadata(root: Path, libraries: Libraries) -> Problems:
    """Each library names its authors and keywords."""
    for library in libraries.values():
        for field in ("authors", "keywords"):
            if not library.table["project"].get(field):
                yield f"{_pyproject(root, library)}: has no {field}"


def check_derived(root: Path, libraries: Libraries) -> Problems:
    """Lists of libraries, contracts, addresses, versions and tables of Poetry are up to date."""
    for file, text in derived_files(root, libraries).items():
        found, wanted = file.read_text("utf-8").splitlines(), text.splitlines()
        for number, (old, new) in enumerate(zip_longest(found, wanted, fillvalue=""), start=1):
            if old != new:
                name = file.relative_to(root).as_posix()
                yield f"{name}:{number}: is {old!r}, should be {new!r}; run tools/pin.py"
                break


def check_tables(root: Path, libraries: Libraries) -> Problems:
    """The pages that present the libraries name each of them."""
    for page, link in (("README.md", "libs/{}"), ("docs/architecture.md", "../libs/{}")):
        text = (root / page).read_text("utf-8")
        for library in libraries.values():
            if library.name != UMBRELLA and f"({link.format(library.name)})" not in text:
                yield f"{page}: has no row for [{library.name}]({link.format(library.name)})"


def _pyproject(root: Path, library: Library) -> str:
    return (library.folder / "pyproject.toml").relative_to(root).as_posix()


def _lowest_minor(library: Library) -> int:
    match = re.match(r">=3\.(\d+)$", str(library.table["project"]["requires-python"]))
    return int(match[1]) if match else 0


def _tox_minors(file: Path) -> set[int]:
    """The minor versions in a tox.ini's env_list, written `py3{8,9,10}, py310-lowest`."""
    if not file.is_file():
        return set()
    env_list = re.search(r"(?m)^env_list\s*=(.*(?:\n[ \t]+.*)*)", file.read_text("utf-8"))
    text = env_list[1] if env_list else ""
    grouped = [
        minor for group in re.findall(r"py3\{([\d,]+)\}", text) for minor in group.split(",")
    ]
    return {int(minor) for minor in grouped + re.findall(r"py3(\d+)\b", text)}


def _pythons(minors: set[int]) -> str:
    return ", ".join(f"3.{minor}" for minor in sorted(minors)) or "none"


CHECKS: list[Callable[[Path, Libraries], Problems]] = [
    check_sibling_ranges,
    check_umbrella_pins,
    check_files,
    check_notes,
    check_pythons,
    check_imports,
    check_allowed,
    check_metadata,
    check_derived,
    check_tables,
]


def main(arguments: list[str] | None = None) -> int:
    """Run all checks and print one line each; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to check")
    root = parser.parse_args(arguments).root.resolve()
    libraries = read_libraries(root)
    count = 0
    for check in CHECKS:
        problems = list(check(root, libraries))
        count += len(problems)
        print(f"{'FAIL' if problems else 'ok':4}  {(check.__doc__ or '').rstrip('.')}")
        for problem in problems:
            print(f"        {problem}")
    print(f"{len(libraries)} libraries, {len(CHECKS)} rules, {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
