# SPDX-License-Identifier: Apache-2.0
"""`deepsim robots`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from deepsim.cli import app
from deepsim_robots import MENAGERIE, ROBOTS

pytestmark = pytest.mark.filterwarnings("ignore::deepsim_spawn.UnsupportedElementWarning")


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["robots", *map(str, arguments)])


def test_list_shows_all_robots() -> None:
    """Those whose package is missing have the command that installs it."""
    rows = json.loads(call("list", "--json").stdout)
    assert [row["robot"] for row in rows] == [*ROBOTS]
    assert rows[0] == {
        "robot": "cartpole",
        "about": "cart on a rail, with a pole that turns freely",
        "kind": "toy",
        "licence": "Apache-2.0",
        "engines": ["mujoco", "gazebo"],
        "package": "deepsim-robots",
        "installed": True,
    }
    text = call("list").stdout
    for entry in ROBOTS.values():
        assert entry.name in text or entry.package == MENAGERIE
        assert entry.is_installed or f"pip install {entry.package}" in text


def test_list_has_the_robots_of_menagerie_that_are_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Robots of a kind stand together, and no line is longer than 80 characters."""
    (tmp_path / "unitree_go2").mkdir()
    (tmp_path / "unitree_go2" / "go2.xml").touch()
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    lines = call("list").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [number for number, line in enumerate(lines) if line and not line.startswith(" ")]
    quadrupeds = lines.index("quadruped")
    end = next(number for number in heads if number > quadrupeds)
    named = [line.split()[0] for line in lines[quadrupeds + 1 : end] if line.strip()]
    assert named == ["quadruped", "go2", "a1", "menagerie/unitree_go2"]
    assert not any("menagerie/unitree_g1" in line for line in lines)


def test_show_has_a_row_for_each_joint() -> None:
    """Limits, gains and home of each joint, and the part that moves it."""
    shown = json.loads(call("show", "arm", "--json").stdout)
    assert shown["actions"] == 7
    assert shown["parts"]["gripper"] == "Mimic, 1 action, 2 joints"
    assert shown["joints"][0]["joint"] == "joint_1"
    second = shown["joints"][1]
    assert (second["part"], second["home"], second["lower"]) == ("arm", 0.2, -2.2)
    assert (second["effort"], second["velocity"]) == (150.0, 3.0)
    assert (second["stiffness"], second["damping"]) == (600.0, 40.0)
    turning = json.loads(call("show", "diffbot", "--json").stdout)["joints"][0]
    assert turning["lower"] is None
    text = call("show", "diffbot").stdout
    assert "left_wheel_joint" in text
    assert "turns" in text


def test_a_name_that_is_not_there_ends_the_command() -> None:
    """The message has the nearest name."""
    for command in ("show", "run"):
        result = call(command, "quadrupde")
        assert result.exit_code == 1
        assert "did you mean 'quadruped'" in result.stdout


PENDULUM = """<robot name="pendulum"><link name="world"/><link name="rod">
<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size=".1 .1 .6"/></geometry></collision>
<visual><geometry><box size=".1 .1 .6"/></geometry></visual></link>
<joint name="hinge" type="revolute"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="9" velocity="4"/></joint></robot>"""


@pytest.mark.filterwarnings("ignore:robot .* nothing holds")
def test_files_are_shown_and_filmed_like_robots_of_the_catalogue(tmp_path: Path) -> None:
    """A model has its joints; a configuration also its parts, gains and home."""
    model, config = tmp_path / "rod.urdf", tmp_path / "rod.yaml"
    model.write_text(PENDULUM)
    config.write_text(
        "source: rod.urdf\nparts: {arm: {joints: hinge, controller: joint_position}}\n"
        "gains: {hinge: {stiffness: 50, damping: 5}}\nhome: {hinge: 0.5}\n"
    )
    bare = json.loads(call("show", model, "--json").stdout)
    assert (bare["robot"], bare["actions"], bare["parts"]) == (str(model), 0, {})
    assert bare["joints"][0]["upper"] == 1.0
    shown = json.loads(call("show", config, "--json").stdout)
    assert shown["parts"] == {"arm": "JointPosition, 1 action, 1 joint"}
    assert (shown["joints"][0]["home"], shown["joints"][0]["stiffness"]) == (0.5, 50.0)
    picture = tmp_path / "rod.png"
    assert call("run", config, "--out", picture, "--width", 64).exit_code == 0
    with Image.open(picture) as image:  # the rod stands on the ground, which is lighter
        assert np.asarray(image.convert("L"))[16:32, 24:40].std() > 5.0


