# SPDX-License-Identifier: Apache-2.0
"""Models and lights that a file includes."""

from __future__ import annotations

import pytest

from deepsim_spawn import GazeboXMLLoader, ModelFormatError, ModelFormatWarning, SearchPath

CONFIG = "<model><name>x</name><sdf version='1.6'>model.sdf</sdf><author/></model>"
BALL = (
    "<model name='ball'><pose>0 0 7 0 0 0</pose><link name='l'><pose>0 0 1 0 0 0</pose></link>"
    "<frame name='top' attached_to='l'><pose>0 0 2 0 0 0</pose></frame></model>"
)


@pytest.fixture
def library(tmp_path):
    """Makes folders of models; calling it adds one and returns the folder of all."""

    def add(name, body, version="1.6", config=CONFIG):
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        (folder / "model.config").write_text(config)
        (folder / "model.sdf").write_text(f"<sdf version='{version}'>{body}</sdf>")
        return tmp_path / "models"

    return add


@pytest.fixture
def include(library):
    """The first model of a world with one include of a ball."""
    loader = GazeboXMLLoader([library("ball", BALL)])

    def load(body, before=""):
        return loader.load_world(
            f"<sdf version='1.7'><world name='w'>{before}<include><uri>model://ball</uri>{body}"
            "</include></world></sdf>"
        ).models[-1]

    return load


@pytest.mark.parametrize(
    ("body", "name", "static", "height"),
    [
        ("", "ball", False, 7),
        ("<name>b</name>", "b", False, 7),
        ("<static>true</static>", "ball", True, 7),
        ("<pose>0 0 1 0 0 0</pose>", "ball", False, 1),
        ("<pose relative_to='table'>0 0 1 0 0 0</pose>", "ball", False, 11),
        ("<placement_frame>top</placement_frame>", "ball", False, 4),
        ("<placement_frame>l</placement_frame><pose>0 0 1 0 0 0</pose>", "ball", False, 0),
    ],
)
def test_an_include_may_rename_move_and_fix_its_model(include, body, name, static, height):
    model = include(body, "<frame name='table'><pose>0 0 10 0 0 0</pose></frame>")
    assert (model.name, model.static) == (name, static)
    assert tuple(model.pose.position) == pytest.approx((0, 0, height))
    assert tuple(model.links[0].pose.position) == (0, 0, 1)


def test_an_include_may_free_a_model_that_is_static_by_itself(library):
    body = BALL.replace("<link", "<static>1</static><link", 1)
    model = GazeboXMLLoader([library("ball", body)]).load_world(
        "<sdf version='1.7'><world name='w'><include><uri>model://ball</uri>"
        "<static>false</static></include></world></sdf>"
    )
    assert not model.models[0].static


def test_the_same_model_may_be_included_under_two_names(library):
    loader = GazeboXMLLoader([library("ball", BALL)])
    one = "<include><uri>model://ball</uri>{}</include>"
    world = "<sdf version='1.7'><world name='w'>{}</world></sdf>"
    both = one.format("<name>a</name>") + one.format("<name>b</name>")
    assert [model.name for model in loader.load_world(world.format(both)).models] == ["a", "b"]
    with pytest.raises(ModelFormatError, match="name 'ball' is already used by the <include>"):
        loader.load_world(world.format(one.format("") * 2))


def test_an_include_in_a_model_is_a_nested_model(library):
    loader = GazeboXMLLoader([library("ball", BALL)])
    model = loader.load_model(
        "<sdf version='1.8'><model name='m'><link name='base'/>"
        "<include><uri>model://ball</uri><name>b</name><pose>1 0 0 0 0 0</pose></include>"
        "<joint name='j' type='fixed'><parent>base</parent><child>b::top</child></joint>"
        "</model></sdf>"
    )
    assert [name for name, _, _ in model.all_links()] == ["base", "b::l"]
    assert model.joints[0].child == "b::l"
    assert tuple(model.joints[0].pose.position) == (0, 0, 2)


