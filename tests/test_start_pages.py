# SPDX-License-Identifier: Apache-2.0
"""The pages of "Getting started": each has a program, which prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[1] / "docs" / "start"
PAGES = sorted(set(_FOLDER.glob("*.md")) - {_FOLDER / "first-hour.md"})  # whose programs are theirs
_SHOWN = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_program_of_a_page_prints_what_it_shows(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    ((program, shown),) = _SHOWN.findall(page.read_text(encoding="utf-8"))
    exec(program, {"__name__": "page"})
    assert capsys.readouterr().out == shown
