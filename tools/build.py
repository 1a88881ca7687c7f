#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the wheel and the source distribution of every library into dist/.

    python tools/build.py [--root FOLDER] [--dist FOLDER]

The backends run inside this process: half a second for all libraries, where a build frontend makes
an environment for each.

A package index shows the README of a library without the files beside it. If `[tool.deepsim.urls]`
in the pyproject.toml of the root has a `Source`, the address of the repository, the links of the
README become absolute; otherwise they stay relative, and name files of the source distribution.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from libraries import ROOT, Library, read_libraries, read_urls

_FENCED = re.compile(r"(?ms)(^```.*?^```$)")  # code has brackets that are no links
_LINK = re.compile(r"(!?)(\[[^]]*\])\(([^()\s:#]+)(#[^()\s]*)?\)")  # without a scheme
_CACHES = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "build", "dist")


def build(root: Path, dist: Path) -> list[Path]:
    """Build all libraries of the workspace at `root` into the folder `dist`; returns the files.

    Our earlier builds in `dist` are removed, so that an installer cannot pick a stale one.
    """
    dist = dist.resolve()
    dist.mkdir(parents=True, exist_ok=True)
    for stale in [*dist.glob("deepsim*.whl"), *dist.glob("deepsim*.tar.gz")]:
        stale.unlink()
    built = []
    with _folders(root) as folders:
        for library, folder in folders:
            system = library.table["build-system"]
            with _inside(folder):
                api = import_module(system["build-backend"])
                built += [dist / api.build_wheel(str(dist)), dist / api.build_sdist(str(dist))]
    return built


@contextmanager
def _folders(root: Path) -> Iterator[list[tuple[Library, Path]]]:
    """Yields the folders to build from: copies with absolute links if there is an address."""
    libraries, source = read_libraries(root).values(), read_urls(root).get("Source")
    if source is None:
        yield [(library, library.folder) for library in libraries]
        return
    with tempfile.TemporaryDirectory(prefix="deepsim-build-") as temporary:
        copies = [(library, Path(temporary, library.folder.name)) for library in libraries]
        for library, folder in copies:
            shutil.copytree(library.folder, folder, ignore=_CACHES)
            readme = folder / "README.md"
            text = with_absolute_links(root, library, source, readme.read_text("utf-8"))
            readme.write_text(text, encoding="utf-8")
        yield copies


def with_absolute_links(root: Path, library: Library, source: str, text: str) -> str:
    """Returns a library's README with addresses in place of links to files of the repository.

    They name the tag of the library's present version, in the form of GitHub, which GitLab takes
    as well: `source/blob/TAG/FILE`, with `raw` for pictures and `tree` for folders.
    """

    def absolute(link: re.Match[str]) -> str:
        sign, label, target, anchor = link.groups(default="")
        file = (library.folder / target).resolve()
        if not file.exists() or root not in file.parents:
            return link[0]
        kind = "raw" if sign else "tree" if file.is_dir() else "blob"
        tag, path = f"{library.name}-v{library.version}", file.relative_to(root).as_posix()
        return f"{sign}{label}({source.rstrip('/')}/{kind}/{tag}/{path}{anchor})"

    parts = _FENCED.split(text)
    parts[::2] = [_LINK.sub(absolute, part) for part in parts[::2]]
    return "".join(parts)


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
