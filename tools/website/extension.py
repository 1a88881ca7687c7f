# SPDX-License-Identifier: Apache-2.0
"""The extension by which mkdocstrings sees docstrings as the pages need them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import griffe

from website.docstrings import with_examples, with_links
from website.reference import Reference
from workspace import ROOT


class Prepare(griffe.Extension):
    """Prepares the docstrings of a library when mkdocstrings reads it."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Prepares the docstring of one object."""
        if obj.docstring is not None:
            names = _reference().places(obj.path.partition(".")[0])
            obj.docstring.value = with_links(with_examples(obj.docstring.value), names)


@lru_cache(maxsize=1)
def _reference() -> Reference:
    return Reference(ROOT)
