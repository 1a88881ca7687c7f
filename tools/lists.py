# SPDX-License-Identifier: Apache-2.0
"""The files that follow from others: lists of libraries, pins, addresses, versions, Poetry tables.

`tools/pin.py` writes them, and `tools/workspace.py` reports those that differ. Only the part that
follows from elsewhere changes; order, comments and layout of the rest stay.
"""

from __future__ import annotations

import re
from pathlib import Path

from allowed import LAYERS
from contracts import contracts
from libraries import UMBRELLA, Library, normalise, read_urls
from overlay import with_overlay

_TARGET = 10
"""The minor version of Python that ruff takes for granted: `target-version` of the root."""

_PIN = re.compile(
    r"""(?P<start>["'](?P<name>[\w.-]+)(?:\[[^]]*\])?\s*==\s*)(?P<version>[^"'\s;]+)"""
)
_DEPENDENCIES = re.compile(r"(?m)^dependencies = \[\n")
_VERSION = re.compile(r'(?m)^__version__ = ".*"$')
_URLS = re.compile(r"(?m)^\[project\.urls\]\n(?:[^\[\n].*\n)*\n?")


def derived_files(root: Path, libraries: dict[str, Library]) -> dict[Path, str]:
    """Returns the text that each such file should have, by its path.

    Libraries that tools/allowed.py does not name are in no list.
    """
    known = [name for layer in reversed(LAYERS) for name in sorted(layer)]
    order = [libraries[name] for name in (*known, UMBRELLA) if name in libraries]
    old = [library for library in order if min(library.minors) < _TARGET]
    files = {root / ".importlinter": contracts(libraries)}
    for name, shape, lines in (
        ("requirements-demo.txt", r"-e \./libs/.+", [f"-e ./libs/{each.name}" for each in order]),
        ("tox.ini", r"    deepsim\S*", [f"    {each.name}" for each in order]),
        (
            "pyproject.toml",
            r'    "libs/.+/src",',
            [f'    "libs/{each.name}/src",' for each in order],
        ),
        (
            "pyproject.toml",
            r'"libs/.+/\*\*" = "py\d+"',
            [f'"libs/{each.name}/**" = "py3{min(each.minors)}"' for each in old],
        ),
    ):
        file = root / name
        files[file] = _with_lines(files.get(file) or file.read_text("utf-8"), shape, lines)
    urls = read_urls(root)
    for library in libraries.values():
        init = library.source / "__init__.py"
        files[init] = _with_version(init.read_text("utf-8"), library.version)
        file = library.folder / "pyproject.toml"
        text = _with_urls(file.read_text("utf-8"), urls)
        if library.name == UMBRELLA:
            text = _with_pins(text, order)
            library = Library.of(file, text)
        files[file] = with_overlay(text, library, set(libraries))
    return files


def _with_lines(text: str, shape: str, lines: list[str]) -> str:
    """Returns the text with other lines in place of its first run of lines of this shape."""
    block = "".join(f"{line}\n" for line in lines)
    return re.sub(rf"(?m)(?:^{shape}\n)+", lambda _: block, text, count=1)


def _with_pins(text: str, order: list[Library]) -> str:
    """Returns the umbrella's text with a pin of the present version of each library."""
    present = {library.name: library.version for library in order if library.name != UMBRELLA}
    pinned = {normalise(match["name"]) for match in _PIN.finditer(text)}
    missing = "".join(
        f'    "{name}=={version}",\n' for name, version in present.items() if name not in pinned
    )
    text = _DEPENDENCIES.sub(lambda match: match[0] + missing, text, count=1)
    return _PIN.sub(
        lambda match: match["start"] + present.get(normalise(match["name"]), match["version"]), text
    )


def _with_version(text: str, version: str) -> str:
    """Returns the text of a package whose `__version__`, if it states one, is the present one."""
    return _VERSION.sub(f'__version__ = "{version}"', text)


def _with_urls(text: str, urls: dict[str, str]) -> str:
    """Returns a library's text with the addresses of the project."""
    lines = "".join(f'{_key(label)} = "{address}"\n' for label, address in urls.items())
    block = f"[project.urls]\n{lines}\n" if urls else ""
    head, tool, rest = _URLS.sub("", text).partition("\n[tool.")
    return f"{head}\n{block}{tool.lstrip()}{rest}"


def _key(label: str) -> str:
    return label if re.fullmatch(r"[\w-]+", label) else f'"{label}"'
