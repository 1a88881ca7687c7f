# SPDX-License-Identifier: Apache-2.0
"""The catalogue: names, packages, and settings of MJCF."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_robots import (
    KINDS,
    ROBOTS,
    CatalogueEntry,
    Gains,
    JointPosition,
    MissingPackageError,
    Part,
    Robot,
    RobotConfig,
    find_robot,
)
from deepsim_robots.traits import joint_axes
from deepsim_spawn import MjcfModel
from deepsim_sync import UnknownEntityError, World

TUNED = MjcfModel("""<mujoco model="tuned">
<default>
  <position kp="5"/>
  <default class="strong"><position kp="300" kv="20" forcerange="-40 40"/></default>
  <default class="slide"><joint type="slide" range="-1 1"/></default>
</default>
<worldbody>
  <body name="floating"><freejoint/><geom size=".1"/>
    <body name="a"><joint name="hinge" axis="0 0 1"/><geom size=".1"/>
      <body name="b" childclass="slide"><joint name="slide"/><geom size=".1"/>
        <body name="c"><joint name="ball" class="main" type="ball"/><geom size=".1"/></body>
      </body>
      <body name="d"><joint name="last" range="-45 90"/><geom size=".1"/></body>
    </body>
  </body>
</worldbody>
<actuator>
  <position class="strong" joint="hinge"/>
  <position joint="slide" gear="2"/>
  <general joint="last" gainprm="70" biastype="affine" biasprm="0 -70 -3"/>
  <motor joint="last"/>
</actuator>
<keyframe><key name="home" qpos="1 2 3 1 0 0 0 .25 -.5 1 0 0 0 .75"/></keyframe>
</mujoco>""")


def test_a_robot_of_an_mjcf_file_has_its_home_and_gains(tmp_path: Path):
    """By name from YAML, without the catalogue; the configuration may replace both."""
    (tmp_path / "tuned.xml").write_text(TUNED.text)
    file = tmp_path / "tuned.yaml"
    file.write_text(
        "source: tuned.xml\ngains: {slide: {stiffness: 7, damping: 1}}\nhome: {last: 1}"
    )
    config = RobotConfig.from_yaml(file)
    traits = Robot(World(MujocoSimulator()), config, "tuned").joints.traits
    assert traits.home.tolist() == [0.25, -0.5, 0.0, 0.0, 0.0, 1.0]
    assert traits.stiffness.tolist() == [300.0, 7.0, 0.0, 0.0, 0.0, 70.0]
    assert traits.damping.tolist() == [20.0, 1.0, 0.0, 0.0, 0.0, 3.0]
    assert traits.effort_limit[0] == 40.0


def test_ranges_of_joints_are_those_of_a_file():
    """Hinges have degrees, unless the compiler says radian, and slides metres."""
    axes = joint_axes(TUNED)
    assert [*axes] == ["hinge", "slide", "ball", "ball::2", "ball::3", "last"]
    assert (axes["slide"].lower, axes["slide"].upper) == (-1.0, 1.0)
    assert axes["hinge"].upper == np.inf
    assert axes["last"].upper == pytest.approx(np.pi / 2)


def test_settings_of_an_entry_count_before_those_of_its_file(make_world, monkeypatch):
    """A robot is at the keyframe with the actuators' gains, where its entry is silent."""
    entry = CatalogueEntry(
        "tuned",
        "with tuned joints",
        "arm",
        "tuned.xml",
        parts={"arm": Part(["hinge"], JointPosition())},
        home={"hinge": 0.5},
        gains={"slide": Gains(9.0, 1.0)},
    )
    monkeypatch.setattr(CatalogueEntry, "description", lambda self, **_: TUNED)
    assert entry.engines == ("mujoco",)
    robot = Robot(make_world(), entry.load(), "tuned")
    np.testing.assert_array_equal(robot.joints.traits.home[:2], [0.5, -0.5])
    np.testing.assert_array_equal(robot.joints.traits.stiffness[:2], [300.0, 9.0])


def test_a_robot_is_loaded_by_its_name(make_world):
    """By default it has the name of the catalogue, and stands on the ground."""
    world = make_world(2)
    robot = Robot.load(world, "quadruped")
    assert robot.name == "quadruped"
    np.testing.assert_allclose(robot.model.pose[:, 0, 2], ROBOTS["quadruped"].height)
    other = Robot.load(world, "quadruped", "other", Pose((2.0, 0.0, 0.5)))
    np.testing.assert_allclose(other.model.pose[:, 0, :3], [[2.0, 0.0, 0.5]] * 2)


def test_a_name_that_is_not_there_is_an_error_with_the_nearest():
    """The message has names to choose from."""
    assert find_robot("panda") is ROBOTS["panda"]
    with pytest.raises(UnknownEntityError, match=r"pnada.*'panda'"):
        find_robot("pnada")


def test_a_missing_package_is_an_error_with_the_command():
    """No download is tried."""
    entry = replace(ROBOTS["panda"], package="no-such-package-of-robots")
    assert not entry.is_installed
    with pytest.raises(
        MissingPackageError, match=r"'panda'.*pip install no-such-package-of-robots"
    ):
        entry.load()


def test_a_package_without_the_file_is_an_error():
    """The message names the package and the file."""
    entry = replace(ROBOTS["panda"], package="numpy", file="numpy/panda.urdf")
    with pytest.raises(MissingPackageError, match=r"numpy .* has no 'numpy/panda.urdf'"):
        entry.load()