def test_a_light_may_be_included_in_a_world_only(library):
    loader = GazeboXMLLoader(
        [library("sun", "<light name='sun' type='directional'><pose>0 0 9 0 0 0</pose></light>")]
    )
    include = "<include><uri>model://sun</uri>{}</include>"
    world = loader.load_world(
        "<sdf version='1.6'><world name='w'>"
        + include.format("")
        + include.format("<name>moon</name><pose>0 0 5 0 0 0</pose>")
        + "</world></sdf>"
    )
    assert [(light.name, light.pose.position.z) for light in world.lights] == [
        ("sun", 9),
        ("moon", 5),
    ]
    with pytest.raises(ModelFormatError, match="<light> cannot be included here"):
        loader.load_model(f"<sdf version='1.6'><model name='m'>{include.format('')}</model></sdf>")


def test_an_include_may_name_a_file(tmp_path):
    (tmp_path / "ball.sdf").write_text(f"<sdf version='1.6'>{BALL}</sdf>")
    (tmp_path / "world.sdf").write_text(
        "<sdf version='1.7'><world name='w'><include><uri>ball.sdf</uri></include></world></sdf>"
    )
    world = GazeboXMLLoader().load_world(tmp_path / "world.sdf")
    assert world.models[0].name == "ball"


def test_every_file_keeps_the_rules_of_its_own_version(library):
    """In the included 1.4 file, the axis is in the model frame; in the 1.7 file, in the joint's."""
    model = (
        "<model name='m'><link name='a'/><link name='b'><pose>0 0 0 0 0 3.141592653589793</pose>"
        "</link><joint name='j' type='revolute'><parent>a</parent><child>b</child>"
        "<axis><xyz>1 0 0</xyz></axis></joint>{}</model>"
    )
    loader = GazeboXMLLoader([library("old", model.format(""), "1.4")])
    include = "<include><uri>model://old</uri><name>n</name></include>"
    loaded = loader.load_model(f"<sdf version='1.7'>{model.format(include)}</sdf>")
    assert tuple(loaded.joints[0].axis.xyz) == pytest.approx((1, 0, 0))
    assert tuple(loaded.models[0].joints[0].axis.xyz) == pytest.approx((-1, 0, 0))


ARM = """<model name="arm"><pose>9 9 9 0 0 0</pose>
  <frame name="mount"><pose>0 0 0.1 0 0 0</pose></frame>
  <link name="upper"><pose relative_to="mount">0 0 0.2 0 0 0</pose></link>
  <link name="lower"><pose>0 0 1 0 0 0</pose></link>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child>
    <axis><xyz expressed_in="__model__">0 1 0</xyz></axis></joint>
  <model name="hand"><pose relative_to="lower">0 0 0.5 0 0 0</pose><link name="palm"/></model>
  <plugin name="p" filename="p.so"/></model>"""
MERGE = (
    """<include merge="true"><uri>model://arm</uri><pose relative_to="{0}">{1}</pose></include>"""
)


def test_merged_parts_are_parts_of_the_model_around_them(library):
    loader = GazeboXMLLoader([library("arm", ARM, "1.9")])
    model = loader.load_model(
        "<sdf version='1.10'><model name='robot'>"
        f"{MERGE.format('base', '0 0 2 0 0 1.5707963267948966')}"
        "<link name='base'><pose>1 0 0 0 0 0</pose></link>"
        "<joint name='shoulder' type='fixed'><parent>base</parent><child>upper</child></joint>"
        "<frame name='tool' attached_to='hand::palm'/>"
        "<link name='tip'><pose relative_to='tool'>0.25 0 0 0 0 0</pose></link></model></sdf>"
    )
    assert [link.name for link in model.links] == ["base", "tip", "upper", "lower"]
    assert model.canonical_link == "base"
    places = {name: tuple(pose.position) for name, _, pose in model.all_links()}
    assert places["upper"] == pytest.approx((1, 0, 2.3))
    assert places["lower"] == pytest.approx((1, 0, 3))
    assert places["hand::palm"] == pytest.approx((1, 0, 3.5))
    assert places["tip"] == pytest.approx((1, 0.25, 3.5))
    shoulder, elbow = model.joints
    assert (shoulder.parent, shoulder.child) == ("base", "upper")
    assert (elbow.parent, elbow.child) == ("upper", "lower")
    assert tuple(elbow.axis.xyz) == pytest.approx((0, 1, 0))
    assert [plugin.name for plugin in model.plugins] == ["p"]


