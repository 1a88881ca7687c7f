# SPDX-License-Identifier: Apache-2.0
"""tools/release.py checks, builds and tags one library, and publishes nothing itself."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHO = {
    **{f"GIT_{role}_NAME": "A" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "a@example.org" for role in ("AUTHOR", "COMMITTER")},
}


def git(root: Path, *arguments: str) -> str:
    """Runs git as somebody; returns what it prints."""
    return subprocess.run(
        ["git", *arguments], cwd=root, check=True, capture_output=True, text=True,
        env={**os.environ, **WHO},
    ).stdout.strip()  # fmt: skip


@pytest.fixture
def clone(workspace, monkeypatch):
    """The toy workspace as a clone whose deepsim-math has notes for its version."""
    for name, value in WHO.items():
        monkeypatch.setenv(name, value)
    changelog = workspace / "libs/deepsim-math/CHANGELOG.md"
    changelog.write_text(changelog.read_text() + "\n### Added\n\n- Vectors.\n")
    (workspace / ".gitignore").write_text("build/\ndist/\n")
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    git(workspace, "commit", "-qm", "Begin")
    return workspace


@pytest.fixture
def release(run_tool, clone):
    """Runs the tool on a library of the clone; returns its exit status and what it printed."""

    def run(name: str = "deepsim-math", *options: str) -> tuple[int, str]:
        done = run_tool("release.py", "--root", clone, *options, name)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout

    return run


def test_a_release_is_tagged_here_and_says_what_to_publish(clone, release):
    """Wheel and source distribution; the tag has the notes of the changelog."""
    status, printed = release()
    assert status == 0, printed
    files = [
        clone / "dist" / f"deepsim_math-0.1.0{end}" for end in ("-py3-none-any.whl", ".tar.gz")
    ]
    assert printed == (
        "deepsim-math-v0.1.0 is tagged here. To publish it:\n"
        "  git push origin deepsim-math-v0.1.0\n"
        f"  uv publish {files[0]} {files[1]}\n"
    )
    assert "- Vectors." in git(clone, "tag", "--list", "--format=%(contents)")
    assert release() == (
        1,
        "deepsim-math: deepsim-math-v0.1.0 exists; raise the version in deepsim-math's"
        " pyproject.toml\n",
    )


def test_notes_are_collected_under_the_version(clone, release):
    """Below the lines that the section has, in the order of Keep a Changelog, in a commit."""
    changes = clone / "libs/deepsim-math/changes"
    changes.mkdir()
    (changes / "dot.fixed.md").write_text("`dot` takes tuples.\n")
    (changes / "cross.added.md").write_text("`cross`.\n`angle` in radians.\n")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "Mend dot, add cross")
    assert "make release collects them" in released_tag(clone, release)
    status, printed = release()
    assert status == 0, printed
    changelog = (clone / "libs/deepsim-math/CHANGELOG.md").read_text()
    section = "### Added\n\n- Vectors.\n- `cross`.\n- `angle` in radians.\n\n### Fixed\n\n- `dot`"
    assert section in changelog
    assert not list(changes.glob("*"))
    assert git(clone, "status", "--porcelain") == ""
    assert git(clone, "log", "-1", "--format=%s") == "Release deepsim-math 0.1.0"
    assert section in git(clone, "tag", "--list", "--format=%(contents)")


def released_tag(clone, release) -> str:
    """Returns what the tool says of a tag that was made by hand, and takes the tag away."""
    git(clone, "tag", "deepsim-math-v0.1.0")
    status, printed = release("deepsim-math", "--tagged")
    assert status == 1
    git(clone, "tag", "--delete", "deepsim-math-v0.1.0")
    return printed


def test_notes_open_the_section_of_a_version(clone, release):
    """With the date of the day, above the section before."""
    folder = clone / "libs/deepsim-math"
    project = folder / "pyproject.toml"
    project.write_text(project.read_text().replace('"0.1.0"', '"0.1.1"', 1))
    (folder / "changes").mkdir()
    (folder / "changes/dot.fixed.md").write_text("`dot` takes tuples.\n")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "Open deepsim-math 0.1.1")
    status, printed = release()
    assert status == 0, printed
    found = re.findall(r"(?m)^## \[([\d.]+)\]", (folder / "CHANGELOG.md").read_text())
    assert found == ["0.1.1", "0.1.0"]


def test_a_tag_is_checked_where_it_is_published(clone, release):
    """On a host that publishes tags the tag is there already, and names the commit."""
    assert release("deepsim-math", "--tagged") == (
        1,
        "deepsim-math: deepsim-math-v0.1.0 does not name this commit\n",
    )
    git(clone, "tag", "deepsim-math-v0.1.0")
    assert release("deepsim-math", "--tagged") == (
        0,
        "to publish: deepsim_math-0.1.0-py3-none-any.whl deepsim_math-0.1.0.tar.gz\n",
    )


def test_siblings_go_first(clone, release):
    """A sibling without a tag is named, for users could not install the release without it."""
    changelog = clone / "libs/deepsim-colliders/CHANGELOG.md"
    changelog.write_text(changelog.read_text() + "\n- Shapes.\n")
    git(clone, "commit", "-qam", "Say what is new")
    assert "  first release deepsim-math 0.1.0, which" in release("deepsim-colliders")[1]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("### Added\n\n- Vectors.\n", "", "the section [0.1.0] of CHANGELOG.md is empty"),
        ("## [0.1.0]", "## [0.0.9]", "CHANGELOG.md has no dated section [0.1.0]"),
        ("## [0.1.0]", "## [Unreleased]\n\n- More.\n\n## [0.1.0]", "has notes under [Unreleased]"),
    ],
)
def test_a_changelog_that_says_nothing_of_the_version_is_refused(
    clone, release, before, after, reason
):
    """Nothing is built or tagged then."""
    changelog = clone / "libs/deepsim-math/CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace(before, after))
    git(clone, "commit", "-qam", "Change it")
    status, printed = release()
    assert status == 1
    assert reason in printed
    assert git(clone, "tag") == ""


def test_changes_that_are_not_committed_are_refused(clone, release):
    """The tag would not be what was built."""
    (clone / "LICENSE").write_text("Another one.\n")
    assert release() == (1, "deepsim-math: the working tree has changes; commit them first\n")


def test_a_source_distribution_that_does_not_build_is_refused(tmp_path, monkeypatch):
    """Whoever installs from source would get nothing."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    release = importlib.import_module("release")
    source = tmp_path / "deepsim_math-0.1.0.tar.gz"
    with tarfile.open(source, "w:gz"):
        pass
    with pytest.raises(release.ReleaseError, match=r"^deepsim_math-0.1.0.tar.gz does not build:"):
        release.wheel_of(source, tmp_path)