def test_an_mjcf_file_has_an_action_for_each_of_its_actuators(tmp_path: Path) -> None:
    """It stands on the ground, wherever its file puts it."""
    file = tmp_path / "hopper.xml"
    file.write_text("""<mujoco><worldbody><body name="trunk" pos="0 0 -3"><freejoint/>
    <geom size=".2"/><site name="rotor"/><body name="leg" pos="0 0 -.2">
    <joint name="knee" type="slide" axis="0 0 1" range="-.1 .1"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/></body>
    </body></worldbody><actuator><position name="knee" joint="knee" kp="500" kv="20"/>
    <motor name="lift" site="rotor" gear="0 0 1" ctrlrange="0 9"/></actuator></mujoco>""")
    shown = json.loads(call("show", file, "--json").stdout)
    assert shown["actions"] == 2
    assert shown["parts"] == {"controls": "ModelControls, 2 actions, 1 joint"}
    picture = tmp_path / "hopper.png"
    assert call("run", file, "--out", picture, "--width", 64).exit_code == 0
    with Image.open(picture) as image:  # the ball is above the ground, in the middle
        assert np.asarray(image.convert("L"))[8:32, 24:40].std() > 5.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("parts: {a: [}\n", "rod.yaml:1:13"),
        ("parts: {}\n", "rod.yaml has no source"),
        ("source: rod.urdf\n", "rod.urdf: cannot be opened"),
        (None, "No such file"),
    ],
)
def test_mistakes_in_files_are_one_line(tmp_path: Path, text: str | None, problem: str) -> None:
    config = tmp_path / "rod.yaml"
    if text is not None:
        config.write_text(text)
    for command in ("show", "run"):
        result = call(command, config)
        assert result.exit_code == 1
        assert problem in result.stdout.replace("\n", "")
        assert "Traceback" not in result.stdout


def test_run_films_a_robot_that_moves(tmp_path: Path) -> None:
    """The first second is at home, and later pictures differ."""
    path = tmp_path / "arm.gif"
    result = call("run", "arm", "--out", path, "--seconds", 2, "--width", 64)
    assert result.exit_code == 0, result.output
    frames: list[np.ndarray] = []
    with Image.open(path) as film:
        assert film.size == (64, 48)
        for number in range(film.n_frames):  # of which equal ones in a row are one
            film.seek(number)
            picture = np.asarray(film.convert("RGB"), dtype=float)
            frames += [picture] * (film.info["duration"] // 40)
    assert len(frames) == 50
    moved = [np.abs(frame - frames[20]).mean() for frame in frames]
    assert max(moved[10:21]) < 0.2 * moved[38]


def test_run_takes_a_picture_in_which_all_of_a_robot_is(tmp_path: Path) -> None:
    """The frame of the picture shows the ground alone."""
    path = tmp_path / "car.png"
    assert call("run", "car", "--out", path, "--width", 80).exit_code == 0
    with Image.open(path) as image:
        picture = np.asarray(image.convert("HSV"), dtype=float)
    red = (picture[..., 1] > 150) & (picture[..., 2] > 80)
    assert red.any()
    assert not red[[0, -1]].any()
    assert not red[:, [0, -1]].any()


def test_a_picture_of_menagerie_is_named_after_the_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this folder, and not in one that would be named menagerie."""
    (tmp_path / "unitree_go2").mkdir()
    (tmp_path / "unitree_go2" / "go2.xml").write_text(
        "<mujoco><worldbody><body name='base'><freejoint/><geom size='.1'/><body>"
        "<joint name='hip'/><geom size='.1'/></body></body></worldbody>"
        "<actuator><motor joint='hip'/></actuator>"
        "<keyframe><key name='home' qpos='0 0 1 1 0 0 0 0'/></keyframe></mujoco>"
    )
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    result = call("run", "menagerie/unitree_go2", "--video", "png", "--width", 64)
    assert result.exit_code == 0, result.output
    assert Path("unitree_go2.png").is_file()


def test_run_refuses_other_files(tmp_path: Path) -> None:
    """The message says which are taken."""
    result = call("run", "car", "--out", tmp_path / "car.avi")
    assert result.exit_code == 1
    assert "expected a file .webp, .gif, .mp4 or .png" in result.stdout
