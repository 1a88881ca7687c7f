# SPDX-License-Identifier: Apache-2.0
"""Textures of visuals: which picture a file means, and where it is on the shape."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import trimesh
from PIL import Image

from deepsim_math import Color, Material
from deepsim_spawn import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    GazeboXMLLoader,
    Mesh,
    ModelFormatError,
    ModelFormatWarning,
    Plane,
    Polyline,
    Sphere,
    UnsupportedElementWarning,
    VisualDescription,
    textured_surface,
)

RED, GREEN, BLUE, GREY = (220, 30, 30), (30, 200, 30), (30, 30, 230), (40, 40, 40)
QUARTERS = np.array([RED, GREEN, BLUE, GREY], np.uint8).reshape(2, 2, 3)
PAINT = "<material><script><uri>materials</uri><name>Mine/Flag</name></script></material>"
SCRIPT = """// a comment
material Mine/Other { technique { pass { diffuse 1 0 0 } } }
material Mine/Flag : Mine/Base
{
  technique { pass
    {
      ambient 0.2 0.4 0.6 1.0
      diffuse 0.5 0.5 1.5
      specular 0.1 0.1 0.1 1 12.5
      emissive vertexcolour
      texture_unit normalMap { texture bumps.png }
      texture_unit diffuseMap
      {
        texture "flag.png" 2d
        scale 2 2
      }
    }
  }
}
"""


@pytest.fixture
def folder(tmp_path):
    """A model folder with a material script, a picture of four colours, and a mesh's folder."""
    (tmp_path / "model.config").write_text("<model/>")
    for name in ("materials/scripts", "materials/textures", "meshes"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "materials/scripts/flag.material").write_text(SCRIPT)
    image = QUARTERS.repeat(16, axis=0).repeat(16, axis=1)
    Image.fromarray(image).save(tmp_path / "materials/textures/flag.png")
    return tmp_path


@pytest.fixture
def visual(folder):
    """Loads an SDF or URDF model with one box as visual, given its material."""

    def visual(material, **options):
        if "<texture" in material or "<color" in material:
            box = "<geometry><box size='1 1 1'/></geometry>"
            body = f"<link name='l'><visual>{box}{material}</visual></link>"
            (folder / "model.urdf").write_text(f"<robot name='m'>{body}</robot>")
            model = GazeboXMLLoader(**options).load_model(folder / "model.urdf")
        else:
            box = "<geometry><box><size>1 1 1</size></box></geometry>"
            body = f"<link name='l'><visual name='v'>{box}{material}</visual></link>"
            text = f"<sdf version='1.9'><model name='m'>{body}</model></sdf>"
            (folder / "model.sdf").write_text(text)
            model = GazeboXMLLoader(**options).load_model(folder / "model.sdf")
        return model.links[0].visuals[0]

    return visual


def shows(surface, point):
    """The colour of a textured surface at the place of its triangles that is nearest to a point."""
    weights = np.random.default_rng(0).dirichlet((1.0,) * 3, 40)
    points = np.einsum("kc,mcd->mkd", weights, surface.triangles).reshape(-1, 3)
    places = np.einsum("kc,mcd->mkd", weights, surface.coordinates).reshape(-1, 2)
    u, v = places[np.linalg.norm(points - point, axis=1).argmin()] % 1.0
    height, width, _ = surface.image.shape
    return tuple(surface.image[int(v * height), int(u * width)].tolist())


def test_a_script_gives_its_colours_and_texture(visual, folder):
    """The script is found in the folder that a URI names, its picture in the textures beside it."""
    script = PAINT.replace("materials<", "materials/scripts<")
    with pytest.warns(UnsupportedElementWarning, match="'scale' of its texture has no effect"):
        found = visual(script)
    assert found.texture == (folder / "materials/textures/flag.png").resolve()
    assert found.material == Material(
        Color(0.2, 0.4, 0.6), Color(0.5, 0.5, 1.0), Color(0.1, 0.1, 0.1), Color()
    )
    with pytest.warns(UnsupportedElementWarning):
        file = visual(script.replace("scripts<", "scripts/flag.material<"))
    assert file == found
    plain = visual(script.replace("Mine/Flag", "Mine/Other"))
    assert (plain.texture, plain.material.diffuse) == (None, Color(1, 0, 0))


