# SPDX-License-Identifier: Apache-2.0
"""Recordings, and the topics of their files."""

from __future__ import annotations

import base64
import io
import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import zstandard
from mcap.records import Channel, Chunk, McapRecord, Message, Metadata
from mcap.stream_reader import StreamReader, breakup_chunk
from numpy.typing import NDArray
from PIL import Image

from deepsim_math import Color, Pose, Vector3
from deepsim_spawn import Attenuation, LightDescription
from deepsim_sync import (
    KINDS,
    SCOPE,
    DeepSimError,
    Descriptions,
    Entities,
    Kind,
    UnknownEntityError,
)
from deepsim_viewer.scene.frame import Frame, Instances, Layout
from deepsim_viewer.scene.surfaces import Surface

LAYOUT = "/deepsim/layout"
"""Topic of the entities and shapes as JSON; written again when entities change."""
COLUMNS: dict[str, tuple[Kind, tuple[int, ...]]] = {
    "time": ("models", ()),
    "models": ("models", (13,)),
    "poses": ("links", (7,)),
    "joints": ("joints", ()),
    "actuators": ("actuators", (3,)),
    "colors": ("visuals", (3,)),
    "opacities": ("visuals", ()),
}
"""Fields of a `Frame` in the order of the file, with the table and cell shape of each."""


def topic(column: str) -> str:
    """Returns the topic of a field: little-endian float64, written when the field changes."""
    return f"/deepsim/{column}"


_TOPICS = {topic(column): column for column in COLUMNS}
_MAGIC = b"\x89MCAP0\r\n"  # ends a file that was closed
_LARGEST = 2**28  # record, compressed or not [bytes]


class RecordingError(DeepSimError, ValueError):
    """A file is not a recording, or is damaged.

    >>> from pathlib import Path
    >>> size = Path("notes.mcap").write_text("not a recording")
    >>> Recording("notes.mcap")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    deepsim_viewer.recording.recording.RecordingError: notes.mcap is not a recording of DeepSim...
    """


