# SPDX-License-Identifier: Apache-2.0
"""Runs a recording again, and finds the first value that differs."""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mcap.records import Metadata

from deepsim_envs import Environment
from deepsim_envs.recording import decoded_actions
from deepsim_sync import Kind
from deepsim_sync.port.tables import COLUMNS as TABLES
from deepsim_viewer.scene.frame import Frame

from .episodes import (
    RUN,
    STEPS,
    VERSION,
    Results,
    StepReader,
    described_error,
    entity_names,
    table_topic,
)
from .recording import COLUMNS, RecordingError, named_records, refusing_damage, topic
from .world_recorder import WorldRecorder, column_bytes

_RESULTS = ("observations", "rewards", "terminated", "truncated", "diverged")
_SHOWN_AS = {
    ("joints", 0): "position",
    **{("models", number): f"pose[{number}]" for number in range(7)},
    **{("models", 7 + number): f"twist[{number}]" for number in range(6)},
    **{("poses", number): f"pose[{number}]" for number in range(7)},
    **{("actuators", number): name for number, name in enumerate(("target", "effort", "length"))},
}
"""The columns of tables that a component of a frame's field is."""


class Divergence(NamedTuple):
    """The first value of a recording that is another one when its run is repeated.

    >>> place = {"episode": 1, "step": 3, "tick": 30, "world": 0, "entity": "joint 'arm::elbow'"}
    >>> print(Divergence(**place, column="position", recorded=0.5, repeated=0.25))
    episode 1, step 3 (tick 30), world 0, joint 'arm::elbow', position: recorded 0.5, here 0.25
    """

    episode: int
    """Number of the episode, from 1."""
    step: int
    """Number of the environment step in the episode; 0 is the reset."""
    tick: int
    """Ticks of the world since the reset."""
    world: int
    """Number of the world."""
    entity: str
    """The row of a table, or the agent."""
    column: str
    """The column, with the number of the component if a cell has several."""
    recorded: Any
    """The recorded value."""
    repeated: Any
    """The value here."""

    def __str__(self) -> str:
        return (
            f"episode {self.episode}, step {self.step} (tick {self.tick}), world {self.world}, "
            f"{self.entity}, {self.column}: recorded {self.recorded!r}, here {self.repeated!r}"
        )


