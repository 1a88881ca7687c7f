# SPDX-License-Identifier: Apache-2.0
"""Recordings of worlds, replays of episodes, and bags of ROS 2."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from kind import MODELS, Kind
from mcap.reader import make_reader
from mcap.writer import Writer
from mutants import damaged

from deepsim import load_task
from deepsim_envs import Recorder, ReplayError, digest, replay
from deepsim_math import Pose, Vector3
from deepsim_mujoco import MujocoSimulator
from deepsim_ros2 import Bag, BagEncoder, BagError
from deepsim_spawn import GazeboXMLLoader, MjcfModel, WorldDescription
from deepsim_sync import World
from deepsim_train import Task
from deepsim_viewer import Recording, RecordingError, WorldRecorder
from deepsim_viewer.recording.recording import COLUMNS

PUCK = '<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'


def _worlds(number: int) -> World:
    """Returns two worlds of boxes, or one with a car whose surfaces are meshes and pictures."""
    loader = GazeboXMLLoader()
    if number:
        car = loader.load_model(MODELS / "racetrack/models/van/model.sdf")
        return World(MujocoSimulator(WorldDescription(models=(car,))))
    shelf = loader.load_model(MODELS / "clutter/models/shelf/model.sdf")
    return World(MujocoSimulator(WorldDescription(models=(shelf,)), worlds=2))


def _recordings(folder: Path) -> list[Path]:
    files = []
    for number in range(2):
        files.append(folder / f"run_{number}.mcap")
        with (
            _worlds(number) as world,
            WorldRecorder(world, files[-1], rate=100.0, metadata={"task": "fall", "seed": "3"}),
        ):
            for tick in range(300):
                if tick == 100:
                    world.spawn(MjcfModel(PUCK), "puck", Pose(Vector3(3.0, 0.0, 5.0)))
                    world.flush()
                world.tick()
    return files


def _frames(path: Path) -> list[Any]:
    """Returns the metadata, and the columns of each frame."""
    recording = Recording(path)
    frames = [recording.frame(float(time)) for time in recording.times]
    assert np.isfinite(recording.times).all(), "a time is not finite"
    return [
        dict(recording.metadata),
        *(
            (float(time), *(getattr(frame, column).tobytes() for column in COLUMNS))
            for time, frame in zip(recording.times, frames, strict=True)
        ),
    ]


def _rewrite(path: Path, draw: Random) -> None:
    """Writes the messages anew, one of them damaged, with checksums of what it is now."""
    with path.open("rb") as file:
        reader = make_reader(file)
        rows = list(reader.iter_messages(log_time_order=False))
        metadata = [(each.name, each.metadata) for each in reader.iter_metadata()]
    chosen = draw.choice([n for n, row in enumerate(rows) if row[1].topic.startswith("/deepsim")])
    if draw.random() < 0.5:  # the layout, which is JSON
        chosen = next(n for n, row in enumerate(rows) if row[1].topic == "/deepsim/layout")
    with path.open("wb") as file:
        writer = Writer(file, enable_data_crcs=True)
        writer.start("", "deepsim-viewer")
        for name, texts in metadata:
            writer.add_metadata(name, texts)
        channels: dict[str, int] = {}
        for number, (_, channel, message) in enumerate(rows):
            if channel.topic not in channels:
                encoding = channel.message_encoding
                channels[channel.topic] = writer.register_channel(channel.topic, encoding, 0)
            data, time = message.data, message.log_time
            if number == chosen:
                is_json = channel.message_encoding == "json"
                data = damaged(data, draw, text=is_json)
                time = time if draw.random() < 0.9 else draw.choice((0, 2**63, 2**64 - 1))
            writer.add_message(channels[channel.topic], time, data, time)
        writer.finish()


_tasks: list[Task] = []


def _task() -> Task:
    if not _tasks:
        _tasks.append(load_task("cartpole"))
    return _tasks[0]


def _replays(folder: Path) -> list[Path]:
    path, rng = folder / "run.jsonl", np.random.default_rng(0)
    with _task().environment() as environment, Recorder(environment, path) as recorder:
        for seed in (1, 2):
            recorder.reset(seed)
            for _ in range(20):
                if environment.live_agents:
                    recorder.step({"cart": rng.uniform(-1.0, 1.0, 1)})
    return [path]


def _steps(path: Path) -> list[str]:
    with _task().environment() as environment:
        return [digest(tuple(result)) for result in replay(environment, path)]


def _bags(folder: Path) -> list[Path]:
    path = folder / "bag.mcap"
    with _worlds(1) as world, WorldRecorder(world, path, encoder=BagEncoder(world)):
        for _ in range(200):
            world.tick()
    return [path]


def _messages(path: Path) -> list[Any]:
    bag = Bag(path)
    transforms = bag.transforms()
    assert np.isfinite(transforms.times).all(), "a time is not finite"
    return [
        (topic, time, repr(message)) for topic, time, message in bag.messages(*sorted(bag.topics))
    ]


KINDS = {
    "recording": Kind(
        _recordings, _frames, (RecordingError, OSError), checked=True, rewrite=_rewrite
    ),
    "replay": Kind(_replays, _steps, (ReplayError, OSError), text=True, checked=True),
    "bag": Kind(_bags, _messages, (BagError, OSError), checked=True),
}
