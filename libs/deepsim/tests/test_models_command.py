# SPDX-License-Identifier: Apache-2.0
"""`deepsim models`: what is listed, shown and checked of folders that other people made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from deepsim.cli import app

Models = Callable[..., Result]
BOX = "<collision name='c'><geometry><box><size>1 2 3</size></box></geometry></collision>"
MESH = "<collision name='v'><geometry><mesh><uri>gone.dae</uri></mesh></geometry></collision>"
WIND = "<enable_wind>true</enable_wind>"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Runs the command, as from a wide shell without a search path."""
    monkeypatch.delenv("GAZEBO_MODEL_PATH", raising=False)
    monkeypatch.delenv("GAZEBO_RESOURCE_PATH", raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str | Path) -> Result:
        return CliRunner().invoke(app, ["models", *map(str, arguments)])

    return run


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Models that load, are approximated and fail, a broken world, and xacro that nobody reads."""
    for name, link in {"box": BOX, "dense": BOX + WIND, "ghost": MESH}.items():
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        (folder / "model.config").write_text(
            f"<model><name>The {name}</name><version>1.0</version><author><name>Ann</name></author>"
            "<sdf version='1.6'>model.sdf</sdf></model>"
        )
        (folder / "model.sdf").write_text(
            f"<sdf version='1.6'><model name='{name}'><link name='l'>{link}</link></model></sdf>"
        )
    (tmp_path / "models" / "bad").mkdir()
    (tmp_path / "models" / "bad" / "model.config").write_text("<model>")
    (tmp_path / "broken.world").write_text("<sdf")
    (tmp_path / "code.xacro").write_text("<robot/>")
    return tmp_path


def test_list_names_the_models_and_what_is_wrong(models: Models, collection: Path) -> None:
    result = models("list", "--path", collection / "models")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["box", "The", "box", "1.0"] in rows
    assert any(row[:2] == ["bad", "error:"] for row in rows)


def test_list_says_how_to_give_folders(models: Models, tmp_path: Path) -> None:
    assert "give folders by --path, or set GAZEBO_MODEL_PATH" in models("list").stdout
    assert "folders with a model.config in it" in models("list", "--path", tmp_path).stdout


def test_show_says_what_a_model_is_and_needs(models: Models, collection: Path) -> None:
    said = models("show", "box", "--path", collection / "models").stdout
    rows = [line.split() for line in said.splitlines()]
    assert ["authors", "Ann"] in rows
    assert ["links", "1"] in rows
    assert ["size", "1", "x", "2", "x", "3", "m"] in rows
    said = models("show", "ghost", "--path", collection / "models").stdout
    rows = [line.split() for line in said.splitlines()]
    assert ["misses", "gone.dae"] in rows
    assert any(row[:1] == ["fails"] for row in rows)


@pytest.mark.parametrize("folder", [False, True])
def test_show_takes_a_uri_and_a_folder(models: Models, collection: Path, folder: bool) -> None:
    shelf = collection / "models"
    same = models("show", shelf / "box") if folder else models("show", "model://box", "-p", shelf)
    assert same.stdout == models("show", "box", "-p", shelf).stdout
    assert "The box" in same.stdout


def test_xacro_is_code_that_nobody_runs(models: Models, collection: Path) -> None:
    box = collection / "models" / "box"
    (box / "model.sdf").rename(box / "model.xacro")
    config = (box / "model.config").read_text()
    (box / "model.config").write_text(config.replace("model.sdf", "model.xacro"))
    result = models("check", box)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split()[:1] == ["skipped"]
    assert "its file is xacro, which is code" in result.stdout


def test_a_light_is_a_model_too(models: Models, collection: Path) -> None:
    """As the sun, which is included by most worlds."""
    sun = collection / "models" / "box"
    (sun / "model.sdf").write_text("<sdf version='1.6'><light name='s' type='point'/></sdf>")
    rows = [line.split() for line in models("show", "box", "--path", sun.parent).stdout.split("\n")]
    assert ["lights", "1"] in rows
    assert models("check", sun).stdout.startswith("loads")


def test_models_that_are_checked_find_one_another(models: Models, collection: Path) -> None:
    world = collection / "w" / "two.world"
    world.parent.mkdir()
    world.write_text(
        "<sdf version='1.6'><world name='w'><include><uri>model://box</uri></include></world></sdf>"
    )
    verdicts = [
        line.split(":")[0].split() for line in models("check", collection).stdout.split("\n")
    ]
    assert ["loads", "w/two.world"] in verdicts


@pytest.mark.parametrize(
    ("name", "said"), [("bax", "did you mean 'box'"), ("bad", "malformed XML")]
)
def test_show_of_what_cannot_be_shown_is_one_line(
    models: Models, collection: Path, name: str, said: str
) -> None:
    result = models("show", name, "--path", collection / "models")
    assert result.exit_code == 1
    assert result.stdout.startswith("error: ")
    assert said in result.stdout
    assert result.stdout.count("\n") == 1


def test_check_gives_a_line_for_each(models: Models, collection: Path) -> None:
    result = models("check", collection, "--path", collection / "models")
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert [line.split(":")[0].split() for line in lines[:-1]] == [
        ["fails", "broken.world"],
        ["fails", "models/bad"],
        ["loads", "models/box"],
        ["approximated", "models/dense"],
        ["fails", "models/ghost"],
    ]
    assert "link/enable_wind: not supported, ignored" in lines[3]
    assert "'gone.dae' was not found" in lines[4]
    assert lines[-1] == "5 checked: 1 loads, 1 approximated, 0 skipped, 3 fails"


def test_check_succeeds_where_nothing_fails(models: Models, collection: Path) -> None:
    assert models("check", collection / "models" / "dense").exit_code == 0
    said = models("check", collection / "models" / "dense", "--reasons").stdout
    assert "enable_wind" in said.splitlines()[1]


def test_a_folder_that_does_not_exist_is_refused(models: Models, tmp_path: Path) -> None:
    assert models("check", tmp_path / "gone").exit_code == 2


def test_all_of_them_print_json(models: Models, collection: Path) -> None:
    path = ["--path", collection / "models", "--json"]
    rows = json.loads(models("list", *path).stdout)
    assert {"model": "box", "title": "The box", "version": "1.0"} in rows
    assert [row["model"] for row in rows if "error" in row] == ["bad"]
    shown = json.loads(models("show", "ghost", *path).stdout)
    assert shown["authors"] == "Ann"
    assert shown["misses"] == ["gone.dae"]
    result = models("check", collection, "--json")
    assert result.exit_code == 1
    verdicts = {row["model"]: row["verdict"] for row in json.loads(result.stdout)}
    assert verdicts["models/box"] == "loads"
    assert verdicts["broken.world"] == "fails"


def test_show_and_check_take_mjcf(models: Models, tmp_path: Path) -> None:
    """With its controls and keyframes, and what is not simulated."""
    file = tmp_path / "arm.xml"
    file.write_text("""<mujoco><worldbody><body name="arm"><joint name="j"/><geom size=".1"/></body>
    </worldbody><actuator><motor name="push" joint="j"/></actuator>
    <keyframe><key name="up" qpos="1"/></keyframe><sensor><jointpos joint="j"/>
    <user name="own" dim="1" objtype="body" objname="arm"/></sensor>
    </mujoco>""")
    shown = json.loads(models("show", str(file), "--json").stdout)
    assert (shown["links"], shown["joints"]) == ("2", "1")  # the world is one
    assert (shown["controls"], shown["efforts of"], shown["keyframes"]) == ("1", "push", "up")
    assert "sensors 'own'" in shown["approximated"]
    assert "approximated" in models("check", str(file)).stdout
    file.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    failed = models("check", str(file))
    assert failed.exit_code == 1
    assert "MuJoCo refuses its MJCF" in failed.stdout


def test_check_finds_mjcf_in_folders(models: Models, tmp_path: Path) -> None:
    """Not the parts that it includes, nor other XML."""
    body = '<worldbody><body name="b"><joint/><geom size=".1"/></body></worldbody>'
    (tmp_path / "robot.xml").write_text(f'<mujoco><include file="part.xml"/>{body}</mujoco>')
    (tmp_path / "part.xml").write_text("<mujoco><option timestep='.01'/></mujoco>")
    (tmp_path / "package.xml").write_text("<package/>")
    rows = json.loads(models("check", tmp_path, "--json").stdout)
    assert [row["model"] for row in rows] == ["robot.xml"]


def test_show_says_how_an_mjcf_robot_is_made_and_stands(models: Models, tmp_path: Path) -> None:
    """Masses, types of joints, loops, the lowest point at home, and what each control commands."""
    file = tmp_path / "biped.xml"
    file.write_text("""<mujoco><worldbody><body name="trunk" pos="0 0 9"><freejoint/>
    <geom size=".1" mass="3"/><site name="rotor"/>
    <body name="leg" pos="0 0 -.3"><joint name="knee" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05" mass="1.5"/></body>
    <body name="rod" pos=".1 0 -.3"><joint name="slider" type="slide"/><geom size=".01" mass=".1"/>
    </body></body></worldbody>
    <equality><connect body1="leg" body2="rod" anchor="0 0 -.2"/></equality>
    <actuator><position name="knee" joint="knee" kp="9"/><velocity name="run" joint="slider"/>
    <motor name="jet" site="rotor" ctrlrange="0 9"/></actuator>
    <keyframe><key name="low" qpos="0 0 .6 1 0 0 0 0 0"/></keyframe></mujoco>""")
    shown = json.loads(models("show", str(file), "--json").stdout)
    assert (shown["mass"], shown["masses"]) == ("4.6 kg", "trunk 3, leg 1.5, rod 0.1")
    assert (shown["base"], shown["joint types"]) == ("free", "1 free, 1 hinge, 1 slide")
    assert shown["closes loops"] == "connect of leg and rod"
    assert shown["lowest point"] == "-0.15 m at keyframe 'low'"  # .6 - .3 - .4 - .05
    own = {key: shown[key] for key in ("positions of", "velocities of", "actuators")}
    assert own == {"positions of": "knee", "velocities of": "run", "actuators": "jet"}


LINKAGE = """<sdf version="1.7"><model name="linkage">{links}
<joint name="a" type="revolute"><parent>world</parent><child>one</child>{axis}</joint>
<joint name="b" type="revolute"><parent>one</parent><child>two</child>{axis}</joint>
<joint name="c" type="revolute"><parent>world</parent><child>two</child>{axis}</joint>
</model></sdf>"""


@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_joints_that_nothing_holds_and_loops_are_named(
    models: Models, tmp_path: Path, damping: float
) -> None:
    """Before anything moves; a remark does not make a model approximated."""
    file = tmp_path / "linkage.sdf"
    inertial = "<inertial><mass>1</mass></inertial>"
    axis = (
        f"<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>"
        f"<dynamics><damping>{damping}</damping></dynamics></axis>"
    )
    links = f"<link name='one'>{inertial}</link><link name='two'>{inertial}</link>"
    file.write_text(LINKAGE.format(links=links, axis=axis))
    shown = json.loads(models("show", file, "--json").stdout)
    assert shown["closes loops"] == "c"
    assert ("held by nothing" in shown) == (damping == 0.0)
    checked = json.loads(models("check", file, "--json").stdout)
    remark = "nothing holds joint a, b, c until gains or a controller do"
    assert (remark in checked[0]["reasons"]) == (damping == 0.0)


def test_show_and_check_take_a_file(models: Models, tmp_path: Path) -> None:
    """A URDF file whose tool has no mass, which is repaired, and whose visual has no mesh."""
    path = tmp_path / "arm.urdf"
    path.write_text(
        "<robot name='arm'><link name='base'><inertial><mass value='0'/></inertial><visual>"
        "<geometry><mesh filename='gone.stl'/></geometry></visual></link></robot>"
    )
    shown = models("show", path, "--json")
    assert shown.exit_code == 0
    fields = json.loads(shown.stdout)
    assert (fields["links"], fields["misses"]) == ("1", ["gone.stl"])
    assert "arm.urdf:1" in fields["approximated"]
    checked = models("check", path)
    assert checked.exit_code == 0
    assert checked.stdout.startswith("approximated arm.urdf: ")
    path.write_text("<robot>")
    assert models("check", path).exit_code == 1
