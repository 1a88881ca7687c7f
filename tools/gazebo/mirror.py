# SPDX-License-Identifier: Apache-2.0
"""The Debian mirror that this machine uses, read from apt's own list of sources."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gazebo.errors import GazeboHostError

_ONE_LINE = re.compile(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)((?:\s+\S+)*)\s*$")
_SCHEMES = ("http://", "https://", "file:")


class Source(NamedTuple):
    """An archive that apt takes binary packages from."""

    uri: str
    suite: str
    components: tuple[str, ...]


def mirror(etc: Path = Path("/etc")) -> str:
    """The address of the Debian archive: `$DEEPSIM_DEBIAN_MIRROR`, else the one apt uses.

    Args:
        etc: the folder with `os-release` and `apt/`.

    Raises:
        GazeboHostError: this is no Debian, or none of apt's sources is a Debian archive.
    """
    chosen = os.environ.get("DEEPSIM_DEBIAN_MIRROR")
    if chosen:
        return chosen
    remedy = "name a mirror of Debian 11 in DEEPSIM_DEBIAN_MIRROR"
    release = _os_release(etc / "os-release")
    if release.get("ID") != "debian":
        raise GazeboHostError(f"{release.get('PRETTY_NAME', 'this')} is not Debian: {remedy}")
    codename = release.get("VERSION_CODENAME", "")
    sources = list(_sources(etc / "apt"))
    updated = {source.uri for source in sources if source.suite == f"{codename}-updates"}
    candidates = [
        source.uri
        for source in sources
        if source.suite == codename
        and "main" in source.components
        and source.uri.startswith(_SCHEMES)
    ]
    if not candidates:
        raise GazeboHostError(f"apt has no source for Debian {codename!r}: {remedy}")
    # Others too call their suites by Debian's names, but do not publish updates for them.
    return next((uri for uri in candidates if uri in updated), candidates[0])


def parse_list(text: str) -> Iterator[Source]:
    """The sources in a file of one-line entries, `/etc/apt/sources.list`."""
    for line in text.splitlines():
        match = _ONE_LINE.match(line.partition("#")[0].strip())
        if match:
            yield Source(match[1].rstrip("/"), match[2], tuple(match[3].split()))


def parse_deb822(text: str) -> Iterator[Source]:
    """The sources in a file of paragraphs, `/etc/apt/sources.list.d/debian.sources`."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        fields = {
            name.lower(): value.split()
            for name, value in re.findall(r"^(\S+?):((?:.*)(?:\n[ \t].*)*)", paragraph, re.M)
        }
        if "deb" not in fields.get("types", []) or fields.get("enabled") == ["no"]:
            continue
        for uri in fields.get("uris", []):
            for suite in fields.get("suites", []):
                yield Source(uri.rstrip("/"), suite, tuple(fields.get("components", [])))


def _sources(apt: Path) -> Iterator[Source]:
    parts = apt / "sources.list.d"
    for file in [apt / "sources.list", *sorted(parts.glob("*.list"))]:
        if file.is_file():
            yield from parse_list(file.read_text(encoding="utf-8"))
    for file in sorted(parts.glob("*.sources")):
        yield from parse_deb822(file.read_text(encoding="utf-8"))


def _os_release(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    pairs = (line.partition("=") for line in file.read_text(encoding="utf-8").splitlines())
    return {name: value.strip("\"'") for name, _, value in pairs}
