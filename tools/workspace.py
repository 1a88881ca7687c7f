#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the libraries of the workspace agree with each other and with what they say.

    python tools/workspace.py [--root FOLDER]

Every problem is one line that names the file and what it should say; the exit status is 1 when
there is any. Each `check_...` function below is one rule.
"""

from __future__ import annotations

import argparse
import ast
import configparser
import re
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib as tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
UMBRELLA = "deepsim"
CONTRIBUTORS = 10
"""The minor version of the first Python on which contributors work; see CONTRIBUTING.md."""

#: Modules whose distribution has another name; all others are spelled as their distribution.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "google": "protobuf",
    "grpc": "grpcio",
    "rsl_rl": "rsl-rl-lib",
    "warp": "warp-lang",
    "yaml": "pyyaml",
    "zenoh": "eclipse-zenoh",
    "zmq": "pyzmq",
}
#: ROS comes from the host's installation, not from an index, so no library can declare it.
ROS = re.compile(
    r"builtin_interfaces|genpy|rcl_interfaces|rclpy|rosgraph|roslib|rospkg|rospy|tf2_ros|simulation_interfaces|.*_(msgs|srvs)"
)


class Library:
    """One folder below libs/, as its pyproject.toml and tox.ini describe it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
        self.project: dict[str, Any] = self.table["project"]
        self.name, self.version = str(self.project["name"]), str(self.project["version"])
        self.module = self.name.replace("-", "_")
        self.source = folder / "src" / self.module
        changelog = folder / "CHANGELOG.md"  # a section for each version that was published
        text = changelog.read_text("utf-8") if changelog.is_file() else ""
        self.versions = set(re.findall(r"(?m)^## (\S+)", text))
        extras = self.project.get("optional-dependencies", {})
        self.dependencies = [Requirement(text) for text in self.project.get("dependencies", [])]
        self.extras = [Requirement(text) for text in chain(*extras.values())]
        promised = "\n".join(self.project.get("classifiers", []))
        self.minors = {int(minor) for minor in re.findall(r"Python :: 3\.(\d+)", promised)}
        self.tox = configparser.ConfigParser(interpolation=None)
        self.tox.read(folder / "tox.ini", encoding="utf-8")
        # What tox.ini installs for tests on each Python: its `deps`, and the extras it names.
        named = self.tox.get("testenv", "extras", fallback="").replace(",", " ").split()
        lines = self.tox.get("testenv", "deps", fallback="").splitlines()
        deps = [line.removeprefix("!py38: ").removeprefix("-e ../") for line in lines]
        deps = [text for text in deps if text and not re.match(r"[\w-]+: ", text)]
        texts = [*chain(*(extras[name] for name in named)), *deps]
        self.tested_with = [Requirement(text) for text in texts]


Libraries = dict[str, Library]
Problems = Iterator[str]


def read_libraries(root: Path = ROOT) -> Libraries:
    """Returns all libraries of the workspace at `root`, by name, in alphabetical order."""
    files = sorted(root.glob("libs/*/pyproject.toml"))
    if not files:
        raise SystemExit(f"no libs/*/pyproject.toml in {root}: is that the workspace?")
    return {library.name: library for library in (Library(file.parent) for file in files)}


def check_siblings(libraries: Libraries) -> Problems:
    """Ranges of siblings begin at a published or the present version, and are capped."""
    for library in libraries.values():
        needs = [*library.dependencies, *library.extras]
        for need in needs:
            sibling = libraries.get(need.name)
            if sibling is None:
                continue
            signs = {clause.operator for clause in need.specifier}
            if not need.specifier.contains(sibling.version):
                yield f"{_file(library)}: '{need}' excludes {need.name} {sibling.version}"
            elif library.name == UMBRELLA and signs != {"=="}:
                yield f"{_file(library)}: '{need}' should be '{need.name}=={sibling.version}'"
            elif not signs & {"<", "<=", "=="}:
                yield f"{_file(library)}: '{need}' has no upper bound; add one, such as '<0.2'"
            lowest = {each.version for each in need.specifier if each.operator in (">=", "==")}
            if not lowest & {*sibling.versions, sibling.version}:
                yield f"{_file(library)}: '{need}' should begin at >={sibling.version}"
        if library.name == UMBRELLA:
            for name in sorted(libraries.keys() - {UMBRELLA} - {need.name for need in needs}):
                yield f"{_file(library)}: omits '{name}=={libraries[name].version}'"


