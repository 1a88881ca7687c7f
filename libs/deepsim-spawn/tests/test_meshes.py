# SPDX-License-Identifier: Apache-2.0
"""Mesh files: what is read of COLLADA, OBJ and STL."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_spawn import Mesh, ModelFormatError, mesh_triangles

SQUARE = "0 0 0  1 0 0  1 1 0  0 1 0"
VERTEX = "<input semantic='VERTEX' source='#v' offset='0'/>"
QUAD = f"<polylist count='1'>{VERTEX}<vcount>4</vcount><p>0 1 2 3</p></polylist>"
NORMAL = "<input semantic='NORMAL' source='#n' offset='1'/>"


def geometry(identifier, points=SQUARE, primitives=QUAD, name=""):
    count = len(points.split())
    return f"""<geometry id="{identifier}" name="{name}"><mesh>
        <source id="p"><float_array id="a" count="{count}">{points}</float_array>
        <technique_common><accessor source="#a" count="{count // 3}" stride="3"/></technique_common>
        </source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
        {primitives}</mesh></geometry>"""


def collada(path, geometries, nodes, *, asset="", more=""):
    path.write_text(
        f"""<?xml version="1.0"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset>{asset}<up_axis>Y_UP</up_axis></asset>{more}
        <library_geometries>{geometries}</library_geometries>
        <library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
    )
    return path


def area(path, submesh=""):
    """Twice the vector of a mesh's area: its length and the side that its faces look to."""
    vertices, faces = mesh_triangles(Mesh(path, submesh=submesh))
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a).sum(axis=0)


@pytest.mark.parametrize(
    "primitive",
    [
        f"<triangles count='2'>{VERTEX}<p>0 1 2 0 2 3</p></triangles>",
        f"<triangles count='2'>{VERTEX}{NORMAL}<p>0 9 1 9 2 9 0 9 2 9 3 9</p></triangles>",
        f"<polylist count='2'>{VERTEX}<vcount>4 2</vcount><p>0 1 2 3 0 1</p></polylist>",
        f"<polygons count='1'>{VERTEX}<p>0 1 2 3</p></polygons>",
        f"<trifans count='1'>{VERTEX}<p>0 1 2 3</p></trifans>",
        f"<tristrips count='2'>{VERTEX}<p>0 1 3 2</p></tristrips>",
        f"<lines count='1'>{VERTEX}<p>0 2</p></lines>" + QUAD,
    ],
)
def test_every_primitive_of_collada_is_read_as_triangles(tmp_path, primitive):
    shape = geometry("g", primitives=primitive)
    path = collada(tmp_path / "x.dae", shape, "<node><instance_geometry url='#g'/></node>")
    assert area(path) == pytest.approx([0, 0, 2])


numbers = st.floats(-3, 3, allow_nan=False)
factors = st.floats(0.2, 3)
steps = st.one_of(
    st.tuples(st.just("translate"), numbers, numbers, numbers),
    st.tuples(st.just("scale"), factors, factors, factors),
    st.tuples(st.just("rotate"), numbers, numbers, st.floats(0.1, 3), st.floats(-180, 180)),
)


def moved(points, step):
    """What a transformation makes of points, by the textbook (Rodrigues' rotation formula)."""
    kind, *values = step
    if kind == "translate":
        return points + np.array(values)
    if kind == "scale":
        return points * np.array(values)
    axis, angle = np.array(values[:3]) / np.linalg.norm(values[:3]), math.radians(values[3])
    along = np.outer(points @ axis, axis)
    return along + math.cos(angle) * (points - along) + math.sin(angle) * np.cross(axis, points)


@settings(max_examples=60, deadline=None)
@given(
    nodes=st.lists(st.lists(steps, max_size=3), min_size=1, max_size=4), unit=st.floats(0.001, 2)
)
def test_nodes_and_the_unit_place_a_geometry(tmp_path_factory, nodes, unit):
    """Inner nodes first, of one node the last transformation first."""
    text = "<instance_geometry url='#g'/>"
    expected = np.array(SQUARE.split(), float).reshape(-1, 3)
    for node in nodes:
        words = [(kind, " ".join(map(repr, values))) for kind, *values in node]
        text = "".join(f"<{kind}>{value}</{kind}>" for kind, value in words) + text
        text = f"<node>{text}</node>"
        for step in reversed(node):
            expected = moved(expected, step)
    path = tmp_path_factory.mktemp("dae") / "x.dae"
    collada(path, geometry("g"), text, asset=f"<unit meter='{unit!r}'/>")
    vertices, _ = mesh_triangles(Mesh(path))
    np.testing.assert_allclose(vertices, expected * unit, rtol=1e-9, atol=1e-9)


