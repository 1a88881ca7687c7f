# SPDX-License-Identifier: Apache-2.0
"""`deepsim new` and `deepsim copy`: a folder with a task to change."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deepsim.output import say
from deepsim_sync import DeepSimError
from deepsim_train.task_code import TaskError
from deepsim_train.tasks.search import find_task

from .options import Root, TaskName, fail

_TEMPLATE = Path(__file__).parents[1] / "template"
_SUFFIX = "-tpl"  # of its Python files, which are no modules of this package
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def new(
    name: Annotated[str, typer.Argument(help="The name of the task, and of its new folder.")],
) -> None:
    """Begins a task of your own: a small one that works, with its test."""
    console = Console()
    try:
        if not re.fullmatch(r"[a-z]\w*", name, re.ASCII):
            raise TaskError(
                f"the name of a task has small letters, digits and _, such as two_cars; got {name}"
            )
        folder = _copy(_TEMPLATE, Path(name))
        for file in folder.glob(f"*{_SUFFIX}"):
            file = file.rename(file.with_name(file.name.removesuffix(_SUFFIX)))
            text = file.read_text(encoding="utf-8").replace('name="my_task"', f'name="{name}"')
            file.write_text(text, encoding="utf-8")
    except (DeepSimError, OSError) as error:
        fail(console, error)
    say(console, f"wrote {folder}; to run it: deepsim run {name} --policy seek")
    say(console, f"to test it: pip install pytest; python -m pytest {name}")


def copy(
    name: TaskName = "",
    root: Root = Path(),
    to: Annotated[
        Path | None, typer.Option(help="The new folder; by default the name of the task.")
    ] = None,
) -> None:
    """Copies a task here, to change it.

    Afterwards its name means the copy, in this folder.
    """
    console = Console()
    try:
        found = find_task(name, root)
        folder = _copy(found.folder, to if to is not None else Path(found.name))
    except (DeepSimError, OSError) as error:
        fail(console, error)
    say(console, f"wrote {folder}")


def _copy(source: Path, folder: Path) -> Path:
    if folder.exists():
        raise TaskError(f"{folder} exists already: choose another name, or remove it")
    return Path(shutil.copytree(source, folder, ignore=_IGNORED))
