# SPDX-License-Identifier: Apache-2.0
"""The libraries of the workspace, read from their pyproject.toml files.

Versions here are plain releases (`1.2.3`) and ranges are plain comparisons (`>=1.2,<2`): that is
all the workspace uses, and it lets the tools run on the standard library alone.
"""

from __future__ import annotations

import configparser
import operator
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
UMBRELLA = "deepsim"

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\[([^]]*)\])?\s*\(?([^;()@]*)\)?\s*(;.*)?")
_EXTRA_MARKER = re.compile(r"\bextra\s*==\s*['\"]([^'\"]+)['\"]")
_CLAUSE = re.compile(r"^(==|>=|<=|!=|<|>)\s*(\d+(?:\.\d+)*)$")
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def normalise(name: str) -> str:
    """The one spelling of a distribution's name: lower case, one dash for `-_.` (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def release(version: str) -> tuple[int, ...]:
    """`"1.2.0"` as comparable numbers; trailing zeros do not count, so that 1.2 equals 1.2.0."""
    if not re.fullmatch(r"\d+(\.\d+)*", version):
        raise ValueError(f"not a plain release such as '1.2.3': {version!r}")
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True)
class Requirement:
    """One line of a library's dependencies: a name and the range of versions that it admits."""

    text: str

    @cached_property
    def _match(self) -> re.Match[str]:
        match = _REQUIREMENT.fullmatch(self.text.strip())
        if match is None:
            raise ValueError(f"not a plain requirement such as 'numpy>=1.22,<3': {self.text!r}")
        return match

    @property
    def name(self) -> str:
        """The distribution that is required, in its normal spelling."""
        return normalise(self._match[1])

    @property
    def extras(self) -> set[str]:
        """The extras that are asked for: `{"epath"}` of `etils[epath]`."""
        return {normalise(extra.strip()) for extra in (self._match[2] or "").split(",") if extra}

    @property
    def only_for_extra(self) -> str | None:
        """The extra of the declaring library without which the line does not count."""
        marker = _EXTRA_MARKER.search(self._match[4] or "")
        return normalise(marker[1]) if marker else None

    @cached_property
    def clauses(self) -> tuple[tuple[str, str], ...]:
        """The comparisons of the range: `((">=", "1.22"), ("<", "3"))`."""
        clauses = []
        for part in filter(None, (part.strip() for part in self._match[3].split(","))):
            match = _CLAUSE.match(part)
            if match is None:
                raise ValueError(f"not a comparison such as '>=1.22': {part!r} in {self.text!r}")
            clauses.append((match[1], match[2]))
        return tuple(clauses)

    def admits(self, version: str) -> bool:
        """Whether the range contains `version`."""
        return all(_COMPARE[sign](release(version), release(bound)) for sign, bound in self.clauses)

    @property
    def is_capped(self) -> bool:
        """Whether the range ends somewhere, so that an incompatible later version is excluded."""
        return any(sign in {"<", "<=", "=="} for sign, _ in self.clauses)


@dataclass(frozen=True)
class Library:
    """One folder below libs/, as its pyproject.toml describes it."""

    folder: Path
    table: dict[str, Any]

    @classmethod
    def of(cls, file: Path, text: str) -> Library:
        """Returns the library that a pyproject.toml of this text describes."""
        return cls(file.parent, tomllib.loads(text))

    @property
    def name(self) -> str:
        """The distribution's name, `deepsim-math`."""
        return str(self.table["project"]["name"])

    @property
    def version(self) -> str:
        """The version, `0.1.0`; pyproject.toml is the only place that states it."""
        return str(self.table["project"]["version"])

    @property
    def module(self) -> str:
        """The name to import, `deepsim_math`."""
        return self.name.replace("-", "_")

    @property
    def source(self) -> Path:
        """The folder of the importable package."""
        return self.folder / "src" / self.module

    @property
    def dependencies(self) -> list[Requirement]:
        """What a plain install brings along."""
        return [Requirement(text) for text in self.table["project"].get("dependencies", [])]

    @property
    def extras(self) -> list[Requirement]:
        """What the library's extras add, all of them together."""
        extras = self.table["project"].get("optional-dependencies", {})
        return [Requirement(text) for texts in extras.values() for text in texts]

    @property
    def test_dependencies(self) -> list[Requirement]:
        """What tox.ini installs for the tests on each Python: its `deps`, and the extras it names.

        Lines for one environment alone are left out, such as `lowest: numpy>=1.22`.
        """
        tox = configparser.ConfigParser(inline_comment_prefixes=["  #"], interpolation=None)
        tox.read(self.folder / "tox.ini", encoding="utf-8")
        names = re.split(r"[,\s]+", tox.get("testenv", "extras", fallback=""))
        extras = self.table["project"].get("optional-dependencies", {})
        lines = [line for name in names if name for line in extras[name]]
        for line in tox.get("testenv", "deps", fallback="").splitlines():
            text = line.removeprefix("!py38: ")
            if text and not re.match(r"[\w-]+: ", text):
                lines.append(text.removeprefix("-e ../"))
        return [Requirement(text) for text in lines]

    @property
    def minors(self) -> set[int]:
        """The minor versions of the Pythons that its classifiers promise."""
        pattern = r"Programming Language :: Python :: 3\.(\d+)"
        classifiers = self.table["project"].get("classifiers", [])
        return {int(match[1]) for text in classifiers if (match := re.fullmatch(pattern, text))}

    @property
    def urls(self) -> dict[str, str]:
        """The addresses that an index shows, by their labels."""
        return dict(self.table["project"].get("urls", {}))


def read_libraries(root: Path = ROOT) -> dict[str, Library]:
    """All libraries of the workspace at `root`, by name, in alphabetical order.

    Raises:
        FileNotFoundError: a workspace without a single library, most likely a wrong `root`.
    """
    files = sorted(root.glob("libs/*/pyproject.toml"))
    if not files:
        raise FileNotFoundError(f"no libs/*/pyproject.toml in {root}: is that the workspace?")
    libraries = [Library.of(file, file.read_text(encoding="utf-8")) for file in files]
    return {library.name: library for library in libraries}


def read_urls(root: Path = ROOT) -> dict[str, str]:
    """Returns the addresses of the project, which every library has; empty while there is none."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text).get("tool", {}).get("deepsim", {}).get("urls", {}))
