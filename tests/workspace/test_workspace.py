# SPDX-License-Identifier: Apache-2.0
"""tools/workspace.py finds each kind of drift, names the file and what is wrong with it."""

from __future__ import annotations

import re

import pytest

MATH = "libs/deepsim-math/pyproject.toml"
COLLIDERS = "libs/deepsim-colliders/pyproject.toml"
UMBRELLA = "libs/deepsim/pyproject.toml"
SOURCE = "libs/deepsim-colliders/src/deepsim_colliders/__init__.py"
TOX = "libs/deepsim-colliders/tox.ini"

# file, what to replace in it, by what, and the line that the check has to print
DRIFTS = {
    "a library's version left its sibling's range": (
        MATH, 'version = "0.1.0"', 'version = "0.2.0"',
        f"{COLLIDERS}: 'deepsim-math<0.2,>=0.1.0' excludes deepsim-math 0.2.0",
    ),
    "a library's version differs from the umbrella's pin": (
        COLLIDERS, 'version = "0.3.2"', 'version = "0.3.3"',
        f"{UMBRELLA}: 'deepsim-colliders==0.3.2' excludes deepsim-colliders 0.3.3",
    ),
    "the umbrella has a range where it needs a pin": (
        UMBRELLA, "deepsim-math==0.1.0", "deepsim-math>=0.1.0,<0.2",
        f"{UMBRELLA}: 'deepsim-math<0.2,>=0.1.0' should be 'deepsim-math==0.1.0'",
    ),
    "the umbrella omits a library": (
        UMBRELLA, '    "deepsim-math==0.1.0",\n', "",
        f"{UMBRELLA}: omits 'deepsim-math==0.1.0'",
    ),
    "a sibling's range begins at a version that never was": (
        COLLIDERS, ">=0.1.0,<0.2", ">=0.0.1,<0.2",
        f"{COLLIDERS}: 'deepsim-math<0.2,>=0.0.1' should begin at >=0.1.0",
    ),
    "a sibling's range has no cap": (
        COLLIDERS, ">=0.1.0,<0.2", ">=0.1.0",
        f"{COLLIDERS}: 'deepsim-math>=0.1.0' has no upper bound; add one, such as '<0.2'",
    ),
    "a table of Poetry is not that of the dependencies": (
        COLLIDERS, '"../deepsim-math"', '"../deepsim-maths"',
        f"{COLLIDERS}: [tool.poetry.dependencies] deepsim-math is"
        " {'path': '../deepsim-maths', 'develop': True}, should be"
        " {'path': '../deepsim-math', 'develop': True}",
    ),
    "a table of Poetry is not that of tox.ini": (
        TOX, "pytest>=8.3", "pytest>=8.3\n    hypothesis",
        f"{COLLIDERS}: [tool.poetry.group.dev.dependencies] hypothesis is None, should be *",
    ),
    "a table of Poetry has another range": (
        COLLIDERS, 'pytest = ">=8.3"', 'pytest = ">=8"',
        f"{COLLIDERS}: [tool.poetry.group.dev.dependencies] pytest is >=8, should be >=8.3",
    ),
    "a library names nobody": (
        MATH, 'authors = [{ name = "Somebody" }]\n', "",
        f"{MATH}: has no authors",
    ),
    "a library has no keywords": (
        MATH, '["toys"]', "[]",
        f"{MATH}: has no keywords",
    ),
    "a licence differs from the root's": (
        "libs/deepsim-math/LICENSE", "like", "please",
        "libs/deepsim-math/LICENSE: differs from the LICENSE of the root; copy that one",
    ),
    "the changelog lacks the version": (
        "libs/deepsim-math/CHANGELOG.md", "0.1.0", "0.0.9",
        "libs/deepsim-math/CHANGELOG.md: lacks a section '## 0.1.0'",
    ),
    "requires-python and the classifiers differ": (
        COLLIDERS, ">=3.10", ">=3.9",
        f"{COLLIDERS}: requires-python is '>=3.9' but the classifiers promise 3.10, 3.11",
    ),
    "tox tests fewer Pythons than the classifiers promise": (
        TOX, "{10,11}", "{10}",
        f"{TOX}: env_list tests 3.10 but the classifiers promise 3.10, 3.11",
    ),
    "a sibling needs a later Python": (
        MATH, '    "Programming Language :: Python :: 3.10",\n', "",
        f"{COLLIDERS}: deepsim-math does not promise Python 3.10",
    ),
    "an import is not declared": (
        SOURCE, "import deepsim_math", "import deepsim_math\n\ndef late():\n    import PIL.Image",
        f"{SOURCE}:4: {COLLIDERS} does not declare PIL",
    ),
    "an import for type checking is not declared": (
        SOURCE, "import deepsim_math",
        "import deepsim_math\n\nif TYPE_CHECKING:\n    from shapely import Point",
        f"{SOURCE}:4: {COLLIDERS} does not declare shapely",
    ),
    "a sibling is imported but not declared": (
        "libs/deepsim-math/src/deepsim_math/__init__.py", "", "import deepsim_colliders.box",
        "libs/deepsim-math/src/deepsim_math/__init__.py:1:"
        f" {MATH} does not declare deepsim_colliders",
    ),
    "a declared dependency is never imported": (
        COLLIDERS, "dependencies = [", 'dependencies = [\n    "shapely>=2.0,<3",',
        f"{COLLIDERS}: declares shapely, but nothing in src/ imports it",
    ),
    "a list at the root omits a library": (
        "tox.ini", "    deepsim-math\n", "", "tox.ini: does not list deepsim-math",
    ),
    "the import contracts omit a library": (
        ".importlinter", "    deepsim_math\n", "", ".importlinter: does not list deepsim-math",
    ),
    "the front page does not present a library": (
        "README.md", "(libs/deepsim-math)", "",
        "README.md: does not list deepsim-math",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "problem"), DRIFTS.values(), ids=DRIFTS)
