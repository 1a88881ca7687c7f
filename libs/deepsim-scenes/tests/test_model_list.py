# SPDX-License-Identifier: Apache-2.0
"""Models are measured, and mistakes of their list name the line."""

from __future__ import annotations

import os

import pytest

from deepsim_scenes import ModelListError, ModelType, read_models


@pytest.mark.parametrize(
    ("name", "size", "center"),
    [
        ("fetch", (0.57, 0.53, 1e-5), (0, 0, 0)),
        ("waypoint", (1e-5, 1e-5, 1e-5), (0, 0, 0)),
        ("cafe_table", (0.913, 0.913, 0.775), (0, 0, 0.3875)),
        ("bookshelf", (0.9, 0.405, 1.2), (0, 0.2025, 0.6)),
        ("LampAndStand", (0.4, 0.4, 1.5), (0, 0, 0.75)),
        ("barrel", (0.6, 0.6, 0.9), (0, 0, 0.45)),
    ],
)
def test_sizes_are_those_of_all_collisions(models, name, size, center):
    """Width, length and height are extents along x, y and z, poses of collisions included."""
    assert tuple(models[name].size) == pytest.approx(size, abs=1e-12)
    assert tuple(models[name].center) == pytest.approx(center, abs=1e-12)


def test_names_of_classes_are_those_of_the_paper(models):
    names = ["Fetch", "Waypoint", "CafeTable", "Bookshelf", "Lampandstand", "DemoCube"]
    assert [*models.classes][:6] == names
    assert models["fetch"].type is ModelType.MISSION_ONLY


def test_an_early_name_of_mission_only_is_known(tmp_path):
    file = tmp_path / "models.yaml"
    file.write_text("models:\n- {name: base, type: NO_MODEL, width: 0.2, length: 0.3}\n")
    assert read_models(file)["base"].type is ModelType.MISSION_ONLY


def test_one_simple_collision_may_be_resized_unless_the_list_denies_it(models):
    resizable = [name for name, model in models.classes.items() if model.dynamic_size]
    assert resizable == ["Crate", "Barrel"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("models:\n- name: cafe_tabel\n  type: GAZEBO_MODEL\n", 2, "mean 'cafe_table'"),
        ("models:\n- name: a\n  type: MISION_ONLY\n", 3, "mean 'MISSION_ONLY'"),
        ("models:\n- name: a\n", 2, "has no type"),
        ("models:\n- type: MISSION_ONLY\n", 2, "has no name"),
        ("models:\n- name: a\n  type: MISSION_ONLY\n  widht: 2\n", 4, "mean 'width'"),
        ("models:\n- name: a\n  type: MISSION_ONLY\n  width: 0\n", 4, "must be a number > 0 m"),
        ("models:\n- name: a\n  type: MISSION_ONLY\n  z: .nan\n", 4, "must be finite"),
        ("models:\n- name: a\n  type: MISSION_ONLY\n  z: high\n", 4, "must be a number"),
        ("models:\n- name: crate\n  type: CUSTOM_MODEL\n  dynamic_size: 3\n", 4, "true or false"),
        ("models:\n- name: crat\n  type: CUSTOM_MODEL\n", 2, "mean 'crate'"),
        ("models:\n- name: a\n  name: b\n  type: MISSION_ONLY\n", 3, "occurs twice"),
        (
            "models:\n- {name: a b, type: MISSION_ONLY}\n- {name: A-b, type: MISSION_ONLY}\n",
            3,
            "AB",
        ),
        ("models:\n- name: 3d\n  type: MISSION_ONLY\n", 2, "which is no name"),
        ("models:\n  name: a\n", 1, "must be a list"),
        ("models:\n- a\n", 2, "must be a mapping"),
        ("- a\n", 1, "must be a mapping"),
        ("models: []\nworld: none.world\n", 2, "there is no file"),
        ("models: []\nmodels_dir: none\n", 2, "there is no folder"),
        ("models: [\n", 2, "is not YAML"),
        ("models:\n- !!python/object:os.system a\n", 2, "is not plain YAML"),
        ("", 0, "must be a mapping"),
    ],
)
def test_mistakes_name_the_line(kitchen, text, line, message):
    """An error says where, what was given and what was expected."""
    file = kitchen / "wrong.yaml"
    if "models_dir" not in text and text.startswith("models:\n-"):
        text += "models_dir: models\n"
    file.write_text(text)
    with pytest.raises(ModelListError, match=message) as caught:
        read_models(file)
    assert caught.value.line == line
    assert caught.value.file == str(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models:\n- {name: a, type: MISSION_ONLY, z: " + "1" * 9000 + "}", "4300"),
        ("models: " + "[" * 100_000, "nested more than 100 levels deep"),
        ("models: &a [*a]", "an alias stands for what contains it"),
    ],
)
def test_what_python_cannot_read_is_refused(tmp_path, text, message):
    """With the file, and before it takes all time or memory."""
    file = tmp_path / "models.yaml"
    file.write_text(text)
    with pytest.raises(ModelListError, match=rf"models\.yaml.*{message}"):
        read_models(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_no_list(tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ModelListError, match=r"pipe\.yaml: is not a regular file"):
        read_models(tmp_path / "pipe.yaml")


def test_a_model_without_collisions_needs_a_size(tmp_path):
    """Without one it is refused; with one it is taken."""
    folder = tmp_path / "models" / "ghost"
    folder.mkdir(parents=True)
    folder.joinpath("model.sdf").write_text(
        "<sdf version='1.6'><model name='ghost'><link name='a'/></model></sdf>"
    )
    text = "models_dir: models\nmodels:\n- name: ghost\n  type: CUSTOM_MODEL\n"
    file = tmp_path / "models.yaml"
    file.write_text(text)
    with pytest.raises(ModelListError, match="has no collision to measure: give its width"):
        read_models(file)
    file.write_text(text + "  width: 0.2\n  length: 0.3\n")
    assert tuple(read_models(file)["ghost"].size)[:2] == (0.2, 0.3)


def test_a_plane_has_no_size(tmp_path):
    folder = tmp_path / "ground"
    folder.mkdir(parents=True)
    folder.joinpath("model.sdf").write_text(
        "<sdf version='1.6'><model name='ground'><static>1</static><link name='a'><collision"
        " name='c'><geometry><plane/></geometry></collision></link></model></sdf>"
    )
    file = tmp_path / "models.yaml"
    file.write_text("models:\n- name: ground\n  type: CUSTOM_MODEL\n")
    with pytest.raises(ModelListError, match="has a plane, which has no end"):
        read_models(file)
