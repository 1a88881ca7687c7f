# SPDX-License-Identifier: Apache-2.0
"""Bags of others are read as arrays, and bad ones are refused with their names."""

from __future__ import annotations

import io
import os
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.writer import Writer as McapWriter
from PIL import Image
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from deepsim_ros2 import Bag, BagError

JAZZY = get_typestore(Stores.ROS2_JAZZY)
TYPES = JAZZY.types


def header(time, frame=""):
    """A header of a time [s]."""
    stamp = TYPES["builtin_interfaces/msg/Time"](sec=int(time), nanosec=0)
    return TYPES["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)


def joint_state(time, **positions):
    """Positions of joints, without velocities and efforts."""
    none = np.zeros(0)
    return TYPES["sensor_msgs/msg/JointState"](
        header(time), list(positions), np.array(list(positions.values())), none, none
    )


def image(encoding, pixels, step=None, height=None):
    """A picture."""
    data = np.frombuffer(pixels.tobytes(), np.uint8)
    return TYPES["sensor_msgs/msg/Image"](
        header(0),
        height or len(pixels),
        pixels.shape[1],
        encoding,
        0,
        step or pixels.strides[0],
        data,
    )


def transform(parent, child, x, yaw=0.0):
    """A displacement along x with a turn about z."""
    get = TYPES.__getitem__
    return get("geometry_msgs/msg/TransformStamped")(
        header(0, parent),
        child,
        get("geometry_msgs/msg/Transform")(
            get("geometry_msgs/msg/Vector3")(x, 0.0, 0.0),
            get("geometry_msgs/msg/Quaternion")(0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)),
        ),
    )


def write(path, rows, plugin=StoragePlugin.MCAP):
    """Writes (topic, time [s], message) with rosbags; returns the bag's folder."""
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        channels = {}
        for topic, time, message in rows:
            kind = message.__msgtype__
            if topic not in channels:
                channels[topic] = writer.add_connection(topic, kind, typestore=JAZZY)
            data = JAZZY.serialize_cdr(message, kind)
            writer.write(channels[topic], round(time * 1e9), data)
    return path


@pytest.fixture(params=StoragePlugin, ids=lambda plugin: plugin.name.lower())
def plugin(request):
    """Both storages of rosbag2."""
    return request.param


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
def test_joint_states_of_another_bag_are_arrays(tmp_path, plugin, whole):
    """Joints come and go from message to message; what is missing is nan."""
    states = [joint_state(5, a=1.0, b=2.0), joint_state(6, b=3.0), joint_state(7, c=4.0, a=5.0)]
    path = write(
        tmp_path / "bag", [("/js", 5.0 + n, each) for n, each in enumerate(states)], plugin
    )
    if not whole:
        [path] = [each for each in path.iterdir() if each.suffix != ".yaml"]
    bag = Bag(path)
    assert dict(bag.topics) == {"/js": "sensor_msgs/msg/JointState"}
    assert bag.counts["/js"] == 3
    found = bag.joint_states("/js")
    assert (found.names, found.times.tolist()) == (("a", "b", "c"), [5.0, 6.0, 7.0])
    nan = np.nan
    assert np.array_equal(found.position, [[1, 2, nan], [nan, 3, nan], [5, nan, 4]], equal_nan=True)
    assert np.isnan(found.velocity).all()


def test_any_topic_is_arrays_by_the_paths_of_fields(tmp_path, plugin):
    """Nested fields have dotted names, times are nanoseconds, arrays are stacked."""
    rows = [("/js", 1.0 + n, joint_state(1 + n, a=n, b=2.0)) for n in range(3)]
    found = Bag(write(tmp_path / "bag", rows, plugin)).read("/js")
    assert found["time"].tolist() == [1.0, 2.0, 3.0]
    assert found["header.stamp"].tolist() == [10**9, 2 * 10**9, 3 * 10**9]
    assert found["position"].tolist() == [[0, 2], [1, 2], [2, 2]]
    assert found["name"].tolist() == [["a", "b"]] * 3


