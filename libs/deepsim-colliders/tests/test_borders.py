# SPDX-License-Identifier: Apache-2.0
"""What is no numbers is refused where it comes in."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_colliders import BoxCollider, CircleCollider, ColliderSet, SphereCollider

NOT_NUMBERS = [
    ["0", "0", "0"],
    np.array(["0", "0", "0"]),
    np.ma.masked_array([0.0, 0.0, 0.0], [True, False, False]),
    {0.1, 0.2, 0.3},
    {0: 1, 1: 2, 2: 3},
    [0j, 0.0, 0.0],
    ["0", "0"],
    {0.1, 0.2},
    np.ma.masked_array([0.0, 0.0], [True, False]),
]


@pytest.mark.parametrize("values", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize("collider", [BoxCollider(1, 1, 1), CircleCollider(1)], ids=repr)
def test_text_masks_and_sets_are_refused(collider, values):
    for query in (collider.contains, collider.intersects, collider.distance):
        with pytest.raises((TypeError, ValueError)):
            query(values)
    alone, ahead = ColliderSet([collider]), (1, 0, 0)[: collider.dimensions]
    for query in (
        collider.contains_points,
        alone.contains_points,
        alone.update,
        lambda values: alone.raycast(values, ahead),
        lambda values: alone.raycast(ahead, values),
        lambda values: alone.raycast(ahead, ahead, max_distance=values),
    ):
        with pytest.raises(TypeError, match=r"masked|has no order|real numbers"):
            query(values)


@pytest.mark.parametrize("size", ["1", np.ma.masked_array(1.0, True), {1}, True, None])
def test_sizes_are_numbers(size):
    with pytest.raises(TypeError, match="radius must be a number"):
        SphereCollider(size)