@pytest.mark.parametrize("entry", ROBOTS.values(), ids=lambda entry: entry.name)
def test_entries_say_where_they_are_from(entry):
    """Each has a kind, a licence, and words about it; those of others name their package."""
    assert entry.kind in KINDS
    assert entry.about
    assert entry.licence
    assert bool(entry.package) == ("/" in entry.file)
    assert "mujoco" in entry.engines
    assert "gazebo" not in entry.engines or not entry.is_mjcf


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A package mujoco-menagerie whose registry has one robot, without its files."""
    entry_points = {"scene": {"file": "scene.xml"}, "tuned": {"file": "tuned.xml"}}
    robot = {
        "category": "quadruped",
        "default_model": "tuned",
        "display_name": "Tuned",
        "entry_points": entry_points,
        "license": "MIT",
        "oid": "0123456789abcdef0123",
    }
    package, info = tmp_path / "mujoco_menagerie", tmp_path / "mujoco_menagerie-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "registry.json").write_text(json.dumps({"robots": {"tuned_dog": robot}}))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mujoco-menagerie\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("MENAGERIE_ROOT", raising=False)
    monkeypatch.setenv("MENAGERIE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("place", ["cache/models/tuned_dog-0123456789abcdef", "files/tuned_dog"])
def test_robots_of_menagerie_are_those_that_were_fetched(registry, make_world, monkeypatch, place):
    """They are found in the cache or the root of that package, with their own gains and home."""
    entry = find_robot("menagerie/tuned_dog")
    assert (entry.kind, entry.licence, entry.is_installed) == ("quadruped", "MIT", False)
    with pytest.raises(MissingPackageError, match=r"mujoco_menagerie.get\('tuned_dog'\)"):
        entry.load()
    (registry / place).mkdir(parents=True)
    (registry / place / "tuned.xml").write_text(TUNED.text)
    monkeypatch.setenv("MENAGERIE_ROOT", str(registry / "files"))
    robot = Robot.load(make_world(), "menagerie/tuned_dog")
    assert robot.name == "tuned_dog"
    names = tuple(f"actuator {number}" for number in range(4))
    assert robot.parts["controls"].controls == names  # the file names none
    home = dict(zip(robot.joints.names, robot.joints.traits.home, strict=True))
    ball = {"ball": 0.0, "ball::2": 0.0, "ball::3": 0.0}
    assert home == {"hinge": 0.25, "slide": -0.5, **ball, "last": 0.75}
    assert list(home) == ["hinge", "slide", *ball, "last"]


def test_a_robot_that_menagerie_lacks_is_an_error(registry):
    """The message has the nearest name."""
    with pytest.raises(UnknownEntityError, match="menagerie/tuned_dog"):
        find_robot("menagerie/tuned_dig")


def test_menagerie_need_not_be_installed(monkeypatch, tmp_path):
    """Files in MENAGERIE_ROOT are enough; else the error says how to fetch them."""
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delenv("MENAGERIE_ROOT", raising=False)
    entry = find_robot("menagerie/unitree_go2")
    assert not entry.is_installed
    with pytest.raises(MissingPackageError, match="pip install mujoco-menagerie; python -c"):
        entry.load()
    with pytest.raises(MissingPackageError, match="pip install mujoco-menagerie"):
        find_robot("menagerie/robot_of_tomorrow")
    (tmp_path / "unitree_go2").mkdir()
    (tmp_path / "unitree_go2" / "go2.xml").write_text(TUNED.text)
    monkeypatch.setenv("MENAGERIE_ROOT", str(tmp_path))
    assert entry.is_installed
    assert entry.load().source.name == "tuned"


def test_the_catalogue_names_robots_of_all_kinds():
    """Those that people ask for first, and at least three of each common kind."""
    assert len(ROBOTS) >= 40
    wanted = ("so101", "reachy_mini", "openarm", "stretch4", "g1", "go2")
    menagerie = ("unitree_g1", "unitree_go2", "robotstudio_so101", "skydio_x2", "shadow_hand")
    assert {*wanted, *(f"menagerie/{name}" for name in menagerie)} <= ROBOTS.keys()
    kinds = [entry.kind for entry in ROBOTS.values()]
    for kind in (
        "arm",
        "bimanual",
        "gripper",
        "hand",
        "quadruped",
        "humanoid",
        "wheeled",
        "flying",
    ):
        assert kinds.count(kind) >= 3, kind


def test_files_outside_the_folder_of_packages_are_found(registry):
    """Some packages have their models in the folder of shared data."""
    (registry / "share").mkdir()
    (registry / "share" / "tuned.xml").write_text(TUNED.text)
    info = registry / "mujoco_menagerie-1.0.dist-info"
    (info / "RECORD").write_text("mujoco_menagerie/../share/tuned.xml,,\n")
    entry = CatalogueEntry("t", "tuned", "arm", "share/tuned.xml", package="mujoco-menagerie")
    assert entry.path == (registry / "share" / "tuned.xml").resolve()
    assert sorted(entry.load().parts) == ["controls"]


def test_the_page_of_the_catalogue_names_every_robot():
    """With the licence and package of those that are not in Menagerie."""
    page = Path(__file__).resolve().parents[3] / "docs" / "robot-catalogue.md"
    rows = page.read_text(encoding="utf-8").splitlines()
    for entry in ROBOTS.values():
        name = entry.name.removeprefix("menagerie/")
        found = [row for row in rows if row.startswith("|") and f"`{name}`" in row]
        assert found, name
        if entry.package and name == entry.name:
            assert any(entry.package in row and entry.licence in row for row in found), name


def test_the_catalogue_has_gains_for_position_control_alone():
    """They are added to the others if positions are controlled, and else not at all."""
    strong = replace(ROBOTS["cartpole"], position_gains={"slide": Gains(500.0, 50.0)})
    assert strong.load().gains["slide"] == ROBOTS["cartpole"].gains["slide"]
    config = strong.load(controllers="position")
    assert (config.controllers, config.gains["slide"]) == ("position", Gains(500.0, 50.0))
