#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the libraries with uv, with the addresses of the project in their metadata and READMEs.

    python tools/build.py [--root FOLDER] [--out-dir FOLDER] [OPTIONS OF uv build]

Without options, wheels and source distributions of all libraries are built into dist/.

A package index shows the README of a library without the files beside it. If `[tool.deepsim.urls]`
in the pyproject.toml of the root has addresses, each library gets them. By `Source`, the address of
the repository, the links of its README become absolute; otherwise they name files of the source
distribution.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from workspace import ROOT, tomllib

_FENCED = re.compile(r"(?ms)(^```.*?^```$)")  # code has brackets that are no links
_LINK = re.compile(r"(!?)(\[[^]]*\])\(([^()\s:#]+)(#[^()\s]*)?\)")  # without a scheme
_CACHES = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "build", "dist")


def write_addresses(root: Path, copy: Path, urls: dict[str, str]) -> None:
    """Writes the addresses into all libraries of `copy`, a copy of the workspace at `root`."""
    lines = "".join(f"{json.dumps(name)} = {json.dumps(url)}\n" for name, url in urls.items())
    for project in copy.glob("libs/*/pyproject.toml"):
        text = project.read_text("utf-8")
        project.write_text(f"{text}\n[project.urls]\n{lines}", encoding="utf-8")
        if "Source" in urls:
            about = tomllib.loads(text)["project"]
            tag = f"{about['name']}-v{about['version']}"
            readme = project.with_name("README.md")
            folder = root / readme.parent.relative_to(copy)
            text = with_absolute_links(root, folder, urls["Source"], tag, readme.read_text("utf-8"))
            readme.write_text(text, encoding="utf-8")


def with_absolute_links(root: Path, folder: Path, source: str, tag: str, text: str) -> str:
    """Returns a README of `folder` with addresses in place of links to files of the repository.

    They name a tag, in the form of GitHub, which GitLab takes as well: `source/blob/TAG/FILE`, with
    `raw` for pictures and `tree` for folders.
    """

    def absolute(link: re.Match[str]) -> str:
        sign, label, target, anchor = link.groups(default="")
        file = (folder / target).resolve()
        if not file.exists() or root not in file.parents:
            return link[0]
        kind = "raw" if sign else "tree" if file.is_dir() else "blob"
        path = file.relative_to(root).as_posix()
        return f"{sign}{label}({source.rstrip('/')}/{kind}/{tag}/{path}{anchor})"

    parts = _FENCED.split(text)
    parts[::2] = [_LINK.sub(absolute, part) for part in parts[::2]]
    return "".join(parts)


def main() -> int:
    """Builds; returns the exit status of uv."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to build")
    parser.add_argument("--out-dir", type=Path, help="where the files go; else dist/ in the root")
    parsed, options = parser.parse_known_args()
    root = parsed.root.resolve()
    dist = (parsed.out_dir or root / "dist").resolve()
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    urls = settings.get("tool", {}).get("deepsim", {}).get("urls", {})
    command = [sys.executable, "-m", "uv", "build", "--out-dir", str(dist)]
    with tempfile.TemporaryDirectory(prefix="deepsim-build-") as folder:
        where = root
        if urls:
            where = Path(folder)
            shutil.copytree(root / "libs", where / "libs", ignore=_CACHES)
            shutil.copy(root / "pyproject.toml", where)
            write_addresses(root, where, urls)
        return subprocess.call([*command, *(options or ["--all-packages"])], cwd=where)


if __name__ == "__main__":
    sys.exit(main())
