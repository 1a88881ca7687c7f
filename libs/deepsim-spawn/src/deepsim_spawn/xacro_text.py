# SPDX-License-Identifier: Apache-2.0
"""Expands xacro to plain XML with the xacro package, without ROS.

xacro evaluates the Python expressions in ``${}``: only expand files that you trust as code.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.dom import minidom
from xml.parsers.expat import ExpatError

import xacro
from xacro import substitution_args
from xacro.substitution_args import ArgException

from .errors import ModelFormatError, ModelFormatWarning
from .xml.document import Load, read_bytes, refuse_doctype

_LOCK = threading.Lock()
"""Guards xacro's module variables, which hold its arguments and file stack."""


def expand_xacro(
    text: bytes,
    label: str,
    path: Path | None,
    arguments: Mapping[str, str],
    load: Load,
) -> bytes:
    """Returns the expanded XML of a xacro document.

    Args:
        text: The document.
        label: Its name in messages.
        path: Its file, to which includes are relative; None for text alone.
        arguments: Values of its `<xacro:arg>` elements.
        load: Provides the search path for ``$(find package)`` and collects xacro's warnings.

    Raises:
        ModelFormatError: xacro refuses it, or one of the files has a DOCTYPE; the message names
            the file concerned.
    """

    def find(package: str) -> str:
        return str(load.search_path.find(f"package://{package}", path))

    def warn(*said: object, **_: object) -> None:
        message = " ".join(map(str, said))
        if not message.startswith("redefining global symbol"):  # common with shared constants
            place = next((file for file in reversed(xacro.filestack) if file), label)
            load.findings.add(ModelFormatWarning, "xacro", (str(place), None), "warns", message)

    with _LOCK, _guarded(find, warn):
        xacro.init_stacks(None if path is None else str(path))
        try:
            document = _parse(text, label)
            mappings = {name: str(value) for name, value in arguments.items()}
            xacro.process_doc(document, mappings=mappings, verbosity=0)
        except ModelFormatError:
            raise
        except Exception as error:  # an expression may raise anything
            place = next((file for file in reversed(xacro.filestack) if file), label)
            line = error.lineno if isinstance(error, ExpatError) else None
            raise ModelFormatError(f"xacro: {_said(error)}", file=str(place), line=line) from error
    return document.toprettyxml(indent="  ", encoding="utf-8")


def _said(error: Exception) -> str:
    """Returns the message on one line, without the class that xacro repeats for `$(find)`."""
    cause = getattr(error, "exc", None)
    if isinstance(cause, OSError):
        return str(cause)
    if isinstance(cause, ArgException):
        return f"argument {str(cause)!r} has no default and was not given"
    return " ".join(str(error).split())


def _parse(text: bytes, label: str) -> minidom.Document:
    refuse_doctype(text, label)
    return minidom.parseString(text)


@contextmanager
def _guarded(find: Callable[[str], str], warn: Callable[..., None]) -> Iterator[None]:
    """Makes xacro use our functions to open included files, find packages and warn.

    xacro has no hook for these: its own parser would read a DOCTYPE before it could be refused,
    its ``$(find)`` needs a ROS installation, and its warnings are written to the terminal.
    """

    def parse(_: None, filename: str) -> minidom.Document:
        if not Path(filename).is_file():
            # xacro's own error, since an include may declare its file optional
            xacro.filestack.pop()
            raise xacro.XacroException(exc=FileNotFoundError(f"there is no file {filename!r}"))
        return _parse(read_bytes(Path(filename)), filename)

    ours = {"parse": parse, "warning": warn, "print_location": lambda: None}
    before = {name: getattr(xacro, name) for name in ours}
    find_before = substitution_args._eval_find
    substitution_args._eval_find = find
    vars(xacro).update(ours)
    try:
        yield
    finally:
        vars(xacro).update(before)
        substitution_args._eval_find = find_before
