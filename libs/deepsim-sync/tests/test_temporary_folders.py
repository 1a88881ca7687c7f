# SPDX-License-Identifier: Apache-2.0
"""Temporary folders that do not stay behind."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from deepsim_sync.temporary_folders import (
    make_temporary_folder,
    process_folder,
    temporary_folder,
)

pytest.importorskip("fcntl", reason="Windows has other locks")

HOLDS = """
import sys
from deepsim_sync.temporary_folders import make_temporary_folder
folder = make_temporary_folder("deepsim-held-")
(folder / "content").write_text("kept")
print(folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def holder() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_a_folder_is_there_while_it_is_used() -> None:
    with temporary_folder("deepsim-used-") as folder:
        assert folder.name.startswith("deepsim-used-")
        assert folder.stat().st_mode & 0o077 == 0
        (folder / "inner").mkdir()
        with temporary_folder("deepsim-used-") as other:
            assert other != folder
            assert (folder / "inner").is_dir()
    assert not folder.exists()
    assert not other.exists()


def test_the_next_one_clears_those_of_killed_processes(tmp_path: Path) -> None:
    """Folders of processes that live, of other names, and of other origin stay."""
    with holder() as killed, holder() as living:
        assert killed.stdout is not None
        assert living.stdout is not None
        left = Path(killed.stdout.readline().strip())
        held = Path(living.stdout.readline().strip())
        foreign = tmp_path / "deepsim-held-by-somebody"
        foreign.mkdir()
        link = tmp_path / "deepsim-held-link"
        link.symlink_to(held)
        killed.kill()
        killed.wait()
        assert (left / "content").read_text() == "kept"
        make_temporary_folder("deepsim-other-")
        assert left.exists()
        make_temporary_folder("deepsim-held-")
        assert not left.exists()
        assert (held / "content").read_text() == "kept"
        assert foreign.is_dir()
        assert link.is_symlink()
        living.communicate("")
    make_temporary_folder("deepsim-held-")
    assert not held.exists()


def test_one_beside_a_users_files_clears_only_its_own_kind(tmp_path: Path) -> None:
    place = tmp_path / "mine"
    (place / ".data[1].kept").mkdir(parents=True)
    program = HOLDS.replace(
        '"deepsim-held-"', 'r".data[1].", __import__("pathlib").Path(sys.argv[1])'
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(place)], stdin=-1, stdout=-1, text=True
    ) as killed:
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().strip())
        killed.kill()
    assert left.parent == place
    assert left.is_dir()
    with temporary_folder(".data[1].", place) as folder:
        assert not left.exists()
        assert sorted(place.iterdir()) == sorted([place / ".data[1].kept", folder])


def test_a_process_has_one_folder_of_a_prefix_until_it_ends() -> None:
    """So has a process that it forked, whose end leaves the folder of the other alone."""
    program = """
import os
from deepsim_sync.temporary_folders import process_folder
folder = process_folder("deepsim-own-")
assert process_folder("deepsim-own-") == folder != process_folder("deepsim-other-")
child = os.fork()
if child == 0:
    assert process_folder("deepsim-own-") != folder
    raise SystemExit
assert os.waitpid(child, 0)[1] == 0
assert folder.is_dir()
print(folder)
"""
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not Path(result.stdout.strip()).exists()
    assert process_folder("deepsim-own-").is_dir()
