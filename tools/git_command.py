# SPDX-License-Identifier: Apache-2.0
"""Runs git in a clone."""

from __future__ import annotations

import subprocess
from pathlib import Path


class GitError(Exception):
    """A git command that failed, with its error output."""


def git(root: Path, *arguments: str) -> str:
    """Returns the output of a git command, without surrounding space.

    Raises:
        GitError: The command failed.
    """
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise GitError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()
