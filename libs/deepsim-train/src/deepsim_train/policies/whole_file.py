# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole or not at all, even if the process is killed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def whole_file(file: Path) -> Iterator[IO[bytes]]:
    """Yields a stream; its content replaces the file when the block ends without an error.

    Raises:
        OSError: The stream cannot be written; the file is unchanged.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        with part.open("wb") as stream:
            yield stream
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
