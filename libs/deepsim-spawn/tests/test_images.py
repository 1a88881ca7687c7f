# SPDX-License-Identifier: Apache-2.0
"""Walls that are drawn as a picture."""

from __future__ import annotations

import math
import struct
import zlib

import numpy as np
import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from deepsim_math import Euler, Pose
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    Footprint,
    Image,
    LinkDescription,
    ModelDescription,
    ModelFormatError,
    OrientedBox,
    image_rectangles,
)

ROOM = """
######
#....#
#.##..
#....#
######
"""
"""Seen from above, x to the right; a block within, and a door on the right."""


def draw(path, text):
    """A picture with a pixel per letter: # is black, . is white."""
    rows = [[255 * (letter == ".") for letter in row] for row in text.split()]
    PIL.Image.fromarray(np.array(rows, dtype=np.uint8)).save(path)
    return path


def model(image, pose=None):
    walls = CollisionDescription("walls", image, pose or Pose())
    return ModelDescription("room", static=True, links=(LinkDescription("l", collisions=(walls,)),))


def painted(rectangles, shape):
    """How often each pixel is covered."""
    covered = np.zeros(shape, dtype=int)
    for x0, y0, x1, y1 in rectangles.astype(int):
        covered[y0:y1, x0:x1] += 1
    return covered


