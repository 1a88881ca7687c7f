# SPDX-License-Identifier: Apache-2.0
"""The folder of a training run: settings, versions and the trained policy."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import Any

import numpy as np
import yaml

from deepsim_envs import Environment, Policy, PolicyMaker
from deepsim_envs.software import differences, package_versions
from deepsim_sync.untrusted import check_yaml, check_yaml_text
from deepsim_train.policies.slot_policy import AgentsPolicy
from deepsim_train.policies.trained_policy import FILE, NAMED, trained_policies
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.loading import load_task
from deepsim_train.tasks.search import TaskFolder, file_digests, find_task
from deepsim_train.tasks.task import Task

from .config import TrainingConfig
from .teams import owners_of, teams_of

CONFIG = "config.json"
_VERSIONS = "versions.json"


def run_folder(name: str, seed: int, out: Path | None) -> Path:
    """Returns the folder for a new training run: `out`, or by default ``runs/NAME/DATE_SEED``.

    Raises:
        TaskError: The folder is not empty.
    """
    now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    folder = out if out is not None else Path("runs") / name / f"{now}_{seed}"
    if folder.is_dir() and any(folder.iterdir()):
        raise TaskError(f"{folder} is not empty: a training run needs a new or empty folder")
    return folder


@contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Keeps other training runs out of a folder, except on Windows, which locks no folders.

    Raises:
        TaskError: Another process is training there.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 (not on Windows)

    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TaskError(f"another training run writes to {folder}: wait for its end") from None
        yield
    finally:
        os.close(handle)


def write_setup(folder: Path, task_folder: Path, task_id: str, config: TrainingConfig) -> list[str]:
    """Writes all settings, the versions of packages, and the files and git commit of the task.

    Returns:
        What has changed if the folder is that of a run that is resumed, such as ``"numpy 2.2.1,
        before 2.1.3"`` or ``"__init__.py of the task"``, which may hold other rewards or rates.
    """
    setup = {"task": task_id, "folder": str(task_folder), **asdict(config)}
    _write(folder / CONFIG, setup)
    file, now = folder / _VERSIONS, _versions(task_folder)
    before = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else now
    _write(file, now)
    was, are = ({"Python": each["python"], **each["packages"]} for each in (before, now))
    files = differences(before.get("files", now["files"]), now["files"])
    return [
        *(f"{name} {value}, before {old}" for name, old, value in differences(was, are)),
        *(f"{name} of the task" for name, *_ in files),
    ]


def settings_of(file: Path) -> dict[str, Any]:
    """Reads settings from a YAML file, or from the ``config.json`` of a training run.

    Raises:
        TaskError: The file cannot be read, or is not a mapping.
    """
    settings = read_mapping(file)
    if "envs" in settings:  # its former name, in older training runs
        settings["worlds"] = settings.pop("envs")
    return {name: value for name, value in settings.items() if name not in ("task", "folder")}


def task_folder_of(config: Path) -> str:
    """Returns the folder of the task that a ``config.json`` names.

    Raises:
        TaskError: The file cannot be read, or does not name the folder.
    """
    settings = read_mapping(config)
    if "folder" not in settings:
        raise TaskError(f"{config} does not say which task was trained: it has no folder")
    return str(settings["folder"])


def read_mapping(file: Path) -> dict[str, Any]:
    """Returns the mapping in a YAML or JSON file.

    Raises:
        TaskError: The file cannot be read, or is not a mapping.
    """
    parse = json.loads if file.suffix == ".json" else _yaml  # YAML has other numbers
    try:
        if file.exists() and not file.is_file():
            raise ValueError("it is not a regular file")
        settings = parse(file.read_text(encoding="utf-8"))
    except Exception as error:  # PyYAML raises almost anything
        raise TaskError(f"{file} has no settings that can be read: {error}") from error
    if not isinstance(settings, dict):
        raise TaskError(f"{file} must map names of settings to values, got {settings!r:.200}")
    return settings


def _yaml(text: str) -> Any:
    check_yaml_text(text)
    check_yaml(yaml.compose(text, yaml.SafeLoader))
    return yaml.safe_load(text)


def policy_of(
    folder: Path, task: Task, instead: Mapping[str, PolicyMaker] = MappingProxyType({})
) -> PolicyMaker:
    """Returns a function that makes the trained policy of one world, as in `Task.policies`.

    Agents that did not learn use the same policy as in the training run.

    Args:
        folder: The folder of the training run.
        task: The task.
        instead: Policies that replace those of the folder, by name; the name of a single policy is
            empty.

    Raises:
        TaskError: The folder holds no trained policy, or one for other agents.
    """
    found = {} if "" in instead else trained_policies(folder)
    policies: dict[str, PolicyMaker] = {**found, **instead}
    settings = TrainingConfig().changed(settings_of(folder / CONFIG))
    agent, others = settings.agent, settings.others

    def build(environment: Environment, rng: np.random.Generator) -> Policy:
        if agent is not None and agent not in environment.agents:
            known = ", ".join(environment.agents)
            raise TaskError(f"{folder} trained {agent!r}, but the agents are {known}")
        teams = {"": environment.agents if agent is None else (agent,)}
        if settings.policies != "one":
            teams = teams_of(environment, settings.policies)
        owners = owners_of(teams, environment.agents, past=others is None)
        if teams.keys() != policies.keys():
            raise TaskError(
                f"{folder} holds the policies {', '.join(policies)}, but the task has "
                f"{', '.join(teams)}: the task has changed since, or this is another variant of it"
            )
        made = {name: policy(environment, rng) for name, policy in policies.items()}
        rest = None if others is None else task.policy(others)(environment, rng)
        return AgentsPolicy({agent: made[name] for agent, name in owners.items()}, rest)

    return build


def chosen(
    name: str, root: Path, policy: str | None = None
) -> tuple[TaskFolder, Task, str, PolicyMaker]:
    """Returns the task and the policy that a command line names.

    The policy of a training run plays in the variant of the task that its run was given; options
    from the task's own `Task.training` are for training alone.

    Args:
        name: The task, as `find_task` takes it.
        root: The folder to search for it.
        policy: As `chosen_policy` takes it; by default the default policy of the task.

    Returns:
        The folder of the task with the options of the variant, the task, a name for results, and
        the policy or its maker.

    Raises:
        TaskError, TaskCodeError: As from `find_task`, `load_task` and `chosen_policy`.
    """
    found = find_task(name, root)
    task = load_task(found)
    policy = policy or task.default_policy
    if policy not in task.available_policies:
        run = Path(policy).parent if Path(policy).suffix == ".onnx" else Path(policy)
        if (run / CONFIG).is_file():
            trained = variant_of(settings_of(run / CONFIG).get("make", {}), task)
            found = replace(found, options={**trained, **found.options})
            task = task.variant(found.options)
    who, maker = chosen_policy(policy, task, Path("runs") / found.name)
    return found, task, who, maker


def variant_of(make: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Returns the options of ``make`` that are not those which the task sets for training."""
    own = task.training.get("make", {})
    return {key: value for key, value in make.items() if key not in own or own[key] != value}