class Recording:
    """The frames of a file written by `WorldRecorder`.

    If the writer was killed, all completely written frames are available. Damage is noticed: the
    file has checksums.

    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_sync import World
    >>> from deepsim_viewer import WorldRecorder
    >>> world = World(MujocoSimulator())
    >>> with WorldRecorder(world, "short.mcap", metadata={"task": "none"}):
    ...     world.tick()
    >>> recording = Recording("short.mcap")
    >>> recording.metadata["task"], recording.frame(0.0).poses.shape
    ('none', (1, 0, 7))

    `poses` returns the path of one model or link as arrays.

    Args:
        path: The file.

    Attributes:
        path: The file.
        metadata: The recorder's metadata.
        times: (n,) times of the frames [s], ascending; simulated time continues across resets.

    Raises:
        OSError: The file cannot be read.
        RecordingError: The file is not a recording, or is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.metadata: Mapping[str, str] = {}
        self._messages: dict[str, tuple[list[int], list[Any]]] = {
            name: ([], []) for name in (LAYOUT, *COLUMNS)
        }
        with refusing_damage(self.path):
            self._read()
        ticks = self._messages["time"][0]
        if not ticks:
            raise RecordingError(f"{path} is not a recording of DeepSim: it has no frames")
        self.times: NDArray[np.float64] = np.unique(np.array(ticks)) / 1e9

    @property
    def duration(self) -> float:
        """Time from the first frame to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def frame(self, time: float) -> Frame:
        """Returns the latest frame at or before a time [s], or the first frame if there is none."""
        moment = round(max(time, float(self.times[0])) * 1e9)
        layout: Layout = self._at(LAYOUT, moment)
        return Frame(layout, **{column: self._at(column, moment) for column in COLUMNS})

    def pictures(self, time: float) -> Mapping[str, NDArray[np.uint8]]:
        """Returns no pictures; those of cameras are not recorded."""
        return {}

    def poses(self, name: str, world: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns the path of a model or link in one world.

        Args:
            name: A model, such as ``robot``, or a link, such as ``robot::wheel``.
            world: Number of the world.

        Returns:
            times: (t,) times of the frames in which the entity exists [s].
            poses: (t, 7) poses in the world frame: x, y, z [m] and the quaternion x, y, z, w.

        Raises:
            UnknownEntityError: No frame has a model or link of this name.
            IndexError: The recording has no such world.
        """
        frames = [self.frame(float(time)) for time in self.times]
        worlds = len(frames[0].time)
        if not 0 <= world < worlds:
            raise IndexError(f"world must be 0..{worlds - 1}, got {world}")
        kind: Kind = "links" if SCOPE in name else "models"
        times, poses = [], []
        for time, frame in zip(self.times, frames, strict=True):
            names = frame.entities.names(kind)
            if name in names:
                rows = frame.poses if kind == "links" else frame.models
                times.append(time)
                poses.append(rows[world, names.row(name), :7])
        if not poses:
            known = {each for frame in frames for each in frame.entities.names(kind)}
            raise UnknownEntityError(kind.removesuffix("s"), name, known)
        return np.array(times), np.array(poses)

    def __len__(self) -> int:
        return len(self.times)

    def _at(self, name: str, moment: int) -> Any:
        ticks, values = self._messages[name]
        return values[bisect_right(ticks, moment) - 1]

    def _read(self) -> None:
        for name, record in named_records(self.path):
            if isinstance(record, Metadata):
                self.metadata = dict(record.metadata)
            else:
                self._take(name, record)
        lengths = [len(ticks) for ticks, _ in self._messages.values()]
        if not all(lengths):
            raise ValueError("it has no frames")

    def _take(self, name: str, message: Message) -> None:
        value: Any
        layouts = self._messages[LAYOUT][1]
        if name == LAYOUT:
            column, value = LAYOUT, decode_layout(message.data, len(layouts))
        elif name in _TOPICS:
            column = _TOPICS[name]
            value = self._array(message.data, column)
        else:
            return
        ticks, values = self._messages[column]
        if ticks and message.log_time < ticks[-1]:
            raise ValueError("its times are not ascending")
        ticks.append(message.log_time)
        values.append(value)

    def _array(self, data: bytes, column: str) -> NDArray[np.float64]:
        array: NDArray[np.float64] = np.frombuffer(data, "<f8")
        if column == "time":  # first in each frame, one number per world
            return array
        times, layouts = self._messages["time"][1], self._messages[LAYOUT][1]
        if not (times and layouts):
            raise ValueError("it has rows before its layout")
        rows = len(layouts[-1].entities.names(COLUMNS[column][0]))
        return array.reshape(len(times[-1]), rows, *COLUMNS[column][1])


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Raises RecordingError for a file that is not regular, and for any error of its content."""
    if path.exists() and not path.is_file():
        raise RecordingError(f"{path} is not a recording of DeepSim: it is not a regular file")
    try:
        yield
    except (OSError, RecordingError):
        raise
    except Exception as error:  # of mcap, zstd, JSON, NumPy and Pillow
        raise RecordingError(f"{path} is not a recording of DeepSim: {error}") from error


def named_records(path: Path) -> Iterator[tuple[str, Message | Metadata]]:
    """Yields the messages of a file with their topics, and DeepSim's metadata."""
    topics: dict[int, str] = {}
    with path.open("rb") as file:
        for record in _records(file):
            if isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Metadata) and record.name == "deepsim":
                yield record.name, record
            elif isinstance(record, Message):
                yield topics[record.channel_id], record


def _records(file: BinaryIO) -> Iterator[McapRecord]:
    """Yields the records of a file, with those in chunks, to the last that was written whole."""
    reader = StreamReader(file, emit_chunks=True, validate_crcs=True, record_size_limit=_LARGEST)
    try:
        for record in reader.records:
            if not isinstance(record, Chunk):
                yield record
                continue
            size = record.uncompressed_size
            if record.compression == "zstd":  # allocates what its own header says
                size = max(size, zstandard.frame_content_size(record.data))
            elif record.compression:
                raise ValueError(f"its compression must be zstd, got {record.compression!r}")
            if size > _LARGEST:
                raise ValueError(f"chunks must be <= {_LARGEST} bytes, got {size}")
            yield from breakup_chunk(record, validate_crc=True)
    except Exception as error:
        if file.read(1):
            raise
        file.seek(0)
        if file.read().endswith(_MAGIC):
            raise ValueError("a record goes beyond its end") from error
        # else its writer was stopped in the middle of the last record


T = TypeVar("T", bound=np.generic)


