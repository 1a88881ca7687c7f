# SPDX-License-Identifier: Apache-2.0
"""Where commands write to."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepsim import TaskError
from deepsim_train.training.run_folder import results_folder


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    with results_folder(tmp_path / "a" / "b") as folder:
        (folder / "file").write_text("kept")
    assert (tmp_path / "a" / "b" / "file").read_text() == "kept"


def test_what_stays_empty_is_gone(tmp_path: Path) -> None:
    """Whether or not the work failed, but only what was made for it."""
    (tmp_path / "old").mkdir()
    with results_folder(tmp_path / "old" / "a" / "b"):
        assert (tmp_path / "old" / "a" / "b").is_dir()
    assert list((tmp_path / "old").iterdir()) == []
    with pytest.raises(KeyError), results_folder(tmp_path / "old"):
        raise KeyError
    assert (tmp_path / "old").is_dir()


@pytest.mark.parametrize(("inner", "what"), [("", "it"), ("/more/of/it", r".+README.md")])
def test_a_file_is_no_folder(tmp_path: Path, inner: str, what: str) -> None:
    file = tmp_path / "README.md"
    file.write_text("text")
    message = rf"cannot write to .+README.md{inner}: {what} is a file"
    with pytest.raises(TaskError, match=message), results_folder(Path(f"{file}{inner}")):
        raise AssertionError("the work has begun")
    assert file.read_text() == "text"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Its name is too long, which stops root too; the folder above it is gone again."""
    folder = tmp_path / "above" / ("x" * 300)
    message = r"cannot write to .+: File name too long"
    with pytest.raises(TaskError, match=message), results_folder(folder):
        raise AssertionError("the work has begun")
    assert list(tmp_path.iterdir()) == []