def halved(solid, granularity, x, y, w, h):
    """What Gazebo's quadtree makes of a picture, pixel by pixel."""
    if w * h > granularity:
        for part_y, part_h in ((y, h // 2), (y + h // 2, h - h // 2)):
            for part_x, part_w in ((x, w // 2), (x + w // 2, w - w // 2)):
                halved(solid, granularity, part_x, part_y, part_w, part_h)
    elif solid[y : y + h, x : x + w].any():
        solid[y : y + h, x : x + w] = True


def test_the_lower_left_corner_is_the_origin(tmp_path):
    image = Image(draw(tmp_path / "room.png", "#..\n#.."), scale=0.5)
    assert image_rectangles(image).tolist() == [[0.0, 0.0, 0.5, 1.0]]
    image = Image(draw(tmp_path / "room.png", "..#\n..."), scale=0.5)
    assert image_rectangles(image).tolist() == [[1.0, 0.5, 1.5, 1.0]]


def test_a_room_is_few_rectangles(tmp_path):
    rectangles = image_rectangles(Image(draw(tmp_path / "room.png", ROOM)))
    assert sorted(map(tuple, rectangles.tolist())) == [
        (0, 0, 6, 1),
        (0, 1, 1, 4),
        (0, 4, 6, 5),
        (2, 2, 4, 3),
        (5, 1, 6, 2),
        (5, 3, 6, 4),
    ]


@given(arrays.arrays(np.bool_, st.tuples(st.integers(1, 9), st.integers(1, 9))), st.integers(1, 9))
def test_rectangles_cover_each_solid_pixel_once(tmp_path_factory, solid, granularity):
    path = tmp_path_factory.mktemp("images") / "map.png"
    PIL.Image.fromarray(np.where(solid[::-1], 0, 255).astype(np.uint8)).save(path)
    rectangles = image_rectangles(Image(path, granularity=granularity))
    expected = solid.copy()
    halved(expected, granularity, 0, 0, *solid.shape[::-1])
    assert (painted(rectangles, solid.shape) == expected).all()


def test_a_coarse_image_grows_to_whole_parts(tmp_path):
    """Five pixels are halved into two and three, the smaller half below and to the left."""
    path = draw(tmp_path / "dot.png", ".....\n.....\n.....\n.#...\n.....")
    assert image_rectangles(Image(path)).tolist() == [[1, 1, 2, 2]]
    assert image_rectangles(Image(path, granularity=4)).tolist() == [[0, 0, 2, 2]]
    assert image_rectangles(Image(path, granularity=25)).tolist() == [[0, 0, 5, 5]]


@pytest.mark.parametrize(
    ("mode", "color", "mean"),
    [
        ("L", 100, 100),
        ("RGB", (0, 100, 201), 100),
        ("RGBA", (100, 100, 100, 0), 100),
        ("I;16", 100 * 256 + 255, 100),
        ("1", 0, 0),
    ],
)
def test_a_pixel_is_solid_up_to_the_threshold(tmp_path, mode, color, mean):
    path = tmp_path / "map.png"
    PIL.Image.new(mode, (2, 2), color).save(path)
    assert len(image_rectangles(Image(path, threshold=mean))) == 1
    if mean:
        assert image_rectangles(Image(path, threshold=mean - 1)).shape == (0, 4)


@pytest.mark.parametrize("suffix", ["pgm", "bmp", "gif", "jpg"])
def test_a_map_in_another_format(tmp_path, suffix):
    path = tmp_path / f"map.{suffix}"
    PIL.Image.new("L", (8, 8), 0).save(path)
    assert image_rectangles(Image(path)).tolist() == [[0, 0, 8, 8]]


def test_bounds_are_those_of_what_is_solid(tmp_path):
    path = draw(tmp_path / "map.png", "....\n.##.\n....")
    turned = Pose((10, 0, 1), Euler(0, 0, math.pi / 2))
    bounds = Bounds.of(model(Image(path, scale=0.1, height=2.0), turned))
    assert tuple(bounds.lower) == pytest.approx((9.8, 0.1, 1.0))
    assert tuple(bounds.upper) == pytest.approx((9.9, 0.3, 3.0))
    assert sorted(OrientedBox.of(model(Image(path))).size) == pytest.approx([1, 1, 2])


def test_the_footprint_keeps_rooms_open(tmp_path):
    footprint = Footprint.of(model(Image(draw(tmp_path / "room.png", ROOM))))
    walls, room, block, door = footprint.contains([(0.5, 2.5), (1.5, 1.5), (3, 2.5), (5.5, 2.5)])
    assert (walls, room, block, door) == (True, False, True, False)


def test_a_bright_picture_has_no_extent(tmp_path):
    empty = model(Image(draw(tmp_path / "map.png", "...")))
    assert Bounds.of(empty) is None
    assert OrientedBox.of(empty) is None
    assert Footprint.of(empty).pieces == ()


def large(path):
    """The head of a PNG that says that it is huge, and nothing else."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)
    chunk = struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 9) + b"IDAT")


def broad(path):
    PIL.Image.new("1", (2**13, 2**12)).save(path)


def scattered(path):
    noise = np.random.default_rng(1).integers(0, 2, (300, 300)) * 255
    PIL.Image.fromarray(noise.astype(np.uint8)).save(path)


def cut(path):
    draw(path, ROOM)
    path.write_bytes(path.read_bytes()[:50])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (large, "cannot be read as a picture: .*pixels"),
        (broad, "expected <= 16777216 pixels, got 8192 x 4096"),
        (scattered, r"must have <= 16384 rectangles, got .*: raise <granularity>, which is 1"),
        (cut, "cannot be read as a picture"),
        (lambda path: path.write_text("<svg/>"), "cannot be read as a picture"),
        (lambda path: None, "cannot be read as a picture: .*No such file"),
    ],
)
def test_a_picture_that_cannot_be_used_is_named(tmp_path, make, message):
    path = tmp_path / "map.png"
    make(path)
    with pytest.raises(ModelFormatError, match=message) as caught:
        image_rectangles(Image(path))
    assert caught.value.file == str(path)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"scale": 0.0}, "scale .* must be > 0"),
        ({"height": -1.0}, "height .* must be > 0"),
        ({"threshold": 256}, "threshold must lie in 0..255, got 256"),
        ({"granularity": 0}, "granularity must be >= 1 pixel, got 0"),
    ],
)
def test_an_image_that_cannot_be_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Image("map.png", **values)
