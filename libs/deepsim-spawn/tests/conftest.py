# SPDX-License-Identifier: Apache-2.0
"""What the tests share."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_spawn import GazeboXMLLoader


@pytest.fixture(autouse=True)
def _no_search_path_of_this_machine(monkeypatch):
    monkeypatch.delenv("GAZEBO_MODEL_PATH", raising=False)
    monkeypatch.delenv("GAZEBO_RESOURCE_PATH", raising=False)


@pytest.fixture
def loader():
    """A loader whose search path is empty."""
    return GazeboXMLLoader()


@pytest.fixture
def load_model(loader):
    """Loads the model of an SDF text, given what stands inside of `<sdf>`."""

    def load(body, version="1.7"):
        return loader.load_model(f"<sdf version='{version}'>{body}</sdf>")

    return load


@pytest.fixture
def load_world(loader):
    """Loads the world of an SDF text, given what stands inside of `<world>`."""

    def load(body, version="1.7"):
        return loader.load_world(f"<sdf version='{version}'><world name='w'>{body}</world></sdf>")

    return load


@pytest.fixture
def load_link(load_model):
    """Loads the link ``base`` of a model with one link, given what stands inside of `<link>`."""

    def load(body, version="1.7"):
        model = load_model(f"<model name='m'><link name='base'>{body}</link></model>", version)
        return model.links[0]

    return load


@pytest.fixture
def load_link_strictly():
    """As `load_link`, by a loader that repairs nothing."""

    def load(body):
        text = f"<sdf version='1.7'><model name='m'><link name='base'>{body}</link></model></sdf>"
        return GazeboXMLLoader(strict=True).load_model(text).links[0]

    return load


@pytest.fixture
def matrix():
    """The 4x4 matrix of a pose, by the textbook formula."""

    def of(pose):
        x, y, z, w = pose.orientation
        result = np.eye(4)
        result[:3, 3] = tuple(pose.position)
        result[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        return result

    return of


@pytest.fixture
def rpy_matrix():
    """The 4x4 matrix of x y z [m] and roll pitch yaw [rad] about the fixed axes."""

    def of(x, y, z, roll, pitch, yaw):
        turn_x = [
            [1, 0, 0],
            [0, np.cos(roll), -np.sin(roll)],
            [0, np.sin(roll), np.cos(roll)],
        ]
        turn_y = [
            [np.cos(pitch), 0, np.sin(pitch)],
            [0, 1, 0],
            [-np.sin(pitch), 0, np.cos(pitch)],
        ]
        turn_z = [[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]]
        result = np.eye(4)
        result[:3, :3] = np.array(turn_z) @ np.array(turn_y) @ np.array(turn_x)
        result[:3, 3] = x, y, z
        return result

    return of
