# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os

import pytest

from deepsim_spawn import SearchPath


@pytest.fixture
def make(tmp_path):
    """Makes empty files, and returns the folder that they are in."""

    def empty(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return tmp_path.resolve()

    return empty


@pytest.fixture
def tree(make):
    """Two folders of models, a package, and a file outside of all."""
    return make(
        "first/ball/meshes/ball.stl",
        "second/ball/model.sdf",
        "second/cup/model.sdf",
        "packages/arm/package.xml",
        "packages/arm/urdf/arm.urdf",
        "packages/arm/meshes/hand.stl",
        "outside/secret.stl",
    )


def test_folders_are_searched_in_order(tree):
    search = SearchPath([tree / "first", str(tree / "second")])
    assert search.folders == (tree / "first", tree / "second")
    assert search.find("model://ball") == tree / "first" / "ball"
    assert search.find("model://ball/model.sdf") == tree / "second" / "ball" / "model.sdf"
    assert search.find("model://cup") == tree / "second" / "cup"


def test_the_environment_is_searched_after_the_given_folders(tree, monkeypatch):
    monkeypatch.setenv("GAZEBO_RESOURCE_PATH", str(tree / "second"))
    monkeypatch.setenv("GAZEBO_MODEL_PATH", os.pathsep.join(["", "ghost", str(tree / "first")]))
    assert SearchPath().folders == (tree / "first", tree / "second")
    assert SearchPath([tree / "second"]).folders == (tree / "second", tree / "first")


def test_the_environment_is_read_once(tree, monkeypatch):
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tree / "first"))
    search = SearchPath()
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tree / "second"))
    assert search.folders == (tree / "first",)


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        ("package://arm/meshes/hand.stl", "packages/arm/meshes/hand.stl"),
        ("model://arm/meshes/hand.stl", "packages/arm/meshes/hand.stl"),
        ("file://arm/meshes/hand.stl", "packages/arm/meshes/hand.stl"),
        ("arm/meshes/hand.stl", "packages/arm/meshes/hand.stl"),
        (" package://arm/meshes/hand.stl\n", "packages/arm/meshes/hand.stl"),
    ],
)
def test_every_scheme_looks_below_the_folders(tree, uri, found):
    assert SearchPath([tree / "packages"]).find(uri) == tree / found


@pytest.mark.parametrize(
    "uri",
    ["arm.urdf", "../meshes/hand.stl", "package://arm/meshes/hand.stl", "file://../package.xml"],
)
def test_a_file_of_a_package_reaches_the_package_without_a_search_path(tree, uri):
    origin = tree / "packages" / "arm" / "urdf" / "arm.urdf"
    assert SearchPath().find(uri, origin).is_relative_to(tree / "packages" / "arm")


def test_a_file_reaches_the_meshes_of_its_neighbours(make):
    """Such as a robot those of its hand, which is described in a folder of its own."""
    thumb, own = "hands/five/meshes/visual/thumb.stl", "humanoid/one/one.urdf"
    tree = make(thumb, "hands/five/secret.stl", own)
    origin = tree / own
    assert SearchPath().find(f"../../{thumb}", origin) == tree / thumb
    with pytest.raises(ValueError, match="outside of"):
        SearchPath().find("../../hands/five/secret.stl", origin)


@pytest.mark.parametrize("folder", ["stls/hand", "texture", "suite/dog_assets", "Hand-Meshes"])
def test_folders_of_assets_have_many_names(make, folder):
    """Those of Fetch, Shadow's hand and dm_control's dog, beside the folder of the file."""
    tree = make("robots/hand/hand.xml", f"{folder}/palm.stl", "texture_of_nobody/palm.stl")
    origin = tree / "robots/hand/hand.xml"
    found = SearchPath().find(f"../../{folder}/palm.stl", origin)
    assert found == tree / folder / "palm.stl"
    with pytest.raises(ValueError, match="outside of"):
        SearchPath().find("../../texture_of_nobody/palm.stl", origin)


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("pkg/urdf/r.urdf", "../meshes/a.stl"),
        ("pkg/xacro/deep/r.urdf", "../../meshes/a.stl"),
        ("pkg/urdf/r.urdf", "meshes/a.stl"),
        ("pkg/urdf/r.urdf", "package://pkg/meshes/a.stl"),
        ("pkg/r.urdf", "package://meshes/a.stl"),
        ("other/r.urdf", "../pkg/meshes/a.stl"),
        ("pkg/urdf/r.urdf", "package://pkg/parts/a.stl"),
    ],
)
def test_packages_lie_as_they_do_without_a_package_xml(make, tmp_path, file, uri):
    folder = make("pkg/meshes/a.stl", "pkg/parts/a.stl", file) / "pkg"
    assert SearchPath().find(uri, tmp_path / file).is_relative_to(folder)


