# SPDX-License-Identifier: Apache-2.0
"""Links of SDF and what they hold."""

from __future__ import annotations

import pytest

from deepsim_math import Color, Material, Vector3
from deepsim_spawn import (
    Attenuation,
    Box,
    CameraDescription,
    Capsule,
    Cylinder,
    Ellipsoid,
    Inertial,
    Mesh,
    ModelFormatError,
    ModelFormatWarning,
    Plane,
    Sphere,
    SpotCone,
    Surface,
    UnsupportedElementWarning,
    VelocityDecay,
)
from deepsim_sync import Noise

BALL = "<geometry><sphere><radius>1</radius></sphere></geometry>"


def test_a_link_is_what_its_elements_say(load_link):
    link = load_link(
        "<gravity>false</gravity><kinematic>1</kinematic><self_collide>True</self_collide>"
        "<velocity_decay><linear>0.1</linear><angular>0.2</angular></velocity_decay>"
    )
    assert (link.gravity, link.kinematic, link.self_collide) == (False, True, True)
    assert link.velocity_decay == VelocityDecay(0.1, 0.2)


def test_an_empty_link_has_the_defaults_of_sdf(load_link):
    link = load_link("")
    assert link.inertial == Inertial(mass=1.0, ixx=1.0, iyy=1.0, izz=1.0)
    assert (link.gravity, link.kinematic, link.self_collide) == (True, False, None)


def test_an_inertial_is_read_with_its_frame(load_link):
    inertial = load_link(
        "<inertial><mass>2.5</mass><pose>0.1 0 0 0 0 0</pose><inertia><ixx>3</ixx><iyy>4</iyy>"
        "<izz>5</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial>"
    ).inertial
    assert inertial.mass == 2.5
    assert tuple(inertial.pose.position) == (0.1, 0, 0)
    assert (inertial.ixx, inertial.iyy, inertial.izz) == (3, 4, 5)
    assert (inertial.ixy, inertial.ixz, inertial.iyz) == (0.1, 0.2, 0.3)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("<box><size>1 2 3</size></box>", Box((1, 2, 3))),
        ("<sphere><radius>.5</radius></sphere>", Sphere(0.5)),
        ("<cylinder><radius>1</radius><length>2e0</length></cylinder>", Cylinder(1, 2)),
        ("<capsule><radius>1</radius><length>2</length></capsule>", Capsule(1, 2)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", Ellipsoid((1, 2, 3))),
        ("<plane/>", Plane()),
        ("<plane><normal>0 1 0</normal><size>5 6</size></plane>", Plane((0, 1, 0), (5, 6))),
    ],
)
@pytest.mark.parametrize("tag", ["collision", "visual"])
def test_every_shape_is_read(load_link, tag, shape, expected):
    link = load_link(f"<{tag} name='x'><geometry>{shape}</geometry></{tag}>")
    assert getattr(link, tag + "s")[0].geometry == expected


def test_a_mesh_is_found_beside_its_file(loader, tmp_path):
    (tmp_path / "meshes").mkdir()
    mesh = tmp_path / "meshes" / "part.stl"
    mesh.touch()
    file = tmp_path / "m.sdf"
    file.write_text(
        "<sdf version='1.6'><model name='m'><link name='l'><visual name='v'><geometry><mesh>"
        "<uri>meshes/part.stl</uri><scale>1 -1 2</scale>"
        "<submesh><name>lid</name><center>true</center></submesh>"
        "</mesh></geometry></visual></link></model></sdf>"
    )
    visual = loader.load_model(file).links[0].visuals[0]
    assert visual.geometry == Mesh(mesh.resolve(), Vector3(1, -1, 2), "lid", True)


