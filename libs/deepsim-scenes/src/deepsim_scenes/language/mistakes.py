# SPDX-License-Identifier: Apache-2.0
"""Reports mistakes in scenarios with file and line."""

from __future__ import annotations

import traceback
from pathlib import Path

from deepsim_scenes.errors import ScenarioError

from .scenic2 import with_own_lines


def scenario_error(file: Path, moved: int, error: Exception) -> ScenarioError:
    """Converts an error to a `ScenarioError` that names the file and line in the scenario.

    Args:
        file: The scenario.
        moved: The number of lines that were inserted above the scenario before compilation.
        error: The error that Scenic or the scenario raised.
    """
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(file)]
    line = getattr(error, "lineno", None) or (lines[-1] if lines else None)
    place = f"{file}:{line - moved}" if line else str(file)
    text = with_own_lines(str(getattr(error, "msg", None) or error), moved)
    return ScenarioError(f"{place}: {type(error).__name__}: {text}")