def test_fields_of_different_sizes_are_refused_by_name(tmp_path):
    """The message says which field, and what to do."""
    rows = [("/js", 0.0, joint_state(0, a=1.0)), ("/js", 1.0, joint_state(1, a=1.0, b=1.0))]
    bag = Bag(write(tmp_path / "bag", rows))
    with pytest.raises(BagError, match=r"'name' of '/js' has 1 to 2 entries; use messages\(\)"):
        bag.read("/js")


def test_frames_are_chained_to_their_root(tmp_path):
    """A turn by 90 degrees takes the child's x to y; latched frames hold at all times."""
    message = TYPES["tf2_msgs/msg/TFMessage"]
    rows = [
        ("/tf", 1.0, message([transform("map", "odom", 1.0, np.pi / 2)])),
        ("/tf", 2.0, message([transform("/odom", "/base", 2.0)])),
        ("/tf", 3.0, message([transform("odom", "base", 4.0)])),
        ("/tf_static", 4.0, message([transform("base", "laser", 0.5)])),
    ]
    tree = Bag(write(tmp_path / "bag", rows)).transforms()
    half = np.sqrt(0.5)
    for time, y in ((0.0, 2.5), (2.9, 2.5), (3.0, 4.5)):
        root, pose = tree.pose("laser", time)
        assert root == "map"
        assert pose == pytest.approx([1.0, y, 0.0, 0.0, 0.0, half, half])
    assert tree.pose("nowhere", 0.0) == ("nowhere", pytest.approx([0, 0, 0, 0, 0, 0, 1]))
    assert tree.times.tolist() == [1.0, 2.0, 3.0]


def test_a_circle_of_frames_is_refused(tmp_path):
    """Instead of a search without end."""
    message = TYPES["tf2_msgs/msg/TFMessage"]
    rows = [("/tf", 1.0, message([transform("a", "b", 1.0), transform("b", "a", 1.0)]))]
    tree = Bag(write(tmp_path / "bag", rows)).transforms()
    with pytest.raises(ValueError, match="'a' is its own ancestor"):
        tree.pose("a", 1.0)


PIXELS = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


@pytest.mark.parametrize(
    ("message", "pixels"),
    [
        (image("rgb8", PIXELS), PIXELS),
        (image("bgr8", PIXELS), PIXELS[..., ::-1]),
        (image("bgra8", PIXELS.reshape(3, 2, 4)), PIXELS.reshape(3, 2, 4)[..., 2::-1]),
        (image("mono8", PIXELS[..., 0].copy()), PIXELS[..., 0]),
        (image("rgb8", PIXELS.reshape(1, 24, 1), step=12, height=2), None),
        (image("32FC1", np.array([[0.5, np.inf]], "<f4")), np.array([[0.5, np.inf]])),
    ],
    ids=["rgb8", "bgr8", "bgra8", "mono8", "too wide", "32FC1"],
)
def test_pictures_of_each_encoding(tmp_path, message, pixels):
    """Colours are red, green, blue; a picture whose rows are too short is refused."""
    bag = Bag(write(tmp_path / "bag", [("/eye", 1.0, message)]))
    assert bag.images() == ["/eye"]
    if pixels is None:
        with pytest.raises(BagError, match=r"24 x 2 pixels in rgb8 has 24 bytes, 12 in a row"):
            list(bag.pictures("/eye"))
    else:
        [(time, found)] = bag.pictures("/eye")
        assert time == 1.0
        assert np.array_equal(found, pixels)


def test_compressed_pictures_are_read(tmp_path):
    """PNG gives the same pixels; what is no picture is refused."""
    file = io.BytesIO()
    Image.fromarray(PIXELS).save(file, "PNG")
    kind = TYPES["sensor_msgs/msg/CompressedImage"]
    png = kind(header(0), "png", np.frombuffer(file.getvalue(), np.uint8))
    bad = kind(header(0), "png", np.frombuffer(b"GIF89a, or so", np.uint8))
    bag = Bag(write(tmp_path / "bag", [("/good", 1.0, png), ("/bad", 1.0, bad)]))
    [(_, found)] = bag.pictures("/good")
    assert np.array_equal(found, PIXELS)
    with pytest.raises(BagError, match=re.escape(f"{tmp_path / 'bag'} is not a readable")):
        list(bag.pictures("/bad"))


