# SPDX-License-Identifier: Apache-2.0
"""Challenging reinforcement-learning environments for robots, in Python.

This package pins versions of the DeepSim libraries that work together, and re-exports the names
that most tasks need, which `deepsim.names` lists. Import all other names from the libraries:
`deepsim_math`, `deepsim_spawn`, and so on. Behaviour trees are only in `deepsim_btree`: its
``Behaviour``, a node of a tree, is not the ``Behaviour`` exported here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403 (its `__all__`)


def __getattr__(name: str) -> Any:
    """Imports the libraries with the first name, so that `deepsim.portable` comes before NumPy."""
    names = import_module("deepsim.names")
    if name == "__all__" or name in names.__all__:
        return getattr(names, name)
    raise AttributeError(f"module 'deepsim' has no attribute {name!r}")
