# SPDX-License-Identifier: Apache-2.0
"""The pages are complete; tests/documentation.py of the repository runs their examples."""

from __future__ import annotations

import re
from pathlib import Path

from deepsim_btree.btcpp.node_types import BUILTIN_TYPES, UNSUPPORTED


def test_the_page_about_xml_names_every_tag():
    """Those that are read, and those that are refused."""
    page = (Path(__file__).parents[1] / "docs" / "xml.md").read_text(encoding="utf-8")
    tags = {tag for tag in (*BUILTIN_TYPES, *UNSUPPORTED) if not re.match("Switch[3-5]", tag)}
    assert [tag for tag in sorted(tags) if not re.search(f"`{tag}[ `]", page)] == []
