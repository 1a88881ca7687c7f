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
        f"{COLLIDERS}: 'deepsim-math>=0.1.0,<0.2' excludes deepsim-math 0.2.0, the present version",
    ),
    "a library's version differs from the umbrella's pin": (
        COLLIDERS, 'version = "0.3.2"', 'version = "0.3.3"',
        f"{UMBRELLA}: pins 'deepsim-colliders==0.3.2', should be 'deepsim-colliders==0.3.3';"
        " run tools/pin.py",
    ),
    "the umbrella has a range where it needs a pin": (
        UMBRELLA, "deepsim-math==0.1.0", "deepsim-math>=0.1.0,<0.2",
        f"{UMBRELLA}: pins 'deepsim-math>=0.1.0,<0.2', should be 'deepsim-math==0.1.0';"
        " run tools/pin.py",
    ),
    "the umbrella omits a library": (
        UMBRELLA, "'deepsim-math==0.1.0', ", "",
        f"{UMBRELLA}: omits 'deepsim-math==0.1.0'",
    ),
    "a sibling's range has no cap": (
        COLLIDERS, ">=0.1.0,<0.2", ">=0.1.0",
        f"{COLLIDERS}: 'deepsim-math>=0.1.0' has no upper bound; add one, such as '<0.2'",
    ),
    "a sibling is missing from the path table": (
        COLLIDERS, 'deepsim-math = { path = "../deepsim-math", develop = true }', "",
        f"{COLLIDERS}: deepsim-math is in [project] but not in [tool.poetry.dependencies]",
    ),
    "a sibling is in the path table only": (
        COLLIDERS, "dependencies = ['deepsim-math>=0.1.0,<0.2']", "dependencies = []",
        f"{COLLIDERS}: deepsim-math is in [tool.poetry.dependencies] but not in [project]",
    ),
    "the path table points elsewhere": (
        COLLIDERS, '"../deepsim-math"', '"../deepsim-maths"',
        f"{COLLIDERS}: [tool.poetry.dependencies] deepsim-math = {{'path': '../deepsim-maths',"
        " 'develop': True}, should be {'path': '../deepsim-math', 'develop': True}",
    ),
    "a library names nobody": (
        MATH, 'authors = [{ name = "Somebody" }]\n', "",
        f"{MATH}: has no authors",
    ),
    "a library has no keywords": (
        MATH, '["toys"]', "[]",
        f"{MATH}: has no keywords",
    ),
    "a library has addresses of its own": (
        MATH, "[tool.poetry]\n", '[project.urls]\nSource = "https://example.org"\n\n[tool.poetry]\n',
        f"{MATH}: its urls differ from those of the root; run tools/pin.py",
    ),
    "a licence differs from the root's": (
        "libs/deepsim-math/LICENSE", "like", "please",
        "libs/deepsim-math/LICENSE: differs from the LICENSE of the root; copy that one",
    ),
    "the changelog lacks the version": (
        "libs/deepsim-math/CHANGELOG.md", "0.1.0", "0.0.9",
        "libs/deepsim-math/CHANGELOG.md: lacks a section '## [0.1.0]'",
    ),
    "requires-python and the classifiers differ": (
        COLLIDERS, ">=3.10", ">=3.9",
        f"{COLLIDERS}: requires-python is '>=3.9' but the lowest classifier is Python 3.10",
    ),
    "tox tests fewer Pythons than the classifiers promise": (
        TOX, "{10,11}", "{10}",
        f"{TOX}: env_list tests 3.10 but the classifiers promise 3.10, 3.11",
    ),
    "a sibling needs a later Python": (
        MATH, ">=3.10", ">=3.11",
        f"{COLLIDERS}: requires-python is '>=3.10' but deepsim-math needs '>=3.11'",
    ),
    "an import is not declared": (
        SOURCE, "import deepsim_math", "import deepsim_math\n\ndef late():\n    import PIL.Image",
        f"{SOURCE}:4: imports PIL, but {COLLIDERS} does not declare it",
    ),
    "an import for type checking is not declared": (
        SOURCE, "import deepsim_math",
        "import deepsim_math\n\nif TYPE_CHECKING:\n    from shapely import Point",
        f"{SOURCE}:4: imports shapely, but {COLLIDERS} does not declare it",
    ),
    "a sibling is imported but not declared": (
        "libs/deepsim-math/src/deepsim_math/__init__.py", "", "import deepsim_colliders.box",
        "libs/deepsim-math/src/deepsim_math/__init__.py:1: imports deepsim_colliders,"
        f" but {MATH} does not declare it",
    ),
    "a declared dependency is never imported": (
        COLLIDERS, "dependencies = [", "dependencies = ['shapely>=2.0,<3', ",
        f"{COLLIDERS}: declares shapely, but nothing in src/ imports it",
    ),
    "ROS is imported outside of its library": (
        SOURCE, "import deepsim_math", "import deepsim_math\nfrom geometry_msgs.msg import Pose",
        f"{SOURCE}:2: imports geometry_msgs; only deepsim-gazebo may use ROS",
    ),
    "a dependency is not in the design's table": (
        COLLIDERS, "dependencies = [", "dependencies = ['mujoco>=3.17,<4', ",
        f"{COLLIDERS}: declares mujoco; tools/allowed.py admits deepsim-math, numpy, shapely",
    ),
    "a list at the root omits a library": (
        "tox.ini", "deepsim-math", "",
        "tox.ini: has no line 'deepsim-math'",
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
    assert "3 libraries, 9 rules, 0 problems" in done.stdout
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
