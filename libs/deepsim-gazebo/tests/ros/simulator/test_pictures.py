# SPDX-License-Identifier: Apache-2.0
"""Pictures from a simulated server."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import CallRefusedError, GazeboCameras, GazeboSimulator, MalformedReplyError
from deepsim_math import Pose
from deepsim_sync import (
    CameraMount,
    CameraView,
    SpawnRequest,
    UnknownEntityError,
    UnsupportedError,
    World,
)

VIEW = CameraView(Pose((1, 2, 3), (0, 0, 0.6, 0.8)), horizontal_fov=0.7, width=5, height=3)
NO_DISPLAY = "it found no display"


@pytest.fixture
def cameras(connect: Callable[..., GazeboSimulator]) -> GazeboCameras:
    """The cameras of a server that renders."""
    cameras = connect().cameras
    assert cameras is not None
    return cameras


def test_a_server_that_does_not_render_has_none(
    connect: Callable[..., GazeboSimulator], server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The reason is logged, and a world refuses to render."""
    server.no_pictures = NO_DISPLAY
    with caplog.at_level(logging.INFO, logger="deepsim_gazebo"):
        simulator = connect()
    assert simulator.cameras is None
    assert NO_DISPLAY in caplog.text
    with pytest.raises(UnsupportedError, match="GazeboSimulator takes no pictures"):
        World(simulator).render(VIEW)


def test_there_is_only_one_world(cameras: GazeboCameras) -> None:
    """A picture of another one is refused."""
    with pytest.raises(ValueError, match="Gazebo has one world, number 0, got 1"):
        cameras.render(VIEW, 1)


def test_a_free_camera_is_sent_as_it_is(cameras: GazeboCameras, server: Any) -> None:
    """Pose, angle of view and size; the picture begins at the upper left."""
    server.calls.clear()
    picture = cameras.render(VIEW)
    assert server.calls == ["get_image"]
    assert server.aimed == ("", 1, 2, 3, 0, 0, 0.6, 0.8, 0.7)
    np.testing.assert_array_equal(picture, np.arange(45, dtype=np.uint8).reshape(3, 5, 3))
    picture[:] = 0  # it is the caller's own
    assert cameras.render(VIEW).any()


def test_a_sensor_is_requested_by_name(cameras: GazeboCameras, server: Any) -> None:
    """Its picture has the size of the sensor."""
    assert cameras.names == ("eye::link::camera",)
    assert cameras.render("eye::link::camera").shape == (2, 4, 3)
    assert server.aimed[0] == "eye::link::camera"
    with pytest.raises(UnknownEntityError, match="no camera is named 'ear'"):
        cameras.render("ear")


def test_a_refusal_is_passed_on(cameras: GazeboCameras, server: Any) -> None:
    """Of a camera that this side knows, but not the server."""
    server.hidden = True
    with pytest.raises(CallRefusedError, match="get_image was refused: not now"):
        cameras.render("eye::link::camera")


def test_a_picture_with_missing_bytes_is_refused(cameras: GazeboCameras, server: Any) -> None:
    """The message has the expected size."""
    server.lost_bytes = 1
    with pytest.raises(MalformedReplyError, match=r"\(44, 0, 0\) numbers for 5 x 3 pixels"):
        cameras.render(VIEW)


def test_depths_come_with_rows_of_what_is_drawn(
    connect: Callable[..., GazeboSimulator], server: Any
) -> None:
    """-1 for nothing, and for links that are not there any more; no colours are requested."""
    simulator = connect()
    simulator.spawn([SpawnRequest("pair", "pair", Pose())])
    assert simulator.depth_cameras is not None
    depth, models, links = simulator.depth_cameras.measure(VIEW)
    np.testing.assert_array_equal(depth, np.full((3, 5), 2.0))
    top = simulator.entities.links.row("pair::top")
    assert links.ravel()[:6].tolist() == [-1, top, -1, -1, top, -1]
    pair = simulator.entities.models.row("pair")
    assert models.ravel()[:6].tolist() == [-1, pair, -1, -1, pair, -1]


def test_a_view_is_that_of_the_sensor(cameras: GazeboCameras) -> None:
    """As the server says."""
    assert cameras.view("eye::link::camera") == CameraView(Pose((0, 0, 1)), 0.5, 4, 2)
    with pytest.raises(UnknownEntityError, match="no camera is named 'ear'"):
        cameras.view("ear")


def test_a_camera_looks_from_where_it_is_mounted(
    connect: Callable[..., GazeboSimulator], server: Any
) -> None:
    """Until a reset, or until its model is gone; its mount as described comes from the server."""
    simulator = connect()
    mounts, cameras = simulator.camera_mounts, simulator.cameras
    assert mounts is not None
    assert cameras is not None
    camera, turned = "eye::link::camera", CameraMount(Pose((0, 0, 2), (0, 0, 1, 0)), 0.75)
    described = CameraMount(Pose((0, 0, 0.25)), 0.5)
    assert mounts.get(camera) == mounts.described(camera) == described
    mounts.set(camera, turned)
    assert (mounts.get(camera), mounts.described(camera)) == (turned, described)
    cameras.render(camera)
    assert server.aimed == (camera, 0, 0, 2, 0, 0, 1, 0, 0.75)
    assert cameras.view(camera).horizontal_fov == 0.75
    simulator.reset()
    assert mounts.get(camera) == described
    mounts.set(camera, turned, np.array([], dtype=np.intp))
    assert mounts.get(camera) == described
    for act in (mounts.get, mounts.described, lambda name: mounts.set(name, turned)):
        with pytest.raises(UnknownEntityError, match="no camera is named 'ear'"):
            act("ear")


@pytest.mark.parametrize("number", [-2, 2])
def test_a_link_without_a_name_is_refused(cameras: GazeboCameras, server: Any, number: int) -> None:
    """The answer shows a link that it does not name."""
    server.nothing = number
    with pytest.raises(MalformedReplyError, match="links that it does not name"):
        cameras.measure(VIEW)