@pytest.mark.parametrize("shape", ["point_cloud", "voxel_cloud"])
def test_a_shape_that_is_not_supported_is_left_out_with_one_warning(load_link, shape):
    ball = f"<visual name='ball'>{BALL}</visual>"
    other = f"<geometry><{shape}><a>1</a></{shape}></geometry><material><ambient>1 1 1</ambient>"
    with pytest.warns(UnsupportedElementWarning, match=rf"geometry/{shape}: .*\(2 times") as said:
        link = load_link(
            f"{ball}<visual name='x'>{other}</material></visual>"
            f"<visual name='y'>{other}</material></visual>"
        )
    assert len(said) == 1
    assert [visual.name for visual in link.visuals] == ["ball"]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("<box/>", "box: <size> is missing"),
        ("<box><size>1 2</size></box>", "size: expected 3 finite numbers, got '1 2'"),
        ("<box><size>1, 2, 3</size></box>", "separated by blanks, not commas, got '1, 2, 3'"),
        ("<box><sise>1 2 3</sise></box>", "box: <size> is missing; it has <sise>"),
        ("<box><size>1 0 1</size></box>", "box size .* must be > 0, got 0"),
        ("<sphere><radius>-1</radius></sphere>", "sphere radius .* got -1"),
        ("<sphere><radius>nan</radius></sphere>", "expected a finite number, got 'nan'"),
        ("<sphere><radius>1e999</radius></sphere>", "finite"),
        ("<sphere><radius>1_0</radius></sphere>", "got '1_0'"),
        ("<cylinder><radius>1</radius></cylinder>", "<length> is missing"),
        ("<mesh/>", "<uri> is missing"),
        ("<mesh><uri/></mesh>", "uri: expected text"),
        ("<mesh><uri>ghost.stl</uri></mesh>", "uri: 'ghost.stl' was not found"),
    ],
)
def test_a_shape_that_cannot_be_is_an_error(load_link_strictly, shape, message):
    with pytest.raises(ModelFormatError, match=message):
        load_link_strictly(f"<collision name='c'><geometry>{shape}</geometry></collision>")


def test_a_surface_is_read_as_far_as_backends_use_it(load_link):
    link = load_link(
        f"<collision name='c'>{BALL}<surface>"
        "<friction><ode><mu>0.1</mu><mu2>0.2</mu2></ode></friction>"
        "<bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>"
        "<contact><collide_bitmask>0x0f</collide_bitmask></contact></surface></collision>"
    )
    assert link.collisions[0].surface == Surface(0.1, 0.2, 0.5, 0x0F)


@pytest.mark.parametrize("mask", ["0b1", "one", "1.5", "0x"])
def test_a_bitmask_is_a_whole_number(load_link, mask):
    with pytest.raises(ModelFormatError, match="expected an integer"):
        load_link(
            f"<collision name='c'>{BALL}<surface><contact><collide_bitmask>{mask}"
            "</collide_bitmask></contact></surface></collision>"
        )


RED = Color(1, 0, 0, 1)
BLUE = Color(0, 0, 1, 1)
WHITE = Color(1, 1, 1, 1)
BLACK = Color(0, 0, 0, 1)
HIGHLIGHT = Color(0.1, 0.1, 0.1, 1)


@pytest.mark.parametrize(
    ("material", "expected"),
    [
        ("", None),
        ("<material/>", None),
        (
            "<material><ambient>1 0 0 1</ambient><diffuse>0 0 1</diffuse>"
            "<specular>.1 .1 .1 1</specular><emissive>1 1 1 1</emissive></material>",
            Material(RED, BLUE, HIGHLIGHT, WHITE),
        ),
        (
            "<material><ambient>1 0 0 1</ambient></material>",
            Material(RED, RED, BLACK, BLACK),
        ),
        (
            "<material><diffuse>0 0 1 1</diffuse></material>",
            Material(BLUE, BLUE, BLACK, BLACK),
        ),
        (
            "<material><specular>1 1 1 1</specular></material>",
            Material(WHITE, WHITE, WHITE, BLACK),
        ),
        (
            "<material><script><uri>file://x</uri><name>Gazebo/Red</name></script></material>",
            Material(RED, RED, HIGHLIGHT, BLACK),
        ),
        (
            "<material><script><name>Gazebo/Red</name></script><diffuse>0 0 1</diffuse></material>",
            Material(RED, BLUE, HIGHLIGHT, BLACK),
        ),
    ],
)
def test_a_material_is_its_script_and_then_its_own_colours(load_link, material, expected):
    link = load_link(f"<visual name='v'>{BALL}{material}</visual>")
    assert link.visuals[0].material == expected


def test_a_script_that_is_not_known_is_warned_of(load_link):
    with pytest.warns(UnsupportedElementWarning, match="Mine/Lava: unknown material script"):
        link = load_link(
            f"<visual name='v'>{BALL}"
            "<material><script><name>Mine/Lava</name></script></material></visual>"
        )
    assert link.visuals[0].material is None


def test_a_colour_beyond_its_range_is_limited(load_link):
    with pytest.warns(ModelFormatWarning, match=r"diffuse: .*255"):
        link = load_link(
            f"<visual name='v'>{BALL}<material><diffuse>255 0 0</diffuse></material></visual>"
        )
    assert link.visuals[0].material.diffuse == Color(1, 0, 0, 1)


