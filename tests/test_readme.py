# SPDX-License-Identifier: Apache-2.0
"""The examples of the front page run, and print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def _blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(python|text)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_examples_print_what_the_front_page_shows(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    blocks = _blocks(text)
    assert [language for language, _ in blocks] == ["python", "text"] * 3
    names = {"__name__": "readme"}
    for (_, code), (_, shown) in zip(blocks[::2], blocks[1::2], strict=True):
        exec(code, names)
        assert capsys.readouterr().out == shown


@pytest.mark.parametrize("page", ["joints", "sensors"])
def test_a_page_prints_what_it_shows(
    root: Path, capsys: pytest.CaptureFixture[str], page: str
) -> None:
    text = (root / "docs" / f"{page}.md").read_text(encoding="utf-8")
    blocks = _blocks(text)
    for (_, code), (_, shown) in zip(blocks[::2], blocks[1::2], strict=True):
        exec(code, {"__name__": "page"})
        assert capsys.readouterr().out == shown


@pytest.mark.parametrize("page", ["robots.md", "robotlab.md", "robot-catalogue.md"])
def test_the_pages_on_robots_print_what_they_show(
    root: Path, capsys: pytest.CaptureFixture[str], page: str
) -> None:
    names = {"__name__": "page"}
    blocks = _blocks((root / "docs" / page).read_text(encoding="utf-8"))
    for language, text in blocks:
        if language == "python":
            exec(text, names)
        else:
            assert capsys.readouterr().out == text
    assert "text" in dict(blocks)


def test_every_link_to_a_file_leads_somewhere(root: Path) -> None:
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
    pages += root.glob("libs/*/*.md")
    broken = [
        f"{page.relative_to(root)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
        if not target.startswith("http") and not (page.parent / target).exists()
    ]
    assert broken == []
