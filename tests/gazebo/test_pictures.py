# SPDX-License-Identifier: Apache-2.0
"""Pictures from Gazebo beyond the conformance suite: the present instant, and refusals."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from deepsim_conformance.models import EYE, LAMP
from deepsim_gazebo import BatchStateClient, CallRefusedError, GazeboSimulator
from deepsim_math import Color, Euler, Pose, Quaternion
from deepsim_spawn import Attenuation, LightDescription, WorldDescription
from deepsim_sync import CameraView, Cells, Changes, SpawnRequest, UnknownEntityError
from gazebo import sandbox
from gazebo.servers import ADDRESS, GazeboServer

VIEW = CameraView(Pose((-4, 0, 0)), horizontal_fov=1.0, width=64, height=48)
GAZEBO_URI = f"http://{ADDRESS}:11345"
CYCLES = 301  # Gazebo's messages about a model come too late once in some hundred
PIXELS_PER_METRE = 32 / math.tan(0.5) / 4  # of what is at x = 0
DARK = (0.0, 0.0, 0.0, 1.0)


def ball(colour: str, *, pushed: bool = False) -> str:
    """Returns a sphere with emissive colour, which does not depend on any light."""
    return f"""<sdf version="1.6"><model name="ball"><static>{str(not pushed).lower()}</static>
      <link name="link"><gravity>false</gravity>
      <visual name="skin"><geometry><sphere><radius>0.2</radius></sphere></geometry>
      <material><ambient>0 0 0 1</ambient><diffuse>0 0 0 1</diffuse><emissive>{colour} 1</emissive>
      </material></visual></link></model></sdf>"""


WALL = """<sdf version="1.6"><model name="wall"><static>true</static><link name="link">
  <visual name="face"><geometry><box><size>0.1 6 6</size></box></geometry><material>
  <ambient>0.9 0.9 0.9 1</ambient><diffuse>0.9 0.9 0.9 1</diffuse></material></visual>
</link></model></sdf>"""


@pytest.fixture
def eye(gazebo: GazeboSimulator) -> GazeboSimulator:
    """An empty world in lock-step, on a server that renders."""
    assert gazebo.cameras is not None
    return gazebo


def render(simulator: GazeboSimulator, camera: str | CameraView = VIEW) -> NDArray[np.uint8]:
    """Takes a picture at the present instant."""
    assert simulator.cameras is not None
    return simulator.cameras.render(camera)


def put(simulator: GazeboSimulator, kind: Any, column: str, name: str, value: Any) -> None:
    """Writes one cell, and nothing else: no step, no read."""
    rows = simulator.entities.names(kind).rows([name])
    cells = Cells(np.zeros(1, dtype=np.intp), rows, np.array([value], dtype=float))
    refused = simulator.write(Changes(simulator.entities.generation, {(kind, column): cells}))
    assert not refused


def place(simulator: GazeboSimulator, name: str, *position: float) -> None:
    """Moves a model."""
    put(simulator, "models", "pose", name, (*position, 0, 0, 0, 1))


def like(picture: NDArray[np.uint8], channel: int) -> NDArray[np.bool_]:
    """Returns which pixels are clearly red (0), green (1) or blue (2)."""
    levels = picture.astype(int)
    others = np.delete(levels, channel, axis=-1).max(axis=-1)
    mask: NDArray[np.bool_] = levels[..., channel] > others + 60
    return mask


def column_of(picture: NDArray[np.uint8], channel: int = 1) -> float:
    """Returns the mean column of the pixels of one colour."""
    return float(np.nonzero(like(picture, channel))[1].mean() + 0.5)


def test_each_picture_shows_the_latest_write(eye: GazeboSimulator) -> None:
    """Twenty writes, twenty pictures: none shows the previous instant."""
    eye.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    for y in np.linspace(-1.2, 1.2, 20):
        place(eye, "ball", 0, y, 0)
        assert column_of(render(eye)) == pytest.approx(32 - y * PIXELS_PER_METRE, abs=1.0)


def test_each_picture_shows_the_latest_step(eye: GazeboSimulator) -> None:
    """A moving body is shown at its position after exactly these steps."""
    eye.spawn([SpawnRequest(ball("0 1 0", pushed=True), "ball", Pose((0, -1, 0)))])
    put(eye, "models", "twist", "ball", (0, 10, 0, 0, 0, 0))
    for tick in range(20):
        y = -1 + 0.1 * tick
        assert column_of(render(eye)) == pytest.approx(32 - y * PIXELS_PER_METRE, abs=1.0)
        eye.step(10)
    assert eye.time == [0.2]


def test_a_name_that_is_used_again_is_another_model(eye: GazeboSimulator) -> None:
    """A deleted model disappears, and its successor is shown at once."""
    for colour, channel in (("1 0 0", 0), ("0 1 0", 1), ("0 0 1", 2), ("1 0 0", 0)):
        eye.spawn([SpawnRequest(ball(colour), "ball", Pose())])
        picture = render(eye)
        assert [like(picture, number).any() for number in range(3)] == [
            number == channel for number in range(3)
        ]
        eye.delete("ball")
        picture = render(eye)
        assert not any(like(picture, number).any() for number in range(3))


def publish(topic: str, message: str) -> None:
    """Sends one of Gazebo's own messages, and waits until it is delivered."""
    done = subprocess.run(
        sandbox.inside(["gz", "topic", "-p", f"/gazebo/default/{topic}", "-m", message]),
        env={**sandbox.ENVIRONMENT, "GAZEBO_IP": ADDRESS, "GAZEBO_MASTER_URI": GAZEBO_URI},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["ball", "ball::link"])
