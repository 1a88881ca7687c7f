# SPDX-License-Identifier: Apache-2.0
"""Checks SDF, URDF and xacro files: ``python -m deepsim_spawn check robot.urdf``."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .description.model import ModelDescription
from .errors import ModelFormatError, ModelFormatWarning, UnsupportedElementWarning
from .extent import Bounds
from .gazebo_xml_loader import GazeboXMLLoader
from .search_path import SearchPath

_EPILOG = """\
Prints one line per finding: file:line: level: message. An error means that the file, or a mesh of
its collisions, cannot be read; a warning, that a value was repaired or that an element has no
effect. The exit status is 1 if there is an error or, with --strict, any finding; otherwise 0.
xacro files are programs: check only those that you trust.
"""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding about a file.

    Attributes:
        file: The file concerned, which may be one that the checked file includes.
        line: The line in it, from 1; None if unknown.
        level: ``error`` or ``warning``.
        kind: ``unreadable``, ``repaired`` or ``unsupported``.
        message: The finding, without its place.
    """

    file: str
    line: int | None
    level: str
    kind: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.level}: {self.message}"


def diagnose(path: str, search_path: SearchPath, *, strict: bool = False) -> Iterator[Diagnosis]:
    """Yields the findings about one file, model folder or URI: warnings, then at most one error.

    Args:
        path: The source, as for `GazeboXMLLoader.load`.
        search_path: Folders in which URIs are looked up.
        strict: Whether values that could be repaired are errors.
    """
    error = None
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            description = GazeboXMLLoader(search_path, strict=strict).load(path)
            models = (
                (description,) if isinstance(description, ModelDescription) else description.models
            )
            for model in models:
                Bounds.of(model)  # reads the meshes of collisions
        except ModelFormatError as caught:
            error = caught
    said = [each.message for each in found if isinstance(each.message, ModelFormatWarning)]
    for warning in sorted(said, key=lambda each: (each.file or "", each.line or 0)):
        unsupported = isinstance(warning, UnsupportedElementWarning)
        kind = "unsupported" if unsupported else "repaired"
        yield _diagnosis(warning, path, "warning", kind)
    if error is not None:
        yield _diagnosis(error, path, "error", "unreadable")


def _diagnosis(
    found: ModelFormatError | ModelFormatWarning, path: str, level: str, kind: str
) -> Diagnosis:
    place = ":".join(str(part) for part in (found.file, found.line) if part is not None)
    message = " ".join(str(found).removeprefix(f"{place}: ").split())
    return Diagnosis(found.file or path, found.line, level, kind, message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the findings about the named files; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deepsim_spawn")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check",
        help="say what is wrong with SDF, URDF and xacro files, and what has no effect",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("files", nargs="+", metavar="FILE", help="a file, a model's folder or a URI")
    check.add_argument("--json", action="store_true", help="print a list of objects")
    check.add_argument("--strict", action="store_true", help="accept no repair and no warning")
    check.add_argument(
        "--path",
        action="append",
        default=[],
        type=Path,
        help="where URIs are looked up; repeatable",
    )
    options = parser.parse_args(arguments)
    try:
        search_path = SearchPath(options.path)
    except NotADirectoryError as error:
        parser.error(str(error))
    found = [
        each
        for file in options.files
        for each in diagnose(file, search_path, strict=options.strict)
    ]
    if options.json:
        print(json.dumps([asdict(each) for each in found], indent=2))
    else:
        print(*found, sep="\n", end="\n" if found else "")
    return int(any(options.strict or each.level == "error" for each in found))


if __name__ == "__main__":
    sys.exit(main())
