# SPDX-License-Identifier: Apache-2.0
"""Commands as a user types them, and what they leave: for the tests of this folder."""

from __future__ import annotations

import csv
from pathlib import Path

from typer.testing import CliRunner, Result

from deepsim.cli import app


def call(*arguments: object) -> Result:
    """Runs a command in this process."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def completed(*arguments: object) -> Result:
    """Runs a command that must succeed."""
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    return result


def said(result: Result) -> str:
    """What a command printed, however its lines were wrapped."""
    return " ".join(result.output.split())


def change(task: Path, *changes: tuple[str, str]) -> None:
    """Changes the source of a task: each time what was there, and what is."""
    source = (task / "__init__.py").read_text()
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    (task / "__init__.py").write_text(source)


def rows_of(folder: Path, name: str = "progress.csv") -> list[dict[str, str]]:
    """The rows of a table of a training."""
    with (folder / name).open() as file:
        return list(csv.DictReader(file))


def require_same_files(one: Path, other: Path, *names: str) -> None:
    """Fails unless two folders have the same bytes under these names."""
    for name in names:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
