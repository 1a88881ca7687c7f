# SPDX-License-Identifier: Apache-2.0
"""A toy workspace of three libraries, and a way to run the tools on it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
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

[tool.poetry.dependencies]
python = ">=3.10,<3.12"
{siblings}
[tool.poetry.group.dev.dependencies]
pytest = ">=8.3"
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small workspace of deepsim-math, deepsim-colliders and the umbrella, without a fault."""
    write(tmp_path / "LICENSE", "Do as you like.\n")
    names = list(LIBRARIES)
    for file, form in (
        ("tox.ini", "    {name}\n"),
        ("requirements-demo.txt", "-e ./libs/{name}\n"),
        (".importlinter", "    {module}\n"),
        ("README.md", "[{name}](libs/{name})\n"),
        ("docs/architecture.md", "[{name}](../libs/{name})\n"),
    ):
        lines = [form.format(name=name, module=name.replace("-", "_")) for name in names]
        write(tmp_path / file, "".join(lines))
    paths = "".join(f'    "libs/{name}/src",\n' for name in names)
    members = '[tool.uv.workspace]\nmembers = ["libs/*"]\n\n[tool.uv.sources]\n'
    members += "".join(f"{name} = {{ workspace = true }}\n" for name in names)
    write(tmp_path / "pyproject.toml", f"[tool.mypy]\nmypy_path = [\n{paths}]\n\n{members}")
    for name, needs in LIBRARIES.items():
        write_library(tmp_path, name, VERSIONS[name], needs)
    return tmp_path


def write_library(root: Path, name: str, version: str, needs: list[str]) -> None:
    """Writes the files that a library has of its own."""
    folder, module = root / "libs" / name, name.replace("-", "_")
    dependencies = "".join(f'    "{need}",\n' for need in needs)
    names = [re.split("[=>]", need)[0] for need in needs]
    siblings = "".join(f'{each} = {{ path = "../{each}", develop = true }}\n' for each in names)
    project = PYPROJECT.format(
        name=name, version=version, module=module, dependencies=dependencies, siblings=siblings
    )
    write(folder / "pyproject.toml", project)
    write(folder / "README.md", f"# {name}\n")
    write(folder / "LICENSE", "Do as you like.\n")
    write(folder / "CHANGELOG.md", f"# Changelog\n\n## {version} (unreleased)\n")
    write(
        folder / "tox.ini",
        "[tox]\nenv_list = py3{10,11}, py310-lowest\n"
        "[testenv]\ndeps =\n    pytest>=8.3\n    lowest: numpy>=1.22\n",
    )
    lines = "".join(f"import {each.replace('-', '_')}\n" for each in names)
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