def test_own_colours_replace_those_of_the_script(visual):
    """The texture of the script stays."""
    script = PAINT.replace("materials<", "materials/scripts<")
    with pytest.warns(UnsupportedElementWarning):
        found = visual(script.replace("</material>", "<diffuse>0 1 0</diffuse></material>"))
    assert found.material.diffuse == Color(0, 1, 0)
    assert found.texture.name == "flag.png"


def test_pbr_has_a_map_of_colours(visual, folder):
    """The map of albedo is the texture; other maps are warned of."""
    metal = "<albedo_map>materials/textures/flag.png</albedo_map><normal_map>n.png</normal_map>"
    with pytest.warns(UnsupportedElementWarning, match="normal_map: not supported"):
        found = visual(f"<material><pbr><metal>{metal}</metal></pbr></material>")
    assert found.texture == (folder / "materials/textures/flag.png").resolve()
    assert found.material is None


@pytest.mark.parametrize(
    ("color", "expected"), [("", None), ("<color rgba='0 1 0 .5'/>", Color(0, 1, 0))]
)
def test_a_urdf_texture(visual, folder, color, expected):
    """A material of URDF may have a texture beside its colour."""
    texture = "<texture filename='materials/textures/flag.png'/>"
    found = visual(f"<material name='x'>{color}{texture}</material>")
    assert found.texture == (folder / "materials/textures/flag.png").resolve()
    assert (found.material and found.material.diffuse) == expected


