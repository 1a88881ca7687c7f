# SPDX-License-Identifier: Apache-2.0
"""The page on training: each example that shows an output prints it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "training.md"
SHOWN = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
EXAMPLES = [
    (heading, *shown)
    for heading, section in re.findall(
        r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    for shown in SHOWN.findall(section)
]


@pytest.mark.parametrize(("code", "shown"), [each[1:] for each in EXAMPLES],
                         ids=[each[0] for each in EXAMPLES])  # fmt: skip
def test_an_example_prints_what_the_page_shows(code: str, shown: str) -> None:
    missing = [name for name in re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
               if find_spec(name) is None]  # fmt: skip
    if missing:
        pytest.skip(f"an extra has {', '.join(missing)}: tox -e py311-train in libs/deepsim")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PAGE.parents[1],
        check=False,
    )  # fmt: skip
    if re.search(r"^ImportError: .* needs? .*: pip install", done.stderr, re.MULTILINE):
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
