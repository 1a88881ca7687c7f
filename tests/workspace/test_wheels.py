# SPDX-License-Identifier: Apache-2.0
"""Wheels and source distributions of all libraries, and the links of their READMEs."""

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
    """A folder with the files of all libraries, built from this working tree."""
    folder = tmp_path_factory.mktemp("dist")
    done = run_tool("build.py", "--all-packages", "--out-dir", folder)
    assert done.returncode == 0, done.stderr
    return folder


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
    settings.write_text(f'{settings.read_text()}\n[tool.deepsim.urls]\nSource = "{address}"\n')
    assert run_tool("build.py", "--root", workspace, "--package", "deepsim-math").returncode == 0

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
