# SPDX-License-Identifier: Apache-2.0
"""Writes recordings of episodes that can be run again and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from deepsim_envs import ActionError, Environment, StepResult
from deepsim_envs.environment.environment import Seed
from deepsim_envs.recording import encoded_action
from deepsim_envs.software import software
from deepsim_sync import KINDS, Entities, Tables
from deepsim_sync.port.tables import ALL_COLUMNS, Key

from .world_recorder import WorldRecorder

STEPS = "/deepsim/steps"
"""Topic of the resets and steps as JSON: seeds or actions, and their results."""
RUN = "run"
"""The entry of the metadata with the facts of the run as JSON."""
VERSION = 1
"""The version of what `EpisodeRecorder` adds to a recording."""
Ends: TypeAlias = Mapping[str, Mapping[str, bool]]
"""Whether each slot is terminated, truncated and diverged, by kind and slot."""
Results: TypeAlias = tuple[Mapping[str, Any], Mapping[str, float], Ends]
"""Observations and rewards by slot, and the ends."""


def table_topic(key: Key) -> str:
    """Returns the topic of a column of a table: float64, written after a step that changed it."""
    return f"/deepsim/tables/{'/'.join(key)}"


class StepReader:
    """Reads the state and the results of an environment after a reset or step.

    Args:
        environment: The environment.
        shown: The number of worlds whose values are read; of all others, digests are.
    """

    def __init__(self, environment: Environment, shown: int) -> None:
        self._environment = environment
        self._shown = min(shown, len(environment))
        self._tables: Tables | None = None

    def columns(self) -> tuple[Tables, dict[Key, bytes]]:
        """Returns all tables, and the columns of the shown worlds as little-endian float64."""
        simulator = self._environment.world.simulator
        tables = self._tables
        if tables is None or tables.entities is not simulator.entities:
            tables = self._tables = Tables(simulator.entities, len(self._environment))
        simulator.read(tables, ALL_COLUMNS)
        return tables, {
            key: np.ascontiguousarray(tables.columns[key][: self._shown], "<f8").tobytes()
            for key in ALL_COLUMNS
        }

    def results(
        self,
        tables: Tables,
        observation: Mapping[str, Any],
        reward: Mapping[str, float],
        ends: Ends,
    ) -> dict[str, Any]:
        """Returns the results as plain data, by slot, and the digests of worlds not shown."""
        spaces = self._environment.observation_space
        by_slot: dict[str, Mapping[str, Any]] = {
            "observations": {
                slot: spaces[slot].to_jsonable([seen]) for slot, seen in observation.items()
            },
            "rewards": reward,
            **ends,
        }
        own: list[dict[str, Any]] = [
            {name: {} for name in by_slot} for _ in range(len(self._environment))
        ]
        for name, values in by_slot.items():
            for slot, value in values.items():
                own[self._environment.world_of(slot)][name][slot] = value
        found = {
            name: {slot: value for each in own[: self._shown] for slot, value in each[name].items()}
            for name in by_slot
        }
        return {**found, "digests": self._digests(tables, own[self._shown :])}

    def _digests(self, tables: Tables, own: Sequence[Mapping[str, Any]]) -> list[str]:
        if not own:
            return []
        columns = [tables.columns[key][self._shown :].reshape(len(own), -1) for key in ALL_COLUMNS]
        rows = np.concatenate(columns, axis=1).astype("<f8")
        return [
            sha256(row.tobytes() + json.dumps(each).encode()).hexdigest()
            for row, each in zip(rows, own, strict=True)
        ]


class EpisodeRecorder(WorldRecorder):
    """Resets and steps an environment, and records all of it, for `RecordedRun` to run again.

    The file is that of `WorldRecorder`. It also has the seeds and actions, and the results and all
    tables of each reset and step: of the shown worlds the values, of all others a digest.

    `make` is the function from the example of `deepsim_envs.Area`:

    >>> from deepsim_viewer import RecordedRun
    >>> with EpisodeRecorder(make(), "run.mcap") as recorder:
    ...     observation, info = recorder.reset(seed=7)
    ...     result = recorder.step({"puck": [1.0]})
    >>> print(RecordedRun("run.mcap").verify(make()))
    None

    Args:
        environment: The environment, which the recorder does not close.
        path: The file; an existing one is replaced.
        rate: As in `WorldRecorder`.
        shown: As in `WorldRecorder`.
        metadata: As in `WorldRecorder`.

    Attributes:
        environment: The environment.

    Raises:
        OSError: The file cannot be written.
        ValueError: `rate` or `shown` is not > 0.
    """

    def __init__(
        self,
        environment: Environment,
        path: str | Path,
        *,
        rate: float = 30.0,
        shown: int = 36,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        facts = {
            "version": VERSION,
            "worlds": len(environment),
            "agents": list(environment.agents),
            "rate": rate,
            "shown": min(shown, len(environment)),
            "software": software(),
        }
        self.environment = environment
        super().__init__(
            environment.world,
            path,
            rate=rate,
            shown=shown,
            metadata={**(metadata or {}), RUN: json.dumps(facts)},
        )
        self._steps = StepReader(environment, shown)
        self._number = 0  # of the next reset or step
        self._stamp = 0  # log time of the latest one [ns]
        self._named: Entities | None = None
        self._last: dict[Key, bytes] = {}
        self._ids = {
            name: self._writer.register_channel(name, "x-float64", 0)
            for name in map(table_topic, ALL_COLUMNS)
        }
        self._ids[STEPS] = self._writer.register_channel(STEPS, "json", 0)

    def reset(self, seed: Seed = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode in all worlds; see `Environment.reset`."""
        seen, info = self.environment.reset(seed)
        plain = seed if seed is None or isinstance(seed, int) else list(seed)
        self._write_step({"seed": plain}, (seen, {}, info["deepsim"]))
        return seen, info

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Steps the environment; see `Environment.step`.

        If the step raises an error, the recording has its actions and the error.
        """
        spaces, slots = self.environment.action_space, self.environment.live_agents
        try:
            result = self.environment.step(action_dict)
        except Exception as error:
            with suppress(ActionError, LookupError):  # of an action that is missing or does not fit
                given = {slot: encoded_action(spaces[slot], action_dict[slot]) for slot in slots}
                self._write_step({"actions": given, "error": described_error(error)})
            raise
        given = {slot: encoded_action(spaces[slot], action_dict[slot]) for slot in slots}
        self._write_step(
            {"actions": given}, (result.observation, result.reward, result.info["deepsim"])
        )
        return result

    def _write_step(self, given: dict[str, Any], results: Results | None = None) -> None:
        """Writes the changed columns, then the seed or actions with the results."""
        if self._file.closed:
            return
        now = round((self._passed + float(self._world.time[0])) * 1e9)
        self._stamp = stamp = max(self._stamp, now)  # `_passed` follows a reset in the next tick
        changed: list[tuple[str, bytes]] = []
        if results is not None:
            tables, columns = self._steps.columns()
            if tables.entities is not self._named:
                self._named = tables.entities
                given["entities"] = entity_names(tables.entities)
            given |= self._steps.results(tables, *results)
            changed = [
                (table_topic(key), data)
                for key, data in columns.items()
                if self._last.get(key) != data
            ]
            self._last = columns
        with self._until_full():
            for topic, data in (*changed, (STEPS, json.dumps(given).encode())):
                self._writer.add_message(self._ids[topic], stamp, data, stamp, self._number)
        self._number += 1


def entity_names(entities: Entities) -> dict[str, list[str]]:
    """Returns the names of all rows by table."""
    return {kind: list(entities.names(kind)) for kind in KINDS}


def described_error(error: Exception) -> str:
    """Returns the type and the message of an error."""
    return f"{type(error).__name__}: {error}"