def test_a_model_may_be_all_merged(library):
    loader = GazeboXMLLoader([library("arm", ARM, "1.9")])
    model = loader.load_model(
        f"<sdf version='1.10'><model name='robot'>{MERGE.format('__model__', '0 0 1 0 0 0')}"
        "<frame name='f' attached_to='_merged__arm__'/>"
        "<joint name='j' type='fixed'><parent>world</parent><child>f</child></joint></model></sdf>"
    )
    assert model.canonical_link == "upper"
    assert model.joints[0].child == "upper"
    assert tuple(model.joints[0].pose.position) == pytest.approx((0, 0, -0.3))


@pytest.mark.parametrize(
    ("setting", "message"),
    [("static", "cannot be static by itself"), ("self_collide", "only if the outer model does")],
)
def test_what_a_merged_model_says_of_itself_is_warned_of(library, setting, message):
    """SDF merges neither."""
    said = f"<{setting}>true</{setting}>"
    loader = GazeboXMLLoader([library("a", f"<model name='a'>{said}<link name='l'/></model>")])
    whole = (
        "<sdf version='1.10'><model name='robot'>{}<include merge='true'><uri>model://a</uri>"
        "</include></model></sdf>"
    )
    with pytest.warns(ModelFormatWarning, match=message):
        model = loader.load_model(whole.format(""))
    assert (model.static, model.self_collide) == (False, False)
    assert getattr(loader.load_model(whole.format(said)), setting)


def test_a_merged_part_whose_name_is_taken_is_refused(library):
    loader = GazeboXMLLoader([library("arm", ARM, "1.9")])
    with pytest.raises(ModelFormatError, match="'upper' is already used by the <link> at"):
        loader.load_model(
            f"<sdf version='1.10'><model name='robot'><link name='upper'/>"
            f"{MERGE.format('__model__', '0 0 0 0 0 0')}</model></sdf>"
        )


def test_a_world_keeps_a_model_that_it_should_merge(library):
    loader = GazeboXMLLoader([library("ball", BALL)])
    include = "<include merge='true'><uri>model://ball</uri></include>"
    with pytest.warns(ModelFormatWarning, match="a world cannot merge a model"):
        world = loader.load_world(f"<sdf version='1.10'><world name='w'>{include}</world></sdf>")
    assert [model.name for model in world.models] == ["ball"]


def test_a_model_folder_is_loaded_by_path_or_uri(library):
    models = library("ball", BALL)
    loader = GazeboXMLLoader([models])
    assert loader.load_model(models / "ball").name == "ball"
    assert loader.load_model(str(models / "ball")).name == "ball"
    assert loader.load_model("model://ball").name == "ball"


def test_of_a_model_folder_the_newest_readable_file_is_loaded(library):
    config = "<model>" + "".join(
        f"<sdf version='{version}'>{file}</sdf>"
        for version, file in [("1.5", "old.sdf"), ("1.6", "model.sdf"), ("1.99", "future.sdf")]
    )
    models = library("ball", BALL, config=config + "</model>")
    assert GazeboXMLLoader([models]).load_model("model://ball").name == "ball"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("<model/>", "expected an <sdf> file"),
        ("<model><sdf version='9.9'>model.sdf</sdf></model>", "expected an <sdf> file"),
        ("<model><sdf>ghost.sdf</sdf></model>", "'ghost.sdf' was not found"),
        ("<model><sdf version='new'>model.sdf</sdf></model>", "expected a version such as 1.6"),
        ("<model>", "model.config:1: malformed XML"),
    ],
)
def test_a_model_config_that_names_no_file_is_an_error(library, config, message):
    models = library("ball", BALL, config=config)
    with pytest.raises(ModelFormatError, match=message):
        GazeboXMLLoader([models]).load("model://ball")