def test_a_visual_keeps_transparency_and_shadow(load_link):
    link = load_link(
        f"<visual name='v'>{BALL}<transparency>0.4</transparency><cast_shadows>0</cast_shadows>"
        "</visual>"
    )
    assert (link.visuals[0].transparency, link.visuals[0].cast_shadows) == (0.4, False)


def test_a_light_keeps_what_it_shines(load_link):
    light = load_link(
        "<light name='lamp' type='spot'><diffuse>1 0 0 1</diffuse><specular>0 0 1 1</specular>"
        "<attenuation><range>20</range><constant>.5</constant><linear>.1</linear>"
        "<quadratic>.2</quadratic></attenuation><direction>0 3 0</direction>"
        "<cast_shadows>true</cast_shadows><spot><inner_angle>.1</inner_angle>"
        "<outer_angle>.2</outer_angle><falloff>1</falloff></spot></light>"
    ).lights[0]
    assert (light.name, light.type, light.cast_shadows) == ("lamp", "spot", True)
    assert (light.diffuse, light.specular) == (RED, BLUE)
    assert light.attenuation == Attenuation(20, 0.5, 0.1, 0.2)
    assert light.direction == Vector3(0, 1, 0)
    assert light.spot == SpotCone(0.1, 0.2, 1)


@pytest.mark.parametrize(
    ("owner", "part", "values", "message"),
    [
        ("light", "attenuation", "<range>-1</range>", "attenuation range .* must be >= 0"),
        ("light", "spot", "<falloff>-1</falloff>", "spot falloff must be >= 0"),
        ("link", "velocity_decay", "<linear>-1</linear>", "velocity decay linear must be >= 0"),
    ],
)
def test_an_error_names_the_element_that_holds_the_value(load_link, owner, part, values, message):
    """A value that is refused is reported at the innermost description that holds it."""
    text = f"<{part}>{values}</{part}>"
    lamp = f"<light name='lamp' type='spot'>{text}</light>"
    with pytest.raises(ModelFormatError, match=rf"{owner}\[\w+\]/{part}: {message}"):
        load_link(lamp if owner == "light" else text)


def test_a_light_of_unknown_type_is_an_error(load_link):
    with pytest.raises(ModelFormatError, match="type must be one of point, spot, directional"):
        load_link("<light name='x' type='neon'/>")


def test_a_camera_is_read_in_full(load_link):
    sensor = load_link(
        "<sensor name='eye' type='camera'><pose>1 0 0 0 0 0</pose><update_rate>30</update_rate>"
        "<camera name='c'><pose>0 0 2 0 0 0</pose><horizontal_fov>1.2</horizontal_fov>"
        "<image><width>64</width><height>48</height><format>R8G8B8</format></image>"
        "<clip><near>.02</near><far>30</far></clip><noise><type>gaussian</type></noise></camera>"
        "</sensor>"
    ).sensors[0]
    assert (sensor.name, sensor.type, sensor.update_rate) == ("eye", "camera", 30)
    assert sensor.camera == CameraDescription(1.2, 64, 48, 0.02, 30, noise=(Noise(),))
    assert tuple(sensor.pose.position) == (1, 0, 2)
    assert "<noise><type>gaussian</type></noise>" in sensor.xml


def test_any_other_sensor_is_kept_as_text(load_link):
    sensor = load_link("<sensor name='s' type='ray'><ray><scan/></ray></sensor>").sensors[0]
    assert (sensor.type, sensor.camera) == ("ray", None)
    assert sensor.xml == '<sensor name="s" type="ray"><ray><scan/></ray></sensor>'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<collision name='c'/>", "<geometry> is missing"),
        ("<collision><geometry/></collision>", "attribute 'name' is missing"),
        (f"<visual name='v'>{BALL}</visual>" * 2, r"visual\[v\]: the name 'v' is already used"),
        ("<sensor name='s'/>", "attribute 'type' is missing"),
        ("<sensor name='s' type='camera'/>", "<camera> is missing"),
        ("<gravity>maybe</gravity>", "gravity: expected true or false, got 'maybe'"),
        ("<inertial><mass>0</mass></inertial>", r"inertial: mass \[kg\] must be > 0, got 0"),
        ("<inertial><mass>heavy</mass></inertial>", "mass: expected a finite number, got 'heavy'"),
        (f"<visual name='v'>{BALL}<transparency>2</transparency></visual>", "0..1"),
    ],
)
def test_a_link_that_cannot_be_is_an_error(load_link_strictly, body, message):
    with pytest.raises(ModelFormatError, match=message):
        load_link_strictly(body)
