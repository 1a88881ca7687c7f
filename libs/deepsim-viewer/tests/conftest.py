# SPDX-License-Identifier: Apache-2.0
"""A world to look at, and a client that speaks the browser's protocol without being one."""

from __future__ import annotations

import doctest
import threading
import time
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
import viser
import zstandard
from gymnasium.spaces import Box as BoxSpace
from websockets.sync.client import connect

import deepsim_envs
import deepsim_math
import deepsim_sync
import deepsim_sync.testing
from deepsim_envs import Agents, Area, Environment
from deepsim_math import Color, Material, Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Cylinder,
    Inertial,
    LightDescription,
    LinkDescription,
    ModelDescription,
    Plane,
    Sphere,
    VisualDescription,
    WorldDescription,
)
from deepsim_sync import World
from deepsim_viewer import EnvironmentViewer, Viewer

BLUE = Color(38 / 255, 110 / 255, 200 / 255, 1.0)


def model(name, geometry, pose, color=BLUE, *, static=False, **visual):
    """A model of one link, which touches and shows one shape."""
    material = Material(ambient=color, diffuse=color)
    link = LinkDescription(
        "link",
        inertial=None if static else Inertial(),
        collisions=(CollisionDescription("collision", geometry),),
        visuals=(VisualDescription("visual", geometry, material=material, **visual),),
    )
    return ModelDescription(name, pose, (link,), static=static)


def described(*models):
    """A ground, a lamp and some models."""
    ground = model("ground", Plane(size=(4.0, 4.0)), Pose(), Color(0.5, 0.5, 0.5), static=True)
    sun = LightDescription("sun", "directional")
    return WorldDescription(models=(ground, *models), lights=(sun,))


def falling():
    """Two boxes, a ball and a cylinder above the ground."""
    return described(
        model("box_0", Box(Vector3(0.2, 0.3, 0.4)), Pose(Vector3(0.0, 0.0, 1.0))),
        model("box_1", Box(Vector3(0.2, 0.2, 0.2)), Pose(Vector3(1.0, 0.0, 1.0))),
        model("ball", Sphere(0.1), Pose(Vector3(-1.0, 0.0, 1.0)), Color(1.0, 0.0, 0.0, 1.0)),
        model("can", Cylinder(0.1, 0.4), Pose(Vector3(0.0, 1.0, 1.0))),
    )


@pytest.fixture
def scenes():
    """What tests build worlds from."""
    return SimpleNamespace(BLUE=BLUE, described=described, falling=falling, model=model)


@pytest.fixture
def make_viewer():
    """Makes viewers on ports that are free; closes them and their worlds."""
    made = []

    def make(description=None, *, worlds=1, **settings):
        simulator = MujocoSimulator(description or falling(), worlds=worlds, threads=1)
        world = World(simulator)
        made.append(world)
        viewer = Viewer(world, port=0, **settings)
        made.append(viewer)
        return viewer

    yield make
    for each in reversed(made):
        each.close()


class Push(Area):
    """A ball that is pushed along x, and seen by its place."""

    acted = chosen = None

    def __init__(self, world, space=None):
        super().__init__(world)
        self.ball = world.models.select(["ball"])
        unit = BoxSpace(-1.0, 1.0, (1,), np.float64)
        seen = BoxSpace(-np.inf, np.inf, (1,), np.float64)
        self.agents = Agents(["pusher"], seen, space or unit)

    def reset(self, worlds):
        """Everything begins where the models begin."""

    def act(self, actions):
        self.chosen = actions[0, 0].tolist()
        first = actions.reshape(len(self.world), -1)[:, 0]
        self.acted = float(first[0])
        twist = np.zeros((len(self.world), 1, 6))
        twist[:, 0, 0] = first
        self.ball.put(twist=twist)

    def observe(self):
        return self.ball.pose[:, :, :1]

    def reward(self):
        return self.ball.pose[:, :, 0]


@pytest.fixture
def play():
    """Opens viewers of a task; closes them and their tasks."""
    made = []

    def play(worlds=1, *, trees=None, space=None, **settings):
        world = World(MujocoSimulator(falling(), worlds=worlds, threads=1))
        area = Push(world, space)
        if trees is not None:
            area.trees = trees
        environment = Environment(area, frame_skip=10, max_episode_steps=5)
        viewer = EnvironmentViewer(
            environment,
            lambda seen: dict.fromkeys(seen, np.ones(1)),
            port=0,
            speed=None,
            **settings,
        )
        made.extend([environment, viewer])
        return viewer

    yield play
    for each in reversed(made):
        each.close()


@pytest.fixture
def run():
    """Runs functions in a thread that owns the world of a viewer, until it is stopped."""
    stops = []

    def run(viewer, function):
        def loop():
            viewer.world.claim()
            try:
                while not stop.is_set():
                    function()
            finally:
                done.set()

        stop, done = threading.Event(), threading.Event()
        thread = threading.Thread(target=loop)
        thread.start()

        def end():
            stop.set()
            viewer.control.resume()
            thread.join(10.0)
            assert done.is_set()
            assert not thread.is_alive()
            viewer.world.claim()

        stops.append(end)

    yield run
    for end in stops:
        end()