def test_an_empty_urdf_texture_is_none(visual):
    """Exporters write an empty name beside the colour."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = visual(
            "<material name='x'><color rgba='1 0 0 1'/><texture filename=''/></material>"
        )
    assert (found.texture, found.material.diffuse) == (None, Color(1, 0, 0))


def broken(path):
    path.write_bytes(path.read_bytes()[:20])


def huge(path):
    Image.new("L", (4097, 4096)).save(path)


def foreign(path):
    path.unlink()
    Image.new("RGB", (2, 2)).save(path, "GIF")


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda path: path.unlink(), "was not found"),
        (broken, "cannot be read as a picture"),
        (huge, "16777216 pixels, got 4097 x 4096"),
        (foreign, "cannot be read as a picture"),
    ],
    ids=["missing", "broken", "huge", "foreign"],
)
@pytest.mark.parametrize(
    "material",
    [
        PAINT.replace("materials<", "materials/scripts<"),
        "<material><pbr><metal><albedo_map>materials/textures/flag.png</albedo_map></metal></pbr>"
        "</material>",
        "<material name='x'><texture filename='materials/textures/flag.png'/></material>",
    ],
    ids=["script", "pbr", "urdf"],
)
@pytest.mark.filterwarnings("ignore:.*'scale'")
def test_a_picture_of_no_use_is_warned_of(visual, folder, material, damage, why):
    """The warning names file and line, and the visual has no texture; a strict load refuses it."""
    damage(folder / "materials/textures/flag.png")
    with pytest.warns(ModelFormatWarning, match=rf"model\.\w+:1: .*{why}.*without texture"):
        found = visual(material)
    assert found.texture is None
    with pytest.raises(ModelFormatError, match=rf"model\.\w+:1: .*{why}"):
        visual(material, strict=True)


@pytest.mark.filterwarnings("ignore:.*'scale'")
def test_pictures_of_other_folders_are_not_read(visual, folder, tmp_path_factory):
    """Neither a path nor a script leads out of the folders of the model."""
    other = tmp_path_factory.mktemp("other") / "secret.png"
    Image.new("RGB", (2, 2)).save(other)
    path = f"../{other.parent.name}/secret.png"
    with pytest.warns(ModelFormatWarning, match="outside of"):
        assert visual(f"<material name='x'><texture filename='{path}'/></material>").texture is None
    script = folder / "materials/scripts/flag.material"
    script.write_text(SCRIPT.replace('"flag.png"', f"../../../{path}"))
    with pytest.warns(ModelFormatWarning, match="was not found"):
        assert visual(PAINT.replace("materials<", "materials/scripts<")).texture is None


def test_what_a_later_reader_finds_broken_is_warned_of_once(visual, folder):
    """A picture that breaks after loading leaves the colour."""
    found = visual(
        "<material name='x'><texture filename='materials/textures/flag.png'/></material>"
    )
    broken(found.texture)
    with pytest.warns(ModelFormatWarning, match=r"flag\.png: cannot be read.*without texture"):
        assert textured_surface(found) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert textured_surface(found) is None


def test_a_texture_is_written_and_read(visual, folder):
    """SDF has it as the map of albedo."""
    found = visual(
        "<material name='x'><texture filename='materials/textures/flag.png'/></material>"
    )
    model = GazeboXMLLoader().load_model(folder / "model.urdf")
    again = GazeboXMLLoader(folder).load_model(model.to_sdf())
    assert again.links[0].visuals[0].texture == found.texture


@pytest.mark.parametrize(
    ("shape", "colours"),
    [
        # looking at the side -y from -y, the picture is upright; likewise on the other three
        (Box((2, 2, 2)), {(-0.5, -1, 0.5): RED, (0.5, -1, 0.5): GREEN, (-0.5, -1, -0.5): BLUE}),
        (Box((2, 2, 2)), {(1, -0.5, 0.5): RED, (1, 0.5, 0.5): GREEN, (1, -0.5, -0.5): BLUE}),
        (Box((2, 2, 2)), {(0.5, 1, 0.5): RED, (-0.5, 1, 0.5): GREEN, (0.5, 1, -0.5): BLUE}),
        (Box((2, 2, 2)), {(-1, 0.5, 0.5): RED, (-1, -0.5, 0.5): GREEN, (-1, 0.5, -0.5): BLUE}),
        # above, its upper edge is at +x; below, at -x; both have its left edge at +y
        (Box((2, 2, 2)), {(0.5, 0.5, 1): RED, (0.5, -0.5, 1): GREEN, (-0.5, 0.5, 1): BLUE}),
        (Box((2, 2, 2)), {(-0.5, 0.5, -1): RED, (-0.5, -0.5, -1): GREEN, (0.5, 0.5, -1): BLUE}),
        (Plane(size=(4, 2)), {(-1, 0.5, 0): RED, (1, 0.5, 0): GREEN, (-1, -0.5, 0): BLUE}),
        (Plane((1, 0, 0), (4, 2)), {(0, 0.5, 1): RED, (0, 0.5, -1): GREEN, (0, -0.5, 1): BLUE}),
        # from +y over +x around z, with the upper edge at the bottom
        (Cylinder(1, 2), {(1, 0, -0.5): RED, (-1, 0, -0.5): GREEN, (1, 0, 0.5): BLUE}),
        (Cylinder(1, 2), {(-0.3, 0.3, 1): RED, (0.3, 0.3, 1): GREEN, (-0.3, -0.3, 1): BLUE}),
        (Cone(1, 2), {(0.9, 0, -0.8): RED, (-0.9, 0, -0.8): GREEN, (0.2, 0, 0.6): BLUE}),
        (Capsule(1, 2), {(1, 0, -0.5): RED, (-1, 0, -0.5): GREEN, (1, 0, 0.5): BLUE}),
        # from +z over +x around y, with the upper edge at +y
        (Sphere(1), {(0.8, 0.6, 0): RED, (-0.8, 0.6, 0): GREEN, (0.8, -0.6, 0): BLUE}),
        (Ellipsoid((2, 1, 1)), {(1.6, 0.6, 0): RED, (-1.6, 0.6, 0): GREEN, (1.6, -0.6, 0): BLUE}),
    ],
)
def test_a_picture_lies_on_simple_shapes_as_in_gazebo(folder, shape, colours):
    """Which quarter of the picture is where, by the vertices of Gazebo 11's unit meshes."""
    texture = folder / "materials/textures/flag.png"
    surface = textured_surface(VisualDescription("v", shape, texture=texture))
    assert {point: shows(surface, point) for point in colours} == colours
    a, b, c = surface.triangles.astype(np.float64).swapaxes(0, 1)
    outwards = np.einsum("mi,mi->m", np.cross(b - a, c - a), (a + b + c) / 3)
    assert isinstance(shape, Plane) or (outwards > -1e-9).all()


