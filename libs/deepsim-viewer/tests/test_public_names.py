# SPDX-License-Identifier: Apache-2.0
"""The public names."""

from __future__ import annotations

import deepsim_viewer


def test_public_names():
    """These names are promised; all else may change."""
    assert deepsim_viewer.__all__ == [
        "Clock",
        "EnvironmentViewer",
        "Recording",
        "RecordingError",
        "ReplayViewer",
        "SlotPolicy",
        "Viewer",
        "WorldRecorder",
        "recording_page",
    ]
