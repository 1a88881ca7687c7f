# SPDX-License-Identifier: Apache-2.0
"""A toy workspace of three libraries, and a way to run the tools on it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

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
dependencies = {dependencies}

[tool.poetry]
packages = [{{ include = "{module}", from = "src" }}]

[tool.poetry.dependencies]
{paths}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small workspace of deepsim-math, deepsim-colliders and the umbrella, without a fault."""
    names = list(LIBRARIES)
    modules = [name.replace("-", "_") for name in names]
    write(tmp_path / "LICENSE", "Do as you like.\n")
    write(tmp_path / "tox.ini", "\n".join(names))
    write(tmp_path / ".importlinter", "\n".join(modules))
    sources = "".join(f'    "libs/{name}/src",\n' for name in names)
    write(tmp_path / "pyproject.toml", f"[tool.mypy]\nmypy_path = [\n{sources}]\n")
    write(tmp_path / "requirements-demo.txt", "\n".join(f"-e ./libs/{name}" for name in names))
    for (name, needs), module in zip(LIBRARIES.items(), modules, strict=True):
        folder = tmp_path / "libs" / name
        siblings = [need.split(">")[0].split("=")[0] for need in needs]
        paths = [f'{name} = {{ path = "../{name}", develop = true }}' for name in siblings]
        project = PYPROJECT.format(
            name=name,
            version=VERSIONS[name],
            module=module,
            dependencies=needs,
            paths="\n".join(paths),
        )
        write(folder / "pyproject.toml", project)
        write(folder / "README.md", f"# {name}\n")
        write(folder / "LICENSE", "Do as you like.\n")
        write(folder / "CHANGELOG.md", f"# Changelog\n\n## [{VERSIONS[name]}] - 2026-11-21\n")
        write(folder / "tox.ini", "[tox]\nenv_list = py3{10,11}, py310-lowest\n")
        imports = [f"import {sibling.replace('-', '_')}\n" for sibling in siblings]
        write(folder / "src" / module / "__init__.py", "".join(imports))
        write(folder / "src" / module / "py.typed", "")
    return tmp_path


@pytest.fixture(scope="session")
def run_tool() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a script of tools/ with arguments and returns what it printed and its exit status."""

    def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, ROOT / "tools" / name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


def write(file: Path, text: str) -> None:
    """Write `text`, making the folders above the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
