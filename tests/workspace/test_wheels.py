# SPDX-License-Identifier: Apache-2.0
"""Each library's wheel installs alone, brings only what it may, and can be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

LIBRARIES = sorted(folder.name for folder in Path(__file__).parents[2].glob("libs/*"))


@pytest.fixture(scope="module")
def dist(run_tool, tmp_path_factory):
    """A folder with the wheels of all libraries, built from this working tree."""
    folder = tmp_path_factory.mktemp("dist")
    done = run_tool("build.py", "--dist", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_installs_alone(run_tool, dist, library):
    """Into an empty environment, with nothing fetched; only allowed dependencies come along."""
    done = run_tool("check_wheels.py", "--dist", dist, library)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_wheels_and_sources_are_built(dist):
    """Every library gets one wheel for all platforms and one source distribution."""
    wheels = [file.name for file in dist.glob("*.whl")]
    assert len(wheels) == len(list(dist.glob("*.tar.gz"))) == len(LIBRARIES)
    assert all(name.endswith("-py3-none-any.whl") for name in wheels)


def check_toy(workspace, run_tool):
    """Build the toy workspace and check its wheels; returns what the check printed."""
    assert run_tool("build.py", "--root", workspace).returncode == 0
    done = run_tool("check_wheels.py", "--root", workspace)
    return done.returncode, done.stdout


def test_sound_libraries_pass(workspace, run_tool):
    """Libraries without a fault install alone, and the report says what each one brings."""
    status, report = check_toy(workspace, run_tool)
    assert "deepsim-math on Python" in report
    assert "brings nothing" in report
    assert report.endswith("0 failed\n")
    assert status == 0


def test_undeclared_import_fails(workspace, run_tool):
    """A sibling that is imported but not declared is missing in the empty environment.

    The sound wheel of the same version that was installed before must not hide it.
    """
    assert check_toy(workspace, run_tool)[0] == 0
    source = workspace / "libs/deepsim-math/src/deepsim_math/__init__.py"
    source.write_text("import deepsim_colliders\n")
    status, report = check_toy(workspace, run_tool)
    assert "FAIL  cannot import deepsim_math" in report
    assert "No module named 'deepsim_colliders'" in report
    assert status == 1


def test_forbidden_sibling_fails(workspace, run_tool):
    """A sibling that the design's table does not admit must not come along, declared or not."""
    project = workspace / "libs/deepsim-math/pyproject.toml"
    needs = 'dependencies = [\n    "deepsim-colliders>=0.3,<0.4",\n]'
    declared = project.read_text().replace("dependencies = [\n]", needs)
    project.write_text(declared)
    status, report = check_toy(workspace, run_tool)
    assert "FAIL  deepsim-math: brings deepsim-colliders along" in report
    assert status == 1


def test_unsatisfiable_range_fails(workspace, run_tool):
    """A range that no built sibling satisfies is an installation error that names it."""
    project = workspace / "libs/deepsim-colliders/pyproject.toml"
    project.write_text(project.read_text().replace(">=0.1.0,<0.2", ">=0.4,<0.5"))
    status, report = check_toy(workspace, run_tool)
    assert "FAIL  deepsim-colliders==0.3.2 does not install alone" in report
    assert "deepsim-math" in report
    assert status == 1


def test_stale_wheels_are_removed(workspace, run_tool):
    """A build leaves no wheel of an earlier version that an installer could pick."""
    project = workspace / "libs/deepsim-math/pyproject.toml"
    assert run_tool("build.py", "--root", workspace).returncode == 0
    project.write_text(project.read_text().replace('"0.1.0"', '"0.1.1"'))
    assert run_tool("build.py", "--root", workspace).returncode == 0
    wheels = [file.name for file in (workspace / "dist").glob("deepsim_math*.whl")]
    assert wheels == ["deepsim_math-0.1.1-py3-none-any.whl"]
