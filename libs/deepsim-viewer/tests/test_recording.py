# SPDX-License-Identifier: Apache-2.0
"""Recordings: what is written is what was seen, without a simulator."""

from __future__ import annotations

import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import numpy as np
import pytest
import zstandard
from mcap.reader import make_reader
from mcap.writer import Writer

from deepsim_math import Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import MjcfModel, Sphere
from deepsim_sync import UnknownEntityError, World
from deepsim_viewer import (
    Recording,
    RecordingError,
    ReplayViewer,
    WorldRecorder,
    recording_page,
)
from deepsim_viewer.recording.recording import COLUMNS


@pytest.fixture
def world(scenes):
    """Two boxes, a ball and a cylinder that fall."""
    world = World(MujocoSimulator(scenes.falling()))
    yield world
    world.close()


@pytest.fixture
def recorded(world, tmp_path):
    """Half a second of the world at 50 frames per second."""
    path = tmp_path / "run.mcap"
    with WorldRecorder(world, path, rate=50.0, metadata={"task": "fall"}):
        while world.time[0] < 0.5:
            world.tick()
    return Recording(path)


def test_a_recording_is_the_run(world, tmp_path):
    """Every tick is in the file, bit for bit, with what was set in it."""
    seen = []
    with WorldRecorder(world, tmp_path / "run.mcap", rate=math.inf):
        for number in range(100):
            if number == 50:
                world.models.select(["ball"]).put(pose=Pose(Vector3(0.0, 0.0, 9.0)))
                world.visuals.select(["ball::link::visual"]).transparency = 0.5
                world.flush()
            seen.append((float(world.time[0]), world.links.pose.copy(), world.models.twist.copy()))
            world.tick()
    recording = Recording(tmp_path / "run.mcap")
    assert len(recording) == 101
    for number, (time, poses, twists) in enumerate(seen):
        frame = recording.frame(time)
        assert frame.time[0] == time
        assert frame.poses.tobytes() == poses.tobytes()
        assert np.array_equal(frame.models[..., 7:], twists)
        row = frame.entities.visuals.row("ball::link::visual")
        assert frame.opacities[0, row] == (1.0 if number < 50 else 0.5)


def test_the_path_of_a_model_or_link_is_read_by_its_name(scenes, tmp_path):
    """In its own world, from the frame in which it appears, as the tables had it."""
    world = World(MujocoSimulator(scenes.falling(), worlds=2))
    times, poses, late = [], [], []
    with WorldRecorder(world, tmp_path / "run.mcap", rate=math.inf):
        for number in range(20):
            if number == 10:
                puck = MjcfModel(
                    '<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body>'
                    "</worldbody></mujoco>"
                )
                world.spawn(puck, "puck", Pose(Vector3(3.0, 0.0, 5.0)))
                world.flush()
            ball = world.models.select(["ball"])
            if number == 5:
                ball.put([1], pose=Pose(Vector3(0.0, 0.0, 9.0)))
                world.flush()
            times.append(float(world.time[0]))
            poses.append(ball.pose[:, 0].copy())
            if number >= 10:
                late.append(world.links.select(["puck::b"]).pose[1, 0].copy())
            world.tick()
    recording = Recording(tmp_path / "run.mcap")
    for number in range(2):
        read, path = recording.poses("ball", number)
        assert read[:-1].tolist() == pytest.approx(times)  # the last frame is the closing one
        assert np.array_equal(path[:-1], np.array(poses)[:, number])
    read, path = recording.poses("puck::b", 1)
    assert read[:-1].tolist() == pytest.approx(times[10:])
    assert np.array_equal(path[:-1], late)
    world.close()


def test_a_path_of_nothing_is_refused(recorded):
    """The message names what was meant, or the worlds that there are."""
    with pytest.raises(UnknownEntityError, match="did you mean 'ball'"):
        recorded.poses("bal")
    with pytest.raises(UnknownEntityError, match="no link is named 'ball::nose'"):
        recorded.poses("ball::nose")
    with pytest.raises(IndexError, match=r"world must be 0\.\.0, got 1"):
        recorded.poses("ball", 1)