def test_a_node_with_a_matrix_has_no_other_transformation(tmp_path):
    """As in Gazebo; some exporters write both."""
    matrix = "<matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix><translate>9 9 9</translate>"
    nodes = f"<node>{matrix}<instance_geometry url='#g'/></node>"
    vertices, _ = mesh_triangles(Mesh(collada(tmp_path / "x.dae", geometry("g"), nodes)))
    assert vertices.min(axis=0) == pytest.approx([4, 6, 7])
    assert vertices.max(axis=0) == pytest.approx([5, 7, 7])


def test_faces_of_a_mirrored_node_look_to_the_other_side_of_it(tmp_path):
    nodes = "<node><scale>1 1 -1</scale><instance_geometry url='#g'/></node>"
    path = collada(tmp_path / "x.dae", geometry("g"), nodes)
    assert area(path) == pytest.approx([0, 0, -2])


NAMED = """
<library_nodes><node id="shared" name="Shared"><instance_geometry url="#small"/></node>
</library_nodes>"""
NODES = """
<node id="n1" name="Trunk"><instance_geometry url="#large"/>
  <node><translate>0 0 5</translate><instance_geometry url="#small"/></node></node>
<node id="n2" name="Branch"><instance_node url="#shared"/></node>
"""


@pytest.mark.parametrize(
    ("submesh", "doubled_area"),
    [
        ("large", 8),
        ("Large plate", 8),
        ("small", 4),
        ("n1", 10),
        ("Trunk", 10),
        ("n2", 2),
        ("Branch", 2),
        ("shared", 2),
        ("Shared", 2),
        ("", 12),
    ],
)
def test_a_submesh_is_named_by_its_geometry_or_node(tmp_path, submesh, doubled_area):
    """A node without a name has that of the one above; ids of sources hold within a geometry."""
    large = geometry("large", "0 0 0  2 0 0  2 2 0  0 2 0", name="Large plate")
    path = collada(tmp_path / "x.dae", large + geometry("small"), NODES, more=NAMED)
    assert area(path, submesh)[2] == pytest.approx(doubled_area)


def test_a_skin_is_where_it_was_bound(tmp_path):
    skin = """<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>
        1 0 0 1  0 1 0 2  0 0 1 3  0 0 0 1</bind_shape_matrix></skin></controller>
        </library_controllers>"""
    nodes = "<node><instance_controller url='#c'/></node>"
    vertices, _ = mesh_triangles(Mesh(collada(tmp_path / "x.dae", geometry("g"), nodes, more=skin)))
    assert vertices.min(axis=0) == pytest.approx([1, 2, 3])


def test_materials_that_are_missing_or_wrong_are_not_looked_at(tmp_path, capfd):
    """Neither are their pictures, and nothing is said of them."""
    more = """<library_images><image id="i"/></library_images><library_effects><effect id="e">
        <profile_COMMON><newparam sid="t"><surface type="2D"><init_from>gone.png</init_from>
        </surface></newparam></profile_COMMON></effect></library_effects>"""
    bound = """<bind_material><technique_common><instance_material symbol="m" target="#nowhere"/>
        </technique_common></bind_material>"""
    nodes = f"<node><instance_geometry url='#g'>{bound}</instance_geometry></node>"
    path = collada(tmp_path / "x.dae", geometry("g"), nodes, more=more)
    assert area(path) == pytest.approx([0, 0, 2])
    assert capfd.readouterr() == ("", "")


def bomb():
    """Twelve nodes of which each instantiates the next ten times."""
    below = ["<node id='n12'><instance_geometry url='#g'/></node>"]
    for level in range(12):
        again = f"<instance_node url='#n{level + 1}'/>" * 10
        below.append(f"<node id='n{level}'>{again}</node>")
    return f"<library_nodes>{''.join(below)}</library_nodes>"


