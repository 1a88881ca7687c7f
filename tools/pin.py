#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bring up to date what is said in one place and stands in others.

    python tools/pin.py [--root FOLDER]

tools/allowed.py has the libraries: the lists at the root and the import contracts follow from it.
The umbrella pins the present version of each library, each library has the addresses of
`[tool.deepsim.urls]` in the pyproject.toml of the root, a `__version__` in its `__init__.py` is the
version of its pyproject.toml, and its tables of Poetry follow from its dependencies and tox.ini.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from libraries import ROOT, read_libraries
from lists import derived_files


def main(arguments: list[str] | None = None) -> int:
    """Rewrite what differs and print it; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to work on")
    root = parser.parse_args(arguments).root.resolve()
    changed = False
    for file, text in derived_files(root, read_libraries(root)).items():
        if text != file.read_text(encoding="utf-8"):
            file.write_text(text, encoding="utf-8")
            print(file.relative_to(root).as_posix())
            changed = True
    if not changed:
        print("all is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