def test_a_shape_without_places_has_no_texture(folder):
    """There is a warning, and the colour is drawn."""
    shape = Polyline((((0, 0), (1, 0), (0, 1)),), 1.0)
    texture = folder / "materials/textures/flag.png"
    with pytest.warns(ModelFormatWarning, match="a polyline has no texture coordinates"):
        assert textured_surface(VisualDescription("v", shape, texture=texture)) is None


# Meshes with textures of their own

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
SHEETS = {
    "a": (SQUARE[:, :2] * (2.5, 1.5) - 0.25, (RED, GREEN, BLUE, GREY)),  # it repeats
    "b": (SQUARE[:, :2], (GREY, BLUE, GREEN, RED)),
    "c": (SQUARE[:, :2], (255, 0, 255)),
}
"""Texture coordinates, from below, and the colours of a picture's quarters or of all."""


def shifted(number):
    """The corners of a sheet, beside those before it."""
    return SQUARE + np.array([2.0 * number, 0.0, 0.0])


def picture_of(colors):
    image = np.array(colors, np.uint8).reshape(2, 2, 3).repeat(8, axis=0).repeat(8, axis=1)
    return Image.fromarray(image)


def sheets():
    """The sheets as trimesh holds them, beside each other."""
    for number, (name, (places, colors)) in enumerate(SHEETS.items()):
        look = {"baseColorFactor": [*colors, 255]} if name == "c" else {}
        if name != "c":
            look["baseColorTexture"] = picture_of(colors)
        material = trimesh.visual.material.PBRMaterial(name=name, **look)
        visual = trimesh.visual.TextureVisuals(uv=places, material=material)
        faces = [[0, 1, 2], [0, 2, 3]]
        yield trimesh.Trimesh(shifted(number), faces, visual=visual, process=False)


def write_glb(folder):
    trimesh.Scene(sheets()).export(folder / "sheets.glb")
    return folder / "sheets.glb"


def write_gltf(folder):
    for name, content in trimesh.Scene(sheets()).export(file_type="gltf").items():
        (folder / name).write_bytes(content)
    return folder / "model.gltf"


def write_obj(folder):
    lines, materials = ["mtllib sheets.mtl"], []
    for number, (name, (places, colors)) in enumerate(SHEETS.items()):
        lines += [f"v {x + 2 * number} {y} {z}" for x, y, z in SQUARE.tolist()]
        lines += [f"vt {u} {v}" for u, v in places.tolist()]
        lines += [f"usemtl {name}", "f -4/-4 -3/-3 -2/-2 -1/-1"]
        materials += [f"newmtl {name}", "Kd 0 0 0" if name != "c" else "Kd 1 0 1"]
        if name != "c":
            picture_of(colors).save(folder / f"{name}.png")
            materials += [f"map_Kd -o 0 0 0 {name}.png"]
    (folder / "sheets.obj").write_text("\n".join(lines))
    (folder / "sheets.mtl").write_text("\n".join(materials))
    return folder / "sheets.obj"


def write_dae(folder):
    images, effects, materials, geometries, nodes = "", "", "", "", ""
    for number, (name, (places, colors)) in enumerate(SHEETS.items()):
        diffuse, params = "<color>1 0 1 1</color>", ""
        if name != "c":
            picture_of(colors).save(folder / f"{name} 1.png")
            images += f"<image id='i{name}'><init_from>{name}%201.png</init_from></image>"
            params = (
                f"<newparam sid='u'><surface type='2D'><init_from>i{name}</init_from></surface>"
                "</newparam><newparam sid='s'><sampler2D><source>u</source></sampler2D></newparam>"
            )
            diffuse = "<texture texture='s' texcoord='UV'/>"
        effects += (
            f"<effect id='e{name}'><profile_COMMON>{params}<technique sid='t'><phong>"
            f"<diffuse>{diffuse}</diffuse></phong></technique></profile_COMMON></effect>"
        )
        materials += f"<material id='m{name}'><instance_effect url='#e{name}'/></material>"
        points = " ".join(map(str, (shifted(number)).ravel().tolist()))
        geometries += (
            f"<geometry id='g{name}'><mesh>"
            f"<source id='p{name}'><float_array>{points}</float_array></source>"
            f"<source id='w{name}'><float_array>{' '.join(map(str, places.ravel()))}</float_array>"
            "<technique_common><accessor stride='2'/></technique_common></source>"
            f"<vertices id='v{name}'><input semantic='POSITION' source='#p{name}'/></vertices>"
            "<polylist material='symbol' count='1'>"
            f"<input semantic='VERTEX' source='#v{name}' offset='0'/>"
            f"<input semantic='TEXCOORD' source='#w{name}' offset='1'/>"
            "<vcount>4</vcount><p>0 0 1 1 2 2 3 3</p></polylist></mesh></geometry>"
        )
        nodes += (
            f"<node><instance_geometry url='#g{name}'><bind_material><technique_common>"
            f"<instance_material symbol='symbol' target='#m{name}'/></technique_common>"
            "</bind_material></instance_geometry></node>"
        )
    (folder / "sheets.dae").write_text(
        f"<COLLADA><library_images>{images}</library_images><library_effects>{effects}"
        f"</library_effects><library_materials>{materials}</library_materials>"
        f"<library_geometries>{geometries}</library_geometries><library_visual_scenes>"
        f"<visual_scene id='v'>{nodes}</visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#v'/></scene></COLLADA>"
    )
    return folder / "sheets.dae"


