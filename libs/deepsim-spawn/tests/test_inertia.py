# SPDX-License-Identifier: Apache-2.0
"""Inertia tensors that no body has are replaced by the nearest one that a body can have."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from deepsim_spawn import GazeboXMLLoader, ModelFormatWarning

NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
moments = st.floats(-10, 10).filter(lambda value: value == 0 or abs(value) > 1e-3)


def load(tensor, mass=1.0):
    """The tensor that is used for one that is given, (3, 3)."""
    values = "".join(
        f"<{name}>{value:.17g}</{name}>"
        for name, value in zip(NAMES, np.asarray(tensor)[np.triu_indices(3)], strict=True)
    )
    inertial = (
        GazeboXMLLoader()
        .load_model(
            "<sdf version='1.6'><model name='m'><link name='l'><inertial>"
            f"<mass>{mass}</mass><inertia>{values}</inertia></inertial></link></model></sdf>"
        )
        .links[0]
        .inertial
    )
    ixx, ixy, ixz, iyy, iyz, izz = (getattr(inertial, name) for name in NAMES)
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


@pytest.mark.parametrize(
    "moments", [(1, 1, 1), (1, 2, 3), (1, 1, 2), (1e-9, 1e-9, 1e-9), (0.1, 100, 100)]
)
def test_a_possible_tensor_is_kept_without_a_warning(moments):
    np.testing.assert_array_equal(load(np.diag(moments)), np.diag(moments))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # the plane ixx + iyy = izz, by a third of the excess each
        ((0, 0, 3), (1, 1, 2)),
        ((1, 1, 5), (2, 2, 4)),
        # the edge (t, t, 0): a rod along z
        ((3, 3, -1), (3, 3, 0)),
        ((0, 0, 0), (4e-7, 4e-7, 4e-7)),
        ((-1, -1, -1), (4e-7, 4e-7, 4e-7)),
    ],
)
def test_an_impossible_tensor_becomes_the_nearest(given, expected):
    with pytest.warns(ModelFormatWarning, match="no rigid body has the inertia ixx"):
        used = load(np.diag(np.array(given, dtype=float)))
    np.testing.assert_allclose(used, np.diag(expected), atol=2e-5)


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[moments] * 6))
def test_no_possible_tensor_is_nearer(numbers):
    """Against a grid of possible tensors with the same axes, and the conditions themselves."""
    given_tensor = np.zeros((3, 3))
    given_tensor[np.triu_indices(3)] = numbers
    given_tensor += np.triu(given_tensor, 1).T
    assume(np.abs(given_tensor).max() > 1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelFormatWarning)
        used = load(given_tensor)
    low, middle, high = np.linalg.eigvalsh(used)
    assert low > 0
    assert low + middle >= high * (1 - 1e-9)

    _, axes = np.linalg.eigh(given_tensor)
    distance = np.linalg.norm(used - given_tensor)
    scale = np.abs(given_tensor).max()
    for second in itertools.product(np.linspace(0, 2 * scale, 9), repeat=3):
        possible = (axes * (sum(second) - np.array(second))) @ axes.T
        assert distance <= np.linalg.norm(possible - given_tensor) + 1e-4 * scale
