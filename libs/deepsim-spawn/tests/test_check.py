# SPDX-License-Identifier: Apache-2.0
"""The linter: a line per finding with its place, JSON, and an exit status."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from deepsim_spawn.__main__ import main

GOOD = "<robot name='r'><link name='base'/></robot>"
TRIED = """<robot name='r'>
<link name='a'/><link name='b'/>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/>
<limit lower='2' upper='1' effort='1' velocity='1'/></joint>
<transmission/></robot>"""
MESH = """<sdf version='1.7'><world name='w'><model name='m'><link name='l'><collision name='c'>
<geometry><mesh><uri>{}</uri></mesh></geometry></collision></link></model></world></sdf>"""


@pytest.fixture
def file(tmp_path):
    def write(text, name="robot.urdf"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_a_good_file_has_no_findings(file, capsys):
    assert main(["check", file(GOOD), "--strict"]) == 0
    assert capsys.readouterr().out == ""


def test_warnings_have_file_and_line(file, capsys):
    """A repaired value and an element without effect; neither is an error by itself."""
    path = file(TRIED)
    assert main(["check", path]) == 0
    repaired, ignored = capsys.readouterr().out.splitlines()
    assert repaired.startswith(f"{path}:3: warning: robot/joint: joint axis lower limit")
    assert ignored.startswith(f"{path}:5: warning: robot/transmission: ")


def test_a_strict_check_accepts_no_finding(file, capsys):
    """What would be repaired is an error, and warnings count."""
    path = file(TRIED)
    assert main(["check", path, "--strict"]) == 1
    assert f"{path}:3: error: robot[r]/joint[j]: joint axis lower" in capsys.readouterr().out
    assert main(["check", file(GOOD.replace("<link", "<transmission/><link")), "--strict"]) == 1
    assert ":1: warning: robot/transmission" in capsys.readouterr().out


def test_json(file, capsys):
    path = file(TRIED)
    assert main(["check", "--json", path]) == 0
    repaired, ignored = json.loads(capsys.readouterr().out)
    assert repaired["message"].startswith("robot/joint: joint axis lower limit must be <= upper")
    del repaired["message"], ignored["message"]
    assert repaired == {"file": path, "line": 3, "level": "warning", "kind": "repaired"}
    assert ignored == {"file": path, "line": 5, "level": "warning", "kind": "unsupported"}
    assert main(["check", "--json", file(GOOD)]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_all_files_are_checked_and_errors_count(file, capsys, tmp_path):
    """A file that is missing, one that is no XML, and one whose mesh cannot be read."""
    (tmp_path / "bad.stl").write_text("solid")
    files = [
        str(tmp_path / "gone.sdf"),
        file("<robot", "x.urdf"),
        file(MESH.format("bad.stl"), "w"),
    ]
    assert main(["check", *files, file(GOOD)]) == 1
    gone, broken, mesh = capsys.readouterr().out.splitlines()
    assert gone.startswith(f"{files[0]}: error: cannot be opened")
    assert broken.startswith(f"{files[1]}:1: error: malformed XML")
    assert mesh.startswith(f"{tmp_path / 'bad.stl'}: error: ")


def test_uris_are_looked_up_on_the_path(file, tmp_path, capsys):
    (tmp_path / "models").mkdir()
    path = file(MESH.format("model://m/gone.obj"), "w.sdf")
    assert main(["check", path, "--path", str(tmp_path / "models")]) == 1
    assert str(tmp_path / "models") in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["check", path, "--path", str(tmp_path / "nowhere")])


def test_it_runs_as_a_module(file):
    """Findings go to the standard output; the status is that of the process."""
    command = [sys.executable, "-m", "deepsim_spawn", "check", file("<robot/>")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert ":1: error: " in done.stdout
    assert done.stderr == ""
