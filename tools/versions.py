#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Say which version the changes of a library deserve, by its public names and its changelog.

    python tools/versions.py [--root FOLDER] [LIBRARY ...]

The last release is the latest tag `LIBRARY-vX.Y.Z`; before the first one, it is the commit before
the present version was opened. What breaks is found by griffe in the names that the library
exports. While a version is 0.x, a break raises its second number, anything else its third (SemVer).
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import griffe

from git_command import GitError, git
from libraries import ROOT, Library, read_libraries, release
from notes import read_notes

_COLOUR = re.compile(r"\x1b\[\d+m")


@dataclass(frozen=True)
class Release:
    """A state of a library in the history: a commit or tag, and its version there."""

    revision: str
    version: str


@dataclass(frozen=True)
class Changes:
    """Differences between the last release and the working tree.

    Attributes:
        breaks: One line for each break of the interface.
        additions: Public names that are new.
        notes: Kinds of the notes in `changes/` and headings of the changelog above the last
            release, such as `Added`.
    """

    breaks: list[str]
    additions: list[str]
    notes: list[str]

    def deserved(self, version: str) -> str:
        """Returns the least version that these changes deserve after `version`."""
        major, minor, patch = (*map(int, version.split(".")), 0, 0)[:3]
        adds = bool(self.additions) or "Added" in self.notes
        if self.breaks or "Removed" in self.notes:
            return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"
        if adds and major:
            return f"{major}.{minor + 1}.0"
        return f"{major}.{minor}.{patch + 1}"


def last_release(root: Path, library: Library) -> Release | None:
    """Returns the last release before the present version, or None if there was none."""
    tags = git(root, "tag", "--list", f"{library.name}-v*").split()
    versions = [tag.removeprefix(f"{library.name}-v") for tag in tags]
    versions = [version for version in versions if version != library.version]
    if versions:
        latest = max(versions, key=release)
        return Release(f"{library.name}-v{latest}", latest)
    file = (library.folder / "pyproject.toml").relative_to(root).as_posix()
    for commit in git(root, "log", "--format=%H", "-G^version = ", "--", file).split():
        try:
            before = git(root, "show", f"{commit}~:{file}")
        except GitError:  # the commit that added the library
            return None
        found = re.search(r'(?m)^version = "([\d.]+)"', before)
        if found and found[1] != library.version:
            return Release(git(root, "rev-parse", f"{commit}~"), found[1])
    return None


def changes_since(root: Path, library: Library, last: Release) -> Changes:
    """Returns the changes of a library since its last release."""
    source = (library.folder / "src").relative_to(root).as_posix()
    old = griffe.load_git(
        library.module, ref=last.revision, repo=root, search_paths=[source], resolve_aliases=True
    )
    new = griffe.load(library.module, search_paths=[library.folder / "src"], resolve_aliases=True)
    promised = _promised(old)
    breaks = {
        _COLOUR.sub("", breakage.explain(griffe.ExplanationStyle.ONE_LINE)).split(": ", 1)[-1]
        for breakage in griffe.find_breaking_changes(old, new)
        if _is_public(breakage.obj.path, promised)
    }
    breaks |= {f"{name}: Public name was removed" for name in _names(old) - _names(new)}
    changelog = (library.folder / "CHANGELOG.md").read_text("utf-8")
    recent = changelog.split(f"\n## [{last.version}]")[0]
    notes = [*re.findall(r"(?m)^### (\w+)$", recent), *read_notes(library)]
    return Changes(sorted(breaks), sorted(_names(new) - _names(old)), notes)


def problem(library: Library, last: Release | None, changes: Changes | None) -> str | None:
    """Returns why the version is too low for the changes, or None."""
    if last is None or changes is None:
        return None
    deserved = changes.deserved(last.version)
    if release(library.version) >= release(deserved):
        return None
    why = "; ".join(changes.breaks[:3]) or ", ".join(changes.notes)
    return f"{library.version} follows {last.version}, but deserves at least {deserved}: {why}"


def _names(module: griffe.Object | griffe.Alias) -> set[str]:
    exports = getattr(module, "exports", None) or ()
    return {str(name) for name in exports}


def _promised(module: griffe.Object | griffe.Alias) -> set[str]:
    """Returns the paths of what users reach by the names of a library, and where it is defined."""
    paths = set()
    for name in _names(module) & module.members.keys():
        member = module.members[name]
        paths.add(f"{module.path}.{name}")
        if isinstance(member, griffe.Alias) and _is_own(member):
            paths.add(member.final_target.path)
    return paths


def _is_own(alias: griffe.Alias) -> bool:
    """Whether a name stands for one of the same library; another library answers for its own."""
    return alias.target_path.partition(".")[0] == alias.path.partition(".")[0]


def _is_public(path: str, promised: set[str]) -> bool:
    """Whether an object or one that holds it is promised, and its own name is not private."""
    parts = path.split(".")
    holders = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
    found = [len(holder.split(".")) for holder in holders if holder in promised]
    return bool(found) and not any(part.startswith("_") for part in parts[found[0] :])


def main(arguments: list[str] | None = None) -> int:
    """Print one line for each library, and its breaks; returns 1 where a version is too low."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the workspace to look at")
    parser.add_argument("names", nargs="*", metavar="LIBRARY", help="else all")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    libraries = read_libraries(root)
    failures = 0
    for name in options.names or libraries:
        library = libraries[name]
        last = last_release(root, library)
        changes = None if last is None else changes_since(root, library, last)
        wrong = problem(library, last, changes)
        failures += wrong is not None
        since = f"since {last.version}" if last else "never released"
        print(f"{'FAIL' if wrong else 'ok':4}  {name} {library.version}, {since}"
              + (f": {wrong}" if wrong else ""))  # fmt: skip
        if changes is not None:
            for line in changes.breaks:
                print(f"        breaks: {line}")
            if changes.additions:
                print(f"        new: {', '.join(changes.additions)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
