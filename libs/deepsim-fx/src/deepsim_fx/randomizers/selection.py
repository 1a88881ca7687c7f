# SPDX-License-Identifier: Apache-2.0
"""Selection of entities by name pattern, and stacking of the draws of several worlds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from deepsim_sync import SCOPE, Entities, UnknownEntityError, WorldNumbers

Patterns = str | Iterable[str]
"""One or several names, in which ``*`` matches any characters and ``?`` any single one."""


def as_patterns(patterns: Patterns) -> tuple[str, ...]:
    """Returns patterns as a tuple."""
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def matching(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Returns the names that match at least one pattern."""
    return [name for name in names if any(fnmatchcase(name, each) for each in patterns)]


def links_of(entities: Entities, model: str, links: Sequence[str]) -> list[str]:
    """Returns the full names, ``model::link``, of those links of a model that match patterns.

    `links` are patterns of link names in the model, such as ``arm::hand``.

    Raises:
        UnknownEntityError: The model does not exist.
        ValueError: No link matches.
    """
    if model not in entities.models:
        raise UnknownEntityError("model", model, entities.models)
    own = [name[len(model + SCOPE) :] for name in entities.links.within(model)]
    chosen = matching(own, links)
    if not chosen:
        raise ValueError(
            f"no link of model {model!r} matches {list(links)}; it has {', '.join(own)}"
        )
    return [model + SCOPE + name for name in chosen]


def visuals_of(
    entities: Entities, model: str, links: Sequence[str], visuals: Sequence[str]
) -> dict[str, list[str]]:
    """Returns the full names of the visuals that match patterns, by the full name of their link.

    `links` are patterns of link names in the model, `visuals` of visual names in their links.

    Raises:
        UnknownEntityError: The model does not exist.
        ValueError: No link or no visual matches.
    """
    found: dict[str, list[str]] = {}
    known: list[str] = []
    for link in links_of(entities, model, links):
        own = [name[len(link + SCOPE) :] for name in entities.visuals.within(link)]
        # A nested model may have the name of a link; its visuals are not the link's.
        own = [name for name in own if SCOPE not in name]
        known += own
        chosen = matching(own, visuals)
        if chosen:
            found[link] = [link + SCOPE + name for name in chosen]
    if not found:
        raise ValueError(
            f"no visual of model {model!r} in links {list(links)} matches {list(visuals)}; "
            f"they have {', '.join(known) or 'none'}"
        )
    return found


Drawn = Mapping[str, Mapping[str, Any]]
"""Cells by column and entity name."""


def stacked(
    values: Sequence[Drawn], worlds: WorldNumbers
) -> Iterator[tuple[WorldNumbers, tuple[str, ...], dict[str, list[list[Any]]]]]:
    """Stacks the draws of several worlds, so that one call applies them.

    Yields:
        World numbers (w,), entity names (k,) and cells (w, k, ...) by column. Worlds are grouped if
        their draws have the same columns and entities, and columns if they have the same entities.
    """
    alike: dict[tuple[tuple[str, tuple[str, ...]], ...], list[tuple[int, Drawn]]] = {}
    for number, drawn in zip(worlds.tolist(), values, strict=True):
        key = tuple((column, tuple(cells)) for column, cells in drawn.items())
        alike.setdefault(key, []).append((number, drawn))
    for key, members in alike.items():
        numbers = np.array([number for number, _ in members], np.intp)
        for names in dict.fromkeys(names for _, names in key):
            columns = [column for column, own in key if own == names]
            yield (
                numbers,
                names,
                {
                    column: [list(drawn[column].values()) for _, drawn in members]
                    for column in columns
                },
            )
