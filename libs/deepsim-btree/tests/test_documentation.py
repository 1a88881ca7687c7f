# SPDX-License-Identifier: Apache-2.0
"""The pages are complete; tests/documentation.py of the repository runs their examples."""

from __future__ import annotations

import re
from pathlib import Path

<<<<<<< HEAD
import pytest

import deepsim_btree
from deepsim_btree.btcpp.builtin import BUILTIN_TYPES, UNSUPPORTED

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PACKAGES = pkgutil.walk_packages(deepsim_btree.__path__, "deepsim_btree.")
EXTRAS = ("batch", "groot")  # need numpy and zmq
MODULES = [module.name for module in PACKAGES if module.name.split(".")[1] not in EXTRAS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page, tmp_path, monkeypatch):
    """The Python blocks run one after another; a text block is the output of the one before it."""
    text = page.read_text(encoding="utf-8")
    if "import numpy" in text:
        pytest.importorskip("numpy")
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {"__name__": "page"}
    monkeypatch.chdir(tmp_path)
    output = ""
    for language, block in blocks:
        if language == "python":
            assert output == "", "the block before this one prints what the page does not show"
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                # Where `inspect` finds the source, as in a notebook.
                file = f"<{page.name} {len(linecache.cache)}>"
                linecache.cache[file] = len(block), None, block.splitlines(True), file
                exec(compile(block, file, "exec"), names)
            output = stream.getvalue()
        else:
            assert output.rstrip() == block.rstrip()
            output = ""
    assert output == ""

=======
from deepsim_btree.xml.builtin_types import BUILTIN_TYPES, UNSUPPORTED

>>>>>>> a23575b9 (Check README, docstrings and public names of all libraries in one place)

def test_the_page_about_xml_names_every_tag():
    """Those that are read, and those that are refused."""
    page = (Path(__file__).parents[1] / "docs" / "xml.md").read_text(encoding="utf-8")
    tags = {tag for tag in (*BUILTIN_TYPES, *UNSUPPORTED) if not re.match("Switch[3-5]", tag)}
    assert [tag for tag in sorted(tags) if not re.search(f"`{tag}[ `]", page)] == []