def check_poetry(libraries: Libraries) -> Problems:
    """Poetry's tables have the siblings as paths, and what tox.ini installs for the tests."""
    for library in libraries.values():
        main = {
            need.name: _sibling(need)
            for need in (*library.dependencies, *library.extras)
            if need.name in libraries
        }
        last = max(library.minors, default=CONTRIBUTORS)
        first = max(CONTRIBUTORS, min(library.minors, default=CONTRIBUTORS))
        wanted: dict[str, Any] = {"python": f">=3.{first},<3.{last + 1}"}
        for name in main:
            wanted[name] = {"path": f"../{name}", "develop": True}
            if min(libraries[name].minors, default=0) > first:
                wanted[name]["python"] = f">=3.{min(libraries[name].minors)}"
        tests = {
            need.name: _sibling(need) if need.name in libraries else _range(need)
            for need in library.tested_with
        }
        plain = {need.name for need in library.dependencies}
        dev = {
            name: need
            for name, need in tests.items()
            if name not in plain or need != wanted.get(name)
        }
        poetry = library.table.get("tool", {}).get("poetry", {})
        group = poetry.get("group", {}).get("dev", {}).get("dependencies", {})
        for table, found, right in (
            ("dependencies", poetry.get("dependencies", {}), wanted),
            ("group.dev.dependencies", group, dev),
        ):
            for name in sorted(found.keys() | right.keys()):
                if found.get(name) != right.get(name):
                    place = f"{_file(library)}: [tool.poetry.{table}] {name}"
                    yield f"{place} is {found.get(name)}, should be {right.get(name)}"


def check_files(libraries: Libraries) -> Problems:
    """Each library has its documents, the root's licence, a changelog of its version, authors."""
    for library in libraries.values():
        name, licence = f"libs/{library.folder.name}", library.folder.parents[1] / "LICENSE"
        for wanted in ("README.md", "LICENSE", "CHANGELOG.md", f"src/{library.module}/py.typed"):
            if not (library.folder / wanted).is_file():
                yield f"{name}/{wanted}: missing"
        copy = library.folder / "LICENSE"
        if copy.is_file() and copy.read_bytes() != licence.read_bytes():
            yield f"{name}/LICENSE: differs from the LICENSE of the root; copy that one"
        if library.version not in library.versions:
            yield f"{name}/CHANGELOG.md: lacks a section '## {library.version}'"
        for field in ("authors", "keywords"):
            if not library.project.get(field):
                yield f"{_file(library)}: has no {field}"


def check_pythons(libraries: Libraries) -> Problems:
    """requires-python, the classifiers and tox.ini name the same Pythons; siblings run on them."""
    for library in libraries.values():
        required, promised = library.project["requires-python"], library.minors
        if required != f">=3.{min(promised, default=0)}":
            yield (
                f"{_file(library)}: requires-python is {required!r}"
                f" but the classifiers promise {_pythons(promised)}"
            )
        tested = _tox_minors(library.tox.get("tox", "env_list", fallback=""))
        coming = max(promised, default=0) + 1  # tested where it is found, and promised later
        if tested - {coming} != promised:
            yield (
                f"libs/{library.folder.name}/tox.ini: env_list tests {_pythons(tested)}"
                f" but the classifiers promise {_pythons(promised)}"
            )
        for need in library.dependencies:
            sibling = libraries.get(need.name)
            if sibling and min(sibling.minors, default=0) > min(promised, default=0):
                yield f"{_file(library)}: {need.name} does not promise Python 3.{min(promised)}"


