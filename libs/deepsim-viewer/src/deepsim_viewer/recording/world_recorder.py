# SPDX-License-Identifier: Apache-2.0
"""Writes recordings."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from mcap.writer import Writer
from numpy.typing import NDArray

from deepsim_sync import Priority, World
from deepsim_viewer.scene.frame import Frame, FrameReader, Layout

from .recording import COLUMNS, LAYOUT, encode_layout, topic

_NUMBER = {"type": "number"}


def _record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TIME = _record(sec={"type": "integer"}, nsec={"type": "integer"})
_VECTOR = _record(x=_NUMBER, y=_NUMBER, z=_NUMBER)
_QUATERNION = _record(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_COLOR = _record(r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_TRANSFORM = _record(
    timestamp=_TIME,
    parent_frame_id={"type": "string"},
    child_frame_id={"type": "string"},
    translation=_VECTOR,
    rotation=_QUATERNION,
)
_TRIANGLES = _record(
    pose=_record(position=_VECTOR, orientation=_QUATERNION),
    points=_list(_VECTOR),
    color=_COLOR,
    colors=_list(_COLOR),
    indices=_list({"type": "integer"}),
)
_ENTITY = _record(
    timestamp=_TIME,
    frame_id={"type": "string"},
    id={"type": "string"},
    lifetime=_TIME,
    frame_locked={"type": "boolean"},
    metadata=_list(_record(key={"type": "string"}, value={"type": "string"})),
    triangles=_list(_TRIANGLES),
)
_DELETION = _record(timestamp=_TIME, type={"type": "integer"}, id={"type": "string"})
SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "/tf": ("foxglove.FrameTransforms", _record(transforms=_list(_TRANSFORM))),
    "/scene": (
        "foxglove.SceneUpdate",
        _record(deletions=_list(_DELETION), entities=_list(_ENTITY)),
    ),
}
"""Names and contents of schemas, by topic."""
_DELETE_ALL = 1


def transforms(frame: Frame, time: int) -> bytes:
    """Returns foxglove.FrameTransforms as JSON at a log time [ns], with a frame for each link.

    Frames are named ``model::link`` in world 0, and ``w/model::link`` in world w > 0.
    """
    stamp = _stamp(time)
    names = tuple(frame.entities.links)
    return json.dumps(
        {
            "transforms": [
                {
                    "timestamp": stamp,
                    "parent_frame_id": "world",
                    "child_frame_id": _frame(world, name),
                    "translation": _axes(pose[:3]),
                    "rotation": _axes(pose[3:]),
                }
                for world, rows in enumerate(frame.poses.tolist())
                for name, pose in zip(names, rows, strict=True)
            ]
        }
    ).encode()


def scene(frame: Frame, time: int) -> bytes:
    """Converts a frame to a foxglove.SceneUpdate in JSON.

    It replaces all visuals at the log time `time` [ns].
    """
    instances, names = frame.layout.instances, tuple(frame.entities.links)
    stamp = _stamp(time)
    nothing = {"sec": 0, "nsec": 0}
    entities = []
    for world in range(len(frame.poses)):
        for number, surface in enumerate(instances.surfaces):
            row = instances.visuals[number]
            alpha = float(frame.opacities[world, row])
            if alpha == 0.0 or (surface.is_ground and world):
                continue
            points = surface.vertices.astype(np.float64) * instances.scales[number]
            red, green, blue = frame.colors[world, row].tolist()
            place = instances.places[number].tolist()
            triangles = {
                "pose": {"position": _axes(place[:3]), "orientation": _axes(place[3:])},
                "points": [_axes(point) for point in points.tolist()],
                "color": {"r": red, "g": green, "b": blue, "a": alpha},
                "colors": [],
                "indices": surface.faces.reshape(-1).tolist(),
            }
            entities.append(
                {
                    "timestamp": stamp,
                    "frame_id": _frame(world, names[instances.links[number]]),
                    "id": f"{world}/{frame.entities.visuals[int(row)]}",
                    "lifetime": nothing,
                    "frame_locked": True,
                    "metadata": [],
                    "triangles": [triangles],
                }
            )
    deletions = [{"timestamp": stamp, "type": _DELETE_ALL, "id": ""}]
    return json.dumps({"deletions": deletions, "entities": entities}).encode()


def _frame(world: int, link: str) -> str:
    return f"{world}/{link}" if world else link


def _stamp(time: int) -> dict[str, int]:
    return {"sec": time // 10**9, "nsec": time % 10**9}


def _axes(parts: list[float]) -> dict[str, float]:
    """Returns a vector or quaternion, (3,) or (4,), by the names of its components."""
    return dict(zip("xyzw", parts, strict=False))


_CHUNK = 2**14  # [bytes]; a killed process loses at most one chunk


class FrameEncoder(Protocol):
    """The messages in which a recording keeps its frames; by default DeepSim's and Foxglove's.

    deepsim-ros2 has one for bags of ROS 2.

    >>> class Headers:
    ...     def start(self, writer, metadata):
    ...         '''Writes no channels.'''
    ...         writer.start(library="none")
    ...
    ...     def write(self, frame, time):
    ...         '''Leaves the frame out.'''
    >>> encoder: FrameEncoder = Headers()
    """

    def start(self, writer: Writer, metadata: Mapping[str, str]) -> None:
        """Writes the header and the channels of a new file.

        Args:
            writer: The MCAP file, which is not yet started.
            metadata: The recorder's metadata.
        """

    def write(self, frame: Frame, time: int) -> None:
        """Writes a frame at a log time [ns]; it is called in the thread of the world."""


class WorldRecorder(AbstractContextManager["WorldRecorder"]):
    """A recorder that writes a world to a file while the world is ticked.

    The file has the format MCAP, which Foxglove opens; `Recording` reads it, and `ReplayViewer`
    shows it without a simulator. The file includes all shapes and meshes. Its time is simulated
    time, which continues across resets. If the file cannot be written any more, as on a full disk,
    a warning says so, the recording ends with what is written, and the world goes on.

    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_viewer import Recording
    >>> world = World(MujocoSimulator())
    >>> with WorldRecorder(world, "run.mcap"):
    ...     for _ in range(1000):
    ...         world.tick()
    >>> round(float(Recording("run.mcap").times[-1] / world.time[0]), 2)
    1.0

    Args:
        world: The world; the recorder must be created in its thread.
        path: The file; an existing one is replaced.
        rate: Largest number of frames per simulated second [Hz]; `math.inf` records every tick.
        shown: Largest number of worlds to record.
        metadata: Additional texts by name, such as a task and a seed.
        encoder: The format of the messages; by default the one that `Recording` reads.

    Attributes:
        path: The file.

    Raises:
        OSError: The file cannot be written.
        ValueError: `rate` or `shown` is not > 0.
    """

    def __init__(
        self,
        world: World,
        path: str | Path,
        *,
        rate: float = 30.0,
        shown: int = 36,
        metadata: Mapping[str, str] | None = None,
        encoder: FrameEncoder | None = None,
    ) -> None:
        if not rate > 0.0:
            raise ValueError(f"rate must be > 0 Hz, got {rate}")
        if shown < 1:
            raise ValueError(f"shown must be >= 1 world, got {shown}")
        self.path = Path(path)
        self._world = world
        self._period = 1.0 / rate
        self._reader = FrameReader(world, min(shown, len(world)))
        self._latest = -np.inf  # simulated time of the last frame [s]
        self._next = float(world.time[0])  # time of the next frame [s]
        self._passed = 0.0  # simulated time of earlier episodes [s]
        self._file = self.path.open("wb")
        self._writer = Writer(self._file, chunk_size=_CHUNK, enable_data_crcs=True)
        self._encoder = encoder if encoder is not None else _DeepSimEncoder()
        self._encoder.start(self._writer, dict(metadata or {}))
        world.trackers.add(self, Priority.LOW)

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Writes a frame if one is due; called by the world."""
        now = float(sim_time[0])
        if now < self._latest:  # after a reset
            self._passed += self._latest
            self._latest, self._next = -np.inf, now
        if now >= self._next - 1e-9:
            self._next = max(self._next, now - self._period) + self._period
            self._write(now)

    def close(self) -> None:
        """Writes the current state and completes the file; repeated calls have no effect."""
        if self._file.closed:
            return
        self._detach()
        try:
            self._write(float(self._world.time[0]))
            if not self._file.closed:
                self._writer.finish()  # type: ignore[no-untyped-call]
                self._file.flush()
        except OSError as error:
            self._warn(error)
        finally:
            self._close_file()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, now: float) -> None:
        if now == self._latest or self._file.closed:
            return
        self._latest = now
        with self._until_full():
            self._encoder.write(self._reader.read(), round((self._passed + now) * 1e9))

    @contextmanager
    def _until_full(self) -> Iterator[None]:
        """Writes to the open file what the block adds; an error ends the recording."""
        try:
            yield
            self._file.flush()
        except OSError as error:
            self._warn(error)
            self._detach()
            self._close_file()

    def _detach(self) -> None:
        if self in self._world.trackers:
            self._world.trackers.remove(self)

    def _warn(self, error: OSError) -> None:
        why = error.strerror or error
        warnings.warn(f"{self.path}: the recording ends here: {why}", stacklevel=5)

    def _close_file(self) -> None:
        with suppress(OSError):  # of what could not be written, which was warned of
            self._file.close()


