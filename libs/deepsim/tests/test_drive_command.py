# SPDX-License-Identifier: Apache-2.0
"""`deepsim drive`, as a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deepsim.cli import app
from deepsim_robots import DiffDrive, RobotConfig

WHEEL = """<link name="{side}"><inertial><mass value="0.5"/>
  <inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="{side}_joint" type="continuous"><parent link="base"/><child link="{side}"/>
  <origin xyz="0 {y} 0.1"/><axis xyz="0 1 0"/></joint>"""
ROVER = f"""<robot name="rover"><link name="base"><inertial><origin xyz="0 0 0.1"/>
  <mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0 0 0.15"/><geometry><box size="0.6 0.3 0.1"/></geometry></collision>
</link>{WHEEL.format(side="left", y=0.2)}{WHEEL.format(side="right", y=-0.2)}</robot>"""


def started(*words: object) -> tuple[list[str], int]:
    """Runs the command until its page is served; returns what it printed, and its exit status."""
    command = [sys.executable, "-m", "deepsim", "drive", *map(str, words), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stdout or ():
            lines.append(line.rstrip())
            if line.startswith("http://127.0.0.1:"):
                with urllib.request.urlopen(line.split()[0]) as answer:
                    assert b"<html" in answer.read()
                process.send_signal(signal.SIGINT)
        return lines, process.wait(20)


def test_a_model_is_driven_by_guessed_parts_which_are_written_down(tmp_path: Path) -> None:
    """The guess is printed, and the file that --save writes drives the same robot."""
    (tmp_path / "rover.urdf").write_text(ROVER)
    saved = tmp_path / "rover.yaml"
    lines, status = started(tmp_path / "rover.urdf", "--save", saved)
    assert status == 0
    assert lines[0] == "guessed base: differential drive, 1 + 1 wheels of radius 0.1 m, 0.4 m apart"
    config = RobotConfig.from_yaml(saved)
    assert config.source == tmp_path / "rover.urdf"
    assert isinstance(config.parts["base"].controller, DiffDrive)
    lines, status = started(saved)
    assert status == 0
    assert len(lines) == 1  # the address: nothing is guessed


def test_a_robot_of_the_catalogue_is_driven() -> None:
    """With its own parts."""
    lines, status = started("car")
    assert (len(lines), status) == (1, 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch.urdf"], "nosuch.urdf"),
        (["carr"], "did you mean 'car'"),
        (["car", "--save", "car.yaml"], "--save takes a model"),
        (["rock.urdf"], "no part that can be driven"),
        (["rover.urdf", "--save", "rover.urdf"], "exists"),
    ],
)
def test_what_cannot_be_driven_is_named(tmp_path: Path, monkeypatch, words, message) -> None:
    """In one line; a file that exists is not overwritten."""
    monkeypatch.chdir(tmp_path)
    Path("rover.urdf").write_text(ROVER, encoding="utf-8")
    Path("rock.urdf").write_text(
        '<robot name="rock"><link name="base"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
        encoding="utf-8",
    )
    result = CliRunner().invoke(app, ["drive", *words, "--port", "0"])
    assert result.exit_code == 1
    assert message in result.output
    assert Path("rover.urdf").read_text(encoding="utf-8") == ROVER