class RecordedRun:
    """The seeds, actions and results of a recording by `EpisodeRecorder`, to be run again.

    `make` is the function from the example of `deepsim_envs.Area`:

    >>> from deepsim_viewer import EpisodeRecorder
    >>> with EpisodeRecorder(make(), "run.mcap") as recorder:
    ...     observation, info = recorder.reset(seed=7)
    ...     result = recorder.step({"puck": [1.0]})
    >>> run = RecordedRun("run.mcap")
    >>> run.episodes, run.steps, run.worlds
    (1, 1, 1)
    >>> run.verify(make()) is None
    True

    Nothing in the file is run: it is data, and the caller makes the environment.

    Args:
        path: The file.

    Attributes:
        path: The file.
        metadata: The recorder's metadata.
        worlds: Number of worlds.
        episodes: Number of resets.
        steps: Number of steps.
        software: The recorded versions and settings by name.

    Raises:
        OSError: The file cannot be read.
        RecordingError: The file is not a recording of a run, is of another version, or is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.metadata: Mapping[str, str] = {}
        self._messages: dict[str, tuple[list[int], list[bytes]]] = {}
        with refusing_damage(self.path):
            for name, record in named_records(self.path):
                if isinstance(record, Metadata):
                    self.metadata = dict(record.metadata)
                else:
                    numbers, data = self._messages.setdefault(name, ([], []))
                    numbers.append(record.sequence)
                    data.append(record.data)
            if RUN not in self.metadata or STEPS not in self._messages:
                raise RecordingError(
                    f"{path} has no actions, so that it can be shown but not run again: record "
                    "with `deepsim run TASK --record FILE`, without --format ros2"
                )
            facts = json.loads(self.metadata[RUN])
            if facts["version"] != VERSION:
                raise RecordingError(
                    f"{path} has version {facts['version']} of recorded runs, but this "
                    f"deepsim-viewer has version {VERSION}: verify it with the deepsim that "
                    f"recorded it, {facts['software'].get('deepsim', 'which is not known')}"
                )
            self._lines = [json.loads(data) for data in self._messages[STEPS][1]]
            self.worlds, self._shown = int(facts["worlds"]), int(facts["shown"])
            self._rate, self._agents = float(facts["rate"]), list(facts["agents"])
            hidden = len(self._lines[0]["digests"])
            held = len(self.at(topic("time"), 0) or b"") // 8
            if not 0 < held == self._shown == self.worlds - hidden:
                raise ValueError(f"it has {held} worlds and {hidden} digests of {self.worlds}")
            self.software: Mapping[str, str] = dict(facts["software"])
            self.episodes = sum("seed" in line for line in self._lines)
        self.steps = len(self._lines) - self.episodes

    @property
    def counted(self) -> str:
        """The numbers of episodes, steps and worlds, in words; and the error that ended the run."""
        counted = f"{self.episodes} episodes, {self.steps} steps, {self.worlds} worlds"
        error = self._lines[-1].get("error")
        return counted if error is None else f"{counted}; it ends in the error {error}"

    def verify(self, environment: Environment) -> Divergence | None:
        """Runs all episodes again, and compares all values bit for bit.

        Compared are, after each reset and step, all columns of all tables, observations, rewards
        and ends, and the frames that a viewer shows; a step that ended in an error must do so
        again. Foxglove's copies, shapes and textures are not compared.

        Args:
            environment: A new environment of the recorded task, with the recorded number of worlds.

        Returns:
            The first difference, or None.

        Raises:
            RecordingError: The environment has other worlds or agents, or the file is damaged.
        """
        if (len(environment), list(environment.agents)) != (self.worlds, self._agents):
            raise RecordingError(
                f"{self.path} is of {self.worlds} worlds with the agents {self._agents}, but here "
                f"are {len(environment)} with {list(environment.agents)}"
            )
        return _Repetition(self, environment).run()

    def at(self, name: str, number: int) -> bytes | None:
        """Returns the data of a topic at a step or frame; None if the topic is not recorded."""
        if name not in self._messages:
            return None
        numbers, data = self._messages[name]
        return data[max(bisect_right(numbers, number) - 1, 0)]


class _Repetition:
    """Runs the lines of a recording again; a `FrameEncoder` that compares frames."""

    def __init__(self, run: RecordedRun, environment: Environment) -> None:
        self._run, self._environment = run, environment
        self._reader = StepReader(environment, run._shown)
        self._entities: Any = None  # the recorded names
        self._frames = 0
        self._episode, self._step = 0, 0
        self._found: Divergence | None = None
        self._closing = False

    def run(self) -> Divergence | None:
        """Returns the first difference, or None."""
        run, world = self._run, self._environment.world
        recorder = WorldRecorder(world, os.devnull, rate=run._rate, shown=run._shown, encoder=self)
        with recorder:
            for number, line in enumerate(run._lines):
                self._episode += "seed" in line
                self._step = 0 if "seed" in line else self._step + 1
                self._repeat(number, line)
                if self._found is not None:
                    break
            self._closing = True
        return self._found

    def start(self, writer: Any, metadata: Mapping[str, str]) -> None:
        """Begins a file without channels."""
        writer.start(library="none")

    def write(self, frame: Frame, time: int) -> None:
        """Compares a frame with the recorded one."""
        columns = column_bytes(frame)
        if self._closing and columns["time"] != self._run.at(topic("time"), self._frames):
            return  # it is of a step that was interrupted, or of a writer that was killed
        for column, data in columns.items():
            kind, shape = COLUMNS[column]
            self._compare(kind, column, shape, self._run.at(topic(column), self._frames), data)
        self._frames += 1

    def _repeat(self, number: int, line: Mapping[str, Any]) -> None:
        environment = self._environment
        with refusing_damage(self._run.path):
            actions = None
            if "seed" not in line:
                actions = decoded_actions(environment.action_space, line["actions"])
        try:
            results: Results
            if actions is None:
                seen, info = environment.reset(line["seed"])
                results = seen, {}, info["deepsim"]
            else:
                result = environment.step(actions)
                results = result.observation, result.reward, result.info["deepsim"]
            happened = None
        except Exception as error:
            happened = described_error(error)
        if happened is not None or "error" in line:
            recorded = line.get("error")
            if str(recorded).partition(":")[0] != str(happened).partition(":")[0]:
                self._differ(0, "the task", "error", recorded, happened)
            return
        with refusing_damage(self._run.path):
            self._compare_step(number, line, results)

    def _compare_step(self, number: int, line: Mapping[str, Any], results: Results) -> None:
        tables, columns = self._reader.columns()
        self._entities = line.get("entities", self._entities)
        names = entity_names(tables.entities)
        if names != self._entities:
            sides = (self._entities, names)
            there, here = ({name for each in side.values() for name in each} for side in sides)
            for name in sorted(there ^ here) or ["order of entities"]:
                self._differ(0, name, "exists", name in there, name in here)
        for (kind, name), data in columns.items():
            recorded = self._run.at(table_topic((kind, name)), number)
            self._compare(kind, name, TABLES[kind][name].shape, recorded, data)
        found = json.loads(json.dumps(self._reader.results(tables, *results)))
        for name in _RESULTS:
            for slot in {**line[name], **found[name]}:
                recorded, here = line[name].get(slot), found[name].get(slot)
                for place, one, other in _unequal(recorded, here):
                    world = self._environment.world_of(slot)
                    self._differ(world, f"agent {slot!r}", f"{name}{place}", one, other)
        for index, (one, other) in enumerate(zip(line["digests"], found["digests"], strict=True)):
            if one != other:
                world = self._run._shown + index
                self._differ(
                    world, "the values of this world are not recorded", "digest", one, other
                )

    def _compare(
        self, kind: Kind, column: str, shape: tuple[int, ...], recorded: bytes | None, here: bytes
    ) -> None:
        if recorded is None or recorded == here or self._found is not None:
            return  # the same, or a column that the recording's version does not have
        if len(recorded) != len(here):
            self._differ(0, kind, f"numbers of {column}", len(recorded) // 8, len(here) // 8)
            return
        bits = (np.frombuffer(each, "<u8") for each in (recorded, here))
        first = int(np.flatnonzero(np.not_equal(*bits))[0])
        one, other = (float(np.frombuffer(each, "<f8")[first]) for each in (recorded, here))
        names = self._environment.world.entities.names(kind)
        if column == "time":
            self._differ(first, "the world", column, one, other)
            return
        size = int(np.prod(shape, dtype=int))
        row, component = divmod(first, size)
        world, row = divmod(row, len(names))
        place = _SHOWN_AS.get((column, component), f"{column}[{component}]" if shape else column)
        self._differ(world, f"{names.noun} {names[row]!r}", place, one, other)

    def _differ(self, world: int, entity: str, column: str, recorded: Any, here: Any) -> None:
        if self._found is None:
            tick = int(self._environment.world.ticks[world])
            self._found = Divergence(
                self._episode, self._step, tick, world, entity, column, recorded, here
            )


def _unequal(one: Any, other: Any, place: str = "") -> list[tuple[str, Any, Any]]:
    """Returns the first place at which plain data differ, with both values; empty if equal."""
    parts: list[tuple[str, Any, Any]] = []
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        parts = [(f"{place}[{key!r}]", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [(f"{place}[{row}]", one[row], other[row]) for row in range(len(one))]
    elif json.dumps(one) != json.dumps(other):  # equal for NaN, and not for 0.0 and -0.0
        return [(place, one, other)]
    for where, left, right in parts:
        if found := _unequal(left, right, where):
            return found
    return []
