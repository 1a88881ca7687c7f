# SPDX-License-Identifier: Apache-2.0
"""Problem, a finding of `Tree.validate`."""

from __future__ import annotations

from typing import NamedTuple

from .errors import shortened


class Problem(NamedTuple):
    """A mistake in a tree that `Tree.validate` found.

    >>> from deepsim_btree import Sequence, Tree
    >>> problem = Tree(Sequence([], "go")).validate()[0]
    >>> problem.path
    'go'
    """

    path: str
    """Path of the node that has the problem."""
    message: str
    """A sentence that explains the problem."""

    def __str__(self) -> str:
        return f"{shortened(self.path)}: {self.message}"
