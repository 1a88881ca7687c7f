# SPDX-License-Identifier: Apache-2.0
"""Records episodes in a file, and replays them bit for bit."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gymnasium.spaces import Space

from .digests import digest
from .environment import Environment
from .errors import ReplayError, ResetNeededError
from .results import StepResult
from .spaces import conform
from .trajectories import TrajectoryCollector

_FORMAT = "deepsim-replay"
_VERSION = 1


class Recorder:
    """Resets and steps an environment, and records seeds, actions and digests for `replay`.

    The file has a line of JSON for each reset and step, with the seed or the actions and the digest
    of the result. The line is written before `reset` or `step` returns, so even the file of a
    program that died can be replayed, but for a line that it was writing.

    Args:
        environment: The environment; the recorder does not close it.
        path: Output file, which is overwritten.

    Example:
        `make` is the function from the `Area` example:

        >>> with Recorder(make(), "episode.jsonl") as recorder:
        ...     observation, info = recorder.reset(seed=7)
        ...     result = recorder.step({"puck": [1.0]})
    """

    def __init__(self, environment: Environment, path: str | Path) -> None:
        self.environment = environment
        self._file = Path(path).open("w", encoding="utf-8", newline="\n")  # noqa: SIM115 (closed by close)
        self._write({"format": _FORMAT, "version": _VERSION, "agents": list(environment.slots)})

    def reset(self, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode; see `Environment.reset`. The seed is required, for the replay."""
        result = self.environment.reset(seed)
        self._write({"seed": int(seed), "digest": digest(result)})
        return result

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Steps the environment; see `Environment.step`."""
        live = self.environment.live_agents
        result = self.environment.step(action_dict)
        spaces = self.environment.action_space
        actions = {name: encoded_action(spaces[name], action_dict[name]) for name in live}
        self._write({"actions": actions, "digest": digest(tuple(result))})
        return result

    def close(self) -> None:
        """Closes the file; further calls have no effect."""
        self._file.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._file.flush()


def replay(
    environment: Environment | TrajectoryCollector, path: str | Path
) -> Iterator[StepResult]:
    """Replays the episodes in a file, and yields the result of each step.

    Args:
        environment: An environment of the recorded task, or a collector around one.
        path: A file written by a `Recorder`.

    Raises:
        OSError: The file cannot be opened.
        ReplayError: The file is not a replay, has other agents, or a reset or step differs from the
            recorded one; the message has the line.

    Warns:
        UserWarning: The last line breaks off, as on a full disk: it is left out.

    Example:
        `make` is the function from the `Area` example:

        >>> with Recorder(make(), "episode.jsonl") as recorder:
        ...     observation, info = recorder.reset(seed=7)
        ...     result = recorder.step({"puck": [1.0]})
        >>> [result.reward for result in replay(make(), "episode.jsonl")]
        [{'puck': 0.5}]
    """
    lines = _lines(Path(path))
    _, header = next(lines, (1, {}))
    if header.get("format") != _FORMAT or header.get("version") != _VERSION:
        raise ReplayError(f"{path} is not a replay of version {_VERSION}, made by Recorder")
    agents = list(environment.slots)
    if header.get("agents") != agents:
        raise ReplayError(f"{path} is of agents {header.get('agents')}, but there are {agents}")
    for number, line in lines:
        where = f"{path}, line {number}"
        result: StepResult | None = None
        try:
            recorded = line["digest"]
            if "seed" in line:
                found = digest(environment.reset(line["seed"]))
            else:
                result = environment.step(
                    decoded_actions(environment.action_space, line["actions"])
                )
                found = digest(tuple(result))
        except (AttributeError, LookupError, ResetNeededError, TypeError, ValueError) as error:
            raise ReplayError(f"{where}: not a line of a replay: {error!r}") from error
        if found != recorded:
            raise ReplayError(
                f"{where}: {'step' if result else 'reset'} differs from the recorded one: "
                "the task, a library or the engine has changed"
            )
        if result is not None:
            yield result


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.exists() and not path.is_file():
        raise ReplayError(f"{path} is not a replay: it is not a regular file")
    with path.open("rb") as file:
        for number, text in enumerate(file, 1):
            where = f"{path}, line {number}"
            try:
                line = json.loads(text)
            except (ValueError, RecursionError) as error:
                if number > 1 and not text.endswith(b"\n"):
                    warnings.warn(f"{where} breaks off and is left out", stacklevel=3)
                    return
                raise ReplayError(f"{where}: not JSON: {error}") from error
            if not isinstance(line, dict):
                raise ReplayError(f"{where}: must be an object, got {line!r}")
            yield number, line


def encoded_action(space: Space[Any], action: Any) -> Any:
    """Returns an action as plain data for JSON."""
    return space.to_jsonable([conform(space, action, "action")])


def decoded_actions(spaces: Mapping[str, Space[Any]], actions: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the actions of slots that `encoded_action` encoded."""
    return {name: spaces[name].from_jsonable(encoded)[0] for name, encoded in actions.items()}
