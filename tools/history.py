# SPDX-License-Identifier: Apache-2.0
"""The history of a clone, as git tells it."""

from __future__ import annotations

import subprocess
from pathlib import Path


class GitError(Exception):
    """A git command that failed; the message has its words."""


def git(root: Path, *arguments: str) -> str:
    """Returns what a git command prints.

    Raises:
        GitError: it failed.
    """
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise GitError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()