def test_late_messages_of_gazebo_have_no_effect(eye: GazeboSimulator, name: str) -> None:
    """A late message about a deleted model does not affect a new one with its name."""
    eye.spawn([SpawnRequest(ball("1 0 0"), "ball", Pose())])
    assert like(render(eye), 0)[24, 32]
    eye.delete("ball")
    kind = "LINK" if "::" in name else "MODEL"
    parent = "ball" if "::" in name else "default"
    publish("visual", f"name: '{name}' id: 4000000 parent_name: '{parent}' type: {kind}")
    eye.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    for y in (0.5, -0.5):
        place(eye, "ball", 0, y, 0)
        assert column_of(render(eye)) == pytest.approx(32 - y * PIXELS_PER_METRE, abs=1.0)
    eye.delete("ball")
    assert not any(like(render(eye), number).any() for number in range(3))


def test_a_name_can_be_used_hundreds_of_times(eye: GazeboSimulator) -> None:
    """Despite late messages about the earlier models."""
    eye.spawn([SpawnRequest(LAMP, "lamp", Pose((-1, 0, 2)))])
    for cycle in range(CYCLES):
        channel = cycle % 3
        colour = ("1 0 0", "0 1 0", "0 0 1")[channel]
        eye.spawn([SpawnRequest(ball(colour), "ball", Pose())])
        eye.step()
        if cycle % 20 == 0:
            picture = render(eye)
            assert [like(picture, number).any() for number in range(3)] == [
                number == channel for number in range(3)
            ]
        eye.delete("ball")
    assert not any(like(render(eye), number).any() for number in range(3))


def test_colours_and_transparency_do_not_disturb_each_other(eye: GazeboSimulator) -> None:
    """A transparent ball with a new colour stays transparent."""
    eye.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    eye.spawn([SpawnRequest(ball("1 0 0"), "behind", Pose((1, 0, 0)))])
    skin = "ball::link::skin"
    assert not like(render(eye), 0)[24, 32]
    put(eye, "visuals", "transparency", skin, 0.8)
    assert like(render(eye), 0)[24, 32]
    put(eye, "visuals", "emissive", skin, (0, 0, 1, 1))
    put(eye, "visuals", "diffuse", skin, (0, 0, 1, 1))
    assert like(render(eye), 0)[24, 32]
    put(eye, "visuals", "transparency", skin, 0.0)
    assert like(render(eye), 2)[24, 32]


def test_light_is_that_of_the_present_instant(eye: GazeboSimulator) -> None:
    """A lamp has the latest colour and the present position of its model."""
    eye.spawn([SpawnRequest(WALL, "wall", Pose((1, 0, 0)))])
    eye.spawn([SpawnRequest(LAMP, "lamp", Pose((0, 1.5, 0)))])
    bulb = "lamp::link::bulb"
    put(eye, "lights", "specular", bulb, DARK)
    left = render(eye).astype(int)
    assert left[24, 8].sum() > left[24, 56].sum() + 50
    place(eye, "lamp", 0, -1.5, 0)
    right = render(eye).astype(int)
    assert right[24, 56].sum() > right[24, 8].sum() + 50
    put(eye, "lights", "diffuse", bulb, (0.0, 0.0, 1.0, 1.0))
    assert like(render(eye), 2)[24, 56]
    put(eye, "lights", "diffuse", bulb, DARK)
    dark = render(eye).astype(int)
    assert dark[24, 56].sum() < right[24, 56].sum() - 50


