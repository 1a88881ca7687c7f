# SPDX-License-Identifier: Apache-2.0
"""`make versions` names what a change of deepsim-btree takes from its users."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("libs/deepsim-btree/src")
GIT = ("git", "-c", "user.name=Somebody", "-c", "user.email=nobody@example.com")


@pytest.fixture
def versions(tmp_path):
    """Edits a file of a copy that is committed, and returns what has changed since."""
    shutil.copytree(ROOT / SOURCE, tmp_path / SOURCE)
    shutil.copy(ROOT / "Makefile", tmp_path)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "The base"]):
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)

    def run(file: str, old: str, new: str) -> list[str]:
        changed = tmp_path / SOURCE / "deepsim_btree" / file
        text = changed.read_text(encoding="utf-8")
        assert re.search(old, text)
        changed.write_text(re.sub(old, new, text), encoding="utf-8")
        command = ["make", "-s", "-o", ".venv/tools", f"BIN={Path(sys.executable).parent}"]
        command += ["versions", "LIB=deepsim-btree", "AGAINST=HEAD"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        found = re.findall(r"(?m)^libs/.*?: (.*)$", done.stderr)
        assert done.returncode == (2 if found else 0), done.stderr
        return found

    return run


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        ("decorators/counters.py", r"\btick_limit\b", "ticks", "Limit.__init__(tick_limit)"),
        ("xml.py", r"\bread_xml_file\b", "read_file", "read_xml_file"),
        ("btcpp/reader.py", r"(def read_xml\(\s*)text", r"\1source", "read_xml(text)"),
        ("tree.py", r"def halt\b", "def stop", "Tree.halt"),
    ],
    ids=["constructor", "name of a submodule", "argument of a submodule", "method"],
)
def test_a_break_is_named(versions, file, old, new, found):
    """Of arguments of constructors and of public submodules too."""
    assert f"{found}: " in ", ".join(versions(file, old, new))


def test_an_addition_is_none(versions):
    """Nothing is said of a new optional argument."""
    assert versions("xml.py", "$", "\n\ndef read_more(*, deep: bool = False) -> None: ...\n") == []