def check_imports(libraries: Libraries) -> Problems:
    """All that src/ imports is declared, and all that is declared is imported."""
    for library in libraries.values():
        declared = {canonicalize_name(need.name) for need in library.dependencies}
        known = declared | {canonicalize_name(need.name) for need in library.extras}
        imported: set[str] = set()
        for file in sorted(library.source.rglob("*.py")):
            place = file.relative_to(library.folder.parents[1]).as_posix()
            for module, line in _imports(ast.parse(file.read_text("utf-8"))):
                package = module.partition(".")[0]
                free = {*sys.stdlib_module_names, library.module, "typing_extensions"}
                if package in free or ROS.fullmatch(package):  # type checkers bring the last along
                    continue
                distribution = canonicalize_name(DISTRIBUTIONS.get(package, package))
                if distribution not in known | imported:
                    yield f"{place}:{line}: {_file(library)} does not declare {package}"
                imported.add(distribution)
        unused = declared - imported - (libraries.keys() if library.name == UMBRELLA else set())
        for name in sorted(unused):
            yield f"{_file(library)}: declares {name}, but nothing in src/ imports it"


def check_lists(libraries: Libraries) -> Problems:
    """The lists of libraries at the root, and the pages that present them, name each of them."""
    root = next(iter(libraries.values())).folder.parents[1]
    for file, form in (
        ("tox.ini", r"(?m)^    {name}$"),
        ("requirements-*.txt", r"(?m)^-e \./libs/{name}$"),
        (".importlinter", r"(?m)^    {module}$"),
        ("pyproject.toml", r'(?m)^    "libs/{name}/src",$'),
        ("pyproject.toml", r"(?m)^{name} = \{{ workspace = true \}}$"),
        ("README.md", r"\(libs/{name}\)"),
        ("docs/architecture.md", r"\(\.\./libs/{name}\)"),
    ):
        text = "\n".join(each.read_text("utf-8") for each in sorted(root.glob(file)))
        for library in libraries.values():
            if library.name == UMBRELLA and file.endswith(".md"):
                continue
            if not re.search(form.format(name=library.name, module=library.module), text):
                yield f"{file}: does not list {library.name}"


def _file(library: Library) -> str:
    return f"libs/{library.folder.name}/pyproject.toml"


def _sibling(need: Requirement) -> dict[str, Any]:
    extras = {"extras": sorted(need.extras)} if need.extras else {}
    return {"path": f"../{need.name}", "develop": True, **extras}


def _range(need: Requirement) -> str:
    return ",".join(sorted(map(str, need.specifier), reverse=True)) or "*"  # >= before <


def _tox_minors(env_list: str) -> set[int]:
    """Returns the minor versions in an env_list, written `py3{8,9,10}, py310-lowest`."""
    grouped = ",".join(re.findall(r"py3\{([\d,]+)\}", env_list))
    return {
        int(minor) for minor in re.findall(r"\d+", grouped) + re.findall(r"py3(\d+)\b", env_list)
    }


def _pythons(minors: set[int]) -> str:
    return ", ".join(f"3.{minor}" for minor in sorted(minors)) or "none"


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields module and line of the absolute imports at any depth of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module, node.lineno


CHECKS: list[Callable[[Libraries], Problems]] = [
    check_siblings,
    check_poetry,
    check_files,
    check_pythons,
    check_imports,
    check_lists,
]


def main(arguments: list[str] | None = None) -> int:
    """Run all checks and print one line each; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to check")
    root = parser.parse_args(arguments).root.resolve()
    libraries = read_libraries(root)
    count = 0
    for check in CHECKS:
        problems = list(check(libraries))
        count += len(problems)
        print(f"{'FAIL' if problems else 'ok':4}  {(check.__doc__ or '').rstrip('.')}")
        for problem in problems:
            print(f"        {problem}")
    print(f"{len(libraries)} libraries, {len(CHECKS)} rules, {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
