# SPDX-License-Identifier: Apache-2.0
"""Unpacks untrusted archives: only plain files inside one folder, up to a limit of bytes."""

from __future__ import annotations

import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from deepsim_scenes.errors import DownloadError

_MOST_FILES = 10_000
_CHUNK = 1 << 16
_PROGRAM = ".xacro"
"""Suffix of files that are refused, because the loader evaluates Python expressions in them."""


def unpack(archive: Path, folder: Path, limit: int) -> None:
    """Unpacks a ZIP or tar archive (plain, gz, bz2 or xz) into a new folder.

    Args:
        archive: The archive.
        folder: The folder to create.
        limit: Largest total size of all files [bytes].

    Raises:
        DownloadError: The archive has a different format, is damaged, or exceeds the limit or
            10,000 files; or it holds a xacro file, a path that leads out of its folder, or
            something that is neither a file nor a folder.
    """
    folder.mkdir()
    left = limit
    try:
        with _members(archive) as members:
            for number, (name, content) in enumerate(members):
                if number >= _MOST_FILES:
                    raise DownloadError(f"the archive has more than {_MOST_FILES} files")
                place = folder / _inside(name)
                if content is None:
                    place.mkdir(parents=True, exist_ok=True)
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                with content, place.open("xb") as file:
                    while chunk := content.read(min(_CHUNK, left + 1)):
                        left -= len(chunk)
                        if left < 0:
                            raise DownloadError(f"the archive holds more than {limit} bytes")
                        file.write(chunk)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, tarfile.TarError) as error:
        raise DownloadError(f"the archive cannot be unpacked: {error}") from error
    except (RuntimeError, NotImplementedError) as error:  # zip with a password, or packed oddly
        raise DownloadError(f"the archive cannot be unpacked: {error}") from error


def _inside(name: str) -> PurePosixPath:
    """Returns a member's path; refuses one that leaves the archive's folder, and xacro files."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name:
        raise DownloadError(f"the archive has {name!r}, which leads out of its folder")
    if path.suffix.lower() == _PROGRAM:
        raise DownloadError(f"the archive has {name!r}: xacro is a program, models are data")
    return path


Member = tuple[str, "IO[bytes] | None"]
"""The name of a file and its content, or the name of a folder and None."""


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[Member]]:
    with archive.open("rb") as file:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                yield _of_zip(packed)
            return
        file.seek(0)
        try:
            opened = tarfile.open(fileobj=file)  # noqa: SIM115 (closed below)
        except tarfile.TarError:
            raise DownloadError("what came is neither a zip nor a tar") from None
        with opened:
            yield _of_tar(opened)


def _of_zip(packed: zipfile.ZipFile) -> Iterator[Member]:
    for info in packed.infolist():
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise DownloadError(f"the archive has {info.filename!r}, which is no plain file")
        yield info.filename, None if info.is_dir() else packed.open(info)


def _of_tar(packed: tarfile.TarFile) -> Iterator[Member]:
    for info in packed:
        if not (info.isfile() or info.isdir()):
            raise DownloadError(f"the archive has {info.name!r}, which is no plain file")
        yield info.name, packed.extractfile(info)
