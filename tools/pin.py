#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copy into the libraries what is said in one place.

    python tools/pin.py [--root FOLDER]

The umbrella pins the present version of each library, and each library has the addresses of
`[tool.deepsim.urls]` in the pyproject.toml of the root. Order, comments and layout of files stay.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from libraries import ROOT, UMBRELLA, Library, normalise, read_libraries, read_urls

_PIN = re.compile(
    r"""(?P<start>["'](?P<name>[\w.-]+)(?:\[[^]]*\])?\s*==\s*)(?P<version>[^"'\s;]+)"""
)


_URLS = re.compile(r"(?m)^\[project\.urls\]\n(?:[^\[\n].*\n)*\n?")


def main(arguments: list[str] | None = None) -> int:
    """Rewrite what differs and print it; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to work on")
    root = parser.parse_args(arguments).root.resolve()
    libraries = read_libraries(root)
    urls = read_urls(root)
    changed = [_pin(libraries)]
    changed += [_write_urls(library, urls) for library in libraries.values()]
    if not any(changed):
        print("all is up to date")
    return 0


def _pin(libraries: dict[str, Library]) -> bool:
    """Writes the present versions into the umbrella's pins; returns whether one changed."""
    file = libraries[UMBRELLA].folder / "pyproject.toml"

    def present(match: re.Match[str]) -> str:
        library = libraries.get(normalise(match["name"]))
        if library is None or library.version == match["version"]:
            return match[0]
        print(f"{library.name}: {match['version']} -> {library.version}")
        return match["start"] + library.version

    return _rewrite(file, lambda text: _PIN.sub(present, text))


def _write_urls(library: Library, urls: dict[str, str]) -> bool:
    """Writes the addresses of the project into a library; returns whether they changed."""
    if library.urls == urls:
        return False
    print(f"{library.name}: the addresses of the project")
    lines = "".join(f'{_key(label)} = "{address}"\n' for label, address in urls.items())
    block = f"[project.urls]\n{lines}\n" if urls else ""

    def renew(text: str) -> str:
        bare = _URLS.sub("", text)
        head, tool, rest = bare.partition("\n[tool.")
        return f"{head}\n{block}{tool.lstrip()}{rest}"

    return _rewrite(library.folder / "pyproject.toml", renew)


def _key(label: str) -> str:
    return label if re.fullmatch(r"[\w-]+", label) else f'"{label}"'


def _rewrite(file: Path, renew: Callable[[str], str]) -> bool:
    before = file.read_text(encoding="utf-8")
    after = renew(before)
    file.write_text(after, encoding="utf-8")
    return after != before


if __name__ == "__main__":
    sys.exit(main())
