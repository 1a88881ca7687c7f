#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make a release of one library here: check it, build it, tag it, and say what to publish.

    python tools/release.py [--root FOLDER] [--dist FOLDER] [--tagged] LIBRARY

First, a commit collects the notes in `changes/` into the changelog. Nothing leaves this machine.
With --tagged the tag is there already, and the same is checked of the commit that it names: a host
that publishes tags does so. The version is that of the library's pyproject.toml; CONTRIBUTING.md
says how a version is opened.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from build import build
from check_wheels import WheelError, check, fill_wheelhouse, python_version
from git_command import GitError, git
from libraries import ROOT, Library, read_libraries
from notes import NoteError, note_files, read_notes, with_notes
from versions import changes_since, last_release, problem


class ReleaseError(Exception):
    """A library that cannot be released as it is; the message says what to do."""


def release(root: Path, library: Library, dist: Path, *, tagged: bool = False) -> list[Path]:
    """Check and build a library, and tag it unless it is; returns the files to publish.

    Raises:
        ReleaseError: the working tree has changes, the tag exists, the changelog lacks the version
            or has notes above it, the version is too low, a file does not install alone, or a tag
            names a commit with notes that were not collected.
        NoteError: a note has no text, or a name that says no kind.
    """
    tag = f"{library.name}-v{library.version}"
    if git(root, "status", "--porcelain", "--untracked-files=no"):
        raise ReleaseError("the working tree has changes; commit them first")
    if tagged:
        if tag not in git(root, "tag", "--points-at", "HEAD").split():
            raise ReleaseError(f"{tag} does not name this commit")
    elif git(root, "tag", "--list", tag):
        raise ReleaseError(f"{tag} exists; raise the version in {library.name}'s pyproject.toml")
    changelog = library.folder / "CHANGELOG.md"
    text = changelog.read_text("utf-8")
    if note_files(library):
        if tagged:
            raise ReleaseError(f"{tag} has notes in changes/; make release collects them")
        date = datetime.now(timezone.utc).date().isoformat()
        text = with_notes(text, library.version, read_notes(library), date)
    notes = _notes(library, text)
    last = last_release(root, library)
    wrong = problem(library, last, changes_since(root, library, last) if last else None)
    if wrong:
        raise ReleaseError(wrong)
    if note_files(library):
        _collect(root, library, changelog, text)
    build(root, dist)
    files = sorted(dist.glob(f"{library.module}-{library.version}*"))
    _check_files(root, library, dist)
    if not tagged:
        message = f"{library.name} {library.version}\n\n{notes}"
        git(root, "tag", "--annotate", "--cleanup=whitespace", tag, "--message", message)
    return files


def _collect(root: Path, library: Library, changelog: Path, text: str) -> None:
    """Commits the changelog with the notes, and without their files."""
    changelog.write_text(text, encoding="utf-8")
    for note in note_files(library):
        note.unlink()
    git(
        root, "commit", "--quiet", "--all", "--message", f"Release {library.name} {library.version}"
    )


def _notes(library: Library, text: str) -> str:
    """Returns the section of a changelog that is about the version."""
    unreleased = re.search(r"(?ms)^## \[Unreleased\]\n(.*?)(?=^## |\Z)", text)
    if unreleased and unreleased[1].strip():
        raise ReleaseError(
            f"CHANGELOG.md has notes under [Unreleased]; head them with [{library.version}]"
        )
    found = re.search(
        rf"(?ms)^## \[{re.escape(library.version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", text
    )
    if found is None:
        raise ReleaseError(f"CHANGELOG.md has no dated section [{library.version}]")
    if not found[1].strip():
        raise ReleaseError(f"the section [{library.version}] of CHANGELOG.md is empty")
    return found[1].strip()


def _check_files(root: Path, library: Library, dist: Path) -> None:
    """Installs the wheel alone, then one that is built from the source distribution."""
    libraries = read_libraries(root)
    version = python_version(sys.executable)
    wheelhouse = root / "build" / "wheelhouse" / version
    try:
        fill_wheelhouse(wheelhouse, libraries, version)
        check(library, dist, wheelhouse, sys.executable)
        with tempfile.TemporaryDirectory(prefix="deepsim-release-") as folder:
            source = next(dist.glob(f"{library.module}-{library.version}*.tar.gz"))
            again = Path(folder)
            for wheel in dist.glob("*.whl"):
                if not wheel.name.startswith(f"{library.module}-"):
                    (again / wheel.name).write_bytes(wheel.read_bytes())
            wheel_of(source, again)
            check(library, again, wheelhouse, sys.executable)
    except WheelError as error:
        raise ReleaseError(str(error)) from error


def wheel_of(source: Path, folder: Path) -> None:
    """Builds a wheel from a source distribution, with the backends that are installed here."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{source.name} does not build:\n{done.stderr.strip()}")


def main(arguments: list[str] | None = None) -> int:
    """Make the release and say what to do next; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace")
    parser.add_argument("--dist", type=Path, help="where the files go; else dist/ in the root")
    parser.add_argument("--tagged", action="store_true", help="the tag is there already")
    parser.add_argument("library", help="such as deepsim-btree")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    dist = (options.dist or root / "dist").resolve()
    libraries = read_libraries(root)
    if options.library not in libraries:
        print(f"no library {options.library!r}; there are: {', '.join(libraries)}")
        return 1
    library = libraries[options.library]
    try:
        files = release(root, library, dist, tagged=options.tagged)
    except (ReleaseError, NoteError, GitError) as error:
        print(f"{library.name}: {error}")
        return 1
    tag = f"{library.name}-v{library.version}"
    siblings = [need.name for need in library.dependencies if need.name in libraries]
    unpublished = [
        f"{name} {libraries[name].version}"
        for name in siblings
        if not git(root, "tag", "--list", f"{name}-v{libraries[name].version}")
    ]
    if options.tagged:
        print("to publish: " + " ".join(file.name for file in files))
        return 0
    print(f"{tag} is tagged here. To publish it:")
    if unpublished:
        print(f"  first release {', '.join(unpublished)}, which have no tag yet")
    print(f"  git push origin {tag}")
    print("  uv publish " + " ".join(str(file) for file in files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
