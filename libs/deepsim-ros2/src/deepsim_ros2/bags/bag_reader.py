# SPDX-License-Identifier: Apache-2.0
"""Reads ROS 2 bags, whoever wrote them, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader

from deepsim_ros2.errors import Ros2Error
from deepsim_ros2.topics.message_types import STORE, picture
from deepsim_sync.errors import did_you_mean

from .transforms import Transforms

_TF = "tf2_msgs/msg/TFMessage"
_TIME = ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")
_IMAGES = ("sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage")


class BagError(Ros2Error, ValueError):
    """A file is not a ROS 2 bag, is damaged, or has no such topic.

    >>> from pathlib import Path
    >>> size = Path("notes.mcap").write_text("not a bag")
    >>> Bag("notes.mcap")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    deepsim_ros2.bags.bag_reader.BagError: notes.mcap is not a readable ROS 2 bag: ...
    """


@dataclass(frozen=True, eq=False)
class JointStates:
    """The joint states of one topic.

    Attributes:
        names: Names of the J joints that occur, in order of first occurrence.
        times: Times of the messages, (n,) [s].
        position: Positions, (n, J) [rad or m]; nan where a message does not have the joint.
        velocity: Velocities, (n, J) [rad/s or m/s], likewise.
        effort: Efforts, (n, J) [N m or N], likewise.
    """

    names: tuple[str, ...]
    times: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    effort: NDArray[np.float64]


class Bag:
    """A recording of ROS 2 topics: an ``.mcap`` or ``.db3`` file, or the folder of a bag.

    Messages are decoded by the definitions of ROS 2's common interfaces. Definitions in a bag are
    not used: to decode by them, Python code is made from text of the file. Messages of other
    packages are listed in `topics`, and reading them is refused. All times are those at which
    messages were recorded.

    Example::

        bag = Bag("run.mcap")
        bag.topics  # {'/joint_states': 'sensor_msgs/msg/JointState', ...}
        bag.read("/car/base/imu/imu")["linear_acceleration.z"]  # (n,)

    Args:
        path: The file or folder.

    Attributes:
        path: The file or folder.
        topics: The message type of each topic, by name.
        counts: The number of messages of each topic, by name.

    Raises:
        OSError: There is no such file, or it cannot be opened.
        BagError: The file is not a bag, or is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.stat()
        for each in (self.path, *(self.path.iterdir() if self.path.is_dir() else ())):
            if each.exists() and not (each.is_file() or each.is_dir()):  # it might never end
                raise BagError(f"{path} is not a readable ROS 2 bag: {each} is not a regular file")
        topics: dict[str, str] = {}
        counts: dict[str, int] = {}
        with self._errors(), Reader(self.path) as reader:
            for each in reader.connections:
                if topics.setdefault(each.topic, each.msgtype) != each.msgtype:
                    raise BagError(f"{path} has messages of two types on topic {each.topic!r}")
                counts[each.topic] = counts.get(each.topic, 0) + each.msgcount
        self.topics: Mapping[str, str] = MappingProxyType(topics)
        self.counts: Mapping[str, int] = MappingProxyType(counts)

    def of_type(self, kind: str) -> list[str]:
        """Returns the topics of a type such as ``sensor_msgs/msg/JointState``, in order."""
        return [name for name, each in self.topics.items() if each == kind]

    def images(self) -> list[str]:
        """Returns the topics of pictures."""
        return [name for name, kind in self.topics.items() if kind in _IMAGES]

    def messages(self, *topics: str) -> Iterator[tuple[str, float, Any]]:
        """Yields topic, time [s] and message of all messages of some topics, in order of time.

        A message has the fields of its definition as attributes; arrays are NumPy's.

        Raises:
            BagError: The bag has no such topic, its type is not one of the common interfaces or has
                another definition, or the file is damaged.
        """
        for name in topics:
            self._require(name)
        with self._errors(), Reader(self.path) as reader:
            chosen = [each for each in reader.connections if each.topic in topics]
            for each in chosen:
                self._require_known(each)
            if not chosen:
                return
            for connection, time, data in reader.messages(chosen):
                found = STORE.deserialize_cdr(data, connection.msgtype)
                yield connection.topic, time / 1e9, found

    def read(self, topic: str) -> dict[str, NDArray[Any]]:
        """Returns all messages of a topic as arrays with one row per message.

        Keys are the paths of fields, such as ``pose.position.x`` and ``transforms[0].header.stamp``
        (int64 [ns], like durations); ``time`` is the time of recording, (n,) [s].

        Raises:
            BagError: A field has different numbers of entries in different messages, whose message
                names the field; or as in `messages`.
        """
        times: list[float] = []
        columns: dict[str, list[Any]] = {}
        for _, time, each in self.messages(topic):
            row = dict(_leaves(each, ""))
            if times and row.keys() != columns.keys():
                odd = sorted(row.keys() ^ columns.keys())[0]
                raise BagError(
                    f"{self.path}: not every message on {topic!r} has {odd!r}; use messages()"
                )
            times.append(time)
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
        found: dict[str, NDArray[Any]] = {"time": np.array(times)}
        for name, values in columns.items():
            shapes = {np.shape(value) for value in values}
            if len(shapes) > 1:
                sizes = sorted(shape[0] for shape in shapes)
                raise BagError(
                    f"{self.path}: {name!r} of {topic!r} has {sizes[0]} to {sizes[-1]} entries; "
                    "use messages()"
                )
            found[name] = np.array(values)
        return found

    def joint_states(self, topic: str) -> JointStates:
        """Returns the ``sensor_msgs/JointState`` messages of a topic; see `messages`."""
        self._require(topic, "sensor_msgs/msg/JointState")
        columns: dict[str, int] = {}
        rows = []
        for _, time, each in self.messages(topic):
            places = [columns.setdefault(name, len(columns)) for name in each.name]
            rows.append((time, places, each))
        arrays = np.full((3, len(rows), len(columns)), np.nan)
        for number, (_, places, each) in enumerate(rows):
            given = each.position, each.velocity, each.effort
            for values, column in zip(given, arrays, strict=True):
                if len(values) == len(places):
                    column[number, places] = values
                elif len(values):
                    raise BagError(
                        f"{self.path}: a message on {topic!r} has {len(places)} names and "
                        f"{len(values)} values"
                    )
        times = np.array([time for time, _, _ in rows])
        return JointStates(tuple(columns), times, *arrays)

    def transforms(self) -> Transforms:
        """Returns the transforms of ``/tf``, ``/tf_static`` and other topics of their type."""
        found = Transforms()
        topics = self.of_type(_TF)
        for topic, time, each in self.messages(*topics) if topics else ():
            for one in each.transforms:
                place, turn = one.transform.translation, one.transform.rotation
                pose = [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w]
                with self._errors():
                    found.add(
                        time,
                        one.header.frame_id,
                        one.child_frame_id,
                        np.array(pose),
                        fixed=topic.endswith("tf_static"),
                    )
        return found

    def pictures(self, topic: str) -> Iterator[tuple[float, NDArray[Any]]]:
        """Yields time [s] and pixels of the pictures of a topic.

        Colours are (h, w, 3) uint8 RGB, whatever their order and compression in the bag; other
        pictures are (h, w) in their own type.

        Raises:
            BagError: An encoding is unknown, or the pixels do not fit the size; or as in
                `messages`.
        """
        self._require(topic, *_IMAGES)
        for _, time, each in self.messages(topic):
            with self._errors():
                pixels = picture(each)
            yield time, pixels

    def _require(self, topic: str, *kinds: str) -> None:
        if topic not in self.topics:
            raise BagError(f"{self.path} has no topic {topic!r}{did_you_mean(topic, self.topics)}")
        if kinds and self.topics[topic] not in kinds:
            raise BagError(
                f"{self.path}: topic {topic!r} has {self.topics[topic]}, and not {kinds[0]}"
            )

    def _require_known(self, connection: Connection) -> None:
        kind = connection.msgtype
        if kind not in STORE.types:
            raise BagError(
                f"{self.path}: topic {connection.topic!r} has {kind}, which is not one of ROS 2's "
                "common interfaces"
            )
        if connection.digest and connection.digest != STORE.hash_rihs01(kind):
            raise BagError(f"{self.path}: {kind} has another definition there than in ROS 2")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns whatever readers raise on bad data into a BagError with the file's name."""
        try:
            yield
        except BagError:
            raise
        except Exception as error:  # of rosbags, apsw, zstd, lz4, YAML and Pillow
            why = str(error) or type(error).__name__
            raise BagError(f"{self.path} is not a readable ROS 2 bag: {why}") from error


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yields the path and value of all numbers, texts and arrays in a message."""
    kind = getattr(value, "__msgtype__", "")
    if kind in _TIME:
        yield path, np.int64(value.sec * 10**9 + value.nanosec)
    elif is_dataclass(value):
        for each in fields(value):
            if each.name != "__msgtype__":
                inner = f"{path}.{each.name}" if path else each.name
                yield from _leaves(getattr(value, each.name), inner)
    elif isinstance(value, list) and value and is_dataclass(value[0]):
        for number, each in enumerate(value):
            yield from _leaves(each, f"{path}[{number}]")
    else:
        yield path, value
