# SPDX-License-Identifier: Apache-2.0
"""Pictures from a server that speaks as the plugin does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import (
    CallRefusedError,
    GazeboCameraSimulator,
    GazeboSimulator,
    MalformedReplyError,
)
from deepsim_math import Pose
from deepsim_sync import Cameras, CameraView, UnknownEntityError, UnsupportedError, World

VIEW = CameraView(Pose((1, 2, 3), (0, 0, 0.6, 0.8)), horizontal_fov=0.7, width=5, height=3)
NO_DISPLAY = "it found no display"


def test_a_server_that_renders_makes_a_simulator_with_cameras(
    connect: Callable[..., GazeboSimulator],
) -> None:
    """By its type, so that who asks for the capability finds it."""
    simulator = connect()
    assert isinstance(simulator, Cameras)
    assert isinstance(simulator, GazeboCameraSimulator)
    assert simulator.cameras == ("eye::link::camera",)


def test_a_server_that_renders_nothing_makes_one_without(
    connect: Callable[..., GazeboSimulator], server: Any, network: Any
) -> None:
    """A world on it says so, and who asks for cameras by name is told why there are none."""
    server.no_pictures = NO_DISPLAY
    simulator = connect()
    assert not isinstance(simulator, Cameras)
    assert type(simulator) is GazeboSimulator
    with pytest.raises(UnsupportedError, match="GazeboSimulator takes no pictures"):
        World(simulator).render(VIEW)
    with pytest.raises(UnsupportedError, match=NO_DISPLAY):
        GazeboCameraSimulator(network.uri)


def test_a_free_camera_is_sent_as_it_is(
    connect: Callable[..., GazeboSimulator], server: Any
) -> None:
    """Pose, angle of view and size; rows come from the upper left."""
    simulator = connect()
    assert isinstance(simulator, Cameras)
    server.calls.clear()
    picture = simulator.render(VIEW)
    assert server.calls == ["get_image"]
    assert server.aimed == ("", 1, 2, 3, 0, 0, 0.6, 0.8, 0.7)
    np.testing.assert_array_equal(picture, np.arange(45, dtype=np.uint8).reshape(3, 5, 3))
    picture[:] = 0  # it is the caller's own
    assert simulator.render(VIEW).any()


def test_a_sensor_is_asked_for_by_name(
    connect: Callable[..., GazeboSimulator], server: Any
) -> None:
    """Its picture has the size that the sensor has."""
    simulator = connect()
    assert isinstance(simulator, Cameras)
    assert simulator.render("eye::link::camera").shape == (2, 4, 3)
    assert server.aimed[0] == "eye::link::camera"
    with pytest.raises(UnknownEntityError, match="no camera is named 'ear'"):
        simulator.render("ear")


def test_a_refusal_is_passed_on(connect: Callable[..., GazeboSimulator], server: Any) -> None:
    """A camera that is known here, and not to the server."""
    simulator = connect()
    assert isinstance(simulator, Cameras)
    server.hidden = True
    with pytest.raises(CallRefusedError, match="get_image was refused: not now"):
        simulator.render("eye::link::camera")


def test_a_picture_of_another_size_than_announced_is_none(
    connect: Callable[..., GazeboSimulator], server: Any
) -> None:
    """It is told, not guessed at."""
    simulator = connect()
    assert isinstance(simulator, Cameras)
    server.lost_bytes = 1
    with pytest.raises(MalformedReplyError, match="44 bytes for 5 x 3 pixels"):
        simulator.render(VIEW)
