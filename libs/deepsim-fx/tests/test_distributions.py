# SPDX-License-Identifier: Apache-2.0
"""What is drawn from distributions, and how they are written."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_fx import (
    DISTRIBUTIONS,
    Choice,
    Distribution,
    LogUniform,
    Normal,
    Stack,
    Uniform,
    distribution,
)
from deepsim_math import Color

MANY = 40_000


def sample(spec, shape=(MANY,), *cells):
    return distribution(spec, *cells)(np.random.default_rng(7), shape)


def share_below(numbers, value):
    return float((numbers <= value).mean())


@pytest.mark.parametrize(
    ("spec", "cumulative"),
    [
        (("uniform", -1, 3), {-1: 0.0, 0: 0.25, 2: 0.75, 3: 1.0}),
        (("log-uniform", 0.1, 10), {0.1: 0.0, 10**-0.5: 0.25, 1: 0.5, 10: 1.0}),
        (("normal", 2, 0.5), {1.5: 0.158655, 2: 0.5, 2.5: 0.841345, 3: 0.977250}),
        (("normal", 0, 1, -1, 1), {-1.001: 0.0, -1: 0.158655, 0.999: 0.841, 1: 1.0}),
        (("choice", [1, 2, 4]), {0.9: 0.0, 1: 1 / 3, 2: 2 / 3, 4: 1.0}),
        (("choice", [1, 2, 4], [1, 0, 3]), {1: 0.25, 2: 0.25, 4: 1.0}),
        (2.5, {2.49: 0.0, 2.5: 1.0}),
    ],
)
def test_numbers_are_distributed_as_named(spec, cumulative):
    """Against the closed form of the cumulative distribution, within four standard errors."""
    numbers = sample(spec)
    for value, share in cumulative.items():
        assert share_below(numbers, value) == pytest.approx(share, abs=4 * 0.5 / math.sqrt(MANY))


def test_a_range_without_width_is_a_number_to_the_last_digit():
    """The logarithm of a bound and back may be another number."""
    for value in np.linspace(0.01, 20.0, 500).tolist():
        assert sample(("log-uniform", value, value), (3,)).tolist() == [value] * 3


@pytest.mark.parametrize(
    ("spec", "kind", "cell"),
    [
        (("uniform", 0, 1), Uniform, ()),
        (["normal", 0, 1], Normal, ()),
        (("log-uniform", 1, 2), LogUniform, ()),
        (("choice", [1, 2]), Choice, ()),
        (("uniform", (0, 0, 0), 1), Uniform, (3,)),
        (("uniform", Color(0, 0, 0), Color(1, 1, 1)), Uniform, (4,)),
        (("choice", [Color(1, 0, 0), Color(0, 1, 0)]), Choice, (4,)),
        (np.int64(3), Choice, ()),
        ([("uniform", 0, 1), 2, Normal(0, 1)], Stack, (3,)),
        ((0.1, 0.2, 0.3), Stack, (3,)),
        (np.array([0.1, 0.2, 0.3]), Stack, (3,)),
    ],
)
def test_a_distribution_may_be_written_in_several_ways(spec, kind, cell):
    made = distribution(spec, (3,), (4,))
    assert isinstance(made, kind)
    assert made.cell == cell
    assert made(np.random.default_rng(0), (5, *cell)).shape == (5, *cell)


def test_components_are_drawn_from_their_own_distributions():
    drawn = sample([("uniform", 0, 1), 5, ("choice", [-1, 1])], (1000, 3), (3,))
    assert drawn[:, 0].min() >= 0.0
    assert drawn[:, 0].max() <= 1.0
    assert set(drawn[:, 1]) == {5.0}
    assert set(drawn[:, 2]) == {-1.0, 1.0}


def test_whole_cells_are_chosen_together():
    drawn = sample(("choice", [(1, 2, 3), (4, 5, 6)]), (100, 3), (3,))
    assert {tuple(row) for row in drawn.tolist()} == {(1, 2, 3), (4, 5, 6)}


def test_a_distribution_of_ones_own_is_a_subclass():
    class Beta(Distribution):
        def __call__(self, rng, shape):
            return rng.beta(2.0, 5.0, shape)

    assert sample(Beta()).mean() == pytest.approx(2 / 7, abs=0.01)
    assert sample([Beta(), 1.0], (9, 2), (2,))[:, 1].tolist() == [1.0] * 9


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        (("unifrom", 0, 1), ValueError, "no distribution is named 'unifrom'; there are uniform, n"),
        (("uniform", 0), ValueError, r"uniform does not take \[0\]: .*'high'"),
        (("uniform", 2, 1), ValueError, "uniform takes low <= high, got 2 and 1"),
        (("uniform", 0, math.inf), ValueError, "high of uniform must be finite, got inf"),
        (("uniform", 0, math.nan), ValueError, "high of uniform must be finite, got nan"),
        (("uniform", (0, 0), (1, 1, 1)), ValueError, "shape"),
        (("log-uniform", 0, 1), ValueError, "log-uniform takes 0 < low <= high, got 0 and 1"),
        (("normal", 0, -1), ValueError, "normal takes std >= 0, got 0 and -1"),
        (("normal", 0, 1, 2, 1), ValueError, "normal takes low <= high, got 2 and 1"),
        (("choice", []), ValueError, r"a list of at least one option, got \[\]"),
        (("choice", 3), ValueError, "a list of at least one option, got 3"),
        (("choice", [1, 2], [1]), ValueError, "one weight >= 0 for each of the 2 options"),
        (("choice", [1, 2], [0, 0]), ValueError, "not only zeros"),
        (("choice", [1, 2], [-1, 2]), ValueError, "one weight >= 0"),
        ("uniform", TypeError, r"such as \('uniform', 0, 1\), or a list of those, got 'uniform'"),
        (True, TypeError, "got True"),
        (None, TypeError, "got None"),
        ([], ValueError, "at least one, got none"),
        (math.nan, ValueError, "options of choice must be finite"),
        (
            (1, 2),
            ValueError,
            r"numbers or cells of shape \(3,\) is needed, got \(1, 2\), of \(2,\)",
        ),
        ([(1, 2), 3, 4], ValueError, "a distribution of numbers is needed"),
    ],
)
def test_what_is_no_distribution_is_refused(spec, error, message):
    with pytest.raises(error, match=message):
        distribution(spec, (3,))


def test_all_names_are_listed():
    assert list(DISTRIBUTIONS) == ["uniform", "normal", "log-uniform", "choice"]


finite = st.floats(-1e6, 1e6)


@settings(max_examples=200, deadline=None)
@given(
    bounds=st.tuples(finite, finite).map(sorted),
    scale=st.floats(1e-6, 1e6),
    shape=st.tuples(st.integers(0, 5), st.integers(0, 4)),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_draw_has_its_shape_and_keeps_its_bounds(bounds, scale, shape, seed):
    low, high = bounds
    for spec, least, most in [
        (("uniform", low, high), low, high),
        (("log-uniform", scale, scale * 3.7), scale, scale * 3.7),
        (("normal", low, scale, low, high), low, high),
        (("choice", [low, high]), low, high),
    ]:
        drawn = distribution(spec)(np.random.default_rng(seed), shape)
        assert drawn.shape == shape
        assert ((drawn >= least) & (drawn <= most)).all()