def test_unknown_topics_and_types_are_refused(tmp_path):
    """The message names the file and what was meant."""
    bag = Bag(write(tmp_path / "bag", [("/joint_states", 1.0, joint_state(0, a=1.0))]))
    with pytest.raises(BagError, match="no topic '/joint_state'; did you mean '/joint_states'"):
        bag.read("/joint_state")
    with pytest.raises(BagError, match=r"'/joint_states' has sensor_msgs/msg/JointState, and not"):
        list(bag.pictures("/joint_states"))
    with pytest.raises(FileNotFoundError):
        Bag(tmp_path / "none.mcap")


def test_a_definition_in_a_bag_is_never_run(tmp_path):
    """Types of other packages are listed, and neither decoded nor turned into code."""
    path = tmp_path / "evil.mcap"
    with path.open("wb") as file:
        writer = McapWriter(file)
        writer.start("ros2", "")
        text = b"string A=' + __import__(\"os\").abort() + '\nint8 b"
        schema = writer.register_schema("evil_msgs/msg/Evil", "ros2msg", text)
        channel = writer.register_channel("/evil", "cdr", schema)
        writer.add_message(channel, 1, b"\0\1\0\0\1", 1)
        writer.finish()
    sys.modules.pop("rosbags.usertypes", None)  # into which rosbags puts code of definitions
    bag = Bag(path)
    assert bag.topics["/evil"] == "evil_msgs/msg/Evil"
    with pytest.raises(BagError, match="not one of ROS 2's common interfaces"):
        bag.read("/evil")
    assert "rosbags.usertypes" not in sys.modules


def test_a_type_with_another_definition_is_refused(tmp_path):
    """Its bytes would be read as other fields."""
    path = tmp_path / "bag"
    with Writer(path, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        channel = writer.add_connection(
            "/js", "sensor_msgs/msg/JointState", msgdef="int8 a\n", rihs01="RIHS01_" + "0" * 64
        )
        writer.write(channel, 1, b"\0\1\0\0\1")
    with pytest.raises(BagError, match="JointState has another definition there"):
        Bag(path).read("/js")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of a good file of each storage, by suffix."""
    found = {}
    for each in StoragePlugin:
        path = tmp_path_factory.mktemp("good") / "bag"
        write(path, [("/js", float(n), joint_state(n, a=1.0, b=2.0)) for n in range(9)], each)
        [file] = [one for one in path.iterdir() if one.suffix != ".yaml"]
        found[file.suffix] = file.read_bytes()
    return found


@pytest.mark.parametrize("suffix", [".mcap", ".db3"])
@given(data=st.data())
def test_damaged_files_are_read_or_refused_with_their_name(tmp_path_factory, good, suffix, data):
    """Bytes change or are missing anywhere: the only error is one that names the file."""
    content = bytearray(good[suffix])
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.one_of(st.just(len(content)), st.integers(0, len(content))))
    path = tmp_path_factory.mktemp("bad") / f"bad{suffix}"
    path.write_bytes(content[:end])
    refused = []
    try:
        bag = Bag(path)
        for topic, kind in bag.topics.items():
            list(bag.messages(topic))
            if kind == "sensor_msgs/msg/JointState":
                bag.joint_states(topic)
    except BagError as error:
        refused.append(str(error))
    assert all(str(path) in text for text in refused)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_no_bag(tmp_path, good):
    """Opening it would wait for ever, also beside the files of a bag."""
    folder = tmp_path / "bag"
    folder.mkdir()
    os.mkfifo(folder / "pipe.mcap")
    for path in (folder / "pipe.mcap", folder):
        with pytest.raises(BagError, match=r"pipe\.mcap is not a regular file"):
            Bag(path)
