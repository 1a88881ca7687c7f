# SPDX-License-Identifier: Apache-2.0
"""The facts of a run in its recording, and the task that they name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepsim_envs import Environment
from deepsim_envs.software import differences
from deepsim_spawn.backends import Backend
from deepsim_train.task_code import TaskError

from .loading import load_task
from .search import TaskFolder, file_digests, find_task, installed_tasks

_HARMLESS = re.compile(r"[\w-]*")  # is no path to another folder, and no address


def run_facts(found: TaskFolder, seed: int, backend: str) -> dict[str, str]:
    """Returns the entries of a recording's metadata from which its environment is made again."""
    return {
        "name": found.name,
        "options": json.dumps(dict(found.options)),
        "files": json.dumps(file_digests(found.folder)),
        "environment_seed": str(seed),
        "backend": backend,
    }


@contextmanager
def recorded_environment(
    path: Path, facts: Mapping[str, str], worlds: int, name: str, root: Path, backend: str
) -> Iterator[tuple[Environment, list[tuple[str, str, str]]]]:
    """Makes the environment of a recording again; its arguments are those of `recorded_task`.

    Yields:
        The environment, and the options and files of the task that differ.
    """
    found, seed, changed = recorded_task(path, facts, name, root, backend)
    task = load_task(found)
    with Backend(backend), task.environment(seed, worlds) as environment:
        yield environment, changed


def recorded_task(
    path: Path, facts: Mapping[str, str], name: str, root: Path, backend: str
) -> tuple[TaskFolder, int, list[tuple[str, str, str]]]:
    """Returns the task of a recording, which is data that decides no code to run.

    Without a name, the task is the installed one of the recorded name, with the recorded options
    if these are numbers and plain words. A task in a folder, and options that may name a file or a
    host, are taken from the command line only.

    Args:
        path: The recording, for messages.
        facts: The metadata of the recording.
        name: The task on the command line, as `find_task` takes it; or empty.
        root: The folder to search for `name`.
        backend: The backend on the command line.

    Returns:
        The task, the seed of its environment, and its options and files that differ: name, recorded
        value and value here.

    Raises:
        TaskError: The facts are missing, the task is not installed, the backend is another one, or
            an option is not harmless.
    """
    try:
        recorded, seed = facts["name"], int(facts["environment_seed"])
        options: Mapping[str, Any] = dict(json.loads(facts["options"]))
        files: Mapping[str, str] = dict(json.loads(facts["files"]))
        if seed < 0:
            raise ValueError(f"a seed is >= 0, got {seed}")
        if facts["backend"] != backend:
            raise TaskError(
                f"{path} was recorded on {facts['backend']!r}, not on {backend!r}: choose by "
                "--backend where this engine runs"
            )
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise TaskError(f"{path} does not say of which task it is: {error!r}") from error
    if name:
        found = find_task(name, root)
    else:
        own = [task for task in installed_tasks() if task.name == recorded]
        if len(own) != 1:
            raise TaskError(
                f"{path} is of the task {recorded!r}, which is not installed: name its folder, "
                f"as in `deepsim verify {path} FOLDER`; code runs only if you name it"
            )
        for option, value in options.items():
            if not isinstance(value, bool | int | float | None) and not (
                isinstance(value, str) and _HARMLESS.fullmatch(value)
            ):
                raise TaskError(
                    f"{path} has the option {option}={value!r}, which is not taken from a file: "
                    f"name the task with its options, as in `deepsim verify {path} "
                    f"'{recorded}?{option}=...'`"
                )
        found = replace(own[0], options=options)
    options_here = {"options": json.dumps(dict(found.options))}
    changed = [*differences({"options": facts["options"]}, options_here)]
    for file, *_ in differences(files, file_digests(found.folder)):
        changed.append((f"{file} of the task", "one", "another"))
    return found, seed, changed
