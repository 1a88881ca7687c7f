# SPDX-License-Identifier: Apache-2.0
"""Models and worlds of SDF as a whole."""

from __future__ import annotations

import pytest

from deepsim_math import Color, Vector3
from deepsim_spawn import ModelFormatError, Physics, SceneDescription

NESTED = "<model name='n'><link name='l'/></model>"


def test_a_model_is_what_its_elements_say(load_model):
    model = load_model(
        "<model name='m'><static>true</static><self_collide>1</self_collide><link name='a'/>"
        "<link name='b'/><plugin name='p' filename='libp.so'><gain>2</gain></plugin></model>"
    )
    assert (model.name, model.static, model.self_collide) == ("m", True, True)
    assert [link.name for link in model.links] == ["a", "b"]
    plugin = model.plugins[0]
    assert (plugin.name, plugin.filename) == ("p", "libp.so")
    assert "<gain>2</gain>" in plugin.xml


@pytest.mark.parametrize(
    ("attribute", "body", "expected"),
    [
        ("", "<link name='a'/><link name='b'/>", "a"),
        ("canonical_link='b'", "<link name='a'/><link name='b'/>", "b"),
        ("", NESTED + "<link name='a'/>", "a"),
        ("", NESTED, "n::l"),
        ("canonical_link='n::l'", "<link name='a'/>" + NESTED, "n::l"),
        ("", "<model name='n' canonical_link='k'><link name='l'/><link name='k'/></model>", "n::k"),
    ],
)
def test_the_canonical_link_is_named_or_the_first(load_model, attribute, body, expected):
    assert load_model(f"<model name='m' {attribute}>{body}</model>").canonical_link == expected


def test_nested_models_of_a_static_model_are_static(load_model):
    model = load_model(
        "<model name='m'><static>1</static><model name='n'><link name='l'/></model></model>"
    )
    assert model.models[0].static


def test_a_static_model_may_be_without_links(load_model):
    assert load_model("<model name='m'><static>1</static></model>").canonical_link == ""


@pytest.mark.parametrize("version", [f"1.{minor}" for minor in range(3, 12)])
def test_every_version_is_read(load_model, version):
    assert load_model("<model name='m'><link name='a'/></model>", version).name == "m"


@pytest.mark.parametrize("version", ["1.2", "1.12", "2.0", "", "one", "1.", "1.6.1"])
def test_any_other_version_is_an_error(load_model, version):
    with pytest.raises(ModelFormatError, match="version"):
        load_model("<model name='m'><link name='a'/></model>", version)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<model><link name='a'/></model>", "attribute 'name' is missing"),
        ("<model name=''><link name='a'/></model>", "attribute 'name': expected text"),
        ("<model name='m'/>", "must have a link, or be static"),
        ("<model name='m'><link/></model>", "link: the attribute 'name' is missing"),
        ("<model name='m'><link name='a'/><link name='a'/></model>", "name 'a' is already used"),
        ("<model name='m'><link name='world'/></model>", "'world' is reserved"),
        ("<model name='m'><link name='__x__'/></model>", "'__x__' is reserved"),
        ("<model name='m'><link name='a::b'/></model>", "'a::b' is reserved"),
        ("<model name='m' canonical_link='b'><link name='a'/></model>", "no canonical_link 'b'"),
        (
            "<model name='m' canonical_link='f'><link name='a'/><frame name='f'/></model>",
            "no canonical_link 'f'",
        ),
        ("<model name='m' placement_frame='x'><link name='a'/></model>", "unknown frame 'x'"),
        (
            "<model name='m'><static>yes</static><link name='a'/></model>",
            "true or false, got 'yes'",
        ),
        (
            "<model name='m'><link name='n'/><model name='n'><link name='l'/></model></model>",
            "name 'n' is already used by the <link>",
        ),
        ("<model name='a'><link name='l'/></model>" * 2, "one <world>, <model> or <light>, got 2"),
        ("", "expected one <world>, <model> or <light>, got 0"),
        ("<light name='l' type='point'/>", "cannot be loaded by itself, only included in a world"),
        ("<world name='w'/>", "expected a model, got the world 'w'; use load_world"),
    ],
)
def test_a_model_that_cannot_be_is_an_error(load_model, body, message):
    with pytest.raises(ModelFormatError, match=message):
        load_model(body)


def test_a_world_is_what_its_elements_say(load_world):
    world = load_world(
        "<physics type='ode'><max_step_size>0.002</max_step_size>"
        "<real_time_factor>2</real_time_factor><ode><solver><iters>50</iters></solver></ode></physics>"
        "<gravity>0 0 -1.6</gravity>"
        "<scene><ambient>.1 .2 .3 1</ambient><background>0 0 0 1</background>"
        "<shadows>false</shadows><grid>false</grid></scene>"
        "<light name='sun' type='directional'/><model name='m'><link name='l'/></model>"
        "<plugin name='p' filename='f'/>"
    )
    assert world.name == "w"
    assert world.physics == Physics(0.002, 2.0)
    assert world.gravity == Vector3(0, 0, -1.6)
    assert world.scene == SceneDescription(Color(0.1, 0.2, 0.3), Color(0, 0, 0), shadows=False)
    assert [light.name for light in world.lights] == ["sun"]
    assert [model.name for model in world.models] == ["m"]
    assert [plugin.name for plugin in world.plugins] == ["p"]


def test_an_empty_world_has_the_defaults_of_gazebo(load_world):
    world = load_world("")
    assert world.physics == Physics(0.001, 1.0)
    assert world.gravity == Vector3(0, 0, -9.8)


def test_until_sdf_1_5_gravity_is_part_of_physics(load_world):
    world = load_world("<physics type='ode'><gravity>0 0 -1</gravity></physics>", "1.4")
    assert world.gravity == Vector3(0, 0, -1)


def test_of_several_physics_the_default_one_holds(load_world):
    profile = "<physics name='{}' type='ode' {}><max_step_size>{}</max_step_size><x>1</x></physics>"
    slow = profile.format("slow", "", "0.01").replace("<x>1</x>", "")
    fast = profile.format("fast", "default='true'", "0.1").replace("<x>1</x>", "")
    assert load_world(slow + fast).physics.max_step_size == 0.1
    assert load_world(slow + slow).physics.max_step_size == 0.01


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<model name='m'><link name='l'/></model>" * 2, "name 'm' is already used"),
        ("<light name='l' type='point'/>" * 2, "name 'l' is already used"),
        ("<physics type='ode'><max_step_size>0</max_step_size></physics>", "must be > 0"),
        ("<gravity>0 0</gravity>", "expected 3 finite numbers"),
        ("<frame name='f'><pose relative_to='f'/></frame>", "f -> f"),
    ],
)
def test_a_world_that_cannot_be_is_an_error(load_world, body, message):
    with pytest.raises(ModelFormatError, match=message):
        load_world(body)


def test_a_model_is_not_loaded_as_a_world(loader):
    with pytest.raises(
        ModelFormatError, match="expected a world, got the model 'm'; use load_model"
    ):
        loader.load_world("<sdf version='1.6'><model name='m'><link name='l'/></model></sdf>")