@pytest.mark.parametrize(
    ("nodes", "more", "message"),
    [
        (
            "<node><instance_node url='#n0'/></node>",
            bomb(),
            "expected <= 100000 instances of nodes",
        ),
        (
            "<node id='a'><instance_node url='#a'/></node>",
            "",
            "expected <= 100000 instances of nodes",
        ),
        ("<node><instance_geometry url='#h'/></node>", "", "line .*: there is no geometry '#h'"),
        ("<node><matrix>1 2 3</matrix></node>", "", "line .*: expected 16 numbers, got 3"),
        ("<node><lookat>1</lookat></node>", "", "<lookat> is not supported"),
        ("<node><translate>a b c</translate></node>", "", "cannot be read as a mesh"),
        ("<node/>", "", "has no triangles"),
    ],
)
def test_malformed_scenes_are_refused_at_once(tmp_path, nodes, more, message):
    path = collada(tmp_path / "x.dae", geometry("g"), nodes, more=more)
    with pytest.raises(ModelFormatError, match=message):
        mesh_triangles(Mesh(path))


@pytest.mark.parametrize(
    ("inputs", "indices", "message"),
    [
        (VERTEX, "0 1 9", "an index has no vertex"),
        (VERTEX, "0 1 -1", "an index has no vertex"),
        (VERTEX + NORMAL, "0 1 2", "expected 2 indices per corner"),
    ],
)
def test_wrong_indices_are_refused(tmp_path, inputs, indices, message):
    shape = geometry("g", primitives=f"<triangles>{inputs}<p>{indices}</p></triangles>")
    path = collada(tmp_path / "x.dae", shape, "<node><instance_geometry url='#g'/></node>")
    with pytest.raises(ModelFormatError, match=rf"line \d+: {message}"):
        mesh_triangles(Mesh(path))


OBJ = """
o body
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
f 1/1/1 2//2 3/3 4
o arms
g left upper
v 0 0 2
v 1 0 2
v 1 1 2
f -3 -2 \\
  -1
g right
f 5 6 7
"""


@pytest.mark.parametrize(
    ("submesh", "doubled_area"),
    [("body", 2), ("arms", 2), ("left", 1), ("upper", 1), ("right", 1), ("", 4)],
)
def test_objects_and_groups_of_obj_files_are_submeshes(tmp_path, submesh, doubled_area):
    path = tmp_path / "x.obj"
    path.write_text(OBJ)
    assert area(path, submesh)[2] == pytest.approx(doubled_area)


@pytest.mark.parametrize("face", ["0 1 2", "1 2 4", "-4 1 2"])
def test_faces_of_obj_files_name_vertices_that_are_there(tmp_path, face):
    path = tmp_path / "x.obj"
    path.write_text(f"v 0 0 0\nv 1 0 0\nv 0 1 0\nf {face}\n")
    with pytest.raises(ModelFormatError, match="line 4: a face refers to a missing vertex"):
        mesh_triangles(Mesh(path))


def test_faces_of_gltf_files_name_vertices_that_are_there(tmp_path):
    """Of the same part: the vertices of the next part would be another shape."""
    box, path = trimesh.creation.box(), tmp_path / "x.glb"
    corners = np.asarray(box.faces[-1], "<u4").tobytes()
    content = trimesh.Scene([box, box.copy()]).export(file_type="glb")
    path.write_bytes(content.replace(corners, corners[:8] + b"\x0b\0\0\0", 1))
    with pytest.raises(ModelFormatError, match=r"x\.glb: has faces with vertices that it does not"):
        mesh_triangles(Mesh(path))


@pytest.mark.parametrize("name", ["box", "solid"])
def test_stl_files_are_the_same_as_text_and_as_numbers(tmp_path, name):
    """Whatever a binary file says in its head."""
    box = trimesh.creation.box(extents=[1, 2, 3])
    binary, text = tmp_path / "binary.stl", tmp_path / "text.stl"
    head = f"{name} vertex 1 2 3".encode().ljust(80)
    binary.write_bytes(head + trimesh.exchange.stl.export_stl(box)[80:])
    box.export(text, file_type="stl_ascii")
    for path in (binary, text):
        vertices, faces = mesh_triangles(Mesh(path))
        assert len(vertices) == 8
        assert trimesh.Trimesh(vertices, faces).volume == pytest.approx(6)
    binary.write_bytes(binary.read_bytes()[:-1].replace(b"vertex", b"      "))
    with pytest.raises(ModelFormatError, match="is truncated: expected 12 triangles"):
        mesh_triangles(Mesh(binary))
