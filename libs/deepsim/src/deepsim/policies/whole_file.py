# SPDX-License-Identifier: Apache-2.0
"""Files that are either old or new, whatever ends the process in between."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole_file(file: Path) -> Iterator[IO[bytes]]:
    """Yields a stream whose content takes the place of a file when the block ends well.

    Raises:
        OSError: It cannot be written; the file is as before.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
