# SPDX-License-Identifier: Apache-2.0
"""Applies functions to the arrays within nested dicts and tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def leafwise(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Applies a function to each array of a tree, and returns its results in the same structure.

    Args:
        function: Takes an array of `tree`, and what each of `others` has in the same place.
        tree: An array, or dicts and tuples of arrays at any depth.
        others: Trees with at least the same keys.
    """
    if isinstance(tree, dict):
        return {
            key: leafwise(function, part, *(other[key] for other in others))
            for key, part in tree.items()
        }
    if isinstance(tree, tuple):
        return tuple(
            leafwise(function, part, *(other[index] for other in others))
            for index, part in enumerate(tree)
        )
    return function(tree, *others)