def lit(picture: NDArray[np.uint8], lamp_y: float) -> NDArray[np.bool_]:
    """Returns which columns of a picture are as bright as theory says for a lamp at (0, lamp_y, 0).

    The wall's face is at x = 0.95. It reflects 0.9 of Gazebo's ambient light, which is 0.4, and of
    the lamp's light by Lambert's law, with an attenuation of 1 / (1 + distance).
    """
    beside = 32 - (np.arange(64) + 0.5)  # to the left of the middle [pixels]
    y = beside / 32 * math.tan(0.5) * 4.95
    distance = np.hypot(0.95, y - lamp_y)
    expected = 255 * 0.9 * (0.4 + 0.95 / distance / (1 + distance))
    mask: NDArray[np.bool_] = np.abs(picture[24, :, 0] - expected) < 4
    return mask


def test_a_light_of_the_world_is_where_it_was_put(eye: GazeboSimulator) -> None:
    """Also one that comes when Gazebo draws already, and through a reset."""
    lamp = LightDescription(
        "lamp", pose=Pose((0, 1.5, 0)), specular=Color(*DARK), attenuation=Attenuation(20.0)
    )
    for _ in range(2):
        eye.load(WorldDescription(lights=(lamp,)))
        eye.spawn([SpawnRequest(WALL, "wall", Pose((1, 0, 0)))])
        assert lit(render(eye), 1.5).all()
        put(eye, "lights", "pose", "lamp", (0, -1.5, 0, 0, 0, 0, 1))
        assert lit(render(eye), -1.5).all()
        eye.reset()
        right = render(eye)
        assert lit(right, -1.5).all()
        put(eye, "lights", "range", "lamp", 0.5)
        assert render(eye)[24, 56].astype(int).sum() < right[24, 56].astype(int).sum() - 50


def test_a_light_of_a_model_is_where_its_link_takes_it(eye: GazeboSimulator) -> None:
    """Half a metre beside the link, as described."""
    lamp = """<sdf version="1.6"><model name="lamp"><static>true</static><link name="link">
      <light name="bulb" type="point"><pose>0 0.5 0 0 0 0</pose><diffuse>1 1 1 1</diffuse>
      <specular>0 0 0 1</specular><attenuation><range>20</range><constant>1</constant>
      <linear>1</linear><quadratic>0</quadratic></attenuation></light></link></model></sdf>"""
    eye.spawn([SpawnRequest(WALL, "wall", Pose((1, 0, 0)))])
    eye.spawn([SpawnRequest(lamp, "lamp", Pose((0, 1, 0)))])
    assert lit(render(eye), 1.5).all()
    place(eye, "lamp", 0, -2, 0)
    assert lit(render(eye), -1.5).all()


def test_a_sensor_sees_what_a_free_camera_sees_from_there(eye: GazeboSimulator) -> None:
    """The pose on the link and the pose of the link both count."""
    eye.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    mounted = EYE.replace('name="camera">', 'name="camera"><pose>0.5 -0.2 0.1 0 0.1 0.3</pose>', 1)
    assert mounted != EYE
    body = Pose((-2, 1, 0.5), Euler(0.1, 0.2, -0.5))
    eye.spawn([SpawnRequest(mounted, "eye", body)])
    there = body @ Pose((0.5, -0.2, 0.1), Euler(0, 0.1, 0.3))
    free = render(eye, CameraView(there, horizontal_fov=1.0, width=64, height=48))
    assert like(free, 1).sum() > 20
    np.testing.assert_array_equal(render(eye, "eye::link::camera"), free)