WRITERS = [write_glb, write_gltf, write_obj, write_dae]


def colours_at(mesh, points):
    """The colours (n, 3) of a mesh at points, by the texture coordinates that trimesh has."""
    every = np.repeat(mesh.triangles, len(points), axis=0)
    near = trimesh.triangles.closest_point(every, np.tile(points, (len(mesh.faces), 1)))
    away = np.linalg.norm(near - np.tile(points, (len(mesh.faces), 1)), axis=1)
    numbers = away.reshape(len(mesh.faces), -1).argmin(axis=0)
    shares = trimesh.triangles.points_to_barycentric(mesh.triangles[numbers], points)
    material = mesh.visual.material
    if material.baseColorTexture is None:
        return np.tile(material.baseColorFactor[:3], (len(points), 1))
    places = np.einsum("nc,nci->ni", shares, mesh.visual.uv[mesh.faces[numbers]])
    image = np.asarray(material.baseColorTexture)
    height, width, _ = image.shape
    across, up = places.T
    return image[
        np.floor(-up * height).astype(int) % height, np.floor(across * width).astype(int) % width
    ]


def as_trimesh(surface):
    points = surface.triangles.reshape(-1, 3)
    upwards = surface.coordinates.reshape(-1, 2) * (1.0, -1.0) + (0.0, 1.0)
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.fromarray(surface.image))
    visual = trimesh.visual.TextureVisuals(uv=upwards, material=material)
    faces = np.arange(len(points)).reshape(-1, 3)
    return trimesh.Trimesh(points, faces, visual=visual, process=False)


@pytest.mark.parametrize("scale", [(1, 1, 1), (-2, 1, 1)])
@pytest.mark.parametrize("write", WRITERS)
def test_a_mesh_has_the_pictures_and_colours_of_its_file(tmp_path, write, scale):
    """At each point it has the colour that trimesh finds by the file's texture coordinates."""
    mesh = Mesh(write(tmp_path), scale)
    found = as_trimesh(textured_surface(VisualDescription("v", mesh)))
    x, y = np.meshgrid(np.linspace(0.03, 0.96, 15), np.linspace(0.03, 0.96, 15))
    flat = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    for number, sheet in enumerate(sheets()):
        points = flat + np.array([2.0 * number, 0.0, 0.0])
        expected = colours_at(sheet, points)
        wrong = (colours_at(found, points * scale) != expected).any(axis=1)
        assert wrong.mean() < 0.02  # at the edges of pixels
    assert (found.face_normals[:, 2] > 0.9).all()


@pytest.mark.parametrize("write", WRITERS)
def test_a_material_replaces_those_of_the_file(tmp_path, write):
    """A colour hides the file's pictures; a texture takes their places."""
    mesh = Mesh(write(tmp_path))
    assert textured_surface(VisualDescription("v", mesh, material=Material())) is None
    picture_of((GREY, BLUE, GREEN, RED)).save(tmp_path / "own.png")
    visual = VisualDescription("v", mesh, material=Material(), texture=tmp_path / "own.png")
    found = as_trimesh(textured_surface(visual))
    points = np.array([[2.2, 0.8, 0], [2.8, 0.8, 0], [2.2, 0.2, 0], [4.2, 0.8, 0]])
    np.testing.assert_array_equal(colours_at(found, points), [GREY, BLUE, GREEN, GREY])


