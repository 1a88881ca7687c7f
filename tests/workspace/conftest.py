# SPDX-License-Identifier: Apache-2.0
"""A toy workspace of three libraries, and a way to run the tools on it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = {
    "deepsim-math": [],
    "deepsim-colliders": ["deepsim-math>=0.1.0,<0.2"],
    "deepsim": ["deepsim-math==0.1.0", "deepsim-colliders==0.3.2"],
}
VERSIONS = {"deepsim-math": "0.1.0", "deepsim-colliders": "0.3.2", "deepsim": "0.1.0"}

PYPROJECT = """\
[build-system]
requires = ["poetry-core>=2.0,<3"]
build-backend = "poetry.core.masonry.api"

[project]
name = "{name}"
version = "{version}"
description = "A toy."
readme = "README.md"
license = "Apache-2.0"
license-files = ["LICENSE"]
authors = [{{ name = "Somebody" }}]
keywords = ["toys"]
requires-python = ">=3.10"
classifiers = [
    "Programming Language :: Python :: 3.10",
    "Programming Language :: Python :: 3.11",
]
dependencies = [
{dependencies}]

[tool.poetry]
packages = [{{ include = "{module}", from = "src" }}]
"""


@pytest.fixture
def workspace(tmp_path: Path, run_tool: Run) -> Path:
    """A small workspace of deepsim-math, deepsim-colliders and the umbrella, without a fault."""
    write(tmp_path / "LICENSE", "Do as you like.\n")
    write(tmp_path / "tox.ini", "[tox]\nenv_list =\n    deepsim\n")
    write(tmp_path / ".importlinter", "")
    write(tmp_path / "pyproject.toml", '[tool.mypy]\nmypy_path = [\n    "libs/deepsim/src",\n]\n')
    write(tmp_path / "requirements-demo.txt", "-e ./libs/deepsim\n")
    for name, needs in LIBRARIES.items():
        write_library(tmp_path, name, VERSIONS[name], needs)
    for page, folder in (("README.md", "libs"), ("docs/architecture.md", "../libs")):
        write(tmp_path / page, "".join(f"[{name}]({folder}/{name})\n" for name in LIBRARIES))
    run_tool("pin.py", "--root", tmp_path)
    return tmp_path


@pytest.fixture
def add_library(workspace: Path) -> Callable[[str, str, list[str]], None]:
    """Adds the files of one more library to the workspace."""
    return partial(write_library, workspace)


def write_library(root: Path, name: str, version: str, needs: list[str]) -> None:
    """Writes the files that a library has of its own."""
    folder, module = root / "libs" / name, name.replace("-", "_")
    dependencies = "".join(f'    "{need}",\n' for need in needs)
    project = PYPROJECT.format(name=name, version=version, module=module, dependencies=dependencies)
    write(folder / "pyproject.toml", project)
    write(folder / "README.md", f"# {name}\n")
    write(folder / "LICENSE", "Do as you like.\n")
    write(folder / "CHANGELOG.md", f"# Changelog\n\n## [{version}] - 2026-11-21\n")
    write(
        folder / "tox.ini",
        "[tox]\nenv_list = py3{10,11}, py310-lowest\n"
        "[testenv]\ndeps =\n    pytest>=8.3\n    lowest: numpy>=1.22\n",
    )
    imports = [re.split("[=>]", need)[0].replace("-", "_") for need in needs]
    lines = "".join(f"import {imported}\n" for imported in imports)
    write(folder / "src" / module / "__init__.py", lines)
    write(folder / "src" / module / "py.typed", "")


@pytest.fixture(scope="session")
def run_tool() -> Run:
    """Runs a script of tools/ with arguments and returns what it printed and its exit status."""

    def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, ROOT / "tools" / name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


def write(file: Path, text: str) -> None:
    """Write `text`, making the folders above the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
