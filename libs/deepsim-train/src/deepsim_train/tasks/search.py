# SPDX-License-Identifier: Apache-2.0
"""Finds tasks in folders and in installed packages, without running their code."""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import yaml

from deepsim_train.task_code import TaskError

GROUP: Final = "deepsim.tasks"
"""The entry points of installed tasks: each refers to a package with a folder for each task."""
_OF_TASKS = {".py", ".world", ".sdf", ".urdf", ".xacro", ".xml", ".yaml", ".scenic"}
"""The files of a task that decide what it is."""
_DEPTH = 3  # the number of levels of folders that are searched below the root


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """A folder that defines a task.

    Attributes:
        folder: The folder.
        summary: First line of the docstring of its ``__init__.py``.
        package: The installed package that brings it, such as ``"deepsim-tasks"``; else empty.
        options: The options of the task's ``make`` that the name had, as in ``walk?rough=true``.
    """

    folder: Path
    summary: str
    package: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def id(self) -> str:
        """The id in the registries of Gymnasium and PettingZoo, such as ``DeepSim/TwoCars-v0``."""
        return f"DeepSim/{''.join(map(str.capitalize, self.name.split('_')))}-v0"


def find_tasks(root: str | Path) -> list[TaskFolder]:
    """Returns the tasks in a folder and up to three levels below it, sorted by path.

    Hidden folders, tests, symbolic links and unreadable folders are not searched.

    Raises:
        TaskError: The folder does not exist, or is a file.
    """
    root = Path(root)
    if not root.is_dir():
        if root.exists():
            raise TaskError(f"{root} is a file: tasks are looked for in folders")
        raise TaskError(f"there is no folder {root}")
    return sorted(_search(root, _DEPTH), key=lambda task: task.folder)


def installed_tasks() -> list[TaskFolder]:
    """Returns the tasks of installed packages, sorted by name.

    A package brings tasks, each a folder in one of its modules, by an entry point that names the
    module: ``[project.entry-points."deepsim.tasks"]`` with ``my-tasks = "my_tasks"``.
    """
    found = []
    for entry in entry_points(group=GROUP):
        spec = find_spec(entry.value)
        for folder in (spec and spec.submodule_search_locations) or ():
            package = entry.dist.name if entry.dist is not None else entry.name
            found += [replace(task, package=package) for task in _search(Path(folder), 1)]
    return sorted(found, key=lambda task: task.name)


def find_task(name: str, root: str | Path = ".") -> TaskFolder:
    """Returns the task that a path, a folder's name or an id refers to.

    Args:
        name: Such as ``tasks/two_cars``, ``racetrack`` or ``DeepSim/Racetrack-v0``. Options of
            the task's ``make`` may follow, as in ``robocup?robots=3&opponents=static``; a value is
            a scalar or list of YAML. A package given by its path may define ``TASK`` in any way,
            even by an import.
        root: The folder to search for names and ids, before the installed tasks.

    Raises:
        TaskError: No task, or more than one, is found, or an option has no value; the message
            suggests a similar name, and lists the tasks for an empty name.
    """
    plain, mark, options = name.partition("?")
    if mark and not os.path.exists(name):
        return replace(find_task(plain, root), options=_options(name, options))
    path = Path(name)
    if name and os.path.isfile(path / "__init__.py"):
        return _task_of(path) or TaskFolder(path, "")
    tasks = [*find_tasks(root), *installed_tasks()]
    if not name:
        names = ", ".join(dict.fromkeys(task.name for task in tasks))
        raise TaskError(f"name a task: {names or f'there is none in {root}, nor one installed'}")
    found = [task for task in tasks if name in (task.name, task.id)]
    found = [task for task in found if not task.package] or found
    if len(found) == 1:
        return found[0]
    if found:
        folders = ", ".join(str(task.folder) for task in found)
        raise TaskError(f"{name!r} is several tasks: say which folder, of {folders}")
    if os.path.isdir(path):
        raise TaskError(f"{name} is not a task: it has no __init__.py that defines TASK")
    if os.path.exists(path):
        raise TaskError(
            f"{name} is a file: a task is a folder, with an __init__.py that defines TASK"
        )
    if path.is_absolute():
        raise TaskError(f"there is no folder {name}")
    known = [known for task in tasks for known in (task.name, task.id)]
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else "deepsim envs list shows tasks"
    raise TaskError(f"there is no task {name!r}, in {root} or installed: {hint}")


def file_digests(folder: Path) -> dict[str, str]:
    """Returns the SHA-256 of the files of a task that decide what it is, by path in its folder."""
    return {
        file.relative_to(folder).as_posix(): sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.suffix in _OF_TASKS and file.is_file()
    }


def _options(name: str, text: str) -> dict[str, Any]:
    """Returns the options that follow the name of a task."""
    options = {}
    for part in text.split("&"):
        key, mark, value = part.partition("=")
        try:
            options[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            mark = ""
        if not (key and mark):
            raise TaskError(f"{name} must be like TASK?OPTION=VALUE&OPTION=VALUE, got {part!r}")
    return options


def _search(folder: Path, depth: int) -> Iterator[TaskFolder]:
    task = _task_of(folder)
    if task is not None:
        yield task
    elif depth > 0:
        for name in _folders(folder):
            if not name.startswith((".", "_")) and name not in ("tests", "node_modules"):
                yield from _search(folder / name, depth - 1)


def _folders(folder: Path) -> list[str]:
    """Returns the names of the folders in a folder, without links; empty if it is unreadable."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _task_of(folder: Path) -> TaskFolder | None:
    """Returns the task of a folder if it is a package that assigns ``TASK``, else None."""
    try:
        module = ast.parse((folder / "__init__.py").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    targets = [
        target
        for statement in module.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for target in getattr(statement, "targets", [getattr(statement, "target", None)])
    ]
    if not any(isinstance(target, ast.Name) and target.id == "TASK" for target in targets):
        return None
    summary = (ast.get_docstring(module) or "").partition("\n")[0]
    return TaskFolder(folder, summary)
