#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the wheel and the source distribution of every library into dist/.

    python tools/build.py [--root FOLDER] [--dist FOLDER]

The backends run inside this process: half a second for all libraries, where a build frontend makes
an environment for each.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from libraries import ROOT, read_libraries


def build(root: Path, dist: Path) -> list[Path]:
    """Build all libraries of the workspace at `root` into the folder `dist`; returns the files.

    Our earlier builds in `dist` are removed, so that an installer cannot pick a stale one.
    """
    dist = dist.resolve()
    dist.mkdir(parents=True, exist_ok=True)
    for stale in [*dist.glob("deepsim*.whl"), *dist.glob("deepsim*.tar.gz")]:
        stale.unlink()
    built = []
    for library in read_libraries(root).values():
        system = library.table["build-system"]
        with _inside(library.folder):
            api = import_module(system["build-backend"])
            built += [dist / api.build_wheel(str(dist)), dist / api.build_sdist(str(dist))]
    return built


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Works in the folder of a library, as PEP 517 has it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def main(arguments: list[str] | None = None) -> int:
    """Build and print one line per file; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to build")
    parser.add_argument("--dist", type=Path, help="where the files go; else dist/ in the root")
    options = parser.parse_args(arguments)
    for file in build(options.root.resolve(), options.dist or options.root / "dist"):
        print(f"{file.stat().st_size / 1024:8.1f} kB  {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
