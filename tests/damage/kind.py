# SPDX-License-Identifier: Apache-2.0
"""A kind of file: how valid ones are made and read, and the errors that its reader promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

MODELS = Path(__file__).parents[2] / "libs/deepsim-tasks/src/deepsim_tasks"
"""The tasks of this repository, whose models and policies are damaged."""


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        write: Writes valid files to an empty folder; returns those that are damaged.
        read: Reads one of them as a user would. Returns what it holds, or a list of which a file
            that breaks off may have the first ones. Asserts what must hold for whatever is read.
        errors: What the reader promises to raise; the message names the file.
        text: Whether the files are text.
        checked: Whether the files have checksums, so that no damage makes other values.
        is_program: Whether the file is a program, which may take its time.
        rewrite: Writes a file anew, with valid checksums but odd values; None without checksums.
    """

    write: Callable[[Path], list[Path]]
    read: Callable[[Path], Any]
    errors: tuple[type[Exception], ...]
    text: bool = False
    checked: bool = False
    is_program: bool = False
    rewrite: Callable[[Path, Random], None] | None = None