def test_a_folder_without_model_config_is_an_error(tmp_path):
    with pytest.raises(ModelFormatError, match=r"is not a model folder: model\.config is missing"):
        GazeboXMLLoader().load(tmp_path)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<include/>", "<uri> is missing"),
        ("<include><uri/></include>", "uri: expected text"),
        ("<include><uri>model://bal</uri></include>", "searched .*models; did you mean 'ball'"),
        ("<include><uri>https://x/ball</uri></include>", "unknown scheme 'https'"),
        ("<include><uri>model://robot</uri></include>", "expected <sdf>, got <robot>"),
        ("<include><uri>model://inner</uri></include>", "<world> cannot be included here"),
    ],
)
def test_an_include_that_leads_nowhere_is_an_error(library, tmp_path, body, message):
    models = library("ball", BALL)
    library("inner", "<world name='w'/>")
    library("robot", "")
    (models / "robot" / "model.sdf").write_text("<robot name='r'><link name='l'/></robot>")
    with pytest.raises(ModelFormatError, match=message):
        GazeboXMLLoader(SearchPath([models])).load(
            f"<sdf version='1.7'><world name='w'>{body}</world></sdf>"
        )


def test_an_error_in_an_included_file_names_that_file(library):
    models = library("ball", BALL.replace("name='l'", "name=''"))
    with pytest.raises(ModelFormatError) as caught:
        GazeboXMLLoader([models]).load("model://ball")
    assert caught.value.file == str(models.resolve() / "ball" / "model.sdf")
    assert caught.value.line == 1


@pytest.mark.parametrize("cycle", ["a", "ab", "abc"])
def test_files_that_include_one_another_are_an_error(library, cycle):
    for name, following in zip(cycle, cycle[1:] + cycle[0], strict=True):
        models = library(
            name,
            f"<model name='{name}'><link name='l'/>"
            f"<include><uri>model://{following}</uri></include></model>",
        )
    with pytest.raises(ModelFormatError, match=r"cyclic include: .*a.model\.sdf -> "):
        GazeboXMLLoader([models]).load("model://a")


def test_files_that_include_many_times_are_bounded(library):
    """Ten includes at each of ten levels would be ten thousand million models."""
    for level in range(10):
        includes = "".join(
            f"<include><uri>model://m{level + 1}</uri><name>n{index}</name></include>"
            for index in range(10)
        )
        models = library(f"m{level}", f"<model name='m{level}'>{includes}</model>")
    library("m10", "<model name='m10'>" + "<a/>" * 90_000 + "<link name='l'/></model>")
    with pytest.raises(ModelFormatError, match="too many elements in one load"):
        GazeboXMLLoader([models]).load("model://m0")


def test_text_that_is_included_many_times_is_bounded(library):
    """Comments hold no elements, and yet take time."""
    comment = f"<!--{'x' * 2**20}-->"
    for index in range(8):
        text = f"{9 * comment}<model name='m'><static>true</static></model>"
        models = library(f"m{index}", text)
    loader = GazeboXMLLoader([models])

    def load(count):
        names = "".join(
            f"<include><uri>model://m{index}</uri><name>n{index}</name></include>"
            for index in range(count)
        )
        return loader.load_world(f"<sdf version='1.7'><world name='w'>{names}</world></sdf>")

    assert len(load(5).models) == 5
    with pytest.raises(ModelFormatError, match="too much text in one load"):
        load(8)


def test_models_nested_too_deep_are_an_error(loader):
    nested = "<link name='l'/>"
    for level in range(60):
        nested = f"<model name='m{level}'>{nested}</model>"
    with pytest.raises(ModelFormatError, match="nested <= 32 deep"):
        loader.load(f"<sdf version='1.7'>{nested}</sdf>")