def test_pictures_of_a_free_running_world(connect: Callable[..., Any]) -> None:
    """Each picture shows the end of a step."""
    connect()  # empties the world
    eye = connect(lock_step=False)
    eye.spawn([SpawnRequest(ball("0 1 0", pushed=True), "ball", Pose((0, 1, 0)))])
    put(eye, "models", "twist", "ball", (0, -0.5, 0, 0, 0, 0))
    columns = []
    for _ in range(5):
        eye.step(100)
        columns.append(column_of(render(eye)))
    assert columns == sorted(columns)
    assert columns[-1] > columns[0] + 1


def test_pictures_of_many_sizes(eye: GazeboSimulator) -> None:
    """Each picture is complete, though cameras are created for every size."""
    eye.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    for width, height in [(w, h) for w in (16, 33, 64) for h in (10, 47, 48, 128)] * 2:
        picture = render(eye, CameraView(VIEW.pose, 1.0, width, height))
        assert picture.shape == (height, width, 3)
        assert like(picture, 1)[height // 2, width // 2]
        assert not like(picture, 1)[[0, -1]].any()
    assert render(eye, CameraView(VIEW.pose, 1.0, 1, 1)).shape == (1, 1, 3)


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (CameraView(Pose(), 1.0, 100_000, 10), "1 to 4096 pixels a side, got 100000 x 10"),
        (CameraView(Pose((math.nan, 0, 0))), "finite"),
        (CameraView(Pose((0, 0, 0), Quaternion(0, 0, 0, 0))), "quaternion"),
    ],
)
def test_an_absurd_view_is_refused(eye: GazeboSimulator, view: CameraView, reason: str) -> None:
    """With a reason; the next picture is fine."""
    with pytest.raises(CallRefusedError, match=reason):
        render(eye, view)
    assert render(eye).shape == (48, 64, 3)


def test_an_unknown_camera_is_refused_with_the_known_ones(eye: GazeboSimulator) -> None:
    """By name in Python, and in the message for any other client."""
    eye.spawn([SpawnRequest(EYE, "eye", Pose())])
    with pytest.raises(UnknownEntityError, match=r"'eye::link::ear'; did you mean"):
        render(eye, "eye::link::ear")
    client = BatchStateClient()
    with pytest.raises(CallRefusedError, match=r"'ear'; there are: eye::link::camera"):
        client.look("ear")
    eye.delete("eye")
    with pytest.raises(CallRefusedError, match=r"'ear'; there is none"):
        client.look("ear")
    client.close()


def test_pictures_while_others_spawn_and_delete(eye: GazeboSimulator) -> None:
    """Each shows the ball that stays, and none fails."""
    eye.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    over = threading.Event()
    failures: list[Exception] = []

    def meddle() -> None:
        other = GazeboSimulator()
        try:
            while not over.is_set():
                other.spawn([SpawnRequest(ball("1 0 0"), "guest", Pose((0, 1, 0)))])
                other.delete("guest")
        except Exception as error:
            failures.append(error)
        other.close()

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for _ in range(50):
            assert like(render(eye), 1)[24, 32]
    finally:
        over.set()
        thread.join()
    assert not failures


@pytest.fixture
def restarted(server: GazeboServer) -> Iterator[GazeboServer]:
    """The server, running again after the test."""
    yield server
    if not server.running:
        server.start()


def test_a_server_that_took_pictures_ends_and_starts_again(
    eye: GazeboSimulator, restarted: GazeboServer, empty: Any
) -> None:
    """SIGINT ends it with status 0; the next one takes pictures too."""
    render(eye)
    assert restarted.end() == 0
    restarted.start()
    eye.close()
    again = GazeboSimulator()
    again.load(empty)
    again.spawn([SpawnRequest(ball("0 1 0"), "ball", Pose())])
    assert like(render(again), 1)[24, 32]
    again.close()


def test_the_command_makes_the_table_the_data_a_map_and_a_film(root: Path, tmp_path: Path) -> None:
    options = ["--policy", "random", "--backend", "gazebo", "--out", str(tmp_path)]
    finished = subprocess.run(
        [sys.executable, "-m", "deepsim", "run", "racetrack", *options],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "racetrack_gazebo: policy random, seed 0" in finished.stdout
    assert "takes no pictures" not in finished.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"trajectory.csv", "map.png", "film.webp"}
    with Image.open(tmp_path / "film.webp") as film:
        frames = film.n_frames
        film.seek(frames - 1)
        pixels = np.asarray(film.convert("RGB"))
    assert frames > 10
    assert pixels.std() > 10  # it is no empty grey
