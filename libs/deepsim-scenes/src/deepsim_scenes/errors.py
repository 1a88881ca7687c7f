# SPDX-License-Identifier: Apache-2.0
"""The errors of deepsim-scenes.

SceneError (a DeepSimError)
├── ModelListError    a list of models has a mistake; with file and line
├── DownloadError     a model cannot be downloaded, or the download is refused
├── ScenarioError     a scenario does not compile, or its code raised an error
├── RejectedError     no sample met all requirements within the limit
└── ResizeError       a model cannot be scaled to a size
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from deepsim_sync import DeepSimError


class SceneError(DeepSimError):
    """Root of the errors of this library."""


class ModelListError(SceneError):
    """A list of models has a mistake.

    Attributes:
        file: The YAML file.
        line: The line of the mistake, counted from 1; 0 if unknown.
    """

    def __init__(self, file: str | Path, line: int, message: str) -> None:
        self.file = str(file)
        self.line = line
        super().__init__(f"{file}:{line}: {message}" if line else f"{file}: {message}")


class DownloadError(SceneError):
    """A model cannot be downloaded, or the download is refused."""


class ScenarioError(SceneError):
    """A scenario does not compile, or its code raised an error, which is ``__cause__``."""


class ResizeError(SceneError):
    """A model cannot be scaled to a size."""


class RejectedError(SceneError):
    """No sample met all requirements within the limit.

    Attributes:
        samples: The number of drawn samples.
        reasons: The number of samples that each requirement rejected, the largest first.
    """

    def __init__(self, samples: int, reasons: Mapping[str, int]) -> None:
        self.samples = samples
        self.reasons = dict(Counter(reasons).most_common())
        most = next(iter(self.reasons), "")
        often = f"; most often ({self.reasons[most]} times): {most}" if most else ""
        super().__init__(f"none of {samples} samples met all requirements{often}")
