# SPDX-License-Identifier: Apache-2.0
"""Generated terrain: heights by difficulty, places to begin, and levels of a curriculum."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from deepsim_spawn import Bounds, GazeboXMLLoader, Heightmap, ModelFormatError, Terrain
from deepsim_spawn.terrain_kinds import (
    boxes,
    flat,
    gaps,
    rubble,
    slopes,
    stairs,
    stepping_stones,
    waves,
)

KINDS = [flat, slopes, stairs, boxes, rubble, waves, gaps, stepping_stones]
GROWING = [slopes, stairs, boxes, rubble, waves]
"""Kinds whose heights grow with difficulty."""


def patch(kind, difficulty=0.7, seed=0, size=(8.0, 6.0), resolution=0.1):
    return kind(size, resolution, difficulty, np.random.default_rng(seed))


@pytest.mark.parametrize("kind", KINDS)
class TestKinds:
    def test_samples_reach_from_edge_to_edge(self, kind):
        assert patch(kind).shape == (61, 81)
        assert patch(kind, size=(1.0, 4.0), resolution=0.25).shape == (17, 5)

    def test_the_same_seed_gives_the_same_bits(self, kind):
        assert patch(kind, seed=5).tobytes() == patch(kind, seed=5).tobytes()

    def test_global_random_numbers_are_left_alone(self, kind):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        patch(kind)
        assert (np.random.get_state()[1] == before).all()  # noqa: NPY002

    def test_the_middle_is_level(self, kind):
        """A square of 1 m at least."""
        middle = patch(kind, difficulty=1.0)[26:35, 36:45]
        assert np.ptp(middle) == 0.0

    def test_lengths_are_multiples_of_the_resolution(self, kind):
        with pytest.raises(ValueError, match="size must be multiples of the resolution"):
            patch(kind, size=(8.05, 6.0))
        with pytest.raises(ValueError, match="resolution must be > 0"):
            patch(kind, resolution=0.0)


@pytest.mark.parametrize("kind", GROWING)
def test_heights_grow_with_difficulty(kind):
    spans = [np.ptp(patch(kind, difficulty)) for difficulty in (0.1, 0.5, 1.0)]
    assert spans[0] < spans[1] < spans[2]


@pytest.mark.parametrize("kind", [boxes, rubble, stepping_stones])
def test_random_kinds_depend_on_the_seed(kind):
    assert (patch(kind, seed=1) != patch(kind, seed=2)).any()


@pytest.mark.parametrize("down", [False, True])
def test_stairs_rise_step_by_step(down):
    """From an edge, each 0.5 m deep and 0.1 m high, to a top of 2 m by 2 m."""
    half = partial(stairs, rise=(0.0, 0.2), tread=0.5, down=down)
    line = (-1 if down else 1) * patch(half, 0.5, size=(8.0, 8.0), resolution=0.25)[16]
    expected = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, *[6] * 9, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0]
    np.testing.assert_allclose(line, 0.1 * np.array(expected))


def test_a_slope_has_its_gradient():
    heights = patch(partial(slopes, slope=(0.1, 0.3)), 0.5, size=(8.0, 8.0))
    across, along = np.gradient(heights, 0.1)
    np.testing.assert_allclose(along[40, 2:28], 0.2)
    np.testing.assert_allclose(across[2:28, 40], 0.2)
    assert heights.max() == pytest.approx(0.2 * 3.0)


def test_gaps_have_their_width_and_depth():
    line = patch(partial(gaps, width=(0.2, 0.6), ledge=1.0, depth=0.5), 0.5, size=(8.0, 8.0))[40]
    assert set(line.tolist()) == {0.0, -0.5}
    # From the platform's edge at 1 m on: 0.4 m of trench, 1 m of ledge.
    assert [round(x, 1) for x in (np.flatnonzero(line[41:]) + 1) * 0.1] == [
        *(1.1, 1.2, 1.3, 1.4),
        *(2.5, 2.6, 2.7, 2.8),
        3.9,
    ]


def test_stones_are_as_large_and_as_far_apart_as_asked():
    kind = partial(stepping_stones, side=(0.6, 0.6), gap=(0.4, 0.4), height=(0.05, 0.05), depth=1.5)
    line = patch(kind, size=(8.0, 8.0))[3]
    assert (line[:6] > -0.1).all()
    assert np.ptp(line[:6]) == 0.0
    assert (line[6:10] == -1.5).all()
    assert (line.reshape(-1)[10:16] > -0.1).all()


def test_waves_have_crests_at_their_length():
    heights = patch(partial(waves, height=(0.0, 0.8), length=2.0, platform=0.0), 1.0, size=(8, 8))
    np.testing.assert_allclose(heights[2, 5:26], heights[2, 45:66], atol=1e-12)
    assert heights.max() == pytest.approx(0.4, abs=0.02)
    assert heights.min() == pytest.approx(-0.4, abs=0.02)


class TestGenerate:
    def test_rows_are_levels_along_y_and_columns_kinds_along_x(self):
        kinds = [
            flat,
            partial(slopes, slope=(0.0, 0.4)),
            partial(slopes, slope=(0, 0.4), down=True),
        ]
        terrain = Terrain.generate(kinds, rows=5)
        assert terrain.origins.shape == (5, 3, 3)
        assert terrain.origins[:, 0, :2].tolist() == [[-8, y] for y in (-16, -8, 0, 8, 16)]
        np.testing.assert_allclose(terrain.origins[:, 1, 2], 3.0 * np.linspace(0, 0.4, 5))
        np.testing.assert_allclose(terrain.origins[:, 2, 2], -3.0 * np.linspace(0, 0.4, 5))
        np.testing.assert_allclose(
            terrain.height(terrain.origins), terrain.origins[..., 2], atol=1e-12
        )

    def test_a_patch_depends_on_its_place_alone(self):
        """More rows and columns leave it as it is."""
        small = Terrain.generate([boxes], rows=1, difficulty=(0.5, 0.5), seed=4)
        large = Terrain.generate([boxes, flat], rows=2, difficulty=(0.5, 0.5), seed=4)
        points = np.random.default_rng(0).uniform(-3.9, 3.9, (500, 2))
        there = points + large.origins[0, 0, :2] - small.origins[0, 0, :2]
        np.testing.assert_allclose(large.height(there), small.height(points), atol=1e-9)

    def test_seeds_differ_and_repeat(self):
        one, same, other = (Terrain.generate([rubble], 2, seed=seed) for seed in (1, 1, 2))
        assert one.heightmap == same.heightmap
        assert one.heightmap != other.heightmap

    def test_the_border_is_level(self):
        terrain = Terrain.generate([stepping_stones], rows=1, border=2.0)
        assert terrain.heightmap.size[:2] == (12.0, 12.0)
        points = np.random.default_rng(0).uniform(4.1, 6.0, (100, 2))
        assert (terrain.height(points) == 0.0).all()

    def test_a_kind_that_returns_another_shape_is_named(self):
        with pytest.raises(ValueError, match="kind 1 must return 81 x 81 heights"):
            Terrain.generate([flat, lambda *_: np.zeros((3, 3))])

    def test_kinds_and_rows_are_needed(self):
        with pytest.raises(ValueError, match="a terrain needs kinds and rows"):
            Terrain.generate([])


class TestTerrain:
    def test_an_array_begins_in_its_middle_at_the_highest_point_near(self):
        heights = np.zeros((41, 41))
        heights[22, 19] = 0.3
        terrain = Terrain(Heightmap(heights, (8, 8), (1, 2, 5)))
        np.testing.assert_allclose(terrain.origins, [[[1, 2, 5.3]]])

    def test_heights_beyond_an_edge_are_those_of_the_edge(self):
        terrain = Terrain(Heightmap([[0, 1], [2, 3]], (2, 2)))
        assert terrain.height([[-9, -9], [9, -9], [-9, 9], [9, 9], [9, 0]]).tolist() == [
            *(0, 1, 2, 3),
            2,
        ]

    def test_origins_lie_on_the_heightmap(self):
        flat_one = Heightmap(np.zeros((3, 3)), (2, 2))
        with pytest.raises(ValueError, match="origins must lie on the heightmap"):
            Terrain(flat_one, [[[1.5, 0, 0]]])
        with pytest.raises(ValueError, match="origins must have the shape"):
            Terrain(flat_one, [0, 0, 0])


@pytest.mark.parametrize(
    ("level", "walked", "asked", "expected"),
    [
        (1, 4.1, 9.0, 2),  # half a patch is 4 m
        (1, 3.9, 7.0, 1),
        (1, 3.4, 7.0, 0),
        (0, 0.0, 7.0, 0),
        (3, 5.0, 5.0, 3),
    ],
)
def test_levels_follow_the_distance_walked(level, walked, asked, expected):
    terrain = Terrain.generate([flat], rows=4)
    assert terrain.next_levels([level], [walked], [asked]).tolist() == [expected]


def test_who_passes_the_last_level_may_get_any():
    terrain = Terrain.generate([flat], rows=4)
    levels = terrain.next_levels([3, 3, 3, 1], [9.0] * 4, [9.0] * 4, [0.0, 0.6, 0.999, 0.6])
    assert levels.tolist() == [0, 2, 3, 2]


class TestHeightmapOfAnArray:
    HEIGHTS = np.random.default_rng(2).normal(size=(4, 7))

    def test_it_is_a_value(self):
        one, same = (Heightmap(self.HEIGHTS, (3, 2)) for _ in range(2))
        assert one == same
        assert hash(one) == hash(same)
        assert one != Heightmap(self.HEIGHTS + 1e-12, (3, 2))
        assert one != Heightmap(self.HEIGHTS.reshape(7, 4), (3, 2))
        assert one != Heightmap(self.HEIGHTS, (3, 2), (0, 0, 1))

    def test_later_changes_of_the_array_do_not_reach_it(self):
        heights = self.HEIGHTS.copy()
        heightmap = Heightmap(heights, (3, 2))
        heights[:] = 9.0
        np.testing.assert_array_equal(heightmap.heights, self.HEIGHTS)
        with pytest.raises(ValueError, match="read-only"):
            heightmap.heights[:] = 0.0

    def test_its_bounds_are_those_of_its_heights_and_a_metre_of_ground(self):
        bounds = Bounds.of(Terrain(Heightmap(self.HEIGHTS, (3, 2), (1, 0, 5))).model())
        np.testing.assert_allclose(bounds.lower, [-0.5, -1, 4 + self.HEIGHTS.min()])
        np.testing.assert_allclose(bounds.upper, [2.5, 1, 5 + self.HEIGHTS.max()])

    def test_its_sdf_keeps_every_bit(self):
        model = Terrain(Heightmap(self.HEIGHTS, (3, 2), (1, 2, 5))).model()
        again = GazeboXMLLoader().load_model(model.to_sdf())
        assert again.links[0].collisions == model.links[0].collisions
        assert again.links[0].visuals == model.links[0].visuals

    @pytest.mark.parametrize(
        ("heights", "size", "message"),
        [
            (np.zeros(5), (1, 1), "must have the shape"),
            (np.zeros((1, 5)), (1, 1), "must have the shape"),
            ([[0, np.nan], [0, 0]], (1, 1), "heights .* must be finite"),
            (np.zeros((2, 2)), (1, 0), "size .* must be > 0"),
            (np.ones((2, 2)), (1, 1, 2), r"must be \(x, y\)"),
        ],
    )
    def test_what_is_no_landscape_is_refused(self, heights, size, message):
        with pytest.raises(ValueError, match=message):
            Heightmap(heights, size)

    @pytest.mark.parametrize("source", ["hill.png", [[0, 1], [2]]])
    def test_another_source_is_refused(self, source):
        with pytest.raises(TypeError, match="a heightmap takes a Path, or an array"):
            Heightmap(source, (1, 1))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("!", "compressed heights in Base64"),
            ("AAAA", "compressed heights in Base64"),
            ("eJxjYACBD/YMEOAAoTigtIADACXXAgg=", "rows of 3 heights"),
        ],
    )
    def test_text_that_holds_no_heights_is_refused(self, text, message):
        sdf = f"""<sdf version="1.7"><model name="m"><link name="l"><collision name="c"><geometry>
        <mesh><uri>a.stl</uri><size>1 1 0</size><heights columns="3">{text}</heights></mesh>
        </geometry></collision></link></model></sdf>"""
        with pytest.raises(ModelFormatError, match=message):
            GazeboXMLLoader().load_model(sdf)