def test_a_recording_has_the_actuators(world, tmp_path):
    """Control, effort and length of a tendon's, at each tick."""
    hand = MjcfModel(
        '<mujoco model="hand"><worldbody><body name="finger"><joint name="j" type="slide"/>'
        '<geom size=".1"/></body></worldbody><tendon><fixed name="t"><joint joint="j" coef="2"/>'
        '</fixed></tendon><actuator><motor name="pull" tendon="t"/></actuator></mujoco>'
    )
    world.spawn(hand, "hand", Pose(Vector3(0.0, 9.0, 0.0)))
    seen = []
    with WorldRecorder(world, tmp_path / "run.mcap", rate=math.inf):
        for number in range(20):
            world.actuators.target = float(number)
            world.flush()
            rows = world.actuators
            seen.append((float(world.time[0]), rows.target[0, 0], rows.length[0, 0]))
            world.tick()
    recording = Recording(tmp_path / "run.mcap")
    for number, (time, target, length) in enumerate(seen):
        control, effort, extent = recording.frame(time).actuators[0, 0].tolist()
        assert (control, extent) == (target, length)
        assert control == number
        assert effort == max(0, number - 1)  # of the latest step
    assert seen[-1][2] > 0.0


OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n" + "".join(
    f"f {a}/1 {b}/2 {c}/3\n" for a, b, c in [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
)
PICTURED = """<mujoco model="label"><asset><mesh name="label" file="label.obj"/>
<texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 1 0" width="8" height="4"/>
<material name="m" texture="t"/></asset>
<worldbody><body><geom type="mesh" mesh="label" material="m"/></body></worldbody></mujoco>"""


def test_a_recording_has_the_textures(scenes, tmp_path):
    """Each corner of a mesh has its place in the picture, as it had in the world."""
    (tmp_path / "label.obj").write_text(OBJ)
    (tmp_path / "label.xml").write_text(PICTURED)
    world = World(MujocoSimulator(scenes.described()))
    world.spawn(MjcfModel(tmp_path / "label.xml"), "label", Pose())
    with WorldRecorder(world, tmp_path / "run.mcap"):
        world.tick()
    links = world.simulator.descriptions.looks["label"].links
    (expected,) = [visual.textured for link in links for visual in link.visuals]
    surfaces = Recording(tmp_path / "run.mcap").frame(0.0).layout.instances.surfaces
    (found,) = [each for each in surfaces if each.image is not None]
    np.testing.assert_array_equal(found.image, expected.image)
    np.testing.assert_array_equal(found.coordinates, expected.coordinates)
    np.testing.assert_array_equal(found.vertices[found.faces], expected.triangles)


def test_a_texture_that_is_no_picture_is_refused(scenes, tmp_path):
    """As all damage, with the name of the file."""
    (tmp_path / "label.obj").write_text(OBJ)
    (tmp_path / "label.xml").write_text(PICTURED)
    world = World(MujocoSimulator(scenes.described()))
    world.spawn(MjcfModel(tmp_path / "label.xml"), "label", Pose())
    with WorldRecorder(world, tmp_path / "run.mcap"):
        world.tick()
    damaged = tmp_path / "damaged.mcap"
    with (tmp_path / "run.mcap").open("rb") as file, damaged.open("wb") as other:
        reader, writer = make_reader(file), Writer(other)
        writer.start()
        schemas, channels = {}, {}
        for each in reader.get_summary().schemas.values():
            schemas[each.id] = writer.register_schema(each.name, each.encoding, each.data)
        for each in reader.get_summary().channels.values():
            schema = schemas.get(each.schema_id, 0)
            channels[each.id] = writer.register_channel(
                each.topic, each.message_encoding, schema, each.metadata
            )
        for _, channel, message in reader.iter_messages():
            data = re.sub(rb'"image": ?"[^"]{8}', b'"image":"AAAAAAAA', message.data)
            writer.add_message(channels[channel.id], message.log_time, data, message.publish_time)
        for each in reader.iter_metadata():
            writer.add_metadata(each.name, each.metadata)
        writer.finish()
    with pytest.raises(RecordingError, match=r"damaged\.mcap .* texture cannot be read"):
        Recording(damaged).frame(0.0)


