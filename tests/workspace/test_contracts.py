# SPDX-License-Identifier: Apache-2.0
"""The contracts in .importlinter break when an import goes against the design's table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(folder.name.replace("-", "_") for folder in ROOT.glob("libs/*"))
TABLE = "A library imports what its row admits"
CIRCLES = "No circle of imports within a library"


@pytest.fixture
def lint(tmp_path):
    """Lints packages of our names that hold nothing but this code; returns broken contracts.

    Imports are those of a package; modules are files with their code.
    """

    def lint(imports: dict[str, list[str]], modules: dict[str, str] | None = None) -> set[str]:
        for module in MODULES:
            (tmp_path / module).mkdir()
            lines = [f"import {imported}\n" for imported in imports.get(module, [])]
            (tmp_path / module / "__init__.py").write_text("".join(lines))
        for name, text in (modules or {}).items():
            file = tmp_path / name
            file.parent.mkdir(exist_ok=True)
            (file.parent / "__init__.py").touch()
            file.write_text(text)
        command: list[str | Path] = [
            Path(sys.executable).with_name("lint-imports"),
            "--no-cache",
            "--no-logo",
        ]
        done = subprocess.run(
            [*command, "--config", ROOT / ".importlinter"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
            capture_output=True,
            text=True,
            check=False,
        )
        suffix = " BROKEN"
        lines = done.stdout.splitlines()
        broken = {line.removesuffix(suffix) for line in lines if line.endswith(suffix)}
        assert "kept" in done.stdout, done.stdout + done.stderr
        assert done.returncode == (1 if broken else 0)
        return broken

    return lint


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        # up, and sideways
        ("deepsim_math", "deepsim_sync"),
        ("deepsim_sync", "deepsim_colliders"),
        ("deepsim_colliders", "deepsim_btree"),
        ("deepsim_spawn", "deepsim_mujoco"),
        ("deepsim_envs", "deepsim_mujoco"),
        ("deepsim_mujoco", "deepsim_gazebo"),
        ("deepsim_gazebo", "deepsim_fx"),
        ("deepsim_envs", "deepsim"),
        # down, but not in the row
        ("deepsim_envs", "deepsim_colliders"),
        ("deepsim_mujoco", "deepsim_btree"),
        ("deepsim_gazebo", "deepsim_spawn"),
        ("deepsim_envs", "deepsim_math"),
        ("deepsim_btree", "deepsim_math"),
        # packages of others
        ("deepsim_btree", "numpy"),
        ("deepsim_sync", "pytest"),
        ("deepsim_sync", "rospy"),
        ("deepsim", "geometry_msgs.msg"),
        ("deepsim_sync", "mujoco"),
        ("deepsim", "mujoco"),
        ("deepsim_mujoco", "shapely.geometry"),
        ("deepsim_sync", "lxml.etree"),
        ("deepsim_sync", "gymnasium"),
        ("deepsim_soccer", "torch"),
    ],
)
def test_an_import_that_no_row_admits_breaks(lint, importer, imported):
    """Wherever it points."""
    assert lint({importer: [imported]}) == {TABLE}


def test_a_folder_may_have_a_row_of_its_own(lint):
    """Batches of trees are an extra, which the package itself does not import."""
    assert lint({}, {"deepsim_btree/batch/many.py": "import numpy"}) == set()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "deepsim_a:\n    deepsim_b: deepsim_a",
            "row of deepsim_b names deepsim_a, whose row is above",
        ),
        ("deepsim_a: deepsim_b", "deepsim_b has no row"),
    ],
)
def test_a_table_that_cannot_be_right_is_broken(tmp_path, rows, said):
    """Rows that name a library above, and a library without a row."""
    for name in ("deepsim_a", "deepsim_b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / ".importlinter").write_text(
        "[importlinter]\nroot_packages =\n    deepsim_a\n    deepsim_b\n"
        "include_external_packages = True\ncontract_types =\n    table: tools.contracts.Table\n"
        f"[importlinter:contract:table]\nname = Rows\ntype = table\nrows =\n    {rows}\n"
    )
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said in done.stdout
    assert done.returncode == 1


def test_the_table_itself_passes(lint):
    """What the design's table admits breaks nothing."""
    allowed = {
        "deepsim": [module for module in MODULES if module != "deepsim"],
        "deepsim_envs": ["deepsim_sync", "gymnasium"],
        "deepsim_soccer": ["deepsim_btree", "deepsim_envs", "deepsim_robots", "deepsim_math"],
        "deepsim_gazebo": ["deepsim_sync", "deepsim_math", "rospy", "gazebo_msgs.msg"],
        "deepsim_mujoco": ["deepsim_sync", "deepsim_spawn", "deepsim_math", "mujoco"],
        "deepsim_robots": ["deepsim_spawn", "deepsim_sync", "deepsim_math", "yaml"],
        "deepsim_viewer": [
            "deepsim_envs",
            "deepsim_spawn",
            "deepsim_sync",
            "deepsim_math",
            "viser",
        ],
        "deepsim_transport": [
            "deepsim_spawn",
            "deepsim_sync",
            "deepsim_math",
            "zenoh",
            "google.protobuf",
        ],
        "deepsim_scenes": ["deepsim_spawn", "deepsim_sync", "deepsim_math", "yaml", "scenic"],
        "deepsim_fx": ["deepsim_sync", "deepsim_math"],
        "deepsim_spawn": ["deepsim_sync", "deepsim_math", "lxml", "xacro"],
        "deepsim_sync": ["deepsim_math"],
        "deepsim_colliders": ["deepsim_math", "shapely"],
        "deepsim_math": ["numpy"],
    }
    assert lint(allowed) == set()


@pytest.mark.parametrize(
    ("back", "broken"),
    [
        ("from deepsim_sync import pair", {CIRCLES}),
        ("def f():\n    from deepsim_sync import pair", {CIRCLES}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import pair", set()),
    ],
)
def test_a_circle_of_modules_breaks(lint, back, broken):
    """Wherever the import stands, unless it is for annotations."""
    modules = {"deepsim_sync/pair.py": "from . import other", "deepsim_sync/other.py": back}
    assert lint({}, modules) == broken


def test_a_circle_of_folders_breaks(lint):
    """Even where no two modules import each other."""
    modules = {
        "deepsim_sync/rows/a.py": "import deepsim_sync.world.a",
        "deepsim_sync/world/a.py": "",
        "deepsim_sync/world/b.py": "import deepsim_sync.rows.b",
        "deepsim_sync/rows/b.py": "",
    }
    assert lint({}, modules) == {CIRCLES}


def test_a_module_may_not_import_its_package(lint):
    """The package imports its modules, so that would be a circle."""
    modules = {"deepsim_sync/rows/a.py": "import deepsim_sync.rows"}
    assert lint({}, modules) == {CIRCLES}