def encode_layout(layout: Layout) -> bytes:
    """Returns a layout as self-contained JSON, including the triangles of its surfaces."""
    instances = layout.instances
    surfaces = list(dict.fromkeys(instances.surfaces))
    numbers = {surface: number for number, surface in enumerate(surfaces)}
    lights = layout.descriptions.lights.values()
    return json.dumps(
        {
            "entities": {kind: list(layout.entities.names(kind)) for kind in KINDS},
            "links": instances.links.tolist(),
            "visuals": instances.visuals.tolist(),
            "places": instances.places.tolist(),
            "scales": instances.scales.tolist(),
            "surfaces": [numbers[surface] for surface in instances.surfaces],
            "triangles": [
                {
                    "vertices": _text(each.vertices, "<f4"),
                    "faces": _text(each.faces, "<u4"),
                    "is_ground": each.is_ground,
                    "image": None if each.image is None else _png(each.image),
                    "coordinates": None
                    if each.coordinates is None
                    else _text(each.coordinates, "<f4"),
                }
                for each in surfaces
            ],
            "lights": [_light(each) for each in lights if isinstance(each, LightDescription)],
        }
    ).encode()


def decode_layout(data: bytes, generation: int) -> Layout:
    """Returns the layout that `encode_layout` encoded; its entities get the given generation.

    Raises:
        DeepSimError: A name is not unique.
        KeyError: A field is missing.
        TypeError: A field has the wrong type.
        ValueError: The data is not JSON, or has inconsistent numbers.
    """
    found = json.loads(data)
    entities = Entities(generation, **{kind: map(str, found["entities"][kind]) for kind in KINDS})
    lights = {each["name"]: _light_of(each) for each in found["lights"]}
    surfaces = [_surface_of(each) for each in found["triangles"]]
    count = len(found["surfaces"])
    layout = Layout(entities, Descriptions({}, lights))
    layout.instances = Instances(
        _rows(found["links"], count, len(entities.links)),
        _rows(found["visuals"], count, len(entities.visuals)),
        np.array(found["places"], dtype=np.float64).reshape(count, 7),
        np.array(found["scales"], dtype=np.float64).reshape(count, 3),
        tuple(surfaces[number] for number in _rows(found["surfaces"], count, len(surfaces))),
    )
    return layout


def _rows(given: Any, count: int, bound: int) -> NDArray[np.intp]:
    rows = np.array(given, dtype=np.intp).reshape(count)
    if count and not (rows.min() >= 0 and rows.max() < bound):
        raise ValueError(f"rows must be 0..{bound - 1}, got {rows.min()}..{rows.max()}")
    return rows


def _text(array: NDArray[T], dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=dtype).tobytes()).decode()


def _surface_of(found: Any) -> Surface:
    vertices = np.frombuffer(base64.b64decode(found["vertices"]), "<f4").reshape(-1, 3)
    faces = np.frombuffer(base64.b64decode(found["faces"]), "<u4").reshape(-1, 3)
    if faces.size and faces.max() >= len(vertices):
        raise ValueError(f"faces must have vertices 0..{len(vertices) - 1}, got {faces.max()}")
    is_ground = bool(found["is_ground"])
    if found["image"] is None:
        return Surface(vertices, faces, is_ground)
    places = np.frombuffer(base64.b64decode(found["coordinates"]), "<f4").reshape(-1, 3, 2)
    if len(places) != len(faces):
        raise ValueError(f"got {len(places)} coordinates for {len(faces)} faces")
    return Surface(vertices, faces, is_ground, places, _image_of(found["image"]))


def _image_of(text: str) -> NDArray[np.uint8]:
    """Returns the pixels of a PNG in base64, (height, width, 3) RGB."""
    try:
        with Image.open(io.BytesIO(base64.b64decode(text)), formats=["PNG"]) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"a texture cannot be read: {error}") from error


def _png(image: NDArray[np.uint8]) -> str:
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def _light(light: LightDescription) -> dict[str, Any]:
    return {
        "name": light.name,
        "type": light.type,
        "pose": np.asarray(light.pose, dtype=np.float64).tolist(),
        "diffuse": np.asarray(light.diffuse, dtype=np.float64).tolist(),
        "direction": np.asarray(light.direction, dtype=np.float64).tolist(),
        "range": light.attenuation.range,
    }


def _light_of(found: Any) -> LightDescription:
    return LightDescription(
        found["name"],
        found["type"],
        pose=Pose.from_array(found["pose"]),
        diffuse=Color(*found["diffuse"]),
        direction=Vector3(*found["direction"]),
        attenuation=Attenuation(range=found["range"]),
    )