def chosen_policy(name: str, task: Task, trainings: Path) -> tuple[str, PolicyMaker]:
    """Returns the policy that a command line names.

    An ONNX model in the folder of a training run acts for the agents that learned there; if it has
    the name of a policy, for the agents of this policy. Any other model acts for all agents.

    Args:
        name: The name of a policy of the task, the folder of a training run, or an ONNX file; a
            folder with the name of a policy is ``./NAME``.
        task: The task.
        trainings: The folder that holds the task's training runs, if there are any.

    Returns:
        A name for results, and the policy or its maker.

    Raises:
        TaskError: There is no such policy.
    """
    folder = Path(name)
    if name in task.available_policies:
        return name, task.policy(name)
    if folder.suffix == ".onnx":
        try:
            # An extra that only these policies need.
            from deepsim_train.policies.onnx_policy import load_onnx  # noqa: PLC0415 (see above)
        except ImportError as error:
            raise TaskError(str(error)) from error
        model = load_onnx(folder)
        if not (folder.parent / CONFIG).is_file():
            return folder.stem, model
        known = [name for name in trained_policies(folder.parent) if name]
        own = folder.stem.removeprefix(NAMED) if known else ""
        if known and own not in known:
            raise TaskError(
                f"{folder} has the name of no policy of its folder: "
                f"{', '.join(f'{NAMED}{name}.onnx' for name in known)}"
            )
        return folder.stem, policy_of(folder.parent, task, {own: model})
    if (folder / FILE).is_file() or any(folder.glob(f"{NAMED}*.npz")):
        return "trained", policy_of(folder, task)
    if folder.is_dir():
        newest = max(
            trainings.glob("*/policy*.npz"), default=None
        )  # their names begin with the date
        hint = "" if newest is None else f"; the newest training run is {newest.parent}"
        raise TaskError(f"{folder} is not the folder of a training run: it has no {FILE}{hint}")
    return name, task.policy(name)


def _versions(task_folder: Path) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "command": sys.argv,
        "packages": package_versions(),
        "git": _git(task_folder),
        "files": file_digests(task_folder),
    }


def _git(folder: Path) -> dict[str, Any] | None:
    """Returns a folder's git commit and whether there are uncommitted changes; None without git."""

    def ask(*command: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *command], capture_output=True, encoding="utf-8", check=True
        )
        return done.stdout.strip()

    try:
        return {"commit": ask("rev-parse", "HEAD"), "changed": bool(ask("status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return None


def _write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


@contextmanager
def results_folder(folder: Path) -> Iterator[Path]:
    """Yields a writable folder; afterwards removes the folders it created if they are empty.

    Args:
        folder: An existing folder, or one to create with its parents.

    Raises:
        TaskError: The folder cannot be created or written to.
    """
    new = [each for each in (folder, *folder.parents) if not os.path.exists(each)]
    try:
        _require_writable(folder)
        yield folder
    finally:
        for each in new:
            with suppress(OSError):  # it is not empty, or was never made
                each.rmdir()


def _require_writable(folder: Path) -> None:
    for each in (folder, *folder.parents):
        if os.path.exists(each) and not each.is_dir():
            raise TaskError(
                f"cannot write to {folder}: {'it' if each == folder else each} is a file"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        raise TaskError(f"cannot write to {folder}: {error.strerror or error}") from error