def column_bytes(frame: Frame) -> dict[str, bytes]:
    """Returns the columns of a frame as little-endian float64."""
    return {
        column: np.ascontiguousarray(getattr(frame, column), dtype="<f8").tobytes()
        for column in COLUMNS
    }


class _DeepSimEncoder:
    """Rows as float64, layouts as JSON, and Foxglove's messages for other tools."""

    _writer: Writer

    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._written: dict[str, bytes] = {}
        self._channels: dict[str, int] = {}
        self._frames = 0

    def start(self, writer: Writer, metadata: Mapping[str, str]) -> None:
        """Writes the header, the metadata and the channels."""
        self._writer = writer
        writer.start("", "deepsim-viewer")
        writer.add_metadata("deepsim", dict(metadata))
        for name in map(topic, COLUMNS):
            self._channels[name] = writer.register_channel(name, "x-float64", 0)
        self._channels[LAYOUT] = writer.register_channel(LAYOUT, "json", 0)
        for name, (schema, content) in SCHEMAS.items():
            number = writer.register_schema(schema, "jsonschema", json.dumps(content).encode())
            self._channels[name] = writer.register_channel(name, "json", number)

    def write(self, frame: Frame, time: int) -> None:
        """Writes the columns that changed, and the layout with all visuals if it is a new one."""
        if frame.layout is not self._layout:
            self._layout = frame.layout
            self._written.clear()
            self._add(LAYOUT, time, encode_layout(frame.layout))
            self._add("/scene", time, scene(frame, time))
        for column, data in column_bytes(frame).items():
            if self._written.get(column) != data:
                self._written[column] = data
                self._add(topic(column), time, data)
        self._add("/tf", time, transforms(frame, time))
        self._frames += 1

    def _add(self, name: str, time: int, data: bytes) -> None:
        self._writer.add_message(self._channels[name], time, data, time, self._frames)
