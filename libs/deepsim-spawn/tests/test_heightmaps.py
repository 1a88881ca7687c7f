# SPDX-License-Identifier: Apache-2.0
"""Landscapes that are drawn as a picture."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from deepsim_spawn import Heightmap, ModelFormatError, heightmap_heights

PIXELS = np.array([[10, 20, 30], [40, 50, 60], [70, 80, 0]])


def save(path, pixels, mode=np.uint8):
    PIL.Image.fromarray(np.asarray(pixels).astype(mode)).save(path)
    return path


def test_the_brightest_pixel_has_the_height_and_the_lower_edge_is_first(tmp_path):
    heightmap = Heightmap(save(tmp_path / "hill.png", PIXELS), (9, 9, 4))
    expected = [[3.5, 4, 0], [2, 2.5, 3], [0.5, 1, 1.5]]
    np.testing.assert_allclose(heightmap_heights(heightmap), expected)


def test_the_position_and_the_lengths_change_no_height(tmp_path):
    path = save(tmp_path / "hill.png", PIXELS)
    one, other = Heightmap(path, (9, 9, 4)), Heightmap(path, (1, 2, 4), (5, 6, 7))
    assert (heightmap_heights(one) == heightmap_heights(other)).all()


def test_16_bits_count_in_full(tmp_path):
    path = save(tmp_path / "hill.png", PIXELS * 256 + 5, np.uint16)
    heights = heightmap_heights(Heightmap(path))
    np.testing.assert_allclose(heights[::-1] * (80 * 256 + 5), PIXELS * 256 + 5)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "P"])
def test_grey_is_the_same_however_it_is_kept(tmp_path, mode):
    picture = PIL.Image.fromarray(PIXELS.astype(np.uint8)).convert(mode)
    picture.save(tmp_path / "hill.png")
    heights = heightmap_heights(Heightmap(tmp_path / "hill.png", (1, 1, 80)))
    np.testing.assert_allclose(heights, PIXELS[::-1])


def test_of_colours_blue_counts(tmp_path):
    colours = np.stack([255 - PIXELS, np.full((3, 3), 9), PIXELS], axis=-1)
    path = save(tmp_path / "hill.png", colours)
    np.testing.assert_allclose(heightmap_heights(Heightmap(path, (1, 1, 80))), PIXELS[::-1])


def test_a_black_picture_is_flat(tmp_path):
    path = save(tmp_path / "flat.png", np.zeros((5, 5)))
    assert (heightmap_heights(Heightmap(path, (1, 1, 9))) == np.zeros((5, 5))).all()


def test_a_jpeg(tmp_path):
    path = save(tmp_path / "hill.JPG", np.full((5, 5), 100))
    assert (heightmap_heights(Heightmap(path, (1, 1, 9))) == np.full((5, 5), 9.0)).all()


@pytest.mark.parametrize(
    ("name", "pixels", "message"),
    [
        ("a.png", np.zeros((3, 5)), "a heightmap must be a square .*, got 5 x 3"),
        ("a.png", np.zeros((4, 4)), "got 4 x 4"),
        ("a.png", np.zeros((1, 1)), "got 1 x 1"),
        ("a.tif", np.zeros((3, 3)), "elevation models are not supported"),
    ],
)
def test_a_picture_that_is_no_heightmap_is_named(tmp_path, name, pixels, message):
    path = save(tmp_path / name, pixels)
    with pytest.raises(ModelFormatError, match=message) as caught:
        heightmap_heights(Heightmap(path))
    assert caught.value.file == str(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_no_picture(tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(ModelFormatError, match=r"pipe\.png: .* it is not a regular file"):
        heightmap_heights(Heightmap(tmp_path / "pipe.png"))


@pytest.mark.parametrize("content", [b"no picture", None])
def test_a_file_that_is_no_picture_is_named(tmp_path, content):
    path = tmp_path / "hill.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFormatError, match="cannot be read as a picture") as caught:
        heightmap_heights(Heightmap(path))
    assert caught.value.file == str(path)


@pytest.mark.parametrize(
    ("name", "is_model"), [("a.PNG", False), ("a.jpeg", False), ("a.tif", True), ("a", True)]
)
def test_a_name_tells_pictures_from_elevation_models(name, is_model):
    assert Heightmap(Path(name)).is_elevation_model is is_model