def test_a_recording_changes_no_bit(world, scenes, tmp_path):
    """A world that is recorded runs as another one."""
    alone = World(MujocoSimulator(scenes.falling()))
    with WorldRecorder(world, tmp_path / "run.mcap"):
        for _ in range(200):
            world.tick()
            alone.tick()
    assert world.links.pose.tobytes() == alone.links.pose.tobytes()
    alone.close()


def test_frames_come_at_the_rate(recorded):
    """50 frames a second: 26 with the first and the last."""
    assert len(recorded) == 26
    assert recorded.metadata == {"task": "fall"}
    assert np.allclose(np.diff(recorded.times), 0.02)


def test_time_goes_on_over_a_reset(world, tmp_path):
    """Each episode comes after the one before; its frames have their own simulated time."""
    with WorldRecorder(world, tmp_path / "run.mcap", rate=math.inf):
        for _ in range(3):
            world.tick()
        for _ in range(2):
            world.reset(1)
            for _ in range(3):
                world.tick()
    recording = Recording(tmp_path / "run.mcap")
    step = world.simulator.timestep
    assert np.all(np.diff(recording.times) > 0)
    assert recording.frame(1e9).time[0] == pytest.approx(3 * step)
    assert recording.duration == pytest.approx(7 * step)


def test_models_come_and_go(world, scenes, tmp_path):
    """Each frame has the entities of its instant."""
    with WorldRecorder(world, tmp_path / "run.mcap", rate=math.inf):
        world.tick()
        world.spawn(scenes.model("late", Sphere(0.2), Pose()), "late", Pose(Vector3(0, 0, 3)))
        world.tick()
        world.delete("ball")
        world.tick()
    recording = Recording(tmp_path / "run.mcap")
    counts = [len(recording.frame(time).entities.models) for time in recording.times]
    assert counts == [5, 6, 5, 5]
    assert "late" in recording.frame(9.0).entities.models


def test_other_tools_find_frames_and_shapes(recorded):
    """The file has the transforms of all links and their triangles, by Foxglove's schemas."""
    found = {}
    with recorded.path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages(topics=["/tf", "/scene"]):
            found[channel.topic] = (schema.name, json.loads(message.data))
    name, transforms = found["/tf"]
    assert name == "foxglove.FrameTransforms"
    heights = {
        each["child_frame_id"]: each["translation"]["z"] for each in transforms["transforms"]
    }
    frame = recorded.frame(9.0)
    assert heights["ball::link"] == frame.poses[0, frame.entities.links.row("ball::link"), 2]
    name, update = found["/scene"]
    assert name == "foxglove.SceneUpdate"
    (box,) = [each for each in update["entities"] if each["frame_id"] == "box_0::link"]
    points = [list(point.values()) for point in box["triangles"][0]["points"]]
    assert np.ptp(points, axis=0) == pytest.approx([0.2, 0.3, 0.4])


def test_a_writer_that_is_killed_leaves_what_it_wrote(world, tmp_path):
    """All but the last second is on the disk while it is written, and is read."""
    path, cut = tmp_path / "run.mcap", tmp_path / "cut.mcap"
    with WorldRecorder(world, path):
        while world.time[0] < 4.0:
            world.tick()
        cut.write_bytes(path.read_bytes())
    whole, short = Recording(path), Recording(cut)
    assert 3.0 < short.duration < whole.duration
    assert np.array_equal(short.times, whole.times[: len(short)])


