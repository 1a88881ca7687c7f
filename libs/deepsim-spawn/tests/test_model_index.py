# SPDX-License-Identifier: Apache-2.0
"""Which models there are, and what they need."""

from __future__ import annotations

import pytest

from deepsim_spawn import ModelFormatError, ModelIndex

MESH = "<visual name='v{0}'><geometry><mesh><uri>{0}</uri></mesh></geometry></visual>"


@pytest.fixture
def add(tmp_path):
    """Writes a model's folder, given what stands inside of its `<link>` and `<model>`."""

    def write(name, link="", inside="", config="", place="models"):
        folder = tmp_path / place / name
        folder.mkdir(parents=True)
        (folder / "model.config").write_text(
            f"<model><name>The {name}</name><sdf version='1.5'>model.sdf</sdf>{config}</model>"
        )
        (folder / "model.sdf").write_text(
            f"<sdf version='1.5'>\n<model name='{name}'><link name='l'>\n{link}</link>\n{inside}"
            "</model></sdf>"
        )
        return folder

    return write


def test_models_are_found_in_order_of_their_names(add, tmp_path):
    for name in ("goal", "ball"):
        add(name)
    (tmp_path / "models" / "no_model").mkdir()
    (tmp_path / "models" / "file").touch()
    index = ModelIndex([tmp_path / "models"])
    assert list(index) == ["ball", "goal"]
    assert len(index) == 2
    assert "goal" in index
    assert "no_model" not in index


def test_of_one_name_the_first_folder_counts(add, tmp_path):
    add("ball", place="a")
    add("ball", place="b")
    index = ModelIndex([tmp_path / "b", tmp_path / "a"])
    assert len(index) == 1
    assert index["ball"].folder == tmp_path / "b" / "ball"


def test_the_environment_is_searched(add, tmp_path, monkeypatch):
    add("ball")
    monkeypatch.setenv("GAZEBO_MODEL_PATH", str(tmp_path / "models"))
    assert list(ModelIndex()) == ["ball"]


def test_what_the_config_says(add, tmp_path):
    folder = add(
        "ball",
        config="<version>2.0</version><author><name>Ann</name><email>a@b</email></author>"
        "<author>Bob</author><description>\n  Round,\n  and red. </description>"
        "<depend><model><uri>model://sun</uri><version>1</version></model></depend>",
    )
    info = ModelIndex([tmp_path / "models"])["ball"]
    assert (info.name, info.title, info.version) == ("ball", "The ball", "2.0")
    assert (info.folder, info.file) == (folder, folder / "model.sdf")
    assert info.authors == ("Ann", "Bob")
    assert info.description == "Round, and red."
    assert info.depends == ("model://sun",)


def test_what_is_left_out_of_the_config_is_empty(add, tmp_path):
    add("ball")
    info = ModelIndex([tmp_path / "models"])["ball"]
    assert (info.version, info.authors, info.description, info.depends) == ("", (), "", ())


def test_an_unknown_model_names_the_nearest(add, tmp_path):
    for name in ("ball", "bail", "table"):
        add(name)
    index = ModelIndex([tmp_path / "models"])
    for ask in (index.__getitem__, index.needs):
        with pytest.raises(KeyError, match=r"'bal'.* did you mean 'ball' or 'bail'"):
            ask("bal")
    assert index.get("bal") is None


@pytest.mark.parametrize("config", ["<model>", "<model/>", "<model><sdf>gone.sdf</sdf></model>"])
def test_a_broken_config_is_a_format_error_of_that_model_alone(add, tmp_path, config):
    add("ball")
    (add("bad") / "model.config").write_text(config)
    index = ModelIndex([tmp_path / "models"])
    assert list(index) == ["bad", "ball"]
    with pytest.raises(ModelFormatError, match=r"bad/model\.config"):
        index["bad"]
    assert index["ball"].title == "The ball"


def test_needs_are_found_or_not_with_their_place(add, tmp_path):
    folder = add("ball", MESH.format("skin.dae") + "\n" + MESH.format("model://ball/gone.stl"))
    (folder / "skin.dae").touch()
    skin, gone = ModelIndex([tmp_path / "models"]).needs("ball")
    assert (skin.uri, skin.path) == ("skin.dae", folder / "skin.dae")
    assert (gone.uri, gone.path) == ("model://ball/gone.stl", None)
    assert gone.place == f"{folder / 'model.sdf'}:4"


def test_needs_of_included_models_count_once(add, tmp_path):
    include = "<include><uri>model://wheel</uri><name>{}</name></include>"
    wheel = add("wheel", MESH.format("tyre.stl"), "<include><uri>model://gone</uri></include>")
    add("car", inside=include.format("a") + include.format("b"))
    needs = ModelIndex([tmp_path / "models"]).needs("car")
    assert [(need.uri, need.path) for need in needs] == [
        ("model://wheel", wheel),
        ("tyre.stl", None),
        ("model://gone", None),
    ]


def test_models_that_include_each_other_have_an_end(add, tmp_path):
    add("a", inside="<include><uri>model://b</uri></include>")
    add("b", inside="<include><uri>model://a</uri></include>")
    needs = ModelIndex([tmp_path / "models"]).needs("a")
    assert [need.uri for need in needs] == ["model://b", "model://a"]


def test_what_leads_out_of_the_search_path_is_not_found(add, tmp_path):
    add("ball", MESH.format("../../secret.stl"))
    (tmp_path / "secret.stl").touch()
    (need,) = ModelIndex([tmp_path / "models"]).needs("ball")
    assert need.path is None


def test_what_a_plugin_calls_a_uri_is_its_own_affair(add, tmp_path):
    add("ball", inside="<plugin name='p' filename='p.so'><uri>tcp://x</uri></plugin>")
    assert ModelIndex([tmp_path / "models"]).needs("ball") == ()
