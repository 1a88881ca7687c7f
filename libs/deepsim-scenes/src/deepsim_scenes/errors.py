# SPDX-License-Identifier: Apache-2.0
"""The errors of deepsim-scenes.

SceneError (a DeepSimError)
├── ModelListError    a list of models that cannot be used, with file and line
├── DownloadError     a model that cannot be fetched, or is refused
├── ScenarioError     a scenario that does not compile
├── RejectedError     no sample met all requirements within the limit
└── ResizeError       a model that cannot be given a size
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from deepsim_sync import DeepSimError


class SceneError(DeepSimError):
    """Root of the errors of this library."""


class ModelListError(SceneError):
    """A list of models cannot be used.

    Attributes:
        file: The YAML file.
        line: The line of the mistake, from 1; 0 if unknown.
    """

    def __init__(self, file: str | Path, line: int, message: str) -> None:
        self.file = str(file)
        self.line = line
        super().__init__(f"{file}:{line}: {message}" if line else f"{file}: {message}")


class DownloadError(SceneError):
    """A model cannot be fetched, or the download is refused."""


class ScenarioError(SceneError):
    """A scenario does not compile; ``__cause__`` is the error of Scenic."""


class ResizeError(SceneError):
    """A model cannot be given a size."""


class RejectedError(SceneError):
    """No sample met all requirements within the limit.

    Attributes:
        samples: The number of samples that were drawn.
        reasons: How many of them each requirement rejected, the most frequent first.
    """

    def __init__(self, samples: int, reasons: Mapping[str, int]) -> None:
        self.samples = samples
        self.reasons = dict(Counter(reasons).most_common())
        most = next(iter(self.reasons), "")
        often = f"; most often ({self.reasons[most]} times): {most}" if most else ""
        super().__init__(f"none of {samples} samples met all requirements{often}")
