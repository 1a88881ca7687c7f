# SPDX-License-Identifier: Apache-2.0
"""Each library's wheel installs alone, brings only what it may, and can be imported."""

from __future__ import annotations

import email
import re
import tarfile
import zipfile
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


def test_links_of_a_readme_name_files_of_its_source(dist):
    """Without an address of the project, whoever unpacks a source distribution has its pages."""
    checked = set()
    for file in dist.glob("*.tar.gz"):
        with tarfile.open(file) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
            if not any(name.startswith("docs/") for name in names):
                continue
            readme = archive.extractfile(f"{file.name[: -len('.tar.gz')]}/README.md")
            links = re.findall(r"\]\(((?:docs|examples)/[^)#]+)", readme.read().decode())
        assert links
        assert set(links) <= names, file.name
        checked.add(file.name.partition("-")[0])
    assert "deepsim_btree" in checked


def test_address_of_the_project_enters_links_and_metadata(workspace, run_tool):
    """An index shows a README without the files beside it; code and other links stay."""
    folder, address = workspace / "libs/deepsim-math", "http://localhost:8000/deepsim"
    for name in ("docs/turns.md", "docs/turn.png", "examples/t01.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    kept = "[a](https://example.org/docs/turns.md) [b](#turns) [c](docs/missing.md)\n"
    code = "```python\nturns[0](docs/turns.md)\n```\n"
    links = "[d](docs/turns.md#half) ![e](docs/turn.png) [f](examples) [g](../../LICENSE)\n"
    (folder / "README.md").write_text(kept + code + links)
    settings = workspace / "pyproject.toml"
    settings.write_text(f'[tool.deepsim.urls]\nSource = "{address}"\n' + settings.read_text())
    assert run_tool("pin.py", "--root", workspace).returncode == 0
    assert run_tool("build.py", "--root", workspace).returncode == 0

    wheel = workspace / "dist/deepsim_math-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("deepsim_math-0.1.0.dist-info/METADATA").decode()
    with tarfile.open(workspace / "dist/deepsim_math-0.1.0.tar.gz") as archive:
        readme = archive.extractfile("deepsim_math-0.1.0/README.md").read().decode()

    tag, own = "deepsim-math-v0.1.0", "libs/deepsim-math"
    assert readme == kept + code + (
        f"[d]({address}/blob/{tag}/{own}/docs/turns.md#half)"
        f" ![e]({address}/raw/{tag}/{own}/docs/turn.png)"
        f" [f]({address}/tree/{tag}/{own}/examples) [g]({address}/blob/{tag}/LICENSE)\n"
    )
    message = email.message_from_string(metadata)
    assert message.get_all("Project-URL") == [f"Source, {address}"]
    assert message.get_payload().strip() == readme.strip()
    assert (folder / "README.md").read_text() == kept + code + links


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
