# SPDX-License-Identifier: Apache-2.0
"""MJCF is read with all that it includes, and only from where it may be."""

from __future__ import annotations

import os
import re
from xml.etree import ElementTree

import pytest

from deepsim_math import Pose
from deepsim_spawn import (
    GazeboXMLLoader,
    MjcfModel,
    ModelFormatError,
    ModelSpawner,
    UnsupportedElementWarning,
)


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_includes_stand_in_place_and_files_have_keys(tmp_path):
    write(
        tmp_path,
        robot_xml="""<mujoco model="arm"><compiler meshdir="meshes" texturedir="skins"/>
            <include file="parts/assets.xml"/><worldbody><include file="parts/body.xml"/>
            </worldbody></mujoco>""",
        parts__assets_xml="""<mujocoinclude><asset><mesh file="a.stl"/><mesh name="b" file="a.stl"/>
            <texture type="cube" fileup="sky.png" filedown="sky.png"/></asset></mujocoinclude>""",
        parts__body_xml="<mujocoinclude><body name='l'/><body name='r'/></mujocoinclude>",
        meshes__a_stl="",
        skins__sky_png="",
    )
    model = MjcfModel(tmp_path / "robot.xml")
    assert model.name == "arm"
    assert repr(model) == "MjcfModel('arm')"
    assert dict(model.files) == {
        "0.stl": tmp_path / "meshes/a.stl",
        "1.png": tmp_path / "skins/sky.png",
    }
    root = ElementTree.fromstring(model.text)
    assert [body.get("name") for body in root.findall("worldbody/body")] == ["l", "r"]
    meshes = [(mesh.get("name"), mesh.get("file")) for mesh in root.findall("asset/mesh")]
    assert meshes == [("a", "0.stl"), ("b", "0.stl")]
    texture = root.find("asset/texture")
    assert (texture.get("fileup"), texture.get("filedown")) == ("1.png", "1.png")
    assert root.find("compiler").attrib == {}


def test_a_later_compiler_of_an_include_says_where_files_lie(tmp_path):
    write(
        tmp_path,
        robot_xml="""<mujoco><asset><mesh file="/elsewhere/a.stl"/></asset>
            <include file="settings.xml"/></mujoco>""",
        settings_xml="<x><compiler assetdir='meshes' strippath='true'/></x>",
        meshes__a_stl="",
    )
    assert [*MjcfModel(tmp_path / "robot.xml").files.values()] == [tmp_path / "meshes/a.stl"]


def mesh(file):
    return f"<mujoco><asset><mesh file='{file}'/></asset></mujoco>"


