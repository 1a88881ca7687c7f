# SPDX-License-Identifier: Apache-2.0
"""Errors and warnings of loading.

DeepSimError (deepsim_sync)
└── ModelFormatError                a file cannot be read as its format
UserWarning
└── ModelFormatWarning              something was repaired or approximated
    └── UnsupportedElementWarning   something in the file has no effect
"""

from __future__ import annotations

from deepsim_sync import DeepSimError


def _placed(message: str, file: str | None, line: int | None) -> str:
    place = ":".join(str(part) for part in (file, line) if part is not None)
    return f"{place}: {message}" if place else message


class ModelFormatError(DeepSimError):
    """A model or world cannot be read.

        >>> try:
        ...     GazeboXMLLoader().load_model("<robot name='empty'/>")
        ... except ModelFormatError as error:
        ...     print(error)
        <string>:1: robot[empty]: a robot must have a link

    Attributes:
        file: The file, ``<string>`` for XML given as text, or None if no file is involved.
        line: The line in that file, counted from 1, or None if unknown.
    """

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        self.file = file
        self.line = line
        super().__init__(_placed(message, file, line))


class ModelFormatWarning(UserWarning):
    """A value was repaired or approximated; the message says which one, where and how.

    >>> import warnings
    >>> warnings.simplefilter("error", ModelFormatWarning)  # refuses such files

    Attributes:
        file: The file, as of a `ModelFormatError`.
        line: The line of the first such value in that file, or None if unknown.
    """

    def __init__(self, message: str, *, file: str | None = None, line: int | None = None) -> None:
        self.file = file
        self.line = line
        super().__init__(_placed(message, file, line))


class UnsupportedElementWarning(ModelFormatWarning):
    """An element of the file has no effect on the description; issued once per kind and load.

    >>> import warnings
    >>> model = "<model name='m'><link name='l'/><sparkle>1</sparkle></model>"
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     loaded = GazeboXMLLoader().load_model(f"<sdf version='1.9'>{model}</sdf>")
    >>> [each.category.__name__ for each in found]
    ['UnsupportedElementWarning']
    """
