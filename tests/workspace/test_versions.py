# SPDX-License-Identifier: Apache-2.0
"""tools/versions.py compares a library with its last release, and says what version it deserves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

INIT = 'from .values import Vector\n\n__all__ = ["Vector"]\n'
VALUES = """\
class Vector:
    def dot(self, other, scale=1):
        return 0

    def _sum(self):
        return 0
"""


def git(root: Path, *arguments: str) -> None:
    """Runs git as somebody."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def library(workspace):
    """The folder of deepsim-math, released as 0.1.0 and then opened as 0.1.1."""
    folder = workspace / "libs/deepsim-math"
    source = folder / "src/deepsim_math"
    (source / "__init__.py").write_text(INIT)
    (source / "values.py").write_text(VALUES)
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    git(workspace, "commit", "-qm", "Release deepsim-math 0.1.0")
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('"0.1.0"', '"0.1.1"', 1))
    changelog = folder / "CHANGELOG.md"
    changelog.write_text(
        changelog.read_text().replace("## [0.1.0]", "## [0.1.1] - 2026-11-22\n\n## [0.1.0]")
    )
    git(workspace, "commit", "-qam", "Open deepsim-math 0.1.1")
    return folder


@pytest.fixture
def check(run_tool, workspace):
    """Runs the tool on deepsim-math; returns its exit status and what it printed."""

    def run() -> tuple[int, str]:
        done = run_tool("versions.py", "--root", workspace, "deepsim-math")
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout

    return run


def edit(library: Path, file: str, before: str, after: str) -> None:
    """Replaces text in a file of the library."""
    path = library / file
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


@pytest.mark.parametrize("tagged", [False, True])
def test_a_library_that_keeps_its_names_may_raise_its_last_number(
    library, workspace, check, tagged
):
    """The last release is a tag, or before the first one the commit before the version."""
    if tagged:
        git(workspace, "tag", "deepsim-math-v0.1.0", "HEAD~")
    edit(library, "src/deepsim_math/values.py", "return 0", "return 1")
    assert check() == (0, "ok    deepsim-math 0.1.1, since 0.1.0\n")


@pytest.mark.parametrize(
    ("file", "before", "after", "named"),
    [
        ("values.py", "other, scale=1", "other", r"dot\(scale\).*removed"),
        ("values.py", "scale=1", "scale", r"dot\(scale\).*required"),
        ("values.py", "def dot", "def inner", "dot.*removed"),
        ("__init__.py", '"Vector"', "", "Vector.*removed"),
    ],
)
def test_a_break_asks_for_a_higher_version(library, check, file, before, after, named):
    """0.1.1 is too low for it; the line says what breaks, and 0.2.0 is right."""
    edit(library, f"src/deepsim_math/{file}", before, after)
    status, printed = check()
    assert status == 1
    assert "0.1.1 follows 0.1.0, but deserves at least 0.2.0" in printed
    assert re.search(f"breaks: .*{named}", printed), printed
    edit(library, "pyproject.toml", '"0.1.1"', '"0.2.0"')
    assert check()[0] == 0


def test_what_is_not_promised_may_change(library, check):
    """Private names, and the module in which a public name is defined."""
    edit(library, "src/deepsim_math/values.py", "    def _sum(self):\n        return 0\n", "")
    (library / "src/deepsim_math/values.py").rename(library / "src/deepsim_math/vectors.py")
    edit(library, "src/deepsim_math/__init__.py", ".values", ".vectors")
    assert check()[0] == 0


def test_a_changelog_that_removes_asks_for_a_higher_version(library, check):
    """What griffe cannot see, such as a command or a file, is told by the changelog."""
    edit(library, "CHANGELOG.md", "2026-11-22\n", "2026-11-22\n\n### Removed\n\n- A command.\n")
    status, printed = check()
    assert status == 1
    assert "deserves at least 0.2.0: Removed" in printed


def test_a_note_that_removes_asks_for_a_higher_version(library, check):
    """Notes that no release has collected count like the headings."""
    (library / "changes").mkdir()
    (library / "changes/command.removed.md").write_text("A command.\n")
    status, printed = check()
    assert status == 1
    assert "deserves at least 0.2.0: Removed" in printed


def test_new_names_are_listed(library, check):
    """They need no more than the third number while a version is 0.x."""
    edit(library, "src/deepsim_math/values.py", "class Vector", "class Point: ...\n\nclass Vector")
    edit(library, "src/deepsim_math/__init__.py", "import Vector", "import Point, Vector")
    edit(library, "src/deepsim_math/__init__.py", '["Vector"]', '["Point", "Vector"]')
    assert check() == (0, "ok    deepsim-math 0.1.1, since 0.1.0\n        new: Point\n")


def test_names_of_another_library_are_not_ours(library, workspace, run_tool):
    """The umbrella re-exports; what breaks in a sibling is the sibling's."""
    umbrella = workspace / "libs/deepsim"
    edit(
        umbrella,
        "src/deepsim/__init__.py",
        "import deepsim_math",
        "from deepsim_math import Vector",
    )
    with (umbrella / "src/deepsim/__init__.py").open("a") as file:
        file.write('__all__ = ["Vector"]\n')
    git(workspace, "commit", "-qam", "Re-export")
    git(workspace, "tag", "deepsim-v0.1.0")
    edit(umbrella, "pyproject.toml", '"0.1.0"', '"0.1.1"')
    edit(library, "src/deepsim_math/values.py", "other, scale=1", "other")
    done = run_tool("versions.py", "--root", workspace, "deepsim")
    assert done.stdout == "ok    deepsim 0.1.1, since 0.1.0\n", done.stderr
