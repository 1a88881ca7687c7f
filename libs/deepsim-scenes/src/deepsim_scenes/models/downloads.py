# SPDX-License-Identifier: Apache-2.0
"""Downloads models that are not on this machine, and unpacks them."""

from __future__ import annotations

import hashlib
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urldefrag, urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from deepsim_scenes.errors import DownloadError
from deepsim_sync.temporary_folders import temporary_folder

SERVERS = (
    "https://models.gazebosim.org/{name}/model.tar.gz",
    "https://fuel.gazebosim.org/1.0/OpenRobotics/models/{name}.zip",
)
"""Addresses of Gazebo's own models: the server for Gazebo 11, then the one for later versions."""

_MODEL_FILES = ("model.config", "model.sdf")
_HASH = "sha256="
_NOT_THERE = (404, 410)
_CHUNK = 1 << 16


@dataclass(frozen=True)
class ModelDownloads:
    """Downloads models, checks them, and keeps them.

    Downloads are untrusted: only ZIP and tar archives are unpacked, and only plain files inside the
    model's folder. A refused model leaves nothing behind.

    An address starts with https, or with http if its fragment is the hash of the archive:
    ``http://host/crate.zip#sha256=<64 hexadecimal digits>``. Any given hash is checked.

    Attributes:
        servers: Addresses to try in order for models without a ``url`` in the list; ``{name}``
            stands for the model's name.
        timeout: Longest time to wait for a server's next data [s].
        limit: Largest size of an archive, and of its content [bytes].

    >>> downloads = ModelDownloads(["https://models.example.org/{name}.zip"], timeout=10.0)
    >>> downloads.servers[0].format(name="crate")  # the address of a model without a url
    'https://models.example.org/crate.zip'

    Pass it on as ``read_models("models.yaml", downloads=downloads)``.
    """

    servers: Sequence[str] = SERVERS
    timeout: float = 30.0
    limit: int = 512 * 2**20

    def fetch(
        self, name: str, folder: Path, url: str = "", check: Callable[[Path], object] | None = None
    ) -> Path:
        """Downloads a model, and returns its folder.

        Args:
            name: Name of the model and of its folder.
            folder: The parent of the model's folder; it is created if missing.
            url: The address of a ZIP or tar archive; by default the `servers` are tried.
            check: Called with the model's folder before it is kept; raises an error if the model is
                not usable.

        Raises:
            DownloadError: The address is refused or not reachable, or the download is not a model.
        """
        if name in ("", ".", "..") or Path(name).name != name:
            raise DownloadError(f"{name!r} is no name of a folder")
        folder.mkdir(parents=True, exist_ok=True)
        with temporary_folder(".download-", folder) as temporary:
            archive = temporary / "archive"
            address = self._fetch_any(name, url, archive)
            unpacked = temporary / "unpacked"
            unpack(archive, unpacked, self.limit)
            model = temporary / "checked" / name
            model.parent.mkdir()
            _model_in(unpacked, address).rename(model)
            if check is not None:
                check(model)
            kept = folder / name
            try:
                model.rename(kept)
            except OSError as error:
                raise DownloadError(f"cannot be kept in {str(kept)!r}: {error}") from error
        return kept

    def _fetch_any(self, name: str, url: str, archive: Path) -> str:
        """Downloads the archive from the first address that has it, and returns this address."""
        addresses = [url] if url else [each.format(name=quote(name)) for each in self.servers]
        for address in addresses:
            if self._download(address, archive):
                return address
        raise DownloadError(f"there is no model at {' or '.join(addresses)}")

    def _download(self, address: str, archive: Path) -> bool:
        """Downloads an address to a file; returns False if the server does not have it."""
        plain, fragment = urldefrag(address)
        digest = _digest(address, fragment)
        _check_address(plain, is_hashed=bool(digest))
        found = hashlib.sha256()
        try:
            with (
                _opener(is_hashed=bool(digest)).open(Request(plain), timeout=self.timeout) as reply,
                archive.open("wb") as file,
            ):
                while chunk := reply.read(_CHUNK):
                    found.update(chunk)
                    file.write(chunk)
                    if file.tell() > self.limit:
                        raise DownloadError(f"{plain} is longer than {self.limit} bytes")
        except HTTPError as error:
            if error.code in _NOT_THERE:
                return False
            raise DownloadError(f"{plain} answers {error.code} {error.reason}") from error
        except URLError as error:
            raise DownloadError(f"{plain} cannot be reached: {error.reason}") from error
        except OSError as error:  # a silent or a broken connection
            raise DownloadError(f"{plain} broke off: {error}") from error
        if digest and found.hexdigest() != digest:
            raise DownloadError(f"{plain} has the hash {found.hexdigest()}, expected {digest}")
        return True


def _digest(address: str, fragment: str) -> str:
    """Returns the SHA-256 hash in an address's fragment; empty without a fragment."""
    if not fragment:
        return ""
    digest = fragment.removeprefix(_HASH).lower()
    if not fragment.startswith(_HASH) or len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        raise DownloadError(f"{address}: what follows # must be sha256= and 64 digits")
    return digest


def _check_address(address: str, *, is_hashed: bool) -> None:
    """Checks that an address starts with https, or with http if the archive's hash is known."""
    scheme = urlsplit(address).scheme
    if scheme == "https" or (scheme == "http" and is_hashed):
        return
    raise DownloadError(
        f"{address} is refused: expected https, or http with #sha256= and the archive's hash"
    )


class _Redirects(HTTPRedirectHandler):
    """Follows redirects only to addresses that `_check_address` accepts."""

    def __init__(self, *, is_hashed: bool) -> None:
        self._is_hashed = is_hashed

    def redirect_request(self, *given: Any) -> Request | None:
        _check_address(given[-1], is_hashed=self._is_hashed)
        return super().redirect_request(*given)


def _opener(*, is_hashed: bool) -> OpenerDirector:
    """Returns an opener that only opens http and https addresses, neither files nor FTP."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        _Redirects(is_hashed=is_hashed),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _model_in(folder: Path, address: str) -> Path:
    """Returns the model's folder in an unpacked archive: the top folder, or its only subfolder."""
    inside = [each for each in folder.iterdir() if each.is_dir()]
    places = [folder, *inside] if len(inside) == 1 else [folder]
    for place in places:
        if any((place / name).is_file() for name in _MODEL_FILES):
            return place
    raise DownloadError(f"{address} holds no model: it has no {' or '.join(_MODEL_FILES)}")


_MOST_FILES = 10_000
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