def test_a_part_of_a_mesh_has_its_own_picture(tmp_path):
    """Here the geometry with one colour."""
    mesh = Mesh(write_dae(tmp_path), submesh="gc")
    surface = textured_surface(VisualDescription("v", mesh))
    np.testing.assert_array_equal(surface.image, [[[255, 0, 255]]])


def test_meshes_without_materials_have_no_texture(tmp_path):
    """They are drawn in the default colour, without a warning."""
    plain = [line for line in write_obj(tmp_path).read_text().splitlines() if "mtl" not in line]
    (tmp_path / "plain.obj").write_text("\n".join(plain))
    trimesh.creation.box().export(tmp_path / "box.stl")
    trimesh.creation.box().export(tmp_path / "box.glb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("plain.obj", "box.stl", "box.glb"):
            assert textured_surface(VisualDescription("v", Mesh(tmp_path / name))) is None


@pytest.mark.parametrize("name", ["a.png", "sheets.mtl"])
@pytest.mark.parametrize("damage", ["missing", "outside"])
def test_a_file_of_a_mesh_that_is_of_no_use_is_warned_of(tmp_path, name, damage):
    """The warning names the mesh and the file; the mesh has no texture."""
    folder = tmp_path / "model"
    folder.mkdir()
    mesh = write_obj(folder)
    content = (folder / name).read_bytes()
    (folder / name).unlink()
    if damage == "outside":
        (tmp_path / name).write_bytes(content)
        for file in (mesh, folder / "sheets.mtl"):
            if file.exists():
                file.write_text(file.read_text().replace(name, f"../{name}"))
    with pytest.warns(ModelFormatWarning, match=rf"sheets\.obj: .*{name}.*without texture"):
        assert textured_surface(VisualDescription("v", Mesh(mesh))) is None


@pytest.mark.parametrize("place", ["nan", "1e300"])
def test_places_out_of_all_bounds_are_refused(tmp_path, place):
    """There is a warning, and no texture."""
    mesh = write_obj(tmp_path)
    mesh.write_text(mesh.read_text().replace("vt 1.0 0.0", f"vt {place} 0.0"))
    with pytest.warns(ModelFormatWarning, match=r"sheets\.obj.*without texture"):
        assert textured_surface(VisualDescription("v", Mesh(mesh))) is None


@pytest.mark.parametrize("name", ["a" * 3000 + ".png", "x\0.png", "..", "/"])
def test_names_of_no_file_in_a_script_are_warned_of(visual, folder, name):
    """Whatever the script names, the visual has the script's colours."""
    script = SCRIPT.replace("flag.png", name).replace("scale 2 2", "")
    (folder / "materials/scripts/flag.material").write_text(script)
    with pytest.warns(ModelFormatWarning, match="was not found"):
        found = visual(PAINT.replace("materials<", "materials/scripts<"))
    assert (found.texture, found.material.ambient) == (None, Color(0.2, 0.4, 0.6))


def test_pictures_that_would_not_fit_are_made_smaller(tmp_path):
    """Many large pictures share one of at most 16 million pixels, 8192 on a side."""
    lines, materials = ["mtllib large.mtl"], []
    for number in range(5):
        Image.new("RGB", (2048, 2048), (50 * number, 0, 0)).save(tmp_path / f"{number}.png")
        lines += [f"v {x} {y} {number}" for x, y, _ in SQUARE.tolist()]
        lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
        lines += [f"usemtl {number}", "f -4/-4 -3/-3 -2/-2 -1/-1"]
        materials += [f"newmtl {number}", f"map_Kd {number}.png"]
    (tmp_path / "large.obj").write_text("\n".join(lines))
    (tmp_path / "large.mtl").write_text("\n".join(materials))
    surface = textured_surface(VisualDescription("v", Mesh(tmp_path / "large.obj")))
    height, width, _ = surface.image.shape
    assert max(height, width) <= 8192
    assert height * width <= 2**24
    points = np.column_stack([np.full((5, 2), 0.4), np.arange(5)])
    np.testing.assert_array_equal(
        colours_at(as_trimesh(surface), points), [(50 * number, 0, 0) for number in range(5)]
    )
