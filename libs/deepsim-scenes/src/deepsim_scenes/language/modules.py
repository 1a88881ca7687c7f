# SPDX-License-Identifier: Apache-2.0
"""Makes the library of models importable for Scenic."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepsim_sync.temporary_folders import temporary_folder

PACKAGES = ("gzscenic", "deepsim_scenes")


@contextmanager
def library_on_path(text: str) -> Iterator[None]:
    """Makes a module importable as ``gzscenic.model`` and ``deepsim_scenes.model``.

    Args:
        text: The text of the module, in Scenic.
    """
    with temporary_folder("deepsim-scenes-") as home:
        place = str(home)
        for package in PACKAGES:
            folder = Path(place, package)
            folder.mkdir()
            (folder / "model.scenic").write_text(text, encoding="utf-8")
        sys.path.insert(0, place)
        library = sys.modules["deepsim_scenes"]
        own = list(library.__path__)
        library.__path__ = [*own, str(Path(place, "deepsim_scenes"))]
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path.remove(place)
            library.__path__ = own
            for name in ("gzscenic", *(f"{package}.model" for package in PACKAGES)):
                sys.modules.pop(name, None)