class Client:
    """A browser without a picture: knows the latest value of every property of every node."""

    def __init__(self, url):
        self.props = {}
        self.gui = {}
        self.removed = []
        self.files = {}
        self.notes = []
        self.socket = connect(
            url.replace("http", "ws").rstrip("/"),
            subprotocols=[f"viser-v{viser.__version__}"],
            max_size=None,
            compression=None,
            close_timeout=0.5,
        )
        self.send(
            "ViewerCameraMessage",
            wxyz=(1, 0, 0, 0), position=(3, 0, 1), fov=1.0, near=0.01, far=100.0,
            image_height=100, image_width=100, look_at=(0, 0, 0), up_direction=(0, 0, 1),
        )  # fmt: skip

    def send(self, kind, **values):
        self.socket.send(msgspec.msgpack.encode({"type": kind, **values}))

    def press(self, label):
        """Presses a button of the panel."""
        self.send("GuiUpdateMessage", uuid=self.find(label), updates={"value": True})

    def read(self, until, world=None, timeout=10.0):
        """Takes messages, while the world ticks, until a condition of this client holds."""
        end = time.monotonic() + timeout
        while not until(self):
            assert time.monotonic() < end, f"never came: {sorted(self.props)}"
            if world is not None:
                world.tick()
            try:
                self._take(self.socket.recv(timeout=0.01))
            except TimeoutError:
                continue

    def _take(self, data):
        size = int.from_bytes(data[8:16], "little")
        content = msgspec.msgpack.decode(zstandard.decompress(data[16 : 16 + size]))
        buffers, start = [], 16 + size
        for length in content["binaryBufferLengths"]:
            start += -start % 8
            buffers.append(data[start : start + length])
            start += length
        for message in content["messages"]:
            self._apply(_filled(message, buffers))

    def _apply(self, message):
        kind, name = message["type"], message.get("name")
        if kind == "SceneNodeUpdateMessage":
            self.props.setdefault(name, {}).update(message["updates"])
        elif kind == "RemoveSceneNodeMessage":
            self.props.pop(name, None)
            self.removed.append(name)
        elif kind == "NotificationShowMessage":
            self.notes.append(message["props"]["body"])
        elif kind == "FileTransferPart":
            name = message["transfer_uuid"]
            self.files[name] = self.files.get(name, b"") + message["content"]
        elif kind == "GuiUpdateMessage":
            self.gui.setdefault(message["uuid"], {}).update(message["updates"])
        elif kind.startswith("Gui") and "uuid" in message and "props" in message:
            props = message["props"]
            place = {"value": message.get("value"), "container": message.get("container_uuid")}
            self.gui[message["uuid"]] = {"type": kind, **place, **props}
        elif name is not None and "props" in message:
            self.props[name] = {"type": kind, "owner": message["owner"], **message["props"]}

    def batches(self):
        """The batched meshes that are there."""
        return [each for each in self.props.values() if each["type"] == "BatchedMeshesMessage"]

    def positions(self):
        """(n, 3) of all instances, sorted."""
        every = np.concatenate(
            [each["batched_positions"].reshape(-1, 3) for each in self.batches()]
        )
        return every[np.lexsort(every.T)]

    def set(self, label, value):
        """Changes a control of the panel, by its label."""
        self.send("GuiUpdateMessage", uuid=self.find(label), updates={"value": value})

    def has(self, label):
        """Whether the panel has a control with a label."""
        return any(each.get("label") == label for each in self.gui.values())

    def wait_for(self, label, world=None):
        """Takes messages, while the world ticks, until the panel has a control with a label."""
        self.read(lambda it: it.has(label), world)

    def find(self, label):
        """The id of a control of the panel, which may still be on its way."""
        self.wait_for(label)
        (found,) = [uuid for uuid, each in self.gui.items() if each.get("label") == label]
        return found

    def close(self):
        self.socket.close()


def _filled(value, buffers):
    if isinstance(value, dict):
        if "__binary_index" in value:
            return np.frombuffer(buffers[value["__binary_index"]], value["dtype"])
        return {key: _filled(each, buffers) for key, each in value.items()}
    return [_filled(each, buffers) for each in value] if isinstance(value, list) else value


@pytest.fixture
def reach():
    """Waits until another thread has made a condition true."""

    def reach(condition, timeout=10.0):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, "it never came true"
            time.sleep(0.001)

    return reach


@pytest.fixture
def look():
    """Connects clients to a viewer and waits until the viewer knows them."""
    clients = []

    def look(viewer):
        client = Client(viewer.url)
        clients.append(client)
        count = viewer.clients
        client.read(lambda it: it.props and viewer.clients >= max(1, count))
        return client

    yield look
    for client in clients:
        client.close()


@pytest.fixture(scope="session")
def names_of_examples() -> dict[str, Any]:
    """`make` makes the environment of the example of `Area`."""
    modules = deepsim_math, deepsim_sync, deepsim_sync.testing, deepsim_envs
    known = {name: getattr(module, name) for module in modules for name in module.__all__}
    known["Box"] = BoxSpace
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(deepsim_envs.Area, globs=known)
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
    more = {"MujocoSimulator": MujocoSimulator, "SimpleNamespace": SimpleNamespace}
    return {"make": example.globs["make"], **more}
