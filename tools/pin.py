#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the libraries' present versions into the umbrella's exact pins.

    python tools/pin.py [--root FOLDER]

Only the versions change; order, comments and layout of the file stay.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from libraries import ROOT, UMBRELLA, normalise, read_libraries

_PIN = re.compile(
    r"""(?P<start>["'](?P<name>[\w.-]+)(?:\[[^]]*\])?\s*==\s*)(?P<version>[^"'\s;]+)"""
)


def main(arguments: list[str] | None = None) -> int:
    """Rewrite the pins and print each one that changed; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to work on")
    libraries = read_libraries(parser.parse_args(arguments).root.resolve())
    file = libraries[UMBRELLA].folder / "pyproject.toml"

    def present(match: re.Match[str]) -> str:
        library = libraries.get(normalise(match["name"]))
        if library is None or library.version == match["version"]:
            return match[0]
        print(f"{library.name}: {match['version']} -> {library.version}")
        return match["start"] + library.version

    before = file.read_text(encoding="utf-8")
    after = _PIN.sub(present, before)
    if after == before:
        print("all pins are up to date")
    file.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