def test_the_folder_that_a_message_advises_helps(make):
    tree = make("pkg/hidden/a.stl", "pkg/urdf/r.urdf")
    origin = tree / "pkg/urdf/r.urdf"
    with pytest.raises(ValueError, match="add the folder that holds it") as caught:
        SearchPath().find("../hidden/a.stl", origin)
    advised = str(caught.value).rsplit("'", 2)[1]
    for folder in (advised, tree / "pkg", tree):
        assert SearchPath([folder]).find("../hidden/a.stl", origin).is_file()


def test_an_absolute_path_must_lie_in_a_folder_that_is_searched(tree):
    mesh = tree / "packages" / "arm" / "meshes" / "hand.stl"
    search = SearchPath([tree / "first", tree / "packages"])
    assert search.find(str(mesh)) == search.find(f"file://{mesh}") == mesh
    with pytest.raises(ValueError, match="add the folder that holds it to the search path"):
        SearchPath([tree / "first"]).find(str(mesh))


@pytest.mark.parametrize(
    "uri",
    [
        "model://ball/../../outside/secret.stl",
        "model://../outside/secret.stl",
        "package://ball/meshes/../../../outside/secret.stl",
        "file://../outside/secret.stl",
        "../outside/secret.stl",
        "model://link/secret.stl",
        "model://ball/link.stl",
        "link/secret.stl",
    ],
)
def test_no_path_leads_out_of_a_folder(tree, uri):
    (tree / "first" / "link").symlink_to(tree / "outside")
    (tree / "first" / "ball" / "link.stl").symlink_to(tree / "outside" / "secret.stl")
    origin = tree / "first" / "world.sdf"
    with pytest.raises(ValueError, match=r"leads to .*outside of"):
        SearchPath([tree / "first"]).find(uri, origin)


def test_a_link_that_stays_inside_is_followed(tree):
    (tree / "first" / "link").symlink_to(tree / "first" / "ball")
    assert SearchPath([tree / "first"]).find("model://link") == tree / "first" / "ball"


def test_a_loop_of_links_is_nothing(tree):
    (tree / "first" / "loop").symlink_to(tree / "first" / "loop")
    with pytest.raises(FileNotFoundError, match="was not found"):
        SearchPath([tree / "first"]).find("model://loop")


def test_what_is_not_found_is_said_with_the_folders_and_what_is_close(tree):
    search = SearchPath([tree / "first", tree / "second"])
    with pytest.raises(FileNotFoundError) as caught:
        search.find("model://bal/model.sdf")
    message = str(caught.value)
    assert "'model://bal/model.sdf' was not found" in message
    assert str(tree / "first") in message
    assert str(tree / "second") in message
    assert "did you mean 'ball'?" in message


def test_an_empty_search_path_says_so():
    with pytest.raises(FileNotFoundError, match="nowhere: no folder was given, and GAZEBO_MODEL_P"):
        SearchPath().find("model://ball")


def test_a_model_one_level_deeper_is_pointed_at(tree):
    with pytest.raises(FileNotFoundError) as caught:
        SearchPath(tree).find("model://ball/model.sdf")
    first = tree / "first"
    assert str(caught.value).endswith(
        f"; {str(first / 'ball')!r} exists: add {str(first)!r} to the search path"
    )


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("http://example.org/ball", "unknown scheme 'http'"),
        ("model://", "names no file"),
        ("file:///", "names no file"),
        ("", "names no file"),
        ("a\0b", "names no file"),
    ],
)
def test_a_uri_that_can_lead_nowhere_is_refused(tree, uri, message):
    with pytest.raises(ValueError, match=message):
        SearchPath([tree]).find(uri)


def test_a_given_folder_must_exist(tmp_path):
    with pytest.raises(NotADirectoryError, match="is not a folder"):
        SearchPath([tmp_path / "ghost"])


def test_one_folder_needs_no_list(tmp_path):
    assert SearchPath(str(tmp_path)).folders[0] == SearchPath([tmp_path]).folders[0]
