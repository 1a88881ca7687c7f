# SPDX-License-Identifier: Apache-2.0
"""Columns and contact forces over time, in the panel."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Vector3
from deepsim_spawn import Box

GRAVITY = 9.8  # [m/s^2], the default of a world


def plotted(client, world, table, row, column, lines):
    """Returns the first plot of a column with a number of lines, (1 + lines, n)."""
    client.wait_for("Plot the values", world)
    for label, value in {"Table": table, "Row": row, "Column": column}.items():
        client.read(
            lambda it, label=label, value=value: value in it.gui[it.find(label)]["options"], world
        )
        client.set(label, value)
    client.set("Plot the values", True)

    def drawn(it):
        found = [each for each in it.gui.values() if each.get("title") == "values"]
        return [each for each in found if len(each["series"]) == 1 + lines and each["series"][1]]

    client.read(drawn, world)
    (found,) = drawn(client)
    assert found["series"][1]["label"] == f"{column}[0]"
    return np.array(found["data"])


def test_a_falling_ball_gains_g_times_t(make_viewer, look, scenes):
    """The plotted velocity along z is -g t; the other five numbers of the twist are zero."""
    ball = scenes.model("ball", Box(Vector3(0.1, 0.1, 0.1)), Pose(Vector3(0.0, 0.0, 1000.0)))
    viewer = make_viewer(scenes.described(ball), rate=1e6)
    time, *twist = plotted(look(viewer), viewer.world, "models", "ball", "twist", 6)
    assert len(time) >= 1
    assert twist[2] == pytest.approx(-GRAVITY * time, rel=1e-3, abs=0.05)
    assert np.abs(np.delete(twist, 2, axis=0)).max() < 1e-9


def test_the_ground_carries_the_weight(make_viewer, look, scenes):
    """The contact force on a box of 1 kg at rest is m g upwards, in its own world."""
    box = scenes.model("box", Box(Vector3(0.4, 0.4, 0.4)), Pose(Vector3(0.0, 0.0, 0.2)))
    viewer = make_viewer(scenes.described(box), rate=1e6)
    for _ in range(2000):
        viewer.world.tick()
    client = look(viewer)
    _, x, y, z = plotted(client, viewer.world, "links", "box::link", "contact force", 3)
    assert z == pytest.approx(np.full(len(z), GRAVITY), rel=1e-2)
    assert max(np.abs(x).max(), np.abs(y).max()) < 0.1
