# SPDX-License-Identifier: Apache-2.0
"""Bounds, boxes and footprints of models whose extent is known, and of meshes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

from deepsim_math import Euler, Pose
from deepsim_spawn import (
    Bounds,
    Box,
    CollisionDescription,
    Cylinder,
    Footprint,
    Heightmap,
    LinkDescription,
    Mesh,
    ModelDescription,
    ModelFormatError,
    Plane,
    Polyline,
    Sphere,
    VisualDescription,
    mesh_triangles,
)

DIAGONAL = Euler(0.0, 0.0, math.pi / 4)


def area(polygon):
    """Positive where it turns counterclockwise."""
    x, y = np.array(polygon, dtype=float).T
    return (x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


L_SHAPE = ((0, 0), (3, 0), (3, 1), (1, 1), (1, 4), (0, 4))


def model(*collisions):
    """A model with one link, at whose frame each geometry is, or (geometry, pose)."""
    placed = (each if isinstance(each, tuple) else (each, Pose()) for each in collisions)
    return ModelDescription(
        "m",
        pose=Pose((100, 100, 100)),
        links=(
            LinkDescription(
                "l",
                collisions=tuple(
                    CollisionDescription(f"c{n}", geometry, pose)
                    for n, (geometry, pose) in enumerate(placed)
                ),
            ),
        ),
    )


def write(path, *parts):
    """A file with boxes at places, each a part with a name."""
    scene = trimesh.Scene()
    for name, size, middle in parts:
        box = trimesh.creation.box(extents=size)
        box.apply_translation(middle)
        scene.add_geometry(box, node_name=name, geom_name=name)
    scene.export(path)
    return path


@pytest.mark.parametrize(
    ("geometry", "lower", "upper"),
    [
        (Cylinder(0.5, 3.0), (-0.5, -0.5, -1.5), (0.5, 0.5, 1.5)),
        (Polyline((L_SHAPE,), 2.0), (0, 0, 0), (3, 4, 2)),
        (Heightmap(Path("x.dem"), (4, 6, 2), (1, 1, 1)), (-1, -2, 0), (3, 4, 3)),
        (Plane(), (-math.inf, -math.inf, -math.inf), (math.inf, math.inf, 0)),
        (Plane((-1, 0, 0)), (0, -math.inf, -math.inf), (math.inf, math.inf, math.inf)),
        (Plane((1, 1, 0)), (-math.inf,) * 3, (math.inf,) * 3),
    ],
)
def test_bounds_of_a_shape(geometry, lower, upper):
    bounds = Bounds.of(model(geometry))
    assert tuple(bounds.lower) == lower
    assert tuple(bounds.upper) == upper


def test_the_pose_of_the_model_itself_counts_only_where_it_is_given():
    box = model(Box((2, 1, 1)))
    assert tuple(Bounds.of(box).center) == (0, 0, 0)
    bounds = Bounds.of(box, Pose((5, 0, 0), DIAGONAL))
    assert tuple(bounds.size) == pytest.approx((3 / math.sqrt(2), 3 / math.sqrt(2), 1))
    assert tuple(bounds.center) == pytest.approx((5, 0, 0))


def test_visuals_do_not_count():
    link = LinkDescription("l", visuals=(VisualDescription("v", Sphere(1.0)),))
    ghost = ModelDescription("ghost", links=(link,))
    assert Bounds.of(ghost) is None
    assert Footprint.of(ghost).pieces == ()
    assert not Footprint.of(ghost).contains([(0, 0)]).any()


def test_footprints_leave_planes_out():
    ground = model(Plane())
    assert Footprint.of(ground).pieces == ()


def test_the_footprint_of_an_outline_keeps_its_hollows():
    footprint = Footprint.of(model(Polyline((L_SHAPE,), 1.0)))
    assert footprint.contains([(0.5, 3.5), (2.5, 0.5), (2.5, 3.5), (-0.1, 0)]).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_an_outline_within_another_is_a_hole():
    square = ((0, 0), (4, 0), (4, 4), (0, 4))
    hole = ((1, 1), (1, 3), (3, 3), (3, 1))
    inside = Footprint.of(model(Polyline((square, hole), 1.0))).contains(
        [(2, 2), (0.5, 2), (2, 3.5)]
    )
    assert inside.tolist() == [False, True, True]


@pytest.mark.parametrize(
    "outline",
    [
        L_SHAPE,
        L_SHAPE[::-1],
        ((0, 0), (2, 0), (2, 2), (0, 2)),
        ((0, 0), (4, 0), (2, 1), (4, 2), (0, 2)),
        tuple(
            (r * math.cos(a), r * math.sin(a)) for a, r in zip(range(6), [1, 2] * 3, strict=True)
        ),
    ],
)
def test_convex_parts_have_the_area_of_the_whole(outline):
    parts = Polyline((outline,), 1.0).convex_parts()
    assert all(area(part) >= 0 for part in parts)
    assert sum(map(area, parts)) == pytest.approx(abs(area(outline)))


def comb(teeth):
    """An outline whose teeth all differ in height."""
    ends = [
        point
        for tooth in range(teeth)
        for point in ((tooth, -1 - tooth / teeth), (tooth + 0.5, 1 + tooth / teeth))
    ]
    return ((-1, -9), *ends, (teeth, -9))


@pytest.mark.parametrize("teeth", [1, 10, 100])
def test_there_are_about_as_many_convex_parts_as_points(teeth):
    outline = comb(teeth)
    assert len(Polyline((outline,), 1.0).convex_parts()) <= len(outline)


def test_a_part_ends_where_its_sides_part_for_a_while():
    """The outlines touch along x = 4, so that its edges change sides."""
    square = ((4, 1), (6, 1), (6, 4), (4, 4))
    triangles = (((3, 3), (3, 4), (0, 4)), ((4, 2), (4, 3), (2, 3)))
    parts = Polyline((square, *triangles), 1.0).convex_parts()
    assert sum(map(area, parts)) == pytest.approx(6 + 1.5 + 1)


def test_a_polyline_of_too_many_convex_parts_is_refused():
    fence = tuple((x, x % 2) for x in range(33_000))
    with pytest.raises(ModelFormatError, match="must have <= 16384 convex parts"):
        Polyline(((*fence, (33_000, -1), (0, -1)),), 1.0).convex_parts()


def test_a_finer_tolerance_gives_a_closer_polygon():
    disc = model(Cylinder(1.0, 1.0))
    for tolerance in (1e-2, 1e-4):
        (hull,) = Footprint.of(disc, tolerance=tolerance).pieces
        middles = (hull + np.roll(hull, 1, axis=0)) / 2
        assert 1.0 - tolerance <= np.linalg.norm(middles, axis=1).min() < 1.0
    with pytest.raises(ValueError, match="tolerance must be > 0"):
        Footprint.of(disc, tolerance=0.0)


def test_points_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"shape \(n, 2\), got \(3,\)"):
        Footprint.of(model(Sphere(1.0))).contains([1, 2, 3])


@pytest.mark.parametrize("suffix", ["obj", "stl", "glb"])
def test_a_mesh_is_scaled_and_measured_by_its_vertices(tmp_path, suffix):
    path = write(tmp_path / f"x.{suffix}", ("a", (1, 1, 1), (0, 0, 0)), ("b", (1, 1, 1), (4, 0, 0)))
    mesh = model(Mesh(path, scale=(1, -2, 3)))
    assert tuple(Bounds.of(mesh).lower) == pytest.approx((-0.5, -1, -1.5))
    assert tuple(Bounds.of(mesh).upper) == pytest.approx((4.5, 1, 1.5))
    footprint = Footprint.of(mesh)
    sides = [np.roll(piece, -1, axis=0) - piece for piece in footprint.pieces]
    assert all(side[0, 0] * side[1, 1] > side[0, 1] * side[1, 0] for side in sides)
    covered = footprint.contains([(0, 0), (2, 0), (4, 0)])
    assert covered.tolist() == [True, False, True]


def test_a_heightmap_reaches_from_below_its_lowest_to_its_highest_point(tmp_path):
    path = tmp_path / "x.png"
    pixels = np.full((5, 5), 100, dtype=np.uint8)
    pixels[1, 1], pixels[3, 2] = 50, 200
    Image.fromarray(pixels).save(path)
    bounds = Bounds.of(model(Heightmap(path, (4, 6, 2), (1, 1, 1))))
    assert tuple(bounds.lower) == pytest.approx((-1, -2, 0.5))
    assert tuple(bounds.upper) == pytest.approx((3, 4, 3))


def test_a_submesh_may_be_centred(tmp_path):
    path = write(tmp_path / "x.glb", ("a", (1, 1, 1), (0, 0, 0)), ("b", (2, 2, 2), (4, 5, 6)))
    assert tuple(Bounds.of(model(Mesh(path, submesh="b"))).center) == pytest.approx((4, 5, 6))
    centred = Bounds.of(model(Mesh(path, submesh="b", center=True)))
    assert tuple(centred.lower) == pytest.approx((-1, -1, -1))


def test_faces_of_a_mirrored_mesh_look_outwards(tmp_path):
    path = write(tmp_path / "x.stl", ("a", (1, 1, 1), (0, 0, 0)))
    for scale in ((1, 1, 1), (-1, 1, 1), (-1, -2, 1)):
        vertices, faces = mesh_triangles(Mesh(path, scale=scale))
        a, b, c = (vertices[faces[:, corner]] for corner in range(3))
        volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
        assert volume == pytest.approx(abs(math.prod(scale)))


BOMB = "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><COLLADA>&b;</COLLADA>"


@pytest.mark.parametrize(
    ("name", "text", "submesh", "message"),
    [
        ("x.obj", "", "", "x.obj: "),
        ("x.stl", "solid x", "", "x.stl: "),
        ("x.dae", "<COLLADA", "", "cannot be read as a mesh"),
        ("x.dae", BOMB, "", "<!DOCTYPE> is not allowed"),
        ("x.xyz", "1 2 3", "", "x.xyz: "),
        ("x.what", "1 2 3", "", "unknown mesh format '.what': expected one of .dae, .glb"),
        ("x.zip", "", "", "unknown mesh format '.zip'"),
        ("x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "leg", "no submesh 'leg'"),
    ],
)
def test_a_mesh_that_is_none_is_a_format_error(tmp_path, name, text, submesh, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ModelFormatError, match=message):
        Bounds.of(model(Mesh(path, submesh=submesh)))


def test_a_mesh_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "x.stl"
    with path.open("wb") as file:
        file.truncate(2**27 + 1)
    with pytest.raises(ModelFormatError, match="must be <= 134217728 bytes"):
        mesh_triangles(Mesh(path))


def test_meshes_name_the_extra_that_they_need(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)  # as if it were not installed
    path = write(tmp_path / "x.stl", ("a", (1, 1, 1), (0, 0, 0)))
    assert len(mesh_triangles(Mesh(path))[1]) == 12
    with pytest.raises(
        ModelFormatError, match=r"pip install --find-links dist 'deepsim-spawn\[meshes\]'"
    ):
        mesh_triangles(Mesh(path.rename(tmp_path / "x.glb")))
