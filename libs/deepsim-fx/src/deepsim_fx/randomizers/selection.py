# SPDX-License-Identifier: Apache-2.0
"""Selects links, visuals and lights by patterns of their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from deepsim_sync import SCOPE, Entities, UnknownEntityError

Patterns = str | Iterable[str]
"""A name or several, where ``*`` matches any characters and ``?`` any one."""


def as_patterns(patterns: Patterns) -> tuple[str, ...]:
    """Returns patterns as a tuple."""
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def matching(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Returns the names that match at least one pattern."""
    return [name for name in names if any(fnmatchcase(name, each) for each in patterns)]


def links_of(entities: Entities, model: str, links: Sequence[str]) -> list[str]:
    """Returns the links of a model whose names in it, such as ``arm::hand``, match a pattern.

    Raises:
        UnknownEntityError: No model has the name.
        ValueError: None of its links matches.
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
    """Returns the visuals of a model whose own names match a pattern, by link with at least one.

    Raises:
        UnknownEntityError: No model has the name.
        ValueError: None of its links matches, or none of their visuals.
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