def test_drift_is_found(workspace, run_tool, file, old, new, problem):
    """One edit of a sound workspace gives the line that names file and value, and a failure."""
    text = (workspace / file).read_text()
    assert old in text
    (workspace / file).write_text(text.replace(old, new, 1))
    done = run_tool("workspace.py", "--root", workspace)
    assert problem in [line.strip() for line in done.stdout.splitlines()]
    assert done.returncode == 1


@pytest.mark.parametrize(
    "file", ["README.md", "LICENSE", "CHANGELOG.md", "src/deepsim_math/py.typed"]
)
def test_missing_file_is_named(workspace, run_tool, file):
    """Each file that a library owes its users is asked for."""
    (workspace / "libs/deepsim-math" / file).unlink()
    done = run_tool("workspace.py", "--root", workspace)
    assert f"libs/deepsim-math/{file}: missing" in done.stdout
    assert done.returncode == 1


def test_sound_workspace_passes(workspace, run_tool):
    """Without drift nothing is reported."""
    done = run_tool("workspace.py", "--root", workspace)
    assert "3 libraries, 6 rules, 0 problems" in done.stdout
    assert done.returncode == 0


def test_typing_extensions_need_not_be_declared_for_type_checking(workspace, run_tool):
    """Type checkers know typing_extensions, so a guarded import costs the user nothing."""
    guarded = "import deepsim_math\n\nif TYPE_CHECKING:\n    from typing_extensions import Self\n"
    (workspace / SOURCE).write_text(guarded)
    assert run_tool("workspace.py", "--root", workspace).returncode == 0


def test_an_extra_declares_an_import(workspace, run_tool):
    """An optional dependency may be imported, and need not be."""
    extra = "[project.optional-dependencies]\nmeshes = ['trimesh>=4', 'pillow']\n\n[tool.poetry]"
    project = (workspace / COLLIDERS).read_text().replace("[tool.poetry]", extra, 1)
    (workspace / COLLIDERS).write_text(project)
    (workspace / SOURCE).write_text("import deepsim_math\nimport trimesh\n")
    done = run_tool("workspace.py", "--root", workspace)
    assert done.returncode == 0, done.stdout


def test_wrong_folder_is_named(tmp_path, run_tool):
    """A folder without libraries is an error, not an empty success."""
    done = run_tool("workspace.py", "--root", tmp_path)
    assert done.returncode == 1
    assert re.search(r"no libs/\*/pyproject.toml in .*: is that the workspace\?", done.stderr)