def test_a_full_disk_ends_the_recording_but_not_the_world(tmp_path):
    """The limit on the size of files stands for the disk; what was written is a recording."""
    program = """
import resource, signal, sys, warnings
from deepsim_math import Pose
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import World
from deepsim_viewer import Recording, WorldRecorder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
world = World(MujocoSimulator())
ball = "<sdf version='1.7'><model name='ball'><link name='link'/></model></sdf>"
world.spawn(GazeboXMLLoader().load_model(ball), "ball", Pose())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with WorldRecorder(world, sys.argv[1]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        while world.time[0] < 10.0:
            world.tick()
print([str(each.message) for each in caught], float(world.time[0]))
"""
    path = tmp_path / "run.mcap"
    command = [sys.executable, "-B", "-c", program, str(path)]  # no cut-off .pyc
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"['{path}: the recording ends here: File too large'] 10.0" in done.stdout
    assert 0.5 < Recording(path).duration < 9.5


@pytest.mark.parametrize("content", [b"", b"no recording", b"\x89MCAP0\r\n"])
def test_other_files_are_refused(content, tmp_path):
    """A file of another kind is named in the error."""
    path = tmp_path / "other.mcap"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"other\.mcap"):
        Recording(path)


def test_no_damage_gives_other_numbers(recorded, tmp_path):
    """A flipped bit, a hole or a lost piece is an error, or touches nothing that is read."""
    whole, draw = recorded, random.Random(1)
    data, damaged = whole.path.read_bytes(), tmp_path / "damaged.mcap"
    noticed = 0
    for number in range(400):
        mutant = bytearray(data)
        place = draw.randrange(len(data) - 8)  # in the last eight, it looks as if it was not closed
        if number % 4 == 0:
            del mutant[place : place + draw.randrange(1, 64)]
        elif number % 4 == 1:
            mutant[place : place + 8] = draw.randbytes(8)
        else:
            mutant[place] ^= 1 << draw.randrange(8)
        damaged.write_bytes(mutant)
        try:
            found = Recording(damaged)
        except RecordingError:
            noticed += 1
            continue
        assert found.metadata == whole.metadata
        assert np.array_equal(found.times, whole.times)
        for time in whole.times:
            one, other = found.frame(float(time)), whole.frame(float(time))
            assert all(np.array_equal(getattr(one, c), getattr(other, c)) for c in COLUMNS)
    assert noticed > 200


def test_a_chunk_that_grows_beyond_measure_is_refused(tmp_path):
    """Of 32 kB that unpack to 1 GiB, nothing is unpacked."""
    path = tmp_path / "bomb.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start("", "")
        writer.finish()
    packed = zstandard.compress(bytes(2**30))
    body = (
        struct.pack("<QQQI", 0, 1, 100, 0) + struct.pack("<I4sQ", 4, b"zstd", len(packed)) + packed
    )
    head, tail = path.read_bytes()[:8], path.read_bytes()[8:]
    path.write_bytes(head + b"\x06" + struct.pack("<Q", len(body)) + body + tail)
    with pytest.raises(RecordingError, match="chunks must be <= 268435456 bytes, got 1073741824"):
        Recording(path)