def test_files_stay_in_the_folder_of_the_model_and_on_the_search_path(tmp_path):
    write(tmp_path, secret_stl="", models__robot_xml=mesh("../secret.stl"), parts__a_stl="")
    with pytest.raises(ModelFormatError, match=r"robot\.xml:1: .*leads to .* outside of"):
        MjcfModel(tmp_path / "models/robot.xml")
    (tmp_path / "models/robot.xml").write_text(mesh(tmp_path / "secret.stl"))
    with pytest.raises(ModelFormatError, match="outside of"):
        MjcfModel(tmp_path / "models/robot.xml")
    (tmp_path / "models/robot.xml").write_text("<mujoco><include file='../secret.stl'/></mujoco>")
    with pytest.raises(ModelFormatError, match="outside of"):
        MjcfModel(tmp_path / "models/robot.xml")
    secret = re.escape(str(tmp_path / "secret.stl"))
    for given, allowed in ((None, "all folders: none may be read"), (tmp_path / "parts", "parts'")):
        with pytest.raises(ModelFormatError, match=f"{secret}.* outside of .*{allowed}: add") as e:
            MjcfModel(mesh(tmp_path / "secret.stl"), search_path=given)
        assert "`--path` in the shell, or GAZEBO_MODEL_PATH" in str(e.value)
    found = MjcfModel(mesh("a.stl"), search_path=tmp_path / "parts").files
    assert [*found.values()] == [tmp_path / "parts/a.stl"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot name='r'/>", "expected <mujoco>, got <robot>; use ModelSpawner for SDF, URDF"),
        ("<mujoco><asset><mesh file='gone.stl'/></asset></mujoco>", "'gone.stl' was not found"),
        ("<mujoco><include/></mujoco>", "the attribute 'file' is missing"),
        ("<mujoco><asset><model file='x.xml'/></asset></mujoco>", "merge them into one file"),
        ("<mujoco><worldbody><attach model='m'/></worldbody></mujoco>", "merge them into one file"),
        (
            "<mujoco><worldbody><replicate count='100000000'/></worldbody></mujoco>",
            "count must be at most 10000, got 100000000",
        ),
        (
            "<mujoco><worldbody><replicate count='9000'><replicate count='9000'><geom size='1'/>"
            "</replicate></replicate></worldbody></mujoco>",
            "counts must make at most 2500 elements",
        ),
        (
            "<mujoco><worldbody><flexcomp type='grid' count='300 300 1'/></worldbody></mujoco>",
            "counts must make at most 2500 elements",
        ),
        (
            "<mujoco><asset><texture type='2d' builtin='flat' width='9000' height='9000'/></asset>"
            "</mujoco>",
            "textures and height fields would take too much memory",
        ),
        (
            "<mujoco><asset><texture builtin='flat' width='9000'/></asset></mujoco>",
            "textures and height fields would take too much memory",
        ),
        (
            "<mujoco><asset><hfield nrow='10000' ncol='10000' size='1 1 1 1'/></asset></mujoco>",
            "textures and height fields would take too much memory",
        ),
        (
            "<mujoco><worldbody><composite type='cable' count='1000 1 1'/></worldbody></mujoco>",
            "count must make at most 400 bodies, got 1000",
        ),
        (
            "<mujoco><asset><mesh builtin='supersphere' params='3000 1 1'/></asset></mujoco>",
            "a made mesh must have at most 16384 vertices",
        ),
        (
            "<mujoco><asset><mesh builtin='sphere' params='10'/></asset></mujoco>",
            "a made mesh must have at most 16384 vertices",
        ),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><mujoco/>", "<!DOCTYPE> is not allowed"),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(ModelFormatError, match=message):
        MjcfModel(text)


def test_a_file_is_included_once_and_is_a_regular_one(tmp_path):
    write(tmp_path, a_xml="<mujoco><include file='a.xml'/></mujoco>")
    with pytest.raises(ModelFormatError, match=r"a\.xml' is included already"):
        MjcfModel(tmp_path / "a.xml")
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "a.xml").write_text(mesh("pipe.stl"))
    with pytest.raises(ModelFormatError, match=r"'pipe\.stl' is not a regular file"):
        MjcfModel(tmp_path / "a.xml")


def test_plugins_are_left_out_with_a_warning():
    text = """<mujoco><extension><plugin plugin="evil"/></extension>
        <worldbody><body><plugin plugin="evil"/></body></worldbody></mujoco>"""
    with pytest.warns(UnsupportedElementWarning, match="plugins other than mujoco.pid"):
        model = MjcfModel(text)
    assert "evil" not in model.text


def test_a_spawner_takes_mjcf_and_a_loader_says_how_to(tmp_path):
    model = MjcfModel("<mujoco/>", pose=Pose((1, 2, 3)))
    assert ModelSpawner(model).description is model
    (tmp_path / "dot.xml").write_text(
        "<?xml version='1.0'?>\n<!-- a dot -->\n<mujoco model='dot'/>"
    )
    for source in (tmp_path / "dot.xml", str(tmp_path / "dot.xml"), " <mujoco model='dot'/>"):
        found = ModelSpawner(source).description
        assert isinstance(found, MjcfModel)
        assert found.name == "dot"
    with pytest.raises(ModelFormatError, match="got <mujoco>; use MjcfModel for MJCF"):
        GazeboXMLLoader().load("<mujoco/>")


def test_the_last_option_says_the_step_size_also_of_an_include(tmp_path):
    write(tmp_path, a_xml="<mujoco><option timestep='.01'/><include file='b.xml'/></mujoco>")
    write(tmp_path, b_xml="<mujoco><option timestep='.005'/><option gravity='0 0 0'/></mujoco>")
    assert MjcfModel(tmp_path / "a.xml").timestep == 0.005
    assert MjcfModel("<mujoco><option/></mujoco>").timestep == 0.002
    wrong = MjcfModel("<mujoco model='dot'><option timestep='fast'/></mujoco>")
    with pytest.raises(ModelFormatError, match="'dot': timestep must be a number, got 'fast'"):
        _ = wrong.timestep
