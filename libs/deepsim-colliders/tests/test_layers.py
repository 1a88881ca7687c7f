# SPDX-License-Identifier: Apache-2.0
"""Layers and masks: which colliders meet."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_colliders import ALL_LAYERS, SphereCollider
from deepsim_math import Ray

CAR, WALL, GHOST = 1 << 0, 1 << 1, 1 << 31


def test_at_first_everything_meets(every):
    for collider in every:
        assert (collider.layers, collider.mask) == (1, ALL_LAYERS)
        assert collider.intersects(collider)


@pytest.mark.parametrize(
    ("layers", "mask", "other_layers", "other_mask", "meet"),
    [
        (CAR, WALL, WALL, CAR, True),
        (CAR, WALL, WALL, WALL, False),
        (CAR, CAR, WALL, CAR, False),
        (CAR | WALL, CAR, CAR, WALL, True),
        (GHOST, ALL_LAYERS, CAR, ALL_LAYERS, True),
        (GHOST, ALL_LAYERS, CAR, ALL_LAYERS ^ GHOST, False),
        (0, ALL_LAYERS, CAR, ALL_LAYERS, False),
        (CAR, 0, CAR, ALL_LAYERS, False),
    ],
)
def test_each_must_be_on_the_mask_of_the_other(
    flat, solid, layers, mask, other_layers, other_mask, meet
):
    """For intersects and contains, of all kinds, whichever side asks."""
    del flat[2]  # the ring, which is around the others
    for one, *others in (flat, solid):
        one.layers, one.mask = layers, mask
        for other in others:
            other.layers, other.mask = other_layers, other_mask
            assert one.intersects(other) is meet
            assert other.intersects(one) is meet
            if not meet:
                assert not one.contains(other)
                assert not other.contains(one)


def test_points_and_rays_know_no_layers(every):
    for collider in every:
        collider.layers = collider.mask = 0
        assert collider.raycast(Ray((-9, 0, 0), (1, 0, 0)))
        assert not collider.intersects(collider)
    assert every[0].contains((0, 0, 0))


@pytest.mark.parametrize("name", ["layers", "mask"])
def test_layers_are_bits(name):
    sphere = SphereCollider(1)
    setattr(sphere, name, np.uint8(6))
    assert getattr(sphere, name) == 6
    for wrong in (-1, 1 << 32):
        with pytest.raises(ValueError, match=rf"{name} must be within 0 and 0xffffffff \(32 lay"):
            setattr(sphere, name, wrong)
    for wrong in ("cars", 1.5, math.nan, None):
        with pytest.raises(TypeError, match=f"{name} must be an integer with one bit per layer"):
            setattr(sphere, name, wrong)
    assert getattr(sphere, name) == 6