def test_a_pipe_is_no_recording(tmp_path):
    """Opening it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.mcap")
    with pytest.raises(RecordingError, match="not a regular file"):
        Recording(tmp_path / "pipe.mcap")


@pytest.mark.parametrize("settings", [{"rate": 0.0}, {"rate": float("nan")}, {"shown": 0}])
def test_bad_settings(settings, world, tmp_path):
    """Nonsense is refused by name, and no file is made."""
    with pytest.raises(ValueError, match=next(iter(settings))):
        WorldRecorder(world, tmp_path / "run.mcap", **settings)
    assert not list(tmp_path.iterdir())


def test_a_replay_shows_where_it_is_scrubbed(recorded, look):
    """The browser has the poses of the instant on the slider, and no move of it is lost."""
    with ReplayViewer(recorded, port=0) as viewer:
        viewer.clients = 1  # of the live viewer, which counts them
        client = look(viewer)
        client.set("Speed", "1/16 x")
        for time in (0.1, 0.4, 0.2, 0.3) * 10:
            client.set("Time [s]", time)
            poses = recorded.frame(time).poses[0, :, :3].astype(np.float32)
            poses = poses[np.lexsort(poses.T)]
            client.read(lambda it, poses=poses: np.array_equal(it.positions(), poses))


def test_a_replay_follows(world, tmp_path, look):
    """The metadata name the model; the cameras move along with it, and others can be selected."""
    path = tmp_path / "run.mcap"
    with WorldRecorder(world, path, rate=50.0, metadata={"follow": "ball"}):
        while world.time[0] < 0.3:
            world.tick()
    recording = Recording(path)
    path_of_ball = recording.poses("ball")[1][:, :3]
    way = path_of_ball[-1] - path_of_ball[0]
    assert way[2] < -0.1
    with ReplayViewer(recording, port=0) as viewer:
        viewer.clients = 1  # of the live viewer, which counts them
        camera = viewer.server.initial_camera
        before = np.array(camera.look_at)
        client = look(viewer)
        client.wait_for("Follow by camera")
        assert client.gui[client.find("Follow by camera")]["value"]
        client.set("Time [s]", 0.0)
        client.set("Time [s]", 0.3)
        client.read(lambda it: np.allclose(camera.look_at - before, way, atol=1e-2))
        client.set("Selected", "box_0")
        client.read(lambda it: "/selected" in it.props)


def test_a_page_holds_the_recording(recorded):
    """One page without a server, which grows with the frames it holds."""
    page = recording_page(recorded, rate=20.0, shadows=False)
    assert page.lstrip().startswith("<!")
    assert "__VISER_EMBED_DATA__" in page
    assert len(page) > len(recording_page(recorded, rate=1.0, shadows=False))


def test_a_button_records(make_viewer, look, tmp_path):
    """From one press to the next the world is recorded; the browser is sent the file."""
    viewer = make_viewer(rate=1e6)
    client, world = look(viewer), viewer.world
    client.press("Record")
    client.wait_for("Stop recording", world)
    start = float(world.time[0])
    for _ in range(100):
        world.tick()
    client.press("Stop recording")
    client.read(lambda it: it.files and it.has("Record"), world)
    ((_, data),) = client.files.items()
    (tmp_path / "sent.mcap").write_bytes(data)
    recording = Recording(tmp_path / "sent.mcap")
    assert recording.times[0] <= start
    assert recording.duration >= 100 * world.simulator.timestep


FOREVER = """
from deepsim_mujoco import MujocoSimulator
from deepsim_sync import UnknownEntityError, World
from deepsim_viewer import Viewer
world = World(MujocoSimulator())
print(Viewer(world, port=0).url, flush=True)
while True:
    world.tick()
"""


def test_a_killed_process_leaves_no_recording_for_long(make_viewer, look, tmp_path, monkeypatch):
    """The next viewer that records clears it."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with subprocess.Popen([sys.executable, "-c", FOREVER], stdout=subprocess.PIPE) as other:
        client = look(SimpleNamespace(url=other.stdout.readline().decode().strip(), clients=1))
        client.press("Record")
        client.read(lambda it: it.has("Stop recording"), timeout=60.0)
        other.kill()
    (left,) = tmp_path.glob("deepsim-viewer-*")
    viewer = make_viewer(rate=1e6)
    client = look(viewer)
    client.press("Record")
    client.wait_for("Stop recording", viewer.world)
    assert not left.exists()
    viewer.close()
    assert [*tmp_path.glob("deepsim-viewer-*")] == []
