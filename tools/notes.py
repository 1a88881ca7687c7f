# SPDX-License-Identifier: Apache-2.0
"""Notes for users: one file for each change; a release collects them into the changelog.

A note is `libs/LIBRARY/changes/NAME.KIND.md`, such as `slower-fade.fixed.md`. Each line of it is
one sentence, and becomes one item of the changelog.
"""

from __future__ import annotations

import re
from pathlib import Path

from libraries import Library

KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


class NoteError(Exception):
    """A note of a kind that the changelog does not have, or without text."""


def note_files(library: Library) -> list[Path]:
    """Returns the files of the notes that no release has collected yet, by name."""
    return sorted((library.folder / "changes").glob("*.md"))


def read_notes(library: Library) -> dict[str, list[str]]:
    """Returns the lines of these notes, by kind.

    Raises:
        NoteError: A file has another name, or no text.
    """
    notes: dict[str, list[str]] = {}
    for file in note_files(library):
        kind = Path(file.stem).suffix.removeprefix(".").capitalize()
        if kind not in KINDS:
            known = ", ".join(KINDS).lower()
            raise NoteError(f"{file.name} should be NAME.KIND.md, where KIND is one of {known}")
        lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
        if not lines:
            raise NoteError(f"{file.name} is empty; write a sentence for users")
        notes.setdefault(kind, []).extend(f"- {line.removeprefix('- ')}" for line in lines)
    return notes


def with_notes(text: str, version: str, notes: dict[str, list[str]], date: str) -> str:
    """Returns a changelog with notes in the section of a version, which is opened if it lacks.

    Args:
        text: The changelog.
        version: The version, `0.3.1`.
        notes: Items by kind.
        date: The date of the version, `2026-11-26`.
    """
    if f"\n## [{version}]" not in text:
        title = f"\n## [{version}] - {date}\n"
        first = re.search(r"\n## \[\d", text)
        at = first.start() if first else len(text)
        text = text[:at] + title + text[at:]
    start = text.index(f"\n## [{version}]") + 1
    end = text.find("\n## [", start) + 1 or len(text)
    title, *blocks = re.split(r"(?m)^### ", text[start:end])
    items = dict(block.split("\n", 1) for block in blocks)
    for kind, lines in notes.items():
        items[kind] = "\n".join(filter(None, [items.get(kind, "").strip(), *lines]))
    known = [kind for kind in KINDS if kind in items]
    order = [*known, *(kind for kind in items if kind not in KINDS)]
    parts = [title.strip(), *(f"### {kind}\n\n{items[kind].strip()}" for kind in order)]
    return text[:start] + "\n\n".join(parts) + "\n" + ("\n" if text[end:] else "") + text[end:]
